// Memory says where a copy reads: rows by index, or an offset that is loaded. Beside 128 threads that compute by mma.sync such
// copies have warps of their own; with 256 threads, or offsets that are computed, they have not.
// RUN: tile-opt %s --split-input-file --tile-to-schedule="arch=sm_90a remarks" --verify-diagnostics=only-expected | FileCheck %s
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @rows
// CHECK: role "load" warps(4)
// CHECK: tile.gather
// CHECK: role "mma" warps(4)
// expected-remark @below {{warps specialized: 128 threads issue copies together, 128 compute}}
tile.kernel @rows(%A: memref<?x64xf16> {tile.alignment = 16}, %T: memref<?xi32>, %C: memref<16x32xf32>, %n: i32) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %rows = arith.index_cast %n : i32 to index
  %Qs = tile.alloc : memref<16x64xf16, #shared>
  %As = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<16x32xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %Qs : memref<?x64xf16> to memref<16x64xf16, #shared>
  tile.fill %acc with %zero : memref<16x32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %rows step %c32 stages(3) {
    tile.gather %A[%c0] rows %T[%k] to %As : memref<?x64xf16>, memref<?xi32> to memref<32x64xf16, #shared>
    tile.gemm %Qs, %As, %acc {transpose_b} : memref<16x64xf16, #shared>, memref<32x64xf16, #shared>, memref<16x32xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<16x32xf32, #tile.fragment> to memref<16x32xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @offset
// CHECK: role "load" warps(4)
// expected-remark @below {{warps specialized: 128 threads issue copies together, 128 compute}}
tile.kernel @offset(%A: memref<?x64xf16> {tile.alignment = 16}, %T: memref<?xi32>, %C: memref<16x32xf32>, %n: i32) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = arith.index_cast %n : i32 to index
  %Qs = tile.alloc : memref<16x64xf16, #shared>
  %As = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<16x32xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %Qs {disable_tma} : memref<?x64xf16> to memref<16x64xf16, #shared>
  tile.fill %acc with %zero : memref<16x32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %rows step %c1 stages(3) {
    %t = memref.load %T[%k] : memref<?xi32>
    %at = arith.index_cast %t : i32 to index
    tile.copy %A[%at, %c0] to %As {disable_tma} : memref<?x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %Qs, %As, %acc {transpose_b} : memref<16x64xf16, #shared>, memref<32x64xf16, #shared>, memref<16x32xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<16x32xf32, #tile.fragment> to memref<16x32xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @computed
// CHECK-NOT: role
// expected-remark @below {{warps not specialized: no copy by TMA stands in a pipelined loop of several stages, nor another that wgmma reads, or one whose place is read from memory beside 128 threads that compute}}
tile.kernel @computed(%A: memref<?x64xf16> {tile.alignment = 16}, %C: memref<16x32xf32>, %n: i32) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %rows = arith.index_cast %n : i32 to index
  %Qs = tile.alloc : memref<16x64xf16, #shared>
  %As = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<16x32xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %Qs {disable_tma} : memref<?x64xf16> to memref<16x64xf16, #shared>
  tile.fill %acc with %zero : memref<16x32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %rows step %c32 stages(3) {
    tile.copy %A[%k, %c0] to %As {disable_tma} : memref<?x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %Qs, %As, %acc {transpose_b} : memref<16x64xf16, #shared>, memref<32x64xf16, #shared>, memref<16x32xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<16x32xf32, #tile.fragment> to memref<16x32xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @rows_of_256
// CHECK-NOT: role
// expected-remark @below {{warps not specialized}}
tile.kernel @rows_of_256(%A: memref<?x64xf16> {tile.alignment = 16}, %T: memref<?xi32>, %C: memref<16x64xf32>, %n: i32) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %rows = arith.index_cast %n : i32 to index
  %Qs = tile.alloc : memref<16x64xf16, #shared>
  %As = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<16x64xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %Qs {disable_tma} : memref<?x64xf16> to memref<16x64xf16, #shared>
  tile.fill %acc with %zero : memref<16x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %rows step %c64 stages(3) {
    tile.gather %A[%c0] rows %T[%k] to %As : memref<?x64xf16>, memref<?xi32> to memref<64x64xf16, #shared>
    tile.gemm %Qs, %As, %acc {transpose_b} : memref<16x64xf16, #shared>, memref<64x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<16x64xf32, #tile.fragment> to memref<16x64xf32>
}
