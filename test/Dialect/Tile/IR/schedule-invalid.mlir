// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// ring-1: one layout per buffer
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[ring-1] expected 1 layouts, got 2}}
  %r = tile.ring.create layouts([#tile.shared_layout<shape [8, 32] bits 16 modes [(32, 1:1), (8, 0:32)]>, #tile.shared_layout<shape [8, 32] bits 16 modes [(32, 1:1), (8, 0:32)]>]) : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
}

// -----

// ring-1: shape
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[ring-1] expected a shared layout for}}
  %r = tile.ring.create layouts([#tile.shared_layout<shape [8, 16] bits 16 modes [(32, 1:1), (8, 0:32)]>]) : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
}

// -----

// ring-1: kind
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[ring-1] expected a shared layout for}}
  %r = tile.ring.create layouts([42]) : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
}

// -----

// ring-1: injective
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[ring-1] expected a layout that puts each element in a place of its own}}
  %r = tile.ring.create layouts([#tile.shared_layout<shape [8, 32] bits 16 modes [(32, 1:1), (8, 0:16)]>]) : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
}

// -----

// ring-2: a fragment has no slots
// expected-error @+1 {{[ring-2] expected shared-memory memrefs of numbers, of static shape and positive extents, got 'memref<8xf16, #tile.fragment>'}}
func.func private @f(!tile.ring<2 x [memref<8xf16, #tile.fragment>], threads -> threads>)

// -----

// ring-2
// expected-error @+1 {{[ring-2] expected shared-memory memrefs of numbers}}
func.func private @f(!tile.ring<2 x [memref<?xf16, #gpu.address_space<workgroup>>], threads -> threads>)

// -----

// ring-2
// expected-error @+1 {{[ring-2] expected shared-memory memrefs of numbers}}
func.func private @f(!tile.ring<2 x [memref<8xvector<4xf16>, #gpu.address_space<workgroup>>], threads -> threads>)

// -----

// ring-2
// expected-error @+1 {{[ring-2] expected shared-memory memrefs of numbers}}
func.func private @f(!tile.ring<2 x [memref<8x0xf16, #gpu.address_space<workgroup>>], threads -> threads>)

// -----

// ring-3: one view per buffer
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %r = tile.ring.create : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
  // expected-error @+1 {{[ring-3] expected one view per buffer of}}
  %v:2 = "tile.ring.acquire"(%r, %bx) : (!tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>, index) -> (memref<8x32xf16, #gpu.address_space<workgroup>>, memref<8x32xf16, #gpu.address_space<workgroup>>)
}

// -----

// ring-3: of the buffer's type
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %r = tile.ring.create : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
  // expected-error @+1 {{[ring-3] expected one view per buffer of}}
  %v = "tile.ring.wait"(%r, %bx) : (!tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>, index) -> memref<8x32xf32, #gpu.address_space<workgroup>>
}

// -----

// ring-4
// expected-error @+1 {{[ring-4] expected 1 to 64 stages, got 0}}
func.func private @f(!tile.ring<0 x [memref<8xf16, #gpu.address_space<workgroup>>], threads -> threads>)

// -----

// ring-4
// expected-error @+1 {{[ring-4] expected 1 to 64 stages, got 65}}
func.func private @f(!tile.ring<65 x [memref<8xf16, #gpu.address_space<workgroup>>], threads -> threads>)

// -----

// ring-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %r = tile.ring.create : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
  // expected-error @+1 {{[ring-5] expected `in_flight` that is not negative, got -1}}
  %v = tile.ring.wait %r[%bx] {in_flight = -1 : i64} : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
}

// -----

// a side that does not exist
// expected-error @+2 {{failed to parse Tile_RingType parameter 'producer'}}
// expected-error @+1 {{expected one of [threads, cp_async, cp_async_mbarrier, tma, wgmma, tcgen05, tma_store]}}
func.func private @f(!tile.ring<2 x [memref<8xf16, #gpu.address_space<workgroup>>], pigeon -> threads>)
