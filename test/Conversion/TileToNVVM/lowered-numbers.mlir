// What threads compute from the lowered code, where only numbers show it.
// RUN: split-file %s %t
// RUN: tile-run %t/nan.mlir --args=A=4x64:nan,M=4:nan,N=4:nan,X=4:nan --stage=lowered --arch=sm_80 --check | FileCheck %t/nan.mlir
// RUN: tile-run %t/overshoot.mlir --args=A=64x8:smallint,X=70x8:smallint,O=66x8:nan,G=64x8:nan --stage=lowered --arch=sm_80 --check | FileCheck %t/overshoot.mlir
// RUN: tile-run %t/wide.mlir --args=A=32x64:smallint,O=32x64:nan,P=32x64:nan --stage=lowered --arch=sm_80 --check | FileCheck %t/wide.mlir
// RUN: tile-translate %t/wide.mlir --tile-to-llvmir --arch=sm_80 | FileCheck %t/wide.mlir --check-prefix=WIDTH
// RUN: tile-run %t/local.mlir --args=A=1024:smallint,O=1024:nan --stage=lowered --arch=sm_80 --check | FileCheck %t/local.mlir
// RUN: tile-run %t/replicas.mlir --args=S=64:nan,O=24:nan --stage=lowered --arch=sm_80 --check | FileCheck %t/replicas.mlir

//--- nan.mlir
// Rows of nothing but NaN give the identity.
// CHECK: check M: max error 0,
// CHECK: check N: max error 0,
// CHECK: check X: 4 elements equal
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @nan(%A: memref<4x64xbf16>, %M: memref<4xbf16>, %N: memref<4xbf16>, %X: memref<4xbf16>) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<4x64xbf16, #shared>
  %m = tile.alloc : memref<4xbf16, #shared>
  %n = tile.alloc : memref<4xbf16, #shared>
  %x = tile.alloc : memref<4xbf16, #shared>
  tile.copy %A to %s : memref<4x64xbf16> to memref<4x64xbf16, #shared>
  tile.reduce max %s to %m dim(1) : memref<4x64xbf16, #shared> to memref<4xbf16, #shared>
  tile.reduce min %s to %n dim(1) : memref<4x64xbf16, #shared> to memref<4xbf16, #shared>
  tile.reduce absmax %s to %x dim(1) : memref<4x64xbf16, #shared> to memref<4xbf16, #shared>
  tile.copy %m to %M : memref<4xbf16, #shared> to memref<4xbf16>
  tile.copy %n to %N : memref<4xbf16, #shared> to memref<4xbf16>
  tile.copy %x to %X : memref<4xbf16, #shared> to memref<4xbf16>
}

//--- overshoot.mlir
// 64 rows of 3 warps: each thread has three, of which some do not exist. Their
// indices are in registers, the others' at places of their own.
// CHECK: check O: 528 elements equal
// CHECK: check G: 512 elements equal
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @overshoot(%A: memref<64x8xf32>, %X: memref<?x8xf32>, %O: memref<?x8xf32>, %G: memref<64x8xf32>) grid(%b) = (1) threads(96) {
  %c0 = arith.constant 0 : index
  %i = tile.alloc : memref<64xi32, #tile.fragment>
  %s = tile.alloc : memref<64x8xf32, #shared>
  %f = tile.alloc : memref<64x8xf32, #tile.fragment>
  tile.copy %A to %s : memref<64x8xf32> to memref<64x8xf32, #shared>
  tile.parallel (%r) in (64) {
    %c65 = arith.constant 65 : index
    %back = arith.subi %c65, %r : index
    %word = arith.index_cast %back : index to i32
    memref.store %word, %i[%r] : memref<64xi32, #tile.fragment>
  }
  tile.scatter %s to %O[%c0] rows %i[%c0] : memref<64x8xf32, #shared> to memref<?x8xf32>, memref<64xi32, #tile.fragment>
  tile.gather %X[%c0] rows %i[%c0] to %f : memref<?x8xf32>, memref<64xi32, #tile.fragment> to memref<64x8xf32, #tile.fragment>
  tile.copy %f to %G : memref<64x8xf32, #tile.fragment> to memref<64x8xf32>
}

