// What cannot be split is an error that names the rule.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=arch=sm_90a --tile-split-reduction
// RUN: not tile-opt %s --split-input-file --tile-set-target=arch=sm_89 --tile-split-reduction 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: [split-1] expected a target with clusters for `split`, got sm_89

// expected-error @+1 {{[split-2] expected one `tile.pipelined` to split, got 0}}
tile.kernel @none(%A: memref<?xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
}

// -----

// expected-error @+1 {{[split-2] expected one `tile.pipelined` to split, got 2}}
tile.kernel @two(%A: memref<?xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  // expected-note @+1 {{a loop here}}
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
  }
  // expected-note @+1 {{a loop here}}
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
  }
}

// -----

tile.kernel @nested(%A: memref<?xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c32 {
    // expected-error @+1 {{[split-2] expected the loop to split directly in the kernel's body}}
    tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    }
  }
}

// -----

tile.kernel @nothing(%A: memref<?xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : memref<32xf32, #tile.fragment>
  // expected-error @+1 {{[split-3] expected a loop that accumulates into fragments}}
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    tile.copy %A[%k] to %a : memref<?xf32> to memref<32xf32, #tile.fragment>
  }
}

// -----

// The last iteration's values outlive the loop.
tile.kernel @last(%A: memref<?xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : memref<32xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    // expected-error @+1 {{[split-3] expected the fragment buffer to be accumulated into}}
    tile.copy %A[%k] to %a : memref<?xf32> to memref<32xf32, #tile.fragment>
  }
  tile.copy %a to %A[%c0] : memref<32xf32, #tile.fragment> to memref<?xf32>
}

// -----

// Rescaled from one iteration to the next, as by an online softmax: no sum of parts.
tile.kernel @rescaled(%A: memref<?x32xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %two = arith.constant 2.0 : f32
  %a = tile.alloc : memref<32x32xf32, #tile.fragment>
  %s = tile.alloc : memref<32xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    tile.copy %A[%k, %c0] to %a : memref<?x32xf32> to memref<32x32xf32, #tile.fragment>
    tile.reduce sum %a to %s dim(1) accumulate : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    // expected-error @+1 {{[split-3] expected the fragment buffer to be accumulated into by gemms or `tile.reduce ... accumulate` of one kind alone}}
    tile.parallel (%i) in (32) {
      %x = memref.load %s[%i] : memref<32xf32, #tile.fragment>
      %y = arith.mulf %x, %two : f32
      memref.store %y, %s[%i] : memref<32xf32, #tile.fragment>
    }
  }
}

// -----

tile.kernel @writes(%A: memref<?x32xf32>, %S: memref<?xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : memref<32x32xf32, #tile.fragment>
  %s = tile.alloc : memref<32xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    tile.copy %A[%k, %c0] to %a : memref<?x32xf32> to memref<32x32xf32, #tile.fragment>
    tile.reduce sum %a to %s dim(1) accumulate : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    // expected-error @+1 {{[split-4] expected no writes to global memory in a split loop}}
    tile.copy %s to %S[%k] : memref<32xf32, #tile.fragment> to memref<?xf32>
  }
}

// -----

tile.kernel @before(%A: memref<?x32xf32>, %S: memref<?xf32>) grid(%bx) = (1) threads(128) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : memref<32x32xf32, #tile.fragment>
  %s = tile.alloc : memref<32xf32, #tile.fragment>
  // expected-error @+1 {{[split-4] expected no writes to global memory in front of a split loop}}
  tile.atomic add %s to %S[%c0] : memref<32xf32, #tile.fragment> to memref<?xf32>
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    tile.copy %A[%k, %c0] to %a : memref<?x32xf32> to memref<32x32xf32, #tile.fragment>
    tile.reduce sum %a to %s dim(1) accumulate : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  }
}

// -----

// expected-error @+1 {{[split-5] expected a kernel whose blocks do not meet in their cluster by hand: `split` changes which blocks are in one}}
tile.kernel @meets(%A: memref<?xf32>) grid(%bx) = (2) threads(128) cluster(2) attributes {split = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  tile.cluster_barrier
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
  }
}
