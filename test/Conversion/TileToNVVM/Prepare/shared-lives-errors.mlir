// What has no layout has no size.
// RUN: tile-opt %s --tile-place-shared-memory --split-input-file --verify-diagnostics

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @tile(%A: memref<64xf32>) grid(%bx) = (1) threads(32) {
    // expected-error @below {{expected a layout: run --tile-infer-layouts}}
    %s = tile.alloc : memref<64xf32, #shared>
    tile.copy %A to %s : memref<64xf32> to memref<64xf32, #shared>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @ring() grid(%bx) = (1) threads(32) {
    // expected-error @below {{expected layouts: run --tile-infer-layouts}}
    %r = tile.ring.create : !tile.ring<2 x [memref<64xf32, #shared>], cp_async -> threads>
  }
}