//--- wide.mlir
// 16 bytes of one type are 32 of another, in rows that are padded or swizzled
// by 16.
// CHECK: check O: 2048 elements equal
// CHECK: check P: 2048 elements equal
// CHECK: PASS
// WIDTH-LABEL: define ptx_kernel void @wide
// WIDTH-NOT:   align 32
// WIDTH:       ret void
#shared = #gpu.address_space<workgroup>
#padded = #tile.shared_layout<shape [32, 64] bits 16 modes [(64, 1:1), (32, 0:72)]>
#swizzled = #tile.shared_layout<shape [32, 64] bits 16 modes [(64, 1:1), (32, 0:64)] swizzle(3, 3, 3)>
tile.kernel @wide(%A: memref<32x64xi8> {tile.alignment = 16}, %O: memref<32x64xf16>, %P: memref<32x64xf16>) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<32x64xi8, #shared>
  %p = tile.alloc layout(#padded) : memref<32x64xf16, #shared>
  %q = tile.alloc layout(#swizzled) : memref<32x64xf16, #shared>
  tile.copy %A to %s : memref<32x64xi8> to memref<32x64xi8, #shared>
  tile.copy %s to %p : memref<32x64xi8, #shared> to memref<32x64xf16, #shared>
  tile.copy %s to %q : memref<32x64xi8, #shared> to memref<32x64xf16, #shared>
  tile.copy %p to %O : memref<32x64xf16, #shared> to memref<32x64xf16>
  tile.copy %q to %P : memref<32x64xf16, #shared> to memref<32x64xf16>
}

//--- local.mlir
// One local buffer serves the iterations of a thread one after another, though
// their loads are as wide as they can be.
// CHECK: check O: 1024 elements equal
// CHECK: PASS
tile.kernel @local(%A: memref<1024xf32> {tile.alignment = 16}, %O: memref<1024xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %l = tile.alloc : memref<2xf32, #tile.local>
  tile.parallel (%i) in (1024) {
    %a = memref.load %A[%i] : memref<1024xf32>
    memref.store %a, %l[%c0] : memref<2xf32, #tile.local>
    %twice = arith.addf %a, %a : f32
    memref.store %twice, %l[%c1] : memref<2xf32, #tile.local>
    %at = arith.remui %i, %c2 : index
    %x = memref.load %l[%at] : memref<2xf32, #tile.local>
    memref.store %x, %O[%i] : memref<1024xf32>
  }
}

//--- replicas.mlir
// Threads that hold the same elements: one of them stores to shared memory.
// CHECK: check S: 64 elements equal
// CHECK: check O: 24 elements equal
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
#replicated = #tile.fragment_layout<shape [24] reg [(4, 0:1), (2, 0:12)] lane [(32, *)] warp [(3, 0:4)]>
#spread = #tile.fragment_layout<shape [24] reg [] lane [(8, 0:1), (4, *)] warp [(3, 0:8)]>
tile.kernel @replicas(%S: memref<64xf16>, %O: memref<24xf32>) grid(%b) = (1) threads(96) {
  %one = arith.constant 1.0 : f16
  %s = tile.alloc : memref<64xf16, #shared>
  %f = tile.alloc layout(#replicated) : memref<24xf32, #tile.fragment>
  %g = tile.alloc layout(#spread) : memref<24xf32, #tile.fragment>
  tile.fill %s with %one : memref<64xf16, #shared>, f16
  tile.copy %s to %S : memref<64xf16, #shared> to memref<64xf16>
  tile.parallel (%i) in (24) {
    %word = arith.index_cast %i : index to i32
    %x = arith.sitofp %word : i32 to f32
    memref.store %x, %f[%i] : memref<24xf32, #tile.fragment>
  }
  tile.convert_layout %f to %g : memref<24xf32, #tile.fragment> to memref<24xf32, #tile.fragment>
  tile.copy %g to %O : memref<24xf32, #tile.fragment> to memref<24xf32>
}
