// ptxas ends with the process that waits for it, however that ends, and leaves no
// file where a signal that can be handled ends it.
// RUN: rm -rf %t.tmp
// RUN: %python %S/Inputs/stop.py SIGTERM %t.number %t.tmp %tile_bin/tile-translate %s --tile-to-cubin --arch=sm_90a --ptxas=%S/Inputs/waiting-ptxas -o %t.out | FileCheck %s --check-prefix=ENDED --match-full-lines
// RUN: %python %S/Inputs/stop.py SIGINT %t.number %t.tmp %tile_bin/tile-translate %s --tile-to-cubin --arch=sm_90a --ptxas=%S/Inputs/waiting-ptxas -o %t.out | FileCheck %s --check-prefix=ENDED --match-full-lines
// RUN: %python %S/Inputs/stop.py SIGHUP %t.number %t.tmp %tile_bin/tile-translate %s --tile-to-cubin --arch=sm_90a --ptxas=%S/Inputs/waiting-ptxas -o %t.out | FileCheck %s --check-prefix=ENDED --match-full-lines
// RUN: %python %S/Inputs/stop.py SIGKILL %t.number %t.tmp %tile_bin/tile-translate %s --tile-to-cubin --arch=sm_90a --ptxas=%S/Inputs/waiting-ptxas -o %t.out | FileCheck %s --check-prefix=KILLED --match-full-lines
// ENDED: assembler: ended
// ENDED-NEXT: files:{{ ?}}
// KILLED: assembler: ended

// A tool that is started with SIGCHLD ignored knows how ptxas has ended.
// RUN: not %python -c "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])" %tile_bin/tile-translate %s --tile-to-cubin --ptxas=%S/Inputs/failing-ptxas --arch=sm_90a -o %t.out 2>&1 | FileCheck %s --check-prefix=FAILED
// FAILED: error: cannot assemble the PTX: ptxas x.ptx, line 7; error   : Illegal operand type to instruction 'ld'

// One that crashes, one that is no program, and no place for its files.
// RUN: printf '#!/bin/sh\nkill -SEGV $$\n' > %t.crashing && chmod +x %t.crashing
// RUN: not tile-translate %s --tile-to-cubin --ptxas=%t.crashing --arch=sm_90a -o %t.out 2>&1 | FileCheck %s --check-prefix=CRASHED
// CRASHED: error: cannot assemble the PTX: ptxas ended by signal 11 (Segmentation fault)
// RUN: echo nothing > %t.nothing && chmod +x %t.nothing
// RUN: not tile-translate %s --tile-to-cubin --ptxas=%t.nothing --arch=sm_90a -o %t.out 2>&1 | FileCheck %s --check-prefix=NOPROGRAM
// NOPROGRAM: error: cannot assemble the PTX: ptxas cannot be started: Exec format error
// RUN: not env TMPDIR=/no/such/folder %tile_bin/tile-translate %s --tile-to-cubin --ptxas=%S/Inputs/failing-ptxas --arch=sm_90a -o %t.out 2>&1 | FileCheck %s --check-prefix=TMPDIR
// TMPDIR: error: cannot assemble the PTX: cannot create a temporary file in '/no/such/folder' (TMPDIR names another place): No such file or directory
llvm.func @store(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}
