// Faults in clusters whose copies are shared by a part of the blocks, each a
// right schedule with one change, found by both explorations.
// RUN: tile-opt %s --tile-verify-rings -verify-diagnostics=only-expected -o /dev/null
// RUN: tile-opt %s --tile-verify-rings=exhaustive -verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!global = memref<?x?xf16>
!ab = !tile.ring<1 x [!slot, !slot], tma -> wgmma>

// The mask of the other operand: blocks of a column do not copy the same of A.
tile.kernel @wrong_mask(%A: !global, %B: !global, %K: index) grid(%bx, %by) = (2, 2) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create {peers = 4} : !ab
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !ab
      // expected-error @below {{[R10] blocks that share this copy do not copy the same}}
      tile.copy %A[%by, %k] to %a decided {multicast = 2, multicast_along = array<i64: 1>} : !global to !slot
      tile.copy %B[%k, %bx] to %b decided {multicast = 2, multicast_along = array<i64: 1>} : !global to !slot
      tile.ring.commit %r[%k] : !ab
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !ab
      tile.ring.release %r[%k] : !ab
    }
  }
}

// All four, for what only two have in common.
tile.kernel @too_wide_mask(%A: !global, %B: !global, %K: index) grid(%bx, %by) = (2, 2) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create {peers = 4} : !ab
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !ab
      tile.copy %A[%by, %k] to %a decided {multicast = 2, multicast_along = array<i64: 0>} : !global to !slot
      // expected-error @below {{[R10] blocks that share this copy do not copy the same}}
      tile.copy %B[%k, %bx] to %b decided {multicast = 4} : !global to !slot
      tile.ring.commit %r[%k] : !ab
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !ab
      tile.ring.release %r[%k] : !ab
    }
  }
}

// Slots are released to their own block only.
tile.kernel @released_to_too_few(%A: !global, %B: !global, %K: index) grid(%bx, %by) = (2, 2) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !ab
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !ab
      // expected-error @below {{[R15] a multicast}}
      tile.copy %A[%by, %k] to %a decided {multicast = 2, multicast_along = array<i64: 0>} : !global to !slot
      tile.copy %B[%k, %bx] to %b decided {multicast = 2, multicast_along = array<i64: 1>} : !global to !slot
      tile.ring.commit %r[%k] : !ab
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !ab
      tile.ring.release %r[%k] : !ab
    }
  }
}

// The first block of each row keeps its part of A: its neighbour waits for more
// bytes than come.
tile.kernel @part_not_multicast(%A: !global, %B: !global, %K: index) grid(%bx, %by) = (2, 2) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create {peers = 4} : !ab
  %first = arith.cmpi eq, %bx, %c0 : index
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !ab
      scf.if %first {
        tile.copy %A[%by, %k] to %a : !global to !slot
      } else {
        tile.copy %A[%by, %k] to %a decided {multicast = 2, multicast_along = array<i64: 0>} : !global to !slot
      }
      // expected-error @below {{[R10] the blocks of a cluster multicast 0 and 1 parts into ring[0]}}
      tile.copy %B[%k, %bx] to %b decided {multicast = 2, multicast_along = array<i64: 1>} : !global to !slot
      tile.ring.commit %r[%k] : !ab
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !ab
      tile.ring.release %r[%k] : !ab
    }
  }
}

// Blocks of a row share, and do not run equally often.
tile.kernel @count_of_each_block(%A: !global, %B: !global) grid(%bx, %by) = (2, 2) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{[R18] the blocks of a cluster use ring 0 and 1 times}}
  %r = tile.ring.create {peers = 4} : !ab
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %bx step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !ab
      tile.copy %A[%by, %k] to %a decided {multicast = 2, multicast_along = array<i64: 0>} : !global to !slot
      tile.copy %B[%k, %bx] to %b : !global to !slot
      tile.ring.commit %r[%k] : !ab
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %bx step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !ab
      tile.ring.release %r[%k] : !ab
    }
  }
}

// One block of the four takes two uses less: others wait for its release.
tile.kernel @one_consumes_less(%A: !global, %B: !global) grid(%bx, %by) = (2, 2) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = tile.ring.create {peers = 4} : !ab
  %last = arith.muli %bx, %by : index
  %two = arith.addi %last, %last : index
  %count = arith.subi %c3, %two : index
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %c3 step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !ab
      tile.copy %A[%by, %k] to %a decided {multicast = 2, multicast_along = array<i64: 0>} : !global to !slot
      tile.copy %B[%k, %bx] to %b decided {multicast = 2, multicast_along = array<i64: 1>} : !global to !slot
      tile.ring.commit %r[%k] : !ab
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %count step %c1 {
      // expected-error @below {{[R14] deadlock}}
      %a, %b = tile.ring.wait %r[%k] : !ab
      tile.ring.release %r[%k] : !ab
    }
  }
}
