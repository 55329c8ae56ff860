// RUN: tile-opt %s --verify-diagnostics --split-input-file

// view-1: spaces
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  // expected-error @+1 {{[view-1] expected two memrefs of global, shared or fragment memory without layout maps}}
  %v = tile.view %s : memref<8x4xf32, #tile.fragment> to memref<32xf32, #gpu.address_space<workgroup>>
}

// -----

// view-1: space
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.local>
  // expected-error @+1 {{[view-1] expected two memrefs of global, shared or fragment memory without layout maps}}
  %v = tile.view %s : memref<8x4xf32, #tile.local> to memref<32xf32, #tile.local>
}

// -----

// view-1: a slot
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %ring = tile.ring.create : !tile.ring<2 x [memref<8x4xf32, #gpu.address_space<workgroup>>], cp_async -> threads>
  %s = tile.ring.acquire %ring[%c0] : !tile.ring<2 x [memref<8x4xf32, #gpu.address_space<workgroup>>], cp_async -> threads>
  // expected-error @+1 {{[view-1] expected no slot of a ring, got a result of 'tile.ring.acquire'}}
  %v = tile.view %s : memref<8x4xf32, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
}

// -----

// view-1: layout map
tile.kernel @k(%A: memref<8x4xf32, strided<[8, 1]>>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[view-1] expected two memrefs of global, shared or fragment memory without layout maps}}
  %v = tile.view %A : memref<8x4xf32, strided<[8, 1]>> to memref<32xf32>
}

// -----

// view-1: extents
tile.kernel @k(%A: memref<8x?xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[view-1] expected static extents after the first}}
  %v = tile.view %A : memref<8x?xf32> to memref<?xf32>
}

// -----

// view-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[view-2] expected equally many bits}}
  %v = tile.view %s : memref<8x4xf32, #gpu.address_space<workgroup>> to memref<32xf16, #gpu.address_space<workgroup>>
}

// -----

// view-2: what is left has to be asked for
tile.kernel @k(%A: memref<?x4xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[view-2] expected a dynamic extent of the result}}
  %v = tile.view %A : memref<?x4xf32> to memref<8x4xf32>
}

// -----

// view-3: a fragment
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  // expected-error @+1 {{[view-3] expected the element type of the fragment}}
  %v = tile.view %s : memref<8x4xf32, #tile.fragment> to memref<8x4xi32, #tile.fragment>
}

// -----

// view-3: packed elements
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xi4, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[view-3] expected element types of 8 bits or more}}
  %v = tile.view %s : memref<8x4xi4, #gpu.address_space<workgroup>> to memref<16xi8, #gpu.address_space<workgroup>>
}
