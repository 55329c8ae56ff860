// A relaxed atomic operation orders itself and nothing else: what a block wrote
// before one may be unseen by a block that comes after it. One that acquires
// and releases hands it on, where the writer comes first. What is stored is what
// was there before: the blocks of the reference on the CPU run in any order.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 -o %t.mlir
// RUN: not tile-run %t.mlir --source=%s --stage=lowered --check --args=F=1:zeros --args=G=1:zeros --seed=1 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not tile-run %t.mlir --source=%s --stage=lowered --check --args=F=1:zeros --args=G=1:zeros --seed=2 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: tile-run: error: {{.*}}race: {{.*}} and nothing orders the two

// RUN: sed 's/ monotonic/ acq_rel/' %t.mlir > %t.ordered.mlir
// RUN: tile-run %t.ordered.mlir --source=%s --stage=lowered --check --args=F=1:zeros --args=G=1:zeros --seed=2 | FileCheck %s --check-prefix=PASS
// PASS: PASS
tile.kernel @atomics(%G: memref<1xf32>, %F: memref<1xi32>, %Y: memref<1xf32>) grid(%b) = (2) threads(32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %x = arith.constant 0.0 : f32
  %isFirst = arith.cmpi eq, %b, %c0 : index
  scf.if %isFirst {
    memref.store %x, %G[%c0] : memref<1xf32>
  }
  memref.atomic_rmw addi %one, %F[%c0] : (i32, memref<1xi32>) -> i32
  %isSecond = arith.cmpi ne, %b, %c0 : index
  scf.if %isSecond {
    %v = memref.load %G[%c0] : memref<1xf32>
    memref.store %v, %Y[%c0] : memref<1xf32>
  }
}
