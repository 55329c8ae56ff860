// The bound of a loop without checks (--tile-prefetch-operands) depends on all
// extents and on the block's place: sizes are found that enter it as often as
// its slots ask for, within the budget of --tile-to-nvvm.
// RUN: tile-opt %tile_src/examples/gemm.mlir --tile-to-nvvm="arch=sm_80 remarks" -o /dev/null 2>&1 | FileCheck %s
// CHECK: remark: rings are proved for
// CHECK: note: 0 to 8 iterations
// CHECK: note: 0 to 10 iterations
//
// What the search costs is in the budget: not one of the runs, of some hundred
// steps each, is left.
// RUN: tile-opt %tile_src/examples/gemm.mlir --tile-to-schedule=arch=sm_80 --tile-verify-rings=budget=2000 -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: not proved: budget of 2000 steps used after 0 of
