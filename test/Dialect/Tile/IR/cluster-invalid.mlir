// What blocks of a cluster must not do by hand; each message names its
// constraint.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// cluster-barrier-1: the whole block waits
tile.kernel @k() grid(%bx) = (4) threads(32) cluster(2) {
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[cluster-barrier-1] expected to stand in the kernel's body, or in `scf` loops and conditions there, got 'tile.parallel' around it}}
    tile.cluster_barrier
  }
}

// -----

// cluster-barrier-1: not some of its warps
tile.kernel @k() grid(%bx) = (4) threads(64) cluster(2) {
  tile.on_warps 0 count 1 {
    // expected-error @+1 {{[cluster-barrier-1]}}
    tile.cluster_barrier
  }
}

// -----

// cluster-barrier-2: clusters
tile.kernel @k() grid(%bx) = (4) threads(32) {
  // expected-error @+1 {{[cluster-barrier-2] expected a kernel with clusters: state `cluster` behind its threads}}
  tile.cluster_barrier
}

// -----

// cluster-barrier-2: one tile
tile.kernel @k(%A: memref<?xf32>) grid(%bx) = (dim(%A, 0)) threads(32) cluster(2) attributes {persistent = 1 : i64} {
  // expected-error @+1 {{[cluster-barrier-2] expected a kernel without `persistent`}}
  tile.cluster_barrier
}

// -----

// cluster-copy-1: offsets
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-1] expected 2 offsets of the target, got 1}}
  tile.cluster_copy %a to %a[%n] block(%n) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-2: extents
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-2]}}
  tile.cluster_copy %a[%n, %n] sizes [0, 8] to %a block(%n) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-3: one box
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-3]}}
  tile.cluster_copy %a sizes [8, 8] to %a sizes [8, 4] block(%n) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-4: inside the tile
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %c4 = arith.constant 4 : index
  %a = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-4]}}
  tile.cluster_copy %a to %a[%c4, %c4] block(%n) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-5: conversions
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %a = "test.buffer"() : () -> memref<8xcomplex<f32>, #shared>
  %b = tile.alloc : memref<8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-5] expected element types that convert, got 'complex<f32>' to 'f32'}}
  tile.cluster_copy %a to %b block(%n) : memref<8xcomplex<f32>, #shared> to memref<8xf32, #shared>
}

// -----

// cluster-copy-6: into shared memory
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8x8xf32, #shared>
  %b = tile.alloc : memref<8x8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster-copy-6] expected a fragment or a tile in shared memory, and a target in shared memory, got}}
  tile.cluster_copy %a to %b block(%n) : memref<8x8xf32, #shared> to memref<8x8xf32, #tile.fragment>
}

// -----

// cluster-copy-6: not from memory
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<8x8xf32>, %n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %b = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-6]}}
  tile.cluster_copy %A to %b block(%n) : memref<8x8xf32> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-6: at one place in all blocks
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8x8xf32, #shared>
  scf.for %i = %n to %n step %n {
    %b = tile.alloc : memref<8x8xf32, #shared>
    // expected-error @+1 {{[cluster-copy-6] expected a target made by `tile.alloc` in the kernel's top block: all blocks of the cluster have it at one place}}
    tile.cluster_copy %a to %b block(%n) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
  }
}

// -----

// cluster-copy-7: clusters
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) {
  %a = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-7] expected a kernel with clusters}}
  tile.cluster_copy %a to %a block(%n) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-7: a block of the cluster
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %c2 = arith.constant 2 : index
  %a = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-7] expected a block of the cluster's 2, from 0, got 2}}
  tile.cluster_copy %a to %a block(%c2) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-8: barriers of the cluster
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<8x8xf32, #shared>
  %b = tile.mbarrier.create arrivals [1] : !tile.mbarrier<1>
  // expected-error @+1 {{[cluster-copy-8] expected barriers of a `cluster`: state it where `tile.mbarrier.create` makes them}}
  tile.cluster_copy %a to %a block(%n) arrives(%b[%c0] : !tile.mbarrier<1>) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-8: an index
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %c1 = arith.constant 1 : index
  %a = tile.alloc : memref<8x8xf32, #shared>
  %b = tile.mbarrier.create arrivals [1] cluster : !tile.mbarrier<1>
  // expected-error @+1 {{[cluster-copy-8] expected an index from 0 to 0, got 1}}
  tile.cluster_copy %a to %a block(%n) arrives(%b[%c1] : !tile.mbarrier<1>) : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-10: a layout of the tile
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-10]}}
  tile.cluster_copy %a to %a block(%n) {layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>} : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// cluster-copy-11: a width
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8x8xf32, #shared>
  // expected-error @+1 {{[cluster-copy-11]}}
  tile.cluster_copy %a to %a block(%n) {coalesced_width = 3 : i64} : memref<8x8xf32, #shared> to memref<8x8xf32, #shared>
}

// -----

// mbarrier-4: clusters
tile.kernel @k() grid(%bx) = (4) threads(32) {
  // expected-error @+1 {{[mbarrier-4] expected a kernel with clusters: state `cluster` behind its threads}}
  %b = tile.mbarrier.create arrivals [32] cluster : !tile.mbarrier<1>
}

// -----

