// RUN: tile-opt %s --split-input-file --verify-diagnostics

// from-address-1: in global memory
tile.kernel @k(%a: i64) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[from-address-1] expected a memref of global memory without a layout map, of elements of whole bytes, got 'memref<8xf32, #tile.fragment>'}}
  %x = tile.from_address %a : memref<8xf32, #tile.fragment>
}

// -----

// from-address-1: dense
tile.kernel @k(%a: i64) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[from-address-1]}}
  %x = tile.from_address %a : memref<8x8xf32, strided<[16, 1]>>
}

// -----

// from-address-1: whole bytes
tile.kernel @k(%a: i64) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[from-address-1]}}
  %x = tile.from_address %a : memref<8xi4>
}

// -----

// from-address-2: the extents that the type leaves open
tile.kernel @k(%a: i64) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[from-address-2] expected an operand for each of 1 dynamic extents, got 0}}
  %x = tile.from_address %a : memref<?x8xf32>
}

// -----

// A power of two
tile.kernel @k(%a: i64) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected 'tile.alignment' to be an i64, a power of two of at most 1048576 bytes, on a 'tile.from_address', got 24 : i64}}
  %x = tile.from_address %a {tile.alignment = 24} : memref<8x8xf32>
}

// -----

// On nothing else
tile.kernel @k(%a: i64) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{on a 'tile.from_address', got 16 : i64}}
  %x = tile.alloc {tile.alignment = 16} : memref<8x8xf32, #tile.fragment>
}
