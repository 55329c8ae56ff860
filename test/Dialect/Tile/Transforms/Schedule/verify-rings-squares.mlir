// Clusters in which a copy is shared by a part of the blocks: those of a row for
// one operand, those of a column for the other. A slot is released to the blocks
// that write into it, three of the four in a cluster of 2x2; both explorations
// prove that this is enough.
// RUN: tile-opt %s --tile-verify-rings=remarks -verify-diagnostics -o /dev/null
// RUN: tile-opt %s "--tile-verify-rings=remarks exhaustive" -verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!global = memref<?x?xf16>
!ab = !tile.ring<1 x [!slot, !slot], tma -> wgmma>

// expected-remark @below {{rings are proved for 1 combination of sizes}}
tile.kernel @square(%A: !global, %B: !global) grid(%bx, %by) = (2, 2) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = tile.ring.create {peers = 4} : !ab
  tile.warp_specialize
  role "load" warps(4) {
    // expected-note @below {{3 iterations}}
    scf.for %k = %c0 to %c3 step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !ab
      tile.copy %A[%by, %k] to %a decided {multicast = 2, multicast_along = array<i64: 0>} : !global to !slot
      tile.copy %B[%k, %bx] to %b decided {multicast = 2, multicast_along = array<i64: 1>} : !global to !slot
      tile.ring.commit %r[%k] : !ab
    }
  }
  role "mma" warps(4) {
    // expected-note @below {{3 iterations}}
    scf.for %k = %c0 to %c3 step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !ab
      tile.ring.release %r[%k] : !ab
    }
  }
}

// Rows that share nothing with each other may go their own ways: in the second
// there is nothing to do.
// expected-remark @below {{rings are proved for 1 combination of sizes}}
tile.kernel @rows_apart(%A: !global, %B: !global) grid(%bx, %by) = (2, 2) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %mine = arith.subi %c1, %by : index
  %count = arith.muli %mine, %c3 : index
  %r = tile.ring.create {peers = 4} : !ab
  tile.warp_specialize
  role "load" warps(4) {
    // expected-note @below {{0, 3 iterations}}
    scf.for %k = %c0 to %count step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !ab
      tile.copy %A[%by, %k] to %a decided {multicast = 2, multicast_along = array<i64: 0>} : !global to !slot
      tile.copy %B[%k, %bx] to %b : !global to !slot
      tile.ring.commit %r[%k] : !ab
    }
  }
  role "mma" warps(4) {
    // expected-note @below {{0, 3 iterations}}
    scf.for %k = %c0 to %count step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !ab
      tile.ring.release %r[%k] : !ab
    }
  }
}
