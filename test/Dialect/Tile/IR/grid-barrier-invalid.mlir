// RUN: tile-opt %s --split-input-file --verify-diagnostics

// grid-barrier-1: the whole block waits
tile.kernel @k() grid(%bx) = (4) threads(32) {
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[grid-barrier-1] expected to stand in the kernel's body, or in `scf` loops and conditions there, got 'tile.parallel' around it}}
    tile.grid_barrier
  }
}

// -----

// grid-barrier-1: not one of its roles
tile.kernel @k() grid(%bx) = (4) threads(64) {
  tile.on_warps 0 count 1 {
    // expected-error @+1 {{[grid-barrier-1]}}
    tile.grid_barrier
  }
}

// -----

// grid-barrier-2: a block would wait for itself
tile.kernel @k() grid(%bx) = (4) threads(32) attributes {persistent = 1 : i64} {
  // expected-error @+1 {{[grid-barrier-2] expected a kernel without `persistent`}}
  tile.grid_barrier
}

// -----

// grid-barrier-2: no clusters
tile.kernel @k() grid(%bx) = (4) threads(32) cluster(2) {
  // expected-error @+1 {{[grid-barrier-2] expected a kernel without clusters, got clusters of 2 blocks}}
  tile.grid_barrier
}
