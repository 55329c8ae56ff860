// A loop that blocks share leaves sums behind and nothing else. A fragment that a loop over elements writes whole in each
// iteration, and a tile that copies fill together, are no such thing; one that is written in part is.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=arch=sm_90a --tile-split-reduction | FileCheck %s
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @fresh
// CHECK: tile.pipelined
// CHECK: tile.cluster_reduce
tile.kernel @fresh(%A: memref<?x64xf16>, %B: memref<?x64xi8>, %C: memref<64x64xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %A, %c0 : memref<?x64xf16>
  %As = tile.alloc : memref<32x64xf16, #shared>
  %Bs = tile.alloc : memref<32x64xi8, #shared>
  %Bf = tile.alloc : memref<32x64xf16, #tile.fragment>
  %Ah = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %rows step %c32 stages(2) {
    tile.copy %A[%k, %c0] sizes [16, 64] to %As[%c0, %c0] sizes [16, 64] : memref<?x64xf16> to memref<32x64xf16, #shared>
    %next = arith.addi %k, %c16 : index
    tile.copy %A[%next, %c0] sizes [16, 64] to %As[%c16, %c0] sizes [16, 64] : memref<?x64xf16> to memref<32x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<?x64xi8> to memref<32x64xi8, #shared>
    tile.parallel (%i, %j) in (32, 64) {
      %b = memref.load %Bs[%i, %j] : memref<32x64xi8, #shared>
      %f = arith.sitofp %b : i8 to f16
      memref.store %f, %Bf[%i, %j] : memref<32x64xf16, #tile.fragment>
    }
    tile.copy %Bf to %Ah : memref<32x64xf16, #tile.fragment> to memref<32x64xf16, #shared>
    tile.gemm %As, %Ah, %acc {transpose_a} : memref<32x64xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @left(%A: memref<?x64xf16>, %C: memref<64x64xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %rows = memref.dim %A, %c0 : memref<?x64xf16>
  %As = tile.alloc : memref<32x64xf16, #shared>
  %Af = tile.alloc : memref<32x64xf16, #tile.fragment>
  %Ah = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.fill %Af with %none : memref<32x64xf16, #tile.fragment>, f16
  tile.pipelined %k = %c0 to %rows step %c32 stages(2) {
    tile.copy %A[%k, %c0] to %As : memref<?x64xf16> to memref<32x64xf16, #shared>
    tile.parallel (%i, %j) in (16, 64) {
      %a = memref.load %As[%i, %j] : memref<32x64xf16, #shared>
      memref.store %a, %Af[%i, %j] : memref<32x64xf16, #tile.fragment>
    }
    // expected-error @below {{[split-3] expected the fragment buffer to be accumulated into by gemms or `tile.reduce ... accumulate` of one kind alone, since it outlives an iteration of a split loop}}
    tile.copy %Af to %Ah : memref<32x64xf16, #tile.fragment> to memref<32x64xf16, #shared>
    tile.gemm %As, %Ah, %acc {transpose_a} : memref<32x64xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
