// RUN: tile-opt %s --split-input-file --verify-diagnostics

// atomic-access-1: whole words
tile.kernel @k(%A: memref<8xf16>) grid(%bx) = (1) threads(32) {
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[atomic-access-1] expected an element of 32 or 64 bits in global or shared memory, got 'memref<8xf16>'}}
    %x = tile.atomic_load relaxed %A[%i] : memref<8xf16>
  }
}

// -----

// atomic-access-1: an index for each dimension
tile.kernel @k(%A: memref<8x8xi32>, %v: i32) grid(%bx) = (1) threads(32) {
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[atomic-access-1] expected 2 indices, got 1}}
    tile.atomic_store relaxed %v, %A[%i] : memref<8x8xi32>
  }
}

// -----

// atomic-access-2: loads acquire
tile.kernel @k(%A: memref<8xi32>) grid(%bx) = (1) threads(32) {
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[atomic-access-2] expected relaxed, acquire or seq_cst, got release}}
    %x = tile.atomic_load release %A[%i] : memref<8xi32>
  }
}

// -----

// atomic-access-2: stores release
tile.kernel @k(%A: memref<8xi32>, %v: i32) grid(%bx) = (1) threads(32) {
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[atomic-access-2] expected relaxed, release or seq_cst, got acquire}}
    tile.atomic_store acquire %v, %A[%i] : memref<8xi32>
  }
}

// -----

// atomic-access-3: a thread's
tile.kernel @k(%A: memref<8xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{[atomic-access-3] expected to stand inside `tile.parallel`}}
  %x = tile.atomic_load relaxed %A[%c0] : memref<8xi32>
}
