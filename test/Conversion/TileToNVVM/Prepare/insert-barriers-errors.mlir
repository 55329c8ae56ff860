// RUN: tile-opt %s --tile-insert-barriers --split-input-file --verify-diagnostics

// expected-error @below {{expected 'tile.target' on the module}}
module {}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  // expected-error @below {{expected places in shared memory: run --tile-place-shared-memory}}
  tile.kernel @early() grid(%bx) = (1) threads(32) {
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  // expected-error @below {{expected no barriers of an earlier --tile-insert-barriers}}
  tile.kernel @twice() grid(%bx) = (1) threads(32) attributes {tile.has_barriers, tile.scratch = array<i64: 0>, tile.shared_bytes = 0 : i64} {
  }
}

// -----

// A tile that came after places were chosen.
#shared = #gpu.address_space<workgroup>
#S = #tile.shared_layout<shape [64] bits 32 modes [(64, 0:1)]>
#L = #tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @new(%A: memref<64xf32>) grid(%bx) = (1) threads(32) attributes {tile.scratch = array<i64: 0>, tile.shared_bytes = 256 : i64} {
    // expected-error @below {{expected 'tile.offset': run --tile-place-shared-memory}}
    %s = tile.alloc layout(#S) : memref<64xf32, #shared>
    tile.copy %A to %s decided {layout = #L} : memref<64xf32> to memref<64xf32, #shared>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
#S = #tile.shared_layout<shape [64] bits 32 modes [(64, 0:1)]>
#L = #tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @outside(%A: memref<64xf32>) grid(%bx) = (1) threads(32) attributes {tile.scratch = array<i64: 0>, tile.shared_bytes = 256 : i64} {
    // expected-error @below {{expected to end within the kernel's 256 bytes of shared memory, got 272: run --tile-place-shared-memory}}
    %s = tile.alloc layout(#S) {tile.offset = 16 : i64} : memref<64xf32, #shared>
    tile.copy %A to %s decided {layout = #L} : memref<64xf32> to memref<64xf32, #shared>
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_90a">} {
  // expected-error @below {{expected scratch memory of 3 agents, the block and its roles, got 1: run --tile-place-shared-memory}}
  tile.kernel @roles() grid(%bx) = (1) threads(256) attributes {tile.scratch = array<i64: 0>, tile.shared_bytes = 0 : i64} {
    tile.warp_specialize
    role "first" warps(4) {
    }
    role "second" warps(4) {
    }
  }
}
