// Two products awaited together have both read their operands: threads that
// meet behind the wait need not meet again before they write them.
// RUN: tile-opt %s --tile-place-shared-memory --tile-insert-barriers | FileCheck %s
#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 1]>
#frag = #tile.fragment_layout<shape [128, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16), (2, 0:64)]>
#rows = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#square = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>
!tile = memref<128x64xbf16, #shared>
!right = memref<64x64xbf16, #shared>
!part = memref<128x64xbf16, #tile.fragment>
!sum = memref<128x64xf32, #tile.fragment>
module attributes {tile.target = #tile.target<"sm_90a">} {
  // CHECK-LABEL: tile.kernel @awaited
  // CHECK:         scf.for
  // CHECK-NEXT:      tile.gemm
  // CHECK-NEXT:      tile.copy
  // CHECK-NEXT:      tile.fence proxy
  // CHECK-NEXT:      tile.barrier{{$}}
  // CHECK-NEXT:      tile.gemm
  // CHECK-NEXT:      tile.await
  // CHECK-NEXT:      tile.copy
  // CHECK-NEXT:      tile.barrier{{$}}
  // CHECK-NEXT:      tile.copy
  // CHECK-NOT:       tile.barrier
  // CHECK:         tile.return
  tile.kernel @awaited(%C: memref<?x64xbf16>, %n: index) grid(%b) = (1) threads(256) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %B = tile.alloc layout(#square) : !right
    %s = tile.alloc layout(#rows) : !tile
    %out = tile.alloc layout(#rows) : !tile
    %p = tile.alloc layout(#frag) : !part
    %x = tile.alloc layout(#frag) : !sum
    %y = tile.alloc layout(#frag) : !sum
    scf.for %i = %c0 to %n step %c1 {
      %first = tile.gemm %p, %B, %x {plan = #wgmma} : !part, !right, !sum -> !tile.token
      tile.copy %p to %s decided {layout = #frag} : !part to !tile
      %second = tile.gemm %s, %B, %y {plan = #wgmma} : !tile, !right, !sum -> !tile.token
      tile.await %second, %first
      tile.copy %p to %out decided {layout = #frag} : !part to !tile
      tile.copy %out to %C[%i, %c0] decided {layout = #frag} : !tile to memref<?x64xbf16>
    }
  }
}