// mbarrier-5: barriers of the cluster
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %c0 = arith.constant 0 : index
  %b = tile.mbarrier.create arrivals [32] : !tile.mbarrier<1>
  // expected-error @+1 {{[mbarrier-5] expected barriers of a `cluster`}}
  tile.mbarrier.arrive %b[%c0] block(%n) : !tile.mbarrier<1>
}

// -----

// mbarrier-5: a block of the cluster
tile.kernel @k() grid(%bx) = (4) threads(32) cluster(2) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %b = tile.mbarrier.create arrivals [32] cluster : !tile.mbarrier<1>
  // expected-error @+1 {{[mbarrier-5] expected a block of the cluster's 2, from 0, got 3}}
  tile.mbarrier.arrive %b[%c0] block(%c3) : !tile.mbarrier<1>
}

// -----

// mbarrier-6: copies arrive at barriers of their own block
tile.kernel @k(%n: index) grid(%bx) = (4) threads(32) cluster(2) {
  %c0 = arith.constant 0 : index
  %b = tile.mbarrier.create arrivals [32] cluster : !tile.mbarrier<1>
  // expected-error @+1 {{[mbarrier-6] expected no `after_copies` with `block`: copies complete at barriers of the block itself}}
  tile.mbarrier.arrive %b[%c0] block(%n) after_copies : !tile.mbarrier<1>
}

// -----

// cluster-gather-1: one type
tile.kernel @k() grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  %b = tile.alloc : memref<2x8xf16, #tile.fragment>
  // expected-error @+1 {{[cluster-gather-1] expected whole fragments or shared tiles of static shape and of one type of numbers of 8 bits or more, got 'memref<8xf32, #tile.fragment>' to 'memref<2x8xf16, #tile.fragment>'}}
  tile.cluster_gather %a to %b : memref<8xf32, #tile.fragment> to memref<2x8xf16, #tile.fragment>
}

// -----

// cluster-gather-1: whole bytes
tile.kernel @k() grid(%bx) = (4) threads(32) cluster(2) {
  %a = tile.alloc : memref<8xi4, #tile.fragment>
  %b = tile.alloc : memref<2x8xi4, #tile.fragment>
  // expected-error @+1 {{[cluster-gather-1]}}
  tile.cluster_gather %a to %b : memref<8xi4, #tile.fragment> to memref<2x8xi4, #tile.fragment>
}

// -----

// cluster-gather-1: tiles
tile.kernel @k(%A: memref<8xf32>) grid(%bx) = (4) threads(32) cluster(2) {
  %b = tile.alloc : memref<2x8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster-gather-1]}}
  tile.cluster_gather %A to %b : memref<8xf32> to memref<2x8xf32, #tile.fragment>
}

// -----

// cluster-gather-2: a tile of each block
tile.kernel @k() grid(%bx, %by) = (4, 4) threads(32) cluster(2, 2) {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  %b = tile.alloc : memref<2x8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster-gather-2] expected a target of shape [4, 8], a tile of each of the cluster's 4 blocks, got 'memref<2x8xf32, #tile.fragment>'}}
  tile.cluster_gather %a to %b : memref<8xf32, #tile.fragment> to memref<2x8xf32, #tile.fragment>
}

// -----

// cluster-gather-2: without clusters the block is the only one
tile.kernel @k() grid(%bx) = (4) threads(32) {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  %b = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster-gather-2] expected a target of shape [1, 8]}}
  tile.cluster_gather %a to %b : memref<8xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// cluster-gather-3: the whole block waits
tile.kernel @k() grid(%bx) = (4) threads(64) cluster(2) {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  %b = tile.alloc : memref<2x8xf32, #tile.fragment>
  tile.on_warps 0 count 1 {
    // expected-error @+1 {{[cluster-gather-3] expected to stand in the kernel's body, or in `scf` loops and conditions there, got 'tile.on_warps' around it}}
    tile.cluster_gather %a to %b : memref<8xf32, #tile.fragment> to memref<2x8xf32, #tile.fragment>
  }
}

// -----

// cluster-gather-4: one tile
tile.kernel @k(%A: memref<?xf32>) grid(%bx) = (dim(%A, 0)) threads(32) cluster(2) attributes {persistent = 1 : i64} {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  %b = tile.alloc : memref<2x8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster-gather-4] expected a kernel without `persistent`: write the loop over tiles in the kernel}}
  tile.cluster_gather %a to %b : memref<8xf32, #tile.fragment> to memref<2x8xf32, #tile.fragment>
}

// -----

// cluster-gather-2: outside of a kernel, too
#shared = #gpu.address_space<workgroup>
func.func @f(%a: memref<f32, #shared>, %b: memref<f32, #shared>) {
  // expected-error @+1 {{[cluster-gather-2] expected a target of shape [1]}}
  tile.cluster_gather %a to %b : memref<f32, #shared> to memref<f32, #shared>
  return
}

// -----

// cluster-gather-1: no part of a tile
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (4) threads(32) cluster(2) {
  %s = tile.alloc : memref<8xf32, #shared>
  %b = tile.alloc : memref<2x4xf32, #shared>
  %v = memref.subview %s[4] [4] [1] : memref<8xf32, #shared> to memref<4xf32, strided<[1], offset: 4>, #shared>
  // expected-error @+1 {{[cluster-gather-1] expected whole fragments or shared tiles}}
  tile.cluster_gather %v to %b : memref<4xf32, strided<[1], offset: 4>, #shared> to memref<2x4xf32, #shared>
}
