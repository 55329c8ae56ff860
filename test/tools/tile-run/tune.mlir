// REQUIRES: cc
// --tune with a driver that does what a kernel's name says (Inputs/fake-cuda.c):
// candidates are ranked, compiled, launched, checked and timed as on a GPU.
// RUN: rm -rf %t && mkdir -p %t
// RUN: cc -shared -fPIC -w %S/Inputs/fake-cuda.c -o %t/libcuda.so.1

// RUN: env LD_LIBRARY_PATH=%t tile-run %S/Inputs/twice-tunable.mlir --target=cuda --tune --args=A=100:ones,C=3x100@120x1 | FileCheck %s
// CHECK: kernel 'twice' on cuda (Fake, sm_90
// CHECK: chosen: bn = {{64|128}}, t = {{32|64}}
// CHECK-NEXT: tuned: 4 of 4 possible candidates measured (6 combinations)
// CHECK-NEXT: measured ms  predicted ms  rank by the model  candidate
// CHECK-NEXT: 2.0000{{ +[0-9.]+ +}}1 bn = [[BN:64|128]], t = [[T:32|64]]
// CHECK-NEXT: 2.0000{{ +[0-9.]+ +}}2 bn =
// CHECK-NEXT: 2.0000{{ +[0-9.]+ +}}3 bn =
// CHECK-NEXT: 2.0000{{ +[0-9.]+ +}}4 bn =
// CHECK-NEXT: winner: bn = [[BN]], t = [[T]]
// CHECK-NEXT: time: 2.0000 ms
// CHECK-NEXT: check C:
// CHECK-NEXT: PASS

// The best two, one tunable decided; as JSON.
// RUN: env LD_LIBRARY_PATH=%t tile-run %S/Inputs/twice-tunable.mlir --target=cuda --tune --candidates=1 --tunables=t=32 --json --args=A=100:ones,C=3x100 | FileCheck %s --check-prefix=JSON
// JSON: "passed":true
// JSON-SAME: "tunables":{"bn":{{64|128}},"t":32},"tuning":{"candidates":[{"correct":true,"median_seconds":0.00{{[0-9]+}},"predicted_seconds":{{[^,]+}},"rank":1,"tunables":{"bn":{{64|128}},"t":32}}],"combinations":3,"possible":2,"winner":{"bn":{{64|128}},"t":32}}

// What computes something else wins nothing.
// RUN: sed s/@twice/@wrong/ %S/Inputs/twice-tunable.mlir > %t/wrong.mlir
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/wrong.mlir --target=cuda --tune --args=A=100:ones,C=3x100 | FileCheck %s --check-prefix=WRONG
// WRONG: tuned: 4 of 4 possible candidates measured
// WRONG: - {{.*}} bn = {{.*}}: wrong
// WRONG: winner: none
// WRONG: FAIL
// Unless nobody asks.
// RUN: env LD_LIBRARY_PATH=%t tile-run %t/wrong.mlir --target=cuda --tune --check=false --args=A=100:ones,C=3x100 | FileCheck %s --check-prefix=UNCHECKED
// UNCHECKED: winner: bn
// UNCHECKED-NOT: FAIL

// A fault ends it: the device is lost.
// RUN: sed s/@twice/@fault/ %S/Inputs/twice-tunable.mlir > %t/fault.mlir
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/fault.mlir --target=cuda --tune --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: tile-run: error: the device does not answer any more after candidate bn = {{.*}}: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS
// FAULT-NOT: error:

// Without --tune the model chooses, on either target.
// RUN: env LD_LIBRARY_PATH=%t tile-run %S/Inputs/twice-tunable.mlir --target=cuda --check --args=A=100:ones,C=3x100 | FileCheck %s --check-prefix=MODEL
// RUN: tile-run %S/Inputs/twice-tunable.mlir --check --args=A=100:ones,C=3x100 | FileCheck %s --check-prefix=MODEL
// RUN: tile-run %S/Inputs/twice-tunable.mlir --check --args=A=100:ones,C=3x100 --tunables=bn=64,t=32 | FileCheck %s --check-prefix=DECIDED
// MODEL: chosen: bn = {{64|128}}, t = {{32|64}}
// DECIDED: chosen: bn = 64, t = 32
// MODEL-NOT: tuned:
// MODEL: PASS

// One diagnostic for what cannot be tuned.
// RUN: not tile-run %S/Inputs/twice-tunable.mlir --tune --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: tile-run: error: expected --target=cuda for --tune: times on a CPU say nothing of those on a GPU
// RUN: not tile-run %S/Inputs/twice.mlir --target=cuda --tune --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: tile-run: error: expected a kernel with tunables for --tune, got 'twice'
// RUN: not tile-run %S/Inputs/twice-tunable.mlir --source=%S/Inputs/twice.mlir --target=cuda --tune --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: tile-run: error: expected tile IR without --source for --tune, which compiles every candidate
// RUN: not tile-run %S/Inputs/twice-tunable.mlir --tunables=bn=65 --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'tile.kernel' op expected a value of #tile.tunable<"bn" in[64, 128, 0]>, got 65
// RUN: not tile-run %S/Inputs/twice-tunable.mlir --tunables=bn --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: {{.*}}expected NAME=NUMBER
// RUN: mkdir -p %t/none
// RUN: cc -shared -fPIC -w -DDEVICES=0 %S/Inputs/fake-cuda.c -o %t/none/libcuda.so.1
// RUN: env LD_LIBRARY_PATH=%t/none not tile-run %S/Inputs/twice-tunable.mlir --target=cuda --tune --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: tile-run: error:
// NONE-NOT: error:
