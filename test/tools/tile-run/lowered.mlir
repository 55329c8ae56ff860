// --stage=lowered and its options.
// RUN: tile-run --help | FileCheck %s --check-prefix=HELP
// HELP-DAG: --seed=<N>
// HELP-DAG: --unoptimized
// HELP-DAG: =lowered

// RUN: tile-run %s --stage=lowered --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --seed=5 --unoptimized --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_100a --check | FileCheck %s
// CHECK: PASS

// RUN: not tile-run %s --stage=lowered --arch=sm_12 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: error: {{.*}}sm_12
// RUN: not tile-run %s --stage=lowered --seed=x 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: 'x' value invalid
// RUN: not tile-run %s --target=cuda --stage=lowered 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: tile-run: error: expected --stage with --target=cpu only

// A program that is lowered already needs its source.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 -o %t.mlir
// RUN: tile-run %t.mlir --source=%s --stage=lowered --check | FileCheck %s
// RUN: not tile-run %t.mlir --stage=lowered --check 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: tile-run: error:

// --no-launch loads the code, and refuses what the executor does not know.
// RUN: tile-run %s --stage=lowered --no-launch | FileCheck %s --check-prefix=LOADED
// LOADED: kernel 'add' {{.*}}, 1 block, not launched
// LOADED-NOT: {{PASS|FAIL}}
// RUN: sed 's/llvm.return/llvm.inline_asm has_side_effects "unheard.of;", "" : () -> () llvm.return/' %t.mlir > %t.unknown.mlir
// RUN: not tile-run %t.unknown.mlir --source=%s --stage=lowered --no-launch 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: cannot execute the lowered kernel: {{.*}}unheard.of
// RUN: tile-run %s --no-launch --json | FileCheck %s --check-prefix=JSON
// JSON: "launched":false
// RUN: not tile-run %s --no-launch --check 2>&1 | FileCheck %s --check-prefix=RESULTS
// RESULTS: tile-run: error: expected no --check, --bench, --tune or --save with --no-launch, which gives no results

tile.kernel @add(%X: memref<100xf32>, %Y: memref<100xf32>) grid(%b) = (1) threads(32) {
  tile.parallel (%i) in (100) {
    %x = memref.load %X[%i] : memref<100xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %Y[%i] : memref<100xf32>
  }
}
