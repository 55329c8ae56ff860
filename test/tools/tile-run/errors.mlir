// Wrong input is one diagnostic and exit status 1.
// RUN: not tile-run %s 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not tile-run %s --kernel=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-run %s --kernel=two 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tile-run %s --kernel=two --args=A=4 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not tile-run %s --kernel=two --args=A=4x5 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not tile-run %s --kernel=two --args=A=4x4 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not tile-run %s --kernel=two --args=A=4x4:random,s=1 2>&1 | FileCheck %s --check-prefix=FILL
// RUN: not tile-run %s --kernel=two --args=A=4x4,A=4x4,s=1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tile-run %s --kernel=two --args=B=4x4 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tile-run %s --kernel=two --args=A=4x4,s=1.5 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not tile-run %s --kernel=two --args=A=4x4@9x1,s=1 2>&1 | FileCheck %s --check-prefix=OK
// RUN: not tile-run %s --kernel=two --args=A=999999999x4,s=1 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tile-run %s --kernel=one --arch=sm_12 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tile-run %s --kernel=one --stage=lowered --arch=sm_80 --bench 2>&1 | FileCheck %s --check-prefix=CLOCK
// CLOCK: tile-run: error: expected no --bench with --stage=lowered
// RUN: not tile-run %s.missing 2>&1 | FileCheck %s --check-prefix=FILE
// KERNEL: tile-run: error: expected --kernel=NAME with one of one, two
// NONE: tile-run: error: expected a kernel of the file (one, two), got 'none'
// SHAPE: tile-run: error: expected the shape of argument 'A' of type memref<?x4xf32> in --args, as in --args=A=1024x512, or a tile.shape_hint on the argument
// RANK: tile-run: error: expected 2 extents of argument 'A', got 1
// EXTENT: tile-run: error: expected extent 4 in dimension 1 of argument 'A', got 5
// SCALAR: tile-run: error: expected a value for argument 's' in --args, as in --args=s=1
// FILL: tile-run: error: expected a fill (zeros, ones, iota, uniform, normal, smallint, nan, range, sorted, permutation, places, halves) for argument 'A', got 'random'
// TWICE: tile-run: error: expected argument 'A' once in --args
// NAME: tile-run: error: expected NAME=VALUE with an argument of kernel 'two' in --args, got 'B=4x4'
// INTEGER: tile-run: error: expected an integer for argument 's', of at most 2^53 in magnitude, got 1.5
// OK: tile-run: error: expected stride 4 in dimension 0 of argument 'A' of type memref<?x4xf32>, got 9
// SIZE: tile-run: error: expected at most 2^30 elements in argument 'A'
// ARCH: tile-run: error: {{.*}}sm_12
// FILE: tile-run: error: cannot open input file
tile.kernel @one() grid(%b) = (1) threads(32) {
}
tile.kernel @two(%A: memref<?x4xf32>, %s: i32) grid(%b) = (1) threads(32) {
}
