// Seeded faults in the loop that tile-pipeline makes of three stages (one agent,
// cp.async groups, block barriers): docs/Rings.md.
// RUN: tile-opt %s --tile-verify-rings -verify-diagnostics=only-expected -o /dev/null
// RUN: tile-opt %s --tile-verify-rings=exhaustive -verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!acc = memref<64x64xf32, #tile.fragment>
!global = memref<?x?xf16>
!ring = !tile.ring<3 x [!slot], cp_async -> threads>

// Nothing is changed: nothing is reported.
tile.kernel @right(%A: !global, %trips: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !ring
  %pc0 = tile.ring.acquire %r[%c0] : !ring
  %morec0 = arith.cmpi slt, %c0, %trips : index
  scf.if %morec0 {
    tile.copy %A[%c0, %c0] to %pc0 : !global to !slot
  }
  tile.ring.commit %r[%c0] : !ring
  %pc1 = tile.ring.acquire %r[%c1] : !ring
  %morec1 = arith.cmpi slt, %c1, %trips : index
  scf.if %morec1 {
    tile.copy %A[%c0, %c1] to %pc1 : !global to !slot
  }
  tile.ring.commit %r[%c1] : !ring
  scf.for %i = %c0 to %trips step %c1 {
    %v = tile.ring.wait %r[%i] {in_flight = 1 : i64} : !ring
    %u = arith.addi %i, %c2 : index
    %pu = tile.ring.acquire %r[%u] : !ring
    %moreu = arith.cmpi slt, %u, %trips : index
    scf.if %moreu {
      tile.copy %A[%c0, %u] to %pu : !global to !slot
    }
    tile.ring.commit %r[%u] : !ring
    tile.gemm %v, %v, %acc : !slot, !slot, !acc
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// The tail commits no empty groups, so the count of groups falls short.
tile.kernel @commit_in_branch(%A: !global, %trips: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !ring
  %pc0 = tile.ring.acquire %r[%c0] : !ring
  %morec0 = arith.cmpi slt, %c0, %trips : index
  scf.if %morec0 {
    tile.copy %A[%c0, %c0] to %pc0 : !global to !slot
    tile.ring.commit %r[%c0] : !ring
  }
  %pc1 = tile.ring.acquire %r[%c1] : !ring
  %morec1 = arith.cmpi slt, %c1, %trips : index
  scf.if %morec1 {
    tile.copy %A[%c0, %c1] to %pc1 : !global to !slot
    tile.ring.commit %r[%c1] : !ring
  }
  scf.for %i = %c0 to %trips step %c1 {
    // expected-error @below {{[R16] ring[0] is read before}}
    %v = tile.ring.wait %r[%i] {in_flight = 1 : i64} : !ring
    %u = arith.addi %i, %c2 : index
    %pu = tile.ring.acquire %r[%u] : !ring
    %moreu = arith.cmpi slt, %u, %trips : index
    scf.if %moreu {
      tile.copy %A[%c0, %u] to %pu : !global to !slot
      tile.ring.commit %r[%u] : !ring
    }
    tile.gemm %v, %v, %acc : !slot, !slot, !acc
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// One group more may be in flight than was committed after.
tile.kernel @in_flight_too_high(%A: !global, %trips: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !ring
  %pc0 = tile.ring.acquire %r[%c0] : !ring
  %morec0 = arith.cmpi slt, %c0, %trips : index
  scf.if %morec0 {
    tile.copy %A[%c0, %c0] to %pc0 : !global to !slot
  }
  tile.ring.commit %r[%c0] : !ring
  %pc1 = tile.ring.acquire %r[%c1] : !ring
  %morec1 = arith.cmpi slt, %c1, %trips : index
  scf.if %morec1 {
    tile.copy %A[%c0, %c1] to %pc1 : !global to !slot
  }
  tile.ring.commit %r[%c1] : !ring
  scf.for %i = %c0 to %trips step %c1 {
    // expected-error @below {{[R16] ring[0] is read before}}
    %v = tile.ring.wait %r[%i] {in_flight = 2 : i64} : !ring
    %u = arith.addi %i, %c2 : index
    %pu = tile.ring.acquire %r[%u] : !ring
    %moreu = arith.cmpi slt, %u, %trips : index
    scf.if %moreu {
      tile.copy %A[%c0, %u] to %pu : !global to !slot
    }
    tile.ring.commit %r[%u] : !ring
    tile.gemm %v, %v, %acc : !slot, !slot, !acc
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// No barrier lies between the readers of use 0 and the copy of use 2+1.
tile.kernel @acquire_above_wait(%A: !global, %trips: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !ring
  %pc0 = tile.ring.acquire %r[%c0] : !ring
  %morec0 = arith.cmpi slt, %c0, %trips : index
  scf.if %morec0 {
    tile.copy %A[%c0, %c0] to %pc0 : !global to !slot
  }
  tile.ring.commit %r[%c0] : !ring
  %pc1 = tile.ring.acquire %r[%c1] : !ring
  %morec1 = arith.cmpi slt, %c1, %trips : index
  scf.if %morec1 {
    tile.copy %A[%c0, %c1] to %pc1 : !global to !slot
  }
  tile.ring.commit %r[%c1] : !ring
  scf.for %i = %c0 to %trips step %c1 {
    %u = arith.addi %i, %c2 : index
    // expected-error @below {{[R15] ring[3] is acquired while}}
    %pu = tile.ring.acquire %r[%u] : !ring
    %moreu = arith.cmpi slt, %u, %trips : index
    scf.if %moreu {
      tile.copy %A[%c0, %u] to %pu : !global to !slot
    }
    tile.ring.commit %r[%u] : !ring
    %v = tile.ring.wait %r[%i] {in_flight = 1 : i64} : !ring
    tile.gemm %v, %v, %acc : !slot, !slot, !acc
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// Three ahead in three slots: the slot is the one that is being read.
tile.kernel @look_ahead_three(%A: !global, %trips: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !ring
  %pc0 = tile.ring.acquire %r[%c0] : !ring
  %morec0 = arith.cmpi slt, %c0, %trips : index
  scf.if %morec0 {
    tile.copy %A[%c0, %c0] to %pc0 : !global to !slot
  }
  tile.ring.commit %r[%c0] : !ring
  %pc1 = tile.ring.acquire %r[%c1] : !ring
  %morec1 = arith.cmpi slt, %c1, %trips : index
  scf.if %morec1 {
    tile.copy %A[%c0, %c1] to %pc1 : !global to !slot
  }
  tile.ring.commit %r[%c1] : !ring
  %pc2 = tile.ring.acquire %r[%c2] : !ring
  %morec2 = arith.cmpi slt, %c2, %trips : index
  scf.if %morec2 {
    tile.copy %A[%c0, %c2] to %pc2 : !global to !slot
  }
  tile.ring.commit %r[%c2] : !ring
  scf.for %i = %c0 to %trips step %c1 {
    %v = tile.ring.wait %r[%i] {in_flight = 2 : i64} : !ring
    %u = arith.addi %i, %c3 : index
    // expected-error @below {{[R15] ring[3] is acquired while}}
    %pu = tile.ring.acquire %r[%u] : !ring
    %moreu = arith.cmpi slt, %u, %trips : index
    scf.if %moreu {
      tile.copy %A[%c0, %u] to %pu : !global to !slot
    }
    tile.ring.commit %r[%u] : !ring
    tile.gemm %v, %v, %acc : !slot, !slot, !acc
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// Nothing says that a slot was left.
tile.kernel @missing_release(%A: !global, %trips: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !ring
  %pc0 = tile.ring.acquire %r[%c0] : !ring
  %morec0 = arith.cmpi slt, %c0, %trips : index
  scf.if %morec0 {
    tile.copy %A[%c0, %c0] to %pc0 : !global to !slot
  }
  tile.ring.commit %r[%c0] : !ring
  %pc1 = tile.ring.acquire %r[%c1] : !ring
  %morec1 = arith.cmpi slt, %c1, %trips : index
  scf.if %morec1 {
    tile.copy %A[%c0, %c1] to %pc1 : !global to !slot
  }
  tile.ring.commit %r[%c1] : !ring
  scf.for %i = %c0 to %trips step %c1 {
    %v = tile.ring.wait %r[%i] {in_flight = 1 : i64} : !ring
    %u = arith.addi %i, %c2 : index
    %pu = tile.ring.acquire %r[%u] : !ring
    %moreu = arith.cmpi slt, %u, %trips : index
    scf.if %moreu {
      tile.copy %A[%c0, %u] to %pu : !global to !slot
    }
    tile.ring.commit %r[%u] : !ring
    tile.gemm %v, %v, %acc : !slot, !slot, !acc
  }
  // expected-error @below {{[R2] ring[0] was waited for and is not released}}
  tile.ring.drain %r : !ring
}

// Nothing relies on the tail's groups, but their uses stay open.
tile.kernel @never_committed(%A: !global, %trips: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !ring
  // expected-error @below {{[R2] ring[0] is acquired and never committed}}
  %pc0 = tile.ring.acquire %r[%c0] : !ring
  %morec0 = arith.cmpi slt, %c0, %trips : index
  scf.if %morec0 {
    tile.copy %A[%c0, %c0] to %pc0 : !global to !slot
    tile.ring.commit %r[%c0] : !ring
  }
  %pc1 = tile.ring.acquire %r[%c1] : !ring
  %morec1 = arith.cmpi slt, %c1, %trips : index
  scf.if %morec1 {
    tile.copy %A[%c0, %c1] to %pc1 : !global to !slot
    tile.ring.commit %r[%c1] : !ring
  }
  scf.for %i = %c0 to %trips step %c1 {
    %v = tile.ring.wait %r[%i] {in_flight = 0 : i64} : !ring
    %u = arith.addi %i, %c2 : index
    %pu = tile.ring.acquire %r[%u] : !ring
    %moreu = arith.cmpi slt, %u, %trips : index
    scf.if %moreu {
      tile.copy %A[%c0, %u] to %pu : !global to !slot
      tile.ring.commit %r[%u] : !ring
    }
    tile.gemm %v, %v, %acc : !slot, !slot, !acc
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}
