// Candidates are all combinations of values, the fastest first; options fix values and say sizes by name.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables=remarks -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables="remarks values=b=128,t=64" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables="remarks hints=A=64" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL

// The model knows no difference between values of u: the first of them stays first, and the second comes next. 1000 threads
// are no kernel, so half of the combinations come last.
// CHECK: remark: chose b = {{[0-9]+}}, t = 64, u = 1 for {{.*}}: predicted [[TIME:[0-9.]+ us]] {{.*}}; next b = {{[0-9]+}}, t = 64, u = 2: [[TIME]] {{.*}}; 6 of 12 combinations are not possible, like b = 64, t = 1000, u = 1: 'tile.kernel' op [kernel-2] expected a multiple of 32 threads
// What is fixed is no longer chosen: two candidates are left.
// FIXED: remark: chose b = 128, t = 64, u = 1 for {{.*}}; next b = 128, t = 64, u = 2
// FIXED-NOT: not possible
// One block does it with the smallest tile that is enough.
// SMALL: remark: chose b = 64, t = 64, u = 1 for {{.*}} (1 round of blocks

// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=values=b=96 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'tile.kernel' op expected a value of #tile.tunable<"b" in[64, 128, 256]>, got 96
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=values=c=64 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: 'tile.kernel' op expected values by the names of tunables, got 'c'
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=values=b=64x64 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: expected one value of a tunable, got 'b=64x64'
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=values=b=-64 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: error: expected NAME=NUMBER, or NAME=NUMBERxNUMBER for a buffer's sizes, got 'b=-64'
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=hints==8 2>&1 | FileCheck %s --check-prefix=NAMELESS
// NAMELESS: error: expected NAME=NUMBER, or NAME=NUMBERxNUMBER for a buffer's sizes, got '=8'
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=values=b 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: expected NAME=NUMBER, or NAME=NUMBERxNUMBER for a buffer's sizes, got 'b'
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=hints=A=8x8 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: 'tile.kernel' op expected sizes to choose for that argument 'A' of type 'memref<?xf32>' can have
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=hints=B=8 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: 'tile.kernel' op expected sizes to choose for by the names of arguments, got 'B'

#shared = #gpu.address_space<workgroup>
tile.kernel @f(%A: memref<?xf32>) tunable(%b in [64, 128, 256], %t in [64, 1000], %u in [1, 2]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(%t) {
  %m = arith.muli %bx, %b : index
  %As = tile.alloc(%b) : memref<?xf32, #shared>
  tile.copy %A[%m] to %As : memref<?xf32> to memref<?xf32, #shared>
}
