// The schedule of docs/Rings.md, "Pairs": a pair of blocks, operands that both copy,
// accumulators in turn.
// RUN: tile-opt %s --tile-verify-rings=remarks 2>&1 >/dev/null | FileCheck %s
// CHECK-COUNT-1: remark: rings are proved
// CHECK-NOT: {{error|remark|warning}}:

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!tensor = memref<64x64xf32, #tile.tmem>
!global = memref<?x?xf16>
!ab = !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> tcgen05>
!acc = !tile.ring<2 x [memref<64x64xf32, #tile.tmem>], mma -> threads>
#pair = #tile.mma_plan<tcgen05, m = 64, n = 64, k = 16, warps = [4, 1], pair>
#alone = #tile.mma_plan<tcgen05, m = 64, n = 64, k = 16, warps = [4, 1]>

// Two blocks, three roles each.
tile.kernel @pair(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.ring.release %acc[%t] : !acc
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}
