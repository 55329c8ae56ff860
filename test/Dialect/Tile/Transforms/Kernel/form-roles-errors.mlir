// RUN: tile-opt %s --tile-form-roles --split-input-file --verify-diagnostics

tile.kernel @shares(%A: memref<8xf32>) grid(%b) = (1) threads(64) {
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{the fragment}}
  %x = tile.alloc : memref<8xf32, #tile.fragment>
  tile.on_warps 0 count 1 {
    // expected-error @+1 {{expected a fragment to be used by the same warps everywhere; pass its elements through a tile in shared memory}}
    tile.fill %x with %zero : memref<8xf32, #tile.fragment>, f32
  }
  tile.on_warps 1 count 1 {
    // expected-note @+1 {{other warps use it here}}
    tile.fill %x with %zero : memref<8xf32, #tile.fragment>, f32
  }
}

// -----

// expected-error @+1 {{expected at most 12 ranges of warps, those in no `tile.on_warps` included, got 14}}
tile.kernel @many() grid(%b) = (1) threads(512) {
  tile.on_warps 0 count 1 {
  }
  tile.on_warps 2 count 1 {
  }
  tile.on_warps 4 count 1 {
  }
  tile.on_warps 6 count 1 {
  }
  tile.on_warps 8 count 1 {
  }
  tile.on_warps 10 count 1 {
  }
  tile.on_warps 12 count 1 {
  }
}
