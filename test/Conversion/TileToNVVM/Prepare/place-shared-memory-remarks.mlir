// Each tile says which bytes it has, how long it is needed, and who has the same bytes.
// RUN: tile-opt %s --tile-place-shared-memory=remarks --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [64, 64] bits 32 modes [(64, 1:1), (64, 0:64)]>
#loop = #tile.fragment_layout<shape [64, 64] reg [(4, 1:1), (8, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
module attributes {tile.target = #tile.target<"sm_80">} {
  // expected-remark @below {{shared memory: 16384 bytes of a block, 0 of them scratch}}
  tile.kernel @one_after_the_other(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    // expected-remark @below {{placed: bytes 0 to 16383 of shared memory}}
    // expected-note @below {{the same bytes hold this one, bytes 0 to 16383}}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // expected-remark @below {{placed: bytes 0 to 16383 of shared memory}}
    // expected-note @below {{the same bytes hold this one, bytes 0 to 16383}}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // expected-note @below {{needed from here on}}
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    // expected-note @below {{needed last here}}
    tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    // expected-note @below {{needed from here on}}
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    // expected-note @below {{needed last here}}
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }
}
