// RUN: tile-opt %s --tile-place-shared-memory --split-input-file --verify-diagnostics

// expected-error @below {{expected 'tile.target' on the module (`--tile-set-target=arch=...`)}}
module {}

// -----

#shared = #gpu.address_space<workgroup>
#S = #tile.shared_layout<shape [256, 256] bits 32 modes [(256, 1:1), (256, 0:256)]>
#L = #tile.fragment_layout<shape [256, 256] reg [(4, 1:1), (2, 1:128), (64, 0:4)] lane [(32, 1:4)] warp [(4, 0:1)]>
module attributes {tile.target = #tile.target<"sm_80">} {
  // expected-error @below {{expected at most 166912 bytes of shared memory on sm_80, got 262144}}
  // expected-note @below {{use smaller tiles or fewer stages}}
  tile.kernel @too_much(%A: memref<256x256xf32>) grid(%bx) = (1) threads(128) {
    %s = tile.alloc layout(#S) : memref<256x256xf32, #shared>
    tile.copy %A to %s decided {layout = #L} : memref<256x256xf32> to memref<256x256xf32, #shared>
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  // expected-error @below {{expected no barriers: they are right for the places that they were inserted for. Run before --tile-insert-barriers}}
  tile.kernel @late() grid(%bx) = (1) threads(32) attributes {tile.has_barriers} {
  }
}
