// A kernel's regions stand at most 256 deep: passes walk them recursively.
// RUN: tile-opt %s --verify-diagnostics --split-input-file

// kernel-17: the kernel is the first region, the last line of ifs has one more
tile.kernel @deep(%c: i1) grid(%b) = (1) threads(32) {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  // expected-error @+1 {{'scf.if' op [kernel-17] expected at most 256 regions of a kernel one in another}}
  scf.if %c {
  }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
}

// -----

// As deep as they may be.
tile.kernel @deep_enough(%c: i1) grid(%b) = (1) threads(32) {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c { scf.if %c {
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
  } } } } } } } } } } } } } } } } }
}
