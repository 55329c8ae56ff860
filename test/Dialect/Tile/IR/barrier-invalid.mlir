// RUN: tile-opt %s --split-input-file --verify-diagnostics

tile.kernel @one_group() grid(%bx) = (1) threads(256) {
  // expected-error @below {{[barrier-1] expected two `groups` or more, each of whole warpgroups, among the agent's 8 warps, got 1}}
  tile.barrier groups(1)
}

// -----

tile.kernel @half_warpgroups() grid(%bx) = (1) threads(256) {
  // expected-error @below {{[barrier-1] expected two `groups` or more, each of whole warpgroups, among the agent's 8 warps, got 4}}
  tile.barrier groups(4)
}

// -----

// In a role, its own warps count.
tile.kernel @role() grid(%bx) = (1) threads(384) {
  tile.warp_specialize
  role "load" warps(4) {
  }
  role "mma" warps(8) {
    tile.barrier groups(2)
    // expected-error @below {{among the agent's 8 warps, got 3}}
    tile.barrier groups(3)
  }
}

// -----

tile.kernel @nothing() grid(%bx) = (1) threads(32) {
  // expected-error @below {{[fence-1] expected `copies`, `proxy` or both}}
  tile.fence
}

// -----

tile.kernel @too_many() grid(%bx) = (1) threads(32) {
  // expected-error @below {{[fence-2] expected `in_flight` of 1 to 7 beside `copies`, got 8}}
  tile.fence copies in_flight(8)
}

// -----

tile.kernel @without_copies() grid(%bx) = (1) threads(32) {
  // expected-error @below {{[fence-2] expected `in_flight` of 1 to 7 beside `copies`, got 1}}
  tile.fence in_flight(1) proxy
}

// -----

tile.kernel @inside() grid(%bx) = (1) threads(32) {
  // expected-note @below {{in this loop}}
  tile.parallel (%i) in (32) {
    // expected-error @below {{[parallel-2] expected scalar code inside `tile.parallel`}}
    tile.barrier
  }
}

// -----

tile.kernel @fragment() grid(%bx) = (1) threads(32) {
  // expected-error @below {{expected 'tile.offset' to be a number of bytes that is not negative, on a tile or ring in shared memory or an operation that exchanges values between threads, got 0 : i64}}
  %x = tile.alloc {tile.offset = 0 : i64} : memref<32xf32, #tile.fragment>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @negative() grid(%bx) = (1) threads(32) {
  // expected-error @below {{expected 'tile.offset' to be a number of bytes that is not negative}}
  %x = tile.alloc {tile.offset = -16 : i64} : memref<32xf32, #shared>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @groups_of_copies() grid(%bx) = (1) threads(32) {
  // expected-error @below {{expected 'tile.mbarriers' to be a number of bytes that is not negative, on a ring with mbarriers or a `tile.mbarrier.create`, got 0 : i64}}
  %r = tile.ring.create {tile.mbarriers = 0 : i64} : !tile.ring<2 x [memref<32xf32, #shared>], cp_async -> threads>
}

// -----

tile.kernel @no_scratch(%A: memref<64xf32>) grid(%bx) = (1) threads(32) {
  %x = tile.alloc : memref<64xf32, #tile.fragment>
  // expected-error @below {{expected 'tile.offset' to be a number of bytes that is not negative, on a tile or ring in shared memory or an operation that exchanges values between threads, got 0 : i64}}
  tile.copy %A to %x {tile.offset = 0 : i64} : memref<64xf32> to memref<64xf32, #tile.fragment>
}

// -----

// expected-error @below {{unknown attribute 'tile.shared_byte' of the tile dialect, did you mean 'tile.shared_bytes'?}}
tile.kernel @misspelled() grid(%bx) = (1) threads(32) attributes {tile.shared_byte = 0 : i64} {
}
