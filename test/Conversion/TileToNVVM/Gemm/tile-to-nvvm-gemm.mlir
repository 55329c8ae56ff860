// The whole way of a GEMM: tensor cores fed by ldmatrix from rings of cp.async,
// and a result that the upstream tools understand.
// RUN: tile-opt %S/../../../../examples/gemm.mlir --tile-to-nvvm=arch=sm_80 -o %t
// RUN: FileCheck %s < %t
// RUN: mlir-opt %t -o /dev/null

// CHECK:       llvm.mlir.global external @tile_shared_arena() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK:       llvm.func @gemm(
// CHECK-SAME:    llvm.noalias
// CHECK-SAME:    mlir_tile.shared_bytes = 49152 : i64
// CHECK-SAME:    nvvm.kernel
// CHECK-SAME:    nvvm.maxntid = array<i32: 128, 1, 1>
// No element of the operands goes through registers on the way to shared memory.
// CHECK-NOT:   llvm.load {{.*}} !llvm.ptr<1> -> f16
// CHECK:       nvvm.cp.async.shared.global
// CHECK:       nvvm.cp.async.commit.group
// The main loop waits for its group, with one more in flight, then meets.
// CHECK:       nvvm.cp.async.wait.group 1
// CHECK:       nvvm.barrier
// CHECK:       nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>
// CHECK:       nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
// One loop for iterations whose copies need no check, one for the rest.
// CHECK-COUNT-128: nvvm.mma.sync
// CHECK-NOT:   nvvm.mma.sync
// CHECK:       nvvm.cp.async.wait.group 0
// CHECK-NOT:   tile.
