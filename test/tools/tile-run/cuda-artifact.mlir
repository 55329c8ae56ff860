// REQUIRES: cc
// An artifact runs without being compiled, and needs its source only for what
// the numbers should be.
// RUN: rm -rf %t && mkdir -p %t
// RUN: cc -shared -fPIC -w %S/Inputs/fake-cuda.c -o %t/libcuda.so.1
// RUN: tile-translate %S/Inputs/twice.mlir --tile-to-artifact --arch=sm_80 -o %t/twice.tile
// RUN: env LD_LIBRARY_PATH=%t tile-run %t/twice.tile --target=cuda --args=A=100,C=3x100@120x1 | FileCheck %s
// CHECK: kernel 'twice' on cuda (Fake, sm_80 {{.*}}), 6 blocks
// CHECK-NEXT: A: 100 f32, uniform, seed 1
// CHECK-NEXT: C: 3x100 f32, nan
// CHECK-NOT: PASS
// RUN: env LD_LIBRARY_PATH=%t tile-run %t/twice.tile --target=cuda --args=A=100,C=3x100 --source=%S/Inputs/twice.mlir --check | FileCheck %s --check-prefix=PASS
// PASS: PASS

// RUN: env LD_LIBRARY_PATH=%t not tile-run %t/twice.tile --target=cuda --args=A=100,C=3x100 --check 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: tile-run: error: expected --source=FILE.mlir: --check compares an artifact with the meaning of its source
// RUN: not tile-run %t/twice.tile --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: tile-run: error: expected tile IR for --target=cpu, got the artifact
// RUN: not tile-run %t/twice.tile --target=cuda --arch=sm_90 --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: tile-run: error: expected no --arch for an artifact, which is compiled
// RUN: not tile-run %t/twice.tile --target=cuda --device=H20 --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: tile-run: error: expected no --device for an artifact, which is compiled
// RUN: not tile-run %t/twice.tile --target=cuda --kernel=once 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: tile-run: error: expected a kernel of the artifact (twice), got 'once'
// RUN: not tile-run %t/twice.tile --target=cuda --args=A=100,C=3x100@120x2 2>&1 | FileCheck %s --check-prefix=STRIDE
// STRIDE: tile-run: error: expected stride 1 in dimension 1 of argument 'C'
// RUN: sed s/xf32/xf64/g %S/Inputs/twice.mlir > %t/other.mlir
// RUN: sed -i "s/: f32/: f64/" %t/other.mlir
// RUN: not tile-run %t/twice.tile --target=cuda --args=A=100,C=3x100 --source=%t/other.mlir --check 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: tile-run: error: expected argument 'A' of type memref<?xf64>, as in the source, got 'A' of type memref<?xf32
// RUN: %python -c "import sys; b=bytearray(open(sys.argv[1],'rb').read()); b[200]^=1; open(sys.argv[2],'wb').write(b)" %t/twice.tile %t/damaged.tile
// RUN: not tile-run %t/damaged.tile --target=cuda 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: tile-run: error: '{{.*}}damaged.tile': {{.*}}checksum
