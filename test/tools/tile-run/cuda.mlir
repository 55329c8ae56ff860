// REQUIRES: cc
// --target=cuda with a driver that does what a kernel's name says (see
// Inputs/fake-cuda.c): everything around the kernel is real.
// RUN: rm -rf %t && mkdir -p %t
// RUN: cc -shared -fPIC -w %S/Inputs/fake-cuda.c -o %t/libcuda.so.1

// The row after row 0 starts 120 elements behind it; no multiple of the tile.
// RUN: env LD_LIBRARY_PATH=%t tile-run %S/Inputs/twice.mlir --target=cuda --check --bench --args=A=100,C=3x100@120x1 | FileCheck %s
// CHECK: kernel 'twice' on cuda (Fake, sm_90a {{.*}}, 40 registers), 6 blocks
// CHECK-NEXT: A: 100 f32, uniform, seed 1
// CHECK-NEXT: C: 3x100 f32, nan
// CHECK-NEXT: time: 2.0000 ms (median of 20, best 2.0000), 0.00 GB/s
// CHECK-NEXT: check C: max error 0
// CHECK-NEXT: PASS

// RUN: env LD_LIBRARY_PATH=%t tile-run %S/Inputs/twice.mlir --target=cuda --arch=sm_80 --check --bench --repeats=3 --json --args=A=100:smallint,C=3x100 | FileCheck %s --check-prefix=JSON
// JSON: "blocks":6,"check":[{{.*}}"exact":true{{.*}}"wrong":0}],"device":"Fake, sm_80
// JSON-SAME: "passed":true,"runs":3,{{.*}}"target":"cuda"

// A wrong element, and one that was never written: poison is not a result.
// RUN: sed s/@twice/@wrong/ %S/Inputs/twice.mlir > %t/wrong.mlir
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/wrong.mlir --target=cuda --check --args=A=100:ones,C=3x100 | FileCheck %s --check-prefix=WRONG
// WRONG: check C: 1 of 300 elements wrong, first at [1, 2]: expected 2, got 3
// WRONG-NEXT: FAIL
// RUN: sed s/@twice/@nothing/ %S/Inputs/twice.mlir > %t/nothing.mlir
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/nothing.mlir --target=cuda --check --args=A=100:ones,C=3x100 | FileCheck %s --check-prefix=NOTHING
// NOTHING: check C: 1 of 300 elements wrong, first at [0, 0]: expected 2, got {{-?}}nan

// A kernel that would write beyond its argument is not launched.
// RUN: sed s/@twice/@beyond/ %S/Inputs/twice.mlir > %t/beyond.mlir
// RUN: env LD_LIBRARY_PATH=%t tile-run %t/beyond.mlir --target=cuda --no-launch --args=A=100,C=3x100 | FileCheck %s --check-prefix=LOADED
// LOADED: kernel {{.*}}, 6 blocks, not launched

// Bytes that are none of the kernel's business.
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/beyond.mlir --target=cuda --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: tile-run: error: the kernel wrote outside of argument 'C', 0 bytes after its end
// RUN: sed s/@twice/@before/ %S/Inputs/twice.mlir > %t/before.mlir
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/before.mlir --target=cuda --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: tile-run: error: the kernel wrote outside of argument 'C', 8 bytes before it
// RUN: sed s/@twice/@between/ %S/Inputs/twice.mlir > %t/between.mlir
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/between.mlir --target=cuda --args=A=100,C=3x100@120x1 2>&1 | FileCheck %s --check-prefix=BETWEEN
// BETWEEN: tile-run: error: the kernel wrote between the rows of argument 'C', 100 elements after its first
// RUN: sed s/@twice/@input/ %S/Inputs/twice.mlir > %t/input.mlir
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/input.mlir --target=cuda --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: tile-run: error: the kernel wrote argument 'A', which it only reads

// A kernel that faults.
// RUN: sed s/@twice/@fault/ %S/Inputs/twice.mlir > %t/fault.mlir
// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/fault.mlir --target=cuda --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: tile-run: error: {{.*}} failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)
// FAULT-NOT: error:

