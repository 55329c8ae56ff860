// One diagnostic for options that do not fit, and for passes that come too early.
// RUN: not tile-opt %s --tile-choose-tunables 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: expected 'tile.target' on the module
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=values=b=96 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'tile.kernel' op expected a value of #tile.tunable<"b" in[64, 128]>, got 96
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=values=c=64 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: 'tile.kernel' op expected values by the names of tunables, got 'c'
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=values=b 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: expected NAME=NUMBER, or NAME=NUMBERxNUMBER for a buffer's sizes, got 'b'
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=hints=A=8x8 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: 'tile.kernel' op expected sizes to choose for that argument 'A' of type 'memref<?xf32>' can have
// RUN: not tile-opt %s --tile-set-target --tile-choose-tunables=hints=B=8 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: 'tile.kernel' op expected sizes to choose for by the names of arguments, got 'B'

// RUN: not tile-opt %s --tile-infer-layouts 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tile-opt %s --tile-make-persistent 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tile-opt %s --tile-version-kernels 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tile-opt %s --tile-pipeline 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tile-opt %s --tile-verify-rings 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tile-opt %s --tile-set-target --convert-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tile-opt %s --convert-tile-to-cpu 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: 'tile.kernel' op expected a kernel without tunables, got 'b' open: `--tile-choose-tunables` comes first
// EARLY-NOT: error:

tile.kernel @f(%A: memref<?xf32>) tunable(%b in [64, 128]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(64) {
  %m = arith.muli %bx, %b : index
  %x = tile.alloc(%b) : memref<?xf32, #tile.fragment>
  tile.copy %A[%m] to %x : memref<?xf32> to memref<?xf32, #tile.fragment>
}
