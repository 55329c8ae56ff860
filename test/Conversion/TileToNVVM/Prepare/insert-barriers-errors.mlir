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
  tile.kernel @twice() grid(%bx) = (1) threads(32) attributes {tile.has_barriers, tile.shared_bytes = 0 : i64} {
  }
}

// -----

// A tile that came after places were chosen.
#shared = #gpu.address_space<workgroup>
#S = #tile.shared_layout<shape [64] bits 32 modes [(64, 0:1)]>
#L = #tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @new(%A: memref<64xf32>) grid(%bx) = (1) threads(32) attributes {tile.shared_bytes = 256 : i64} {
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
  tile.kernel @outside(%A: memref<64xf32>) grid(%bx) = (1) threads(32) attributes {tile.shared_bytes = 256 : i64} {
    // expected-error @below {{expected to end within the kernel's 256 bytes of shared memory, got 272: run --tile-place-shared-memory}}
    %s = tile.alloc layout(#S) {tile.offset = 16 : i64} : memref<64xf32, #shared>
    tile.copy %A to %s decided {layout = #L} : memref<64xf32> to memref<64xf32, #shared>
  }
}

// -----

// A reduction that came after places were chosen, and one whose place ends behind the kernel's.
#L = #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32)]>
#S = #tile.fragment_layout<shape [1] reg [] lane [(32, *)] warp [(2, *)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @new() grid(%bx) = (1) threads(64) attributes {tile.shared_bytes = 16 : i64} {
    %x = tile.alloc layout(#L) : memref<64xf32, #tile.fragment>
    %y = tile.alloc layout(#S) : memref<1xf32, #tile.fragment>
    // expected-error @below {{expected 'tile.offset': run --tile-place-shared-memory}}
    tile.reduce sum %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
}

// -----

#L = #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32)]>
#S = #tile.fragment_layout<shape [1] reg [] lane [(32, *)] warp [(2, *)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @outside() grid(%bx) = (1) threads(64) attributes {tile.shared_bytes = 16 : i64} {
    %x = tile.alloc layout(#L) : memref<64xf32, #tile.fragment>
    %y = tile.alloc layout(#S) : memref<1xf32, #tile.fragment>
    // expected-error @below {{expected its scratch memory to end within the kernel's 16 bytes of shared memory, got 24: run --tile-place-shared-memory}}
    tile.reduce sum %x to %y dim(0) {tile.offset = 8 : i64} : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
}
