// Where the attributes of ScheduleFacts.h may stand, and what they look like.
// RUN: tile-opt %s --verify-diagnostics --split-input-file

#shared = #gpu.address_space<workgroup>
tile.kernel @groups() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{expected 'tile.arrivals' to be {by = "none", "agent", "warpgroup" or "warp", empty = a count, full = a count} on a ring that is signalled by mbarriers}}
  %r = tile.ring.create {tile.arrivals = {by = "warp", empty = 1 : i64, full = 1 : i64}} : !tile.ring<2 x [memref<64xf32, #shared>], cp_async -> threads>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @count() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{expected 'tile.arrivals' to be}}
  %r = tile.ring.create {tile.arrivals = {by = "warp", empty = 0 : i64, full = 1 : i64}} : !tile.ring<2 x [memref<64xf32, #shared>], tma -> threads>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @by() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{expected 'tile.arrivals' to be}}
  %r = tile.ring.create {tile.arrivals = {by = "thread", empty = 1 : i64, full = 1 : i64}} : !tile.ring<2 x [memref<64xf32, #shared>], tma -> threads>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @meet() grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %r = tile.ring.create : !tile.ring<2 x [memref<64xf32, #shared>], cp_async -> threads>
  // expected-error @+1 {{expected 'tile.meet' to be a unit attribute on the release of a ring with mbarriers}}
  tile.ring.release %r[%c0] {tile.meet} : !tile.ring<2 x [memref<64xf32, #shared>], cp_async -> threads>
}

// -----

tile.kernel @packed() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{expected 'tile.packed' to be a unit attribute on a fragment of f16 or bf16}}
  %f = tile.alloc {tile.packed} : memref<64x64xf32, #tile.fragment>
}

// -----

tile.kernel @unknown() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{unknown attribute 'tile.packd' of the tile dialect, did you mean 'tile.packed'?}}
  %f = tile.alloc {tile.packd} : memref<64x64xf16, #tile.fragment>
}

// -----

tile.kernel @k() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{expected 'tile.async_copy' to be a unit attribute on an `scf.for`}}
  %f = tile.alloc {tile.async_copy} : memref<64x64xf16, #tile.fragment>
}
