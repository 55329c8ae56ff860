// One diagnostic for passes that come too early; tile-choice.mlir has those for options that do not fit.
// RUN: not tile-opt %s --tile-choose-tunables 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: expected 'tile.target' on the module
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