// A batch goes on after each of these, in the list's order whatever the number
// of processes, and its own options come first on each line.
// RUN: sed s/@twice/@abort/ %S/Inputs/twice.mlir > %t/abort.mlir
// RUN: sed s/@twice/@hang/ %S/Inputs/twice.mlir > %t/hang.mlir
// RUN: printf "# cases\n\n%S/Inputs/twice.mlir --name=first --args=A=100:ones\ntile-run %t/wrong.mlir --name=wrong --args=A=100:ones\n%t/fault.mlir --name=fault --args=A=100\n%S/Inputs/twice.mlir --name=after-fault --args=A=100\n" > %t/list.txt
// RUN: printf "%t/abort.mlir --name=abort --args=A=100\n%S/Inputs/twice.mlir --name=shape --args=D=3\n%S/Inputs/twice.mlir --no-such-option --name=option\n%t/none.mlir --name=file\n%S/Inputs/twice.mlir --name='target cpu' --target=cpu --args=A=100\n%S/Inputs/twice.mlir --name=bench --bench --args=A=100\n" >> %t/list.txt
// RUN: env LD_LIBRARY_PATH=%t not tile-run --batch=%t/list.txt --target=cuda --check --args=C=3x100 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: env LD_LIBRARY_PATH=%t not tile-run --batch %t/list.txt --jobs=3 --target=cuda --check --args=C=3x100 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: PASS first max_err 0, relative 0, exact{{$}}
// BATCH-NEXT: FAIL wrong max_err 1, relative {{[0-9.e-]+}}, 1 of 300 wrong, first C[1, 2]: expected 2, got 3
// BATCH-NEXT: FAIL fault {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS
// BATCH-NEXT: PASS after-fault max_err 0
// BATCH-NEXT: FAIL abort the process ended with status 42
// BATCH-NEXT: FAIL shape expected NAME=VALUE with an argument of kernel 'twice' in --args, got 'D=3'
// BATCH-NEXT: FAIL option {{.*}}no-such-option
// BATCH-NEXT: FAIL file {{.*}}none.mlir
// BATCH-NEXT: PASS target cpu max_err 0
// BATCH-NEXT: PASS bench max_err 0{{.*}}, 2.0000 ms, 0.00 GB/s
// BATCH-NEXT: 4 passed, 6 failed

// RUN: printf "%t/hang.mlir --name=hang\n%S/Inputs/twice.mlir --name=after\n" > %t/hang.txt
// RUN: env LD_LIBRARY_PATH=%t not tile-run --batch=%t/hang.txt --timeout=10 --target=cuda --args=C=3x100,A=100 | FileCheck %s --check-prefix=HANG
// HANG: FAIL hang still running after 10 seconds
// HANG-NEXT: PASS after not checked
// HANG-NEXT: 1 passed, 1 failed

// In this process, all well: status 0. As JSON, the summary is not in the way.
// RUN: printf "%S/Inputs/twice.mlir --name=one\n%S/Inputs/twice.mlir --name=two\n" > %t/good.txt
// RUN: env LD_LIBRARY_PATH=%t tile-run --batch=%t/good.txt --jobs=0 --target=cuda --args=C=3x100,A=100 --json 2>%t/summary | FileCheck %s --check-prefix=LINES
// RUN: FileCheck %s --check-prefix=SUMMARY < %t/summary
// LINES: {{^}}{{.*}}"name":"one"{{.*}}"target":"cuda"}{{$}}
// LINES-NEXT: "name":"two"
// LINES-NOT: passed,
// SUMMARY: 2 passed, 0 failed

// RUN: not tile-run --batch=%t/nowhere.txt 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: tile-run: error: cannot read '{{.*}}nowhere.txt'
// RUN: printf "%S/Inputs/twice.mlir --batch=%t/good.txt\n" > %t/nested.txt
// RUN: not tile-run --batch=%t/nested.txt 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: FAIL {{.*}} expected no --batch within a batch
