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

// ring-9: what was waited for has landed
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %r = tile.ring.create : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
  // expected-error @+1 {{[ring-9] expected `again` without `in_flight`}}
  %v = tile.ring.wait %r[%bx] {again, in_flight = 0 : i64} : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
}

// -----

// ring-9: nobody waits
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %r = tile.ring.create : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
  // expected-error @+1 {{[ring-9] expected another wait on the ring, without `again`}}
  %v = tile.ring.wait %r[%bx] {again} : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
}

// -----

// a producer that does not exist
// expected-error @+2 {{failed to parse Tile_RingType parameter 'producer'}}
// expected-error @+1 {{expected one of [threads, cp_async, threads_mbarrier, cp_async_mbarrier, tma, mma] for what fills the slots of a ring, got: pigeon}}
func.func private @f(!tile.ring<2 x [memref<8xf16, #gpu.address_space<workgroup>>], pigeon -> threads>)

// -----

// a consumer does not produce
// expected-error @+2 {{failed to parse Tile_RingType parameter 'producer'}}
// expected-error @+1 {{expected one of [threads, cp_async, threads_mbarrier, cp_async_mbarrier, tma, mma]}}
func.func private @f(!tile.ring<2 x [memref<8xf16, #gpu.address_space<workgroup>>], wgmma -> threads>)

// -----

// a producer does not consume
// expected-error @+1 {{expected a kind of consumer, got 'mma'}}
func.func private @f(!tile.ring<2 x [memref<8xf16, #gpu.address_space<workgroup>>], tma -> (threads, mma)>)

// -----

// ring-6: mbarriers are initialized once
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  scf.for %i = %n to %n step %n {
    // expected-error @+1 {{[ring-6] expected a ring with mbarriers in the kernel's top block}}
    %r = tile.ring.create : !tile.ring<2 x [memref<8x32xf16, #shared>], tma -> wgmma>
  }
}

// -----

// ring-7: peers are the cluster
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(32) cluster(2) {
  // expected-error @+1 {{[ring-7] expected `peers` to be the kernel's cluster of 2 blocks, and a ring filled by tma or mma, got 4}}
  %r = tile.ring.create {peers = 4} : !tile.ring<2 x [memref<8x32xf16, #shared>], tma -> wgmma>
}

// -----

// ring-7: only tma reaches peers
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(32) cluster(2) {
  // expected-error @+1 {{[ring-7] expected `peers` to be the kernel's cluster}}
  %r = tile.ring.create {peers = 2} : !tile.ring<2 x [memref<8x32xf16, #shared>], cp_async -> threads>
}

// -----

// ring-2: accumulators are in tensor memory
// expected-error @+1 {{[ring-2] expected tensor-memory memrefs of numbers, of static shape and positive extents, got 'memref<8x32xf32, #gpu.address_space<workgroup>>'}}
func.func private @f(!tile.ring<2 x [memref<8x32xf32, #gpu.address_space<workgroup>>], mma -> threads>)

// -----

// ring-2: and nothing else is
// expected-error @+1 {{[ring-2] expected shared-memory memrefs of numbers}}
func.func private @f(!tile.ring<2 x [memref<128x32xf32, #tile.tmem>], tma -> threads>)

// -----

// ring-2: accumulators are read by threads
// expected-error @+1 {{[ring-2] expected a ring from mma to have one buffer and the consumer threads, got 1 buffers and tcgen05}}
func.func private @f(!tile.ring<2 x [memref<128x32xf32, #tile.tmem>], mma -> tcgen05>)

// -----

// ring-10: two blocks, whose gemms alone read
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  // expected-error @+1 {{[ring-10] expected `pair` with `peers = 2` and a ring tma -> tcgen05 or mma -> threads}}
  %r = tile.ring.create {pair = array<i64: 0>, peers = 2} : !tile.ring<2 x [memref<8x32xf16, #shared>], tma -> threads>
}

// -----

// ring-10: an entry for each buffer
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  // expected-error @+1 {{[ring-10] expected 1 entries of `pair`, got 2}}
  %r = tile.ring.create {pair = array<i64: 0, 1>, peers = 2} : !tile.ring<2 x [memref<8x32xf16, #shared>], tma -> tcgen05>
}

// -----

// ring-10: halves
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  // expected-error @+1 {{[ring-10] expected -1 or a dimension of even extent for 'memref<9x32xf16, #gpu.address_space<workgroup>>', got 0}}
  %r = tile.ring.create {pair = array<i64: 0>, peers = 2} : !tile.ring<2 x [memref<9x32xf16, #shared>], tma -> tcgen05>
}

// -----

// ring-1: the layout of a half
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  // expected-error @+1 {{[ring-1] expected a shared layout for a half of 'memref<8x32xf16, #gpu.address_space<workgroup>>', got}}
  %r = tile.ring.create layouts([#tile.shared_layout<shape [8, 32] bits 16 modes [(32, 1:1), (8, 0:32)]>]) {pair = array<i64: 0>, peers = 2} : !tile.ring<2 x [memref<8x32xf16, #shared>], tma -> tcgen05>
}

// -----

// ring-8: each kind of consumer once
// expected-error @+1 {{[ring-8] expected each kind of consumer once, got wgmma twice}}
func.func private @f(!tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], tma -> (wgmma, wgmma)>)

// -----

// await-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[await-1] expected at least one token}}
  "tile.await"() : () -> ()
}

// -----

// await-2: a gemm has no source to free early
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-note @+1 {{this token is a gemm's}}
  %t = tile.gemm %a, %a, %c : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
  // expected-error @+1 {{[await-2] expected tokens of copies}}
  tile.await read %t
}

// -----

// await-3: one group is no division
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(256) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.copy %s to %A : memref<64x64xf16, #shared> to memref<64x64xf16> -> !tile.token
  // expected-error @+1 {{[await-3] expected `groups` of at least 2, and `read`, got 1}}
  tile.await read %t {groups = 1}
}

// -----

// specialize-1
tile.kernel @k() grid(%bx) = (1) threads(64) {
  // expected-error @+1 {{[specialize-1] expected a name, a count of warps and a register budget for each of 1 roles}}
  "tile.warp_specialize"() <{names = ["a", "b"], warps = array<i64: 1, 1>, registers = array<i64: 0, 0>}> ({
    tile.role_end
  }) : () -> ()
}

// -----

// specialize-1: names
tile.kernel @k() grid(%bx) = (1) threads(64) {
  // expected-error @+1 {{[specialize-1] expected distinct names, got "a"}}
  tile.warp_specialize
  role "a" warps(1) {}
  role "a" warps(1) {}
}

// -----

// specialize-2
tile.kernel @k() grid(%bx) = (1) threads(64) {
  // expected-error @+1 {{[specialize-2] expected warps that sum up to the kernel's 2, got 3}}
  tile.warp_specialize
  role "a" warps(1) {}
  role "b" warps(2) {}
}

// -----

// specialize-2: some warps
tile.kernel @k() grid(%bx) = (1) threads(64) {
  // expected-error @+1 {{[specialize-2] expected 1 to 32 warps, got 0 for "a"}}
  tile.warp_specialize
  role "a" warps(0) {}
  role "b" warps(2) {}
}

// -----

// specialize-3: multiples of 8
tile.kernel @k() grid(%bx) = (1) threads(128) {
  // expected-error @+1 {{[specialize-3] expected a register budget that is a multiple of 8 from 24 to 256, got 44 for "a"}}
  tile.warp_specialize
  role "a" warps(4) registers(44) {}
}

// -----

// specialize-3: whole warpgroups
tile.kernel @k() grid(%bx) = (1) threads(256) {
  // expected-error @+1 {{[specialize-3] expected "b" to start at a multiple of four warps, got warp 2}}
  tile.warp_specialize
  role "a" warps(2) {}
  role "b" warps(6) {}
}

// -----

// specialize-3: budgets of whole warpgroups
tile.kernel @k() grid(%b) = (1) threads(192) {
  // expected-error @+1 {{[specialize-3] expected register budgets of whole warpgroups, got one of the last 2 of 6 warps}}
  tile.warp_specialize
  role "a" warps(4) registers(40) {
  }
  role "b" warps(2) registers(232) {
  }
}

// -----

// specialize-3: one budget a warpgroup
tile.kernel @k() grid(%bx) = (1) threads(128) {
  // expected-error @+1 {{[specialize-3] expected roles that share a warpgroup to have one register budget, got 40 and 48}}
  tile.warp_specialize
  role "a" warps(2) registers(40) {}
  role "b" warps(2) registers(48) {}
}

// -----

// specialize-4: not in one another
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  tile.warp_specialize
  role "a" warps(1) {
    // expected-error @+1 {{[specialize-4] expected to stand in a kernel, and in no other role}}
    tile.warp_specialize
    role "b" warps(1) {}
  }
}

// -----

// iteration-1: a question about one iteration says which one
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{[iteration-1] expected `ahead` with the loop's induction variable, `of %i`, got none}}
  %a = tile.iteration ahead(1) in %c0 to %n step %c1
}

// -----

// iteration-1: a question about the whole loop does not
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{[iteration-1] expected `exists` without `of`, got one}}
    %a = tile.iteration exists(1) of %i in %c0 to %n step %c1
  }
}

// -----

// iteration-2: iterations are counted from 0
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{[iteration-2] expected a count that is not negative, got -1}}
  %a = tile.iteration exists(-1) in %c0 to %n step %c1
}

// -----

tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+2 {{to be one of: exists, ahead, past, is}}
  // expected-error @+1 {{failed to parse}}
  %a = tile.iteration last(1) in %c0 to %n step %c1
}

// -----

// any-row-1
tile.kernel @k(%n: index) grid(%bx) = (1) threads(256) {
  // expected-error @+1 {{[any-row-1] expected `groups` that divide the 100 rows, got 3}}
  %a = tile.any_row %n to %n of 100 groups 3
}

// -----

// row-iterations-1
tile.kernel @k(%n: index) grid(%bx) = (1) threads(256) {
  // expected-error @+1 {{[row-iterations-1] expected `groups` that divide the 100 rows, got 3}}
  %a = tile.row_iterations %n step 64 to %n of 100 groups 3 in %n to %n
}

// -----

// row-iterations-2
tile.kernel @k(%n: index) grid(%bx) = (1) threads(256) {
  // expected-error @+1 {{[row-iterations-2] expected a step that is not negative, got -1}}
  %a = tile.row_iterations %n step -1 to %n of 128 groups 2 in %n to %n
}
