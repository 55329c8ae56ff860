// RUN: tile-opt %s --split-input-file --verify-diagnostics

// workspace-1: one dynamic extent, the first
tile.kernel @k() grid(%bx) = (4) threads(32) {
  // expected-error @+1 {{[workspace-1] expected a memref of global memory without a layout map, of elements of whole bytes, whose first extent alone is dynamic, got 'memref<4x8xf32>'}}
  %w = tile.workspace per_block(1) : memref<4x8xf32>
}

// -----

tile.kernel @k() grid(%bx) = (4) threads(32) {
  // expected-error @+1 {{[workspace-1]}}
  %w = tile.workspace per_block(1) : memref<?x?xf32>
}

// -----

tile.kernel @k() grid(%bx) = (4) threads(32) {
  // expected-error @+1 {{[workspace-1]}}
  %w = tile.workspace per_block(1) : memref<?x8xf32, #tile.fragment>
}

// -----

tile.kernel @k() grid(%bx) = (4) threads(32) {
  // expected-error @+1 {{[workspace-1]}}
  %w = tile.workspace per_block(1) : memref<?x8xi4>
}

// -----

// workspace-2: sizes
tile.kernel @k() grid(%bx) = (4) threads(32) {
  // expected-error @+1 {{[workspace-2] expected `per_block` of 1 or more, and entries of 1 to 16777216 bytes, got 0 of 'memref<?x8xf32>'}}
  %w = tile.workspace per_block(0) : memref<?x8xf32>
}

// -----

tile.kernel @k() grid(%bx) = (4) threads(32) {
  // expected-error @+1 {{[workspace-2] expected `per_block` of 1 or more, and entries of 1 to 16777216 bytes, got 1 of 'memref<?x4096x4096xf32>'}}
  %w = tile.workspace per_block(1) : memref<?x4096x4096xf32>
}

// -----

// workspace-3: the launcher's memory is the kernel's, not an iteration's
tile.kernel @k() grid(%bx) = (4) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @+1 {{[workspace-3] expected to stand in the body of a kernel}}
    %w = tile.workspace per_block(1) : memref<?xi32>
  }
}

// -----

// last-arrival-1: integers in global memory
tile.kernel @k(%X: memref<8xf32>) grid(%bx) = (4) threads(32) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  // expected-error @+1 {{custom op 'tile.last_arrival' 'counters' must be memref of integer values, but got 'memref<8xf32>'}}
  %l = tile.last_arrival %X[%c0], %x of %x : memref<8xf32>
}

// -----

tile.kernel @k(%X: memref<8xi16>) grid(%bx) = (4) threads(32) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i16
  // expected-error @+1 {{[last-arrival-1] expected integers of 32 or 64 bits in global memory, got 'memref<8xi16>'}}
  %l = tile.last_arrival %X[%c0], %x of %x : memref<8xi16>
}

// -----

tile.kernel @k(%X: memref<8x8xi32>) grid(%bx) = (4) threads(32) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i32
  // expected-error @+1 {{[last-arrival-1] expected 2 indices, got 1}}
  %l = tile.last_arrival %X[%c0], %x of %x : memref<8x8xi32>
}

// -----

// last-arrival-2: all threads of the block
tile.kernel @k(%X: memref<8xi32>) grid(%bx) = (4) threads(32) {
  %x = arith.constant 1 : i32
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[last-arrival-2] expected to stand in the kernel's body, or in `scf` loops and conditions there, got 'tile.parallel' around it}}
    %l = tile.last_arrival %X[%i], %x of %x : memref<8xi32>
  }
}

// -----

// kernel-18: parts
// expected-error @+1 {{[kernel-18] expected `stream_k` of 2 to 1024 parts, got 1}}
tile.kernel @k() grid(%bx) = (4) threads(32) attributes {persistent = 1 : i64, stream_k = 1 : i64} {
}

// -----

// expected-error @+1 {{[kernel-18] expected `stream_k` with `persistent` and without `split`}}
tile.kernel @k() grid(%bx) = (4) threads(32) attributes {stream_k = 4 : i64} {
}

// -----

// expected-error @+1 {{[kernel-18] expected `stream_k` with `persistent` and without `split`}}
tile.kernel @k() grid(%bx) = (4) threads(32) attributes {persistent = 1 : i64, split = 2 : i64, stream_k = 4 : i64} {
}

// -----

// expected-error @+1 {{expected 'tile.stream_least' to be an i64 from 0 to 1048576, on a kernel, got -1 : i64}}
tile.kernel @k() grid(%bx) = (4) threads(32) attributes {persistent = 1 : i64, stream_k = 4 : i64, tile.stream_least = -1 : i64} {
}
