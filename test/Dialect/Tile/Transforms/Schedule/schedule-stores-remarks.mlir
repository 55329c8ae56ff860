// Why a store by TMA is waited for at once.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-schedule-stores=remarks -verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>
!f = memref<64x64xf16, #tile.fragment>
!s = memref<64x64xf16, #shared>

tile.kernel @read_again(%C: memref<64x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : !f
  %staging = tile.alloc layout(#rows) : !s
  tile.fill %f with %one {layout = #frag} : !f, f16
  tile.copy %f to %staging decided {layout = #frag} : !f to !s
  // expected-remark @below {{store is waited for at once: another operation reads or writes the same global memory; use another buffer there, or no `tile.may_alias`}}
  tile.copy %staging to %C decided {plan = #tma} : !s to memref<64x64xf16>
  // expected-note @below {{because of this}}
  tile.copy %C to %f decided {layout = #frag} : memref<64x64xf16> to !f
}
tile.kernel @read_by_threads(%C: memref<64x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : !f
  %staging = tile.alloc layout(#rows) : !s
  tile.fill %f with %one {layout = #frag} : !f, f16
  tile.copy %f to %staging decided {layout = #frag} : !f to !s
  // expected-remark @below {{store is waited for at once: the tile is read by something other than a store by TMA without a token; a `tile.alloc` that only copies fill and store is waited for later}}
  tile.copy %staging to %C decided {plan = #tma} : !s to memref<64x64xf16>
  // expected-note @below {{because of this}}
  tile.copy %staging to %f decided {layout = #frag} : !s to !f
}
// What nobody reads again is not waited for here.
tile.kernel @plain(%C: memref<64x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : !f
  %staging = tile.alloc layout(#rows) : !s
  tile.fill %f with %one {layout = #frag} : !f, f16
  tile.copy %f to %staging decided {layout = #frag} : !f to !s
  tile.copy %staging to %C decided {plan = #tma} : !s to memref<64x64xf16>
}
