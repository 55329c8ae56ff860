// What blocks cannot share is an error that names the rule.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=arch=sm_90a --tile-make-persistent --tile-stream-reduction

// expected-error @+1 {{[stream-1] expected one `tile.pipelined`, directly in the kernel's body, and no `tile.block_range` of the program's, got 0 loops}}
tile.kernel @none(%A: memref<?xf32>) grid(%bx) = (1) threads(128) attributes {persistent = 1 : i64, stream_k = 4 : i64} {
  %a = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %A[%bx] to %a : memref<?xf32> to memref<32xf32, #tile.fragment>
}

// -----

// expected-error @+1 {{[stream-1] expected one `tile.pipelined`, directly in the kernel's body, and no `tile.block_range` of the program's, got 1 loop}}
tile.kernel @nested(%A: memref<?xf32>) grid(%bx) = (4) threads(128) attributes {persistent = 1 : i64, stream_k = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : memref<32xf32, #tile.fragment>
  scf.for %i = %c0 to %c32 step %c32 {
    // expected-note @+1 {{a loop here}}
    tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
      tile.copy %A[%bx] to %a : memref<?xf32> to memref<32xf32, #tile.fragment>
    }
  }
}

// -----

// The program goes through its part of the grid itself.
// expected-error @+1 {{[stream-1]}}
tile.kernel @range(%A: memref<?xf32>) grid(%bx) = (4) threads(128) attributes {persistent = 1 : i64, stream_k = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : memref<32xf32, #tile.fragment>
  %first, %end, %step = tile.block_range
  scf.for %i = %first to %end step %step {
    // expected-note @+1 {{a loop here}}
    tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
      tile.copy %A[%i] to %a : memref<?xf32> to memref<32xf32, #tile.fragment>
    }
  }
}

// -----

// expected-error @+1 {{[stream-2] expected clusters of one block along the third dimension of the grid, got 2}}
tile.kernel @deep(%A: memref<?xf32>, %C: memref<?xf32>) grid(%bx, %by, %bz) = (4, 4, 4) threads(128) cluster(1, 1, 2) attributes {persistent = 1 : i64, stream_k = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc : memref<1xf32, #tile.fragment>
  %a = tile.alloc : memref<32xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    tile.copy %A[%bz] to %a : memref<?xf32> to memref<32xf32, #tile.fragment>
    tile.reduce sum %a to %acc dim(0) accumulate : memref<32xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%bz] : memref<1xf32, #tile.fragment> to memref<?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @narrow(%A: memref<?x?xf16>, %C: memref<?x?xf16>) grid(%bx) = (4) threads(128) attributes {persistent = 1 : i64, stream_k = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %As = tile.alloc : memref<64x32xf16, #shared>
  %acc = tile.alloc : memref<64x64xf16, #tile.fragment>
  // expected-error @+1 {{[stream-4] expected the fragment buffer to have elements of 32 bits or more: partial sums are combined in memory}}
  tile.pipelined %k = %c0 to %c64 step %c32 stages(2) {
    tile.copy %A[%bx, %k] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
    tile.gemm %As, %As, %acc {transpose_b} : memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, memref<64x64xf16, #tile.fragment>
  }
  tile.copy %acc to %C[%bx, %c0] : memref<64x64xf16, #tile.fragment> to memref<?x?xf16>
}

// -----

// The maximum so far outlives an iteration, and does not combine element by element.
tile.kernel @last(%A: memref<?xf32>, %C: memref<?xf32>) grid(%bx) = (4) threads(128) attributes {persistent = 1 : i64, stream_k = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : memref<32xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    // expected-error @+1 {{[split-3] expected the fragment buffer to be accumulated into}}
    tile.copy %A[%bx] to %a : memref<?xf32> to memref<32xf32, #tile.fragment>
  }
  tile.copy %a to %C[%bx] : memref<32xf32, #tile.fragment> to memref<?xf32>
}
