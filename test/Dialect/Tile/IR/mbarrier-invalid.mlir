// What mbarriers and parts for some warps must not be; each message names its
// constraint.
// RUN: tile-opt %s --split-input-file --verify-diagnostics

// mbarrier-1: as many numbers as barriers
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[mbarrier-1] expected 1 or 3 numbers of arrivals, got 2}}
  %b = tile.mbarrier.create arrivals [32, 32] : !tile.mbarrier<3>
}

// -----

// mbarrier-1: a count
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[mbarrier-1] expected 1 to 1048575 arrivals, got 0}}
  %b = tile.mbarrier.create arrivals [0] : !tile.mbarrier<1>
}

// -----

// mbarrier-1: barriers of a type
// expected-error @+1 {{[mbarrier-1] expected 1 to 1024 barriers, got 0}}
func.func private @f(!tile.mbarrier<0>)

// -----

// mbarrier-2: once
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  scf.for %i = %n to %n step %n {
    // expected-error @+1 {{[mbarrier-2] expected to stand in the kernel's top block: barriers are initialized once}}
    %b = tile.mbarrier.create arrivals [32] : !tile.mbarrier<1>
  }
}

// -----

// mbarrier-2: one tile
tile.kernel @k(%A: memref<?xf32>) grid(%bx) = (dim(%A, 0)) threads(32) attributes {persistent = 1 : i64} {
  // expected-error @+1 {{[mbarrier-2] expected a kernel without `persistent`}}
  %b = tile.mbarrier.create arrivals [32] : !tile.mbarrier<1>
}

// -----

// mbarrier-3: arrive
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %c2 = arith.constant 2 : index
  %b = tile.mbarrier.create arrivals [32] : !tile.mbarrier<2>
  // expected-error @+1 {{[mbarrier-3] expected an index from 0 to 1, got 2}}
  tile.mbarrier.arrive %b[%c2] : !tile.mbarrier<2>
}

// -----

// mbarrier-3: wait
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %c2 = arith.constant -1 : index
  %b = tile.mbarrier.create arrivals [32] : !tile.mbarrier<2>
  // expected-error @+1 {{[mbarrier-3] expected an index from 0 to 1, got -1}}
  tile.mbarrier.wait %b[%c2] parity %c2 : !tile.mbarrier<2>
}

// -----

// on-warps-1: the kernel's warps
tile.kernel @k() grid(%bx) = (1) threads(128) {
  // expected-error @+1 {{[on-warps-1] expected warps of the kernel's 4, got 2 from 3 on}}
  tile.on_warps 3 count 2 {
  }
}

// -----

// on-warps-1: warpgroups
tile.kernel @k() grid(%bx) = (1) threads(256) {
  // expected-error @+1 {{[on-warps-1] expected four warps or more to start at a multiple of four, got warp 2}}
  tile.on_warps 2 count 4 {
  }
}

// -----

// on-warps-2: no half of another range
tile.kernel @k() grid(%bx) = (1) threads(256) {
  // expected-error @+1 {{[on-warps-2] expected ranges that are equal or disjoint, got warps 0 to 3 and 2 to 3}}
  tile.on_warps 0 count 4 {
  }
  // expected-note @+1 {{the others}}
  tile.on_warps 2 count 2 {
  }
}

// -----

// on-warps-3: not in one another
tile.kernel @k() grid(%bx) = (1) threads(256) {
  tile.on_warps 0 count 4 {
    // expected-error @+1 {{[on-warps-3] expected no other warps, and no role, around it}}
    tile.on_warps 0 count 4 {
    }
  }
}

// -----

// on-warps-4: budgets
tile.kernel @k() grid(%bx) = (1) threads(256) {
  // expected-error @+1 {{[on-warps-4] expected a register budget that is a multiple of 8 from 24 to 256, got 20}}
  tile.on_warps 0 count 4 registers 20 {
  }
}
