// RUN: tile-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics

// expected-error @below {{expected 'tile.target' on the module}}
module {}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @unscheduled(%A: memref<64xf32>, %n: index) grid(%bx) = (1) threads(32) attributes {tile.has_barriers, tile.shared_bytes = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected rings or a plain loop: run --tile-pipeline}}
    tile.pipelined %k = %c0 to %n step %c1 stages(2) {
    }
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @no_layout(%A: memref<64xf32>) grid(%bx) = (1) threads(32) attributes {tile.has_barriers, tile.shared_bytes = 0 : i64} {
    // expected-error @below {{expected a layout: run --tile-infer-layouts}}
    %x = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %A to %x : memref<64xf32> to memref<64xf32, #tile.fragment>
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  // expected-error @below {{expected places in shared memory: run --tile-place-shared-memory}}
  tile.kernel @not_placed() grid(%bx) = (1) threads(32) {
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  // expected-error @below {{expected its barriers: run --tile-insert-barriers}}
  tile.kernel @no_barriers() grid(%bx) = (1) threads(32) attributes {tile.shared_bytes = 0 : i64} {
  }
}
