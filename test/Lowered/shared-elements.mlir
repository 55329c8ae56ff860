// Elements that several iterations of a loop update, by indices with quotients and remainders.
// RUN: tile-opt --tile-to-layouts='arch=sm_90a remarks' %s -o %t.mlir 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: tile-run %s --kernel=extrema --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=extrema --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=counts --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=of_one_thread --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=of_one_thread --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// REMARK: shared-elements.mlir:[[@LINE+15]]:5: remark: several iterations update one element: made an atomic update; layouts under which one thread executes them need none
// IR-LABEL: tile.kernel @extrema
// IR: memref.atomic_rmw maxnumf
tile.kernel @extrema(%x: memref<32x64xf32>, %y: memref<8x8xf32>) grid(%bx) = (1) threads(128) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %m = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.fill %m with %zero : memref<8x8xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (32, 64) {
    %a = arith.divui %i, %c4 : index
    %b = arith.divui %j, %c8 : index
    %v = memref.load %x[%i, %j] : memref<32x64xf32>
    %old = memref.load %m[%a, %b] : memref<8x8xf32, #tile.fragment>
    %new = arith.maxnumf %v, %old : f32
    memref.store %new, %m[%a, %b] : memref<8x8xf32, #tile.fragment>
  }
  tile.copy %m to %y : memref<8x8xf32, #tile.fragment> to memref<8x8xf32>
}

// IR-LABEL: tile.kernel @counts
// IR: memref.atomic_rmw addi
// Another element for each iteration stays a load and a store.
// IR: memref.store
// IR-NOT: memref.atomic_rmw
tile.kernel @counts(%x: memref<256xf32>, %y: memref<16xi32>, %z: memref<16x16xi32>) grid(%bx) = (1) threads(128) {
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %m = tile.alloc : memref<16xi32, #shared>
  %n = tile.alloc : memref<16x16xi32, #shared>
  tile.fill %m with %zero : memref<16xi32, #shared>, i32
  tile.fill %n with %one : memref<16x16xi32, #shared>, i32
  tile.parallel (%i) in (256) {
    %a = arith.remui %i, %c16 : index
    %v = memref.load %x[%i] : memref<256xf32>
    %some = arith.cmpf ogt, %v, %none : f32
    scf.if %some {
      %old = memref.load %m[%a] : memref<16xi32, #shared>
      %new = arith.addi %old, %one : i32
      memref.store %new, %m[%a] : memref<16xi32, #shared>
    }
    %b = arith.divui %i, %c16 : index
    %w = memref.load %n[%a, %b] : memref<16x16xi32, #shared>
    %more = arith.addi %w, %one : i32
    memref.store %more, %n[%a, %b] : memref<16x16xi32, #shared>
  }
  tile.copy %m to %y : memref<16xi32, #shared> to memref<16xi32>
  tile.copy %n to %z : memref<16x16xi32, #shared> to memref<16x16xi32>
}

// A thread's eight neighbours and four rows of eight update one element of its own, in a register.
// IR-LABEL: tile.kernel @of_one_thread
// IR-NOT: address_space<workgroup>
// IR: tile.parallel
// IR-NOT: memref.atomic_rmw
// IR: memref.store %{{.*}} : memref<1x2x128xf32, #tile.fragment>
#x = #tile.fragment_layout<shape [32, 256] reg [(8, 1:1), (4, 0:8)] lane [(32, 1:8)] warp [(8, 0:1)]>
#m = #tile.fragment_layout<shape [1, 2, 128] reg [] lane [(16, 2:1), (2, 1:1)] warp [(8, 2:16)]>
#s = #tile.fragment_layout<shape [1, 2] reg [] lane [(16, *), (2, 1:1)] warp [(8, *)]>
tile.kernel @of_one_thread(%x: memref<32x256xf32>, %y: memref<1x2x128xf32>, %z: memref<32x256xf32>) grid(%bx) = (1) threads(256) {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %f = tile.alloc layout(#x) : memref<32x256xf32, #tile.fragment>
  %m = tile.alloc layout(#m) : memref<1x2x128xf32, #tile.fragment>
  %s = tile.alloc layout(#s) : memref<1x2xf32, #tile.fragment>
  tile.copy %x to %f : memref<32x256xf32> to memref<32x256xf32, #tile.fragment>
  tile.fill %m with %zero : memref<1x2x128xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (32, 256) {
    %a = arith.divui %i, %c32 : index
    %b = arith.divui %j, %c128 : index
    %r = arith.remui %i, %c8 : index
    %t = arith.muli %r, %c128 : index
    %q = arith.remui %j, %c128 : index
    %u = arith.addi %t, %q : index
    %c = arith.divui %u, %c8 : index
    %old = memref.load %m[%a, %b, %c] : memref<1x2x128xf32, #tile.fragment>
    %v = memref.load %f[%i, %j] : memref<32x256xf32, #tile.fragment>
    %new = arith.maxnumf %old, %v : f32
    memref.store %new, %m[%a, %b, %c] : memref<1x2x128xf32, #tile.fragment>
  }
  tile.copy %m to %y : memref<1x2x128xf32, #tile.fragment> to memref<1x2x128xf32>
  tile.reduce max %m to %s dim(2) : memref<1x2x128xf32, #tile.fragment> to memref<1x2xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 256) {
    %a = arith.divui %i, %c32 : index
    %b = arith.divui %j, %c128 : index
    %most = memref.load %s[%a, %b] : memref<1x2xf32, #tile.fragment>
    %v = memref.load %f[%i, %j] : memref<32x256xf32, #tile.fragment>
    %w = arith.subf %v, %most : f32
    memref.store %w, %z[%i, %j] : memref<32x256xf32>
  }
}
