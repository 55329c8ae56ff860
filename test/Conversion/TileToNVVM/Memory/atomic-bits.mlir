// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90 --args=A=64:uniform,B=3:zeros --check

// Each combination of bits is one instruction.
// CHECK-LABEL: .entry bits
// CHECK-DAG: {{atom|red}}{{.*}}xor.b32
// CHECK-DAG: {{atom|red}}{{.*}}or.b32
// CHECK-DAG: {{atom|red}}{{.*}}and.b32
tile.kernel @bits(%A: memref<64xi32>, %B: memref<3xi32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.parallel (%i) in (64) {
    %x = memref.load %A[%i] : memref<64xi32>
    %0 = memref.atomic_rmw xori %x, %B[%c0] : (i32, memref<3xi32>) -> i32
    %1 = memref.atomic_rmw ori %x, %B[%c1] : (i32, memref<3xi32>) -> i32
    %2 = memref.atomic_rmw andi %x, %B[%c2] : (i32, memref<3xi32>) -> i32
  }
}
