// An argument that is read by atomic loads is what others write while the kernel runs: none of its loads goes through
// the cache that nobody keeps up to date (LLVM 22 crashes where it selects such a load for an atomic one).
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s

// CHECK-LABEL: .entry flags(
// CHECK-NOT: ld.global.nc
// CHECK-DAG: ld.relaxed.gpu.global.b32
// CHECK-DAG: ld.acquire.gpu.global.b32
// CHECK: ret;
tile.kernel @flags(%F: memref<64xi32>, %G: memref<64xi32>, %O: memref<64xi32>) grid(%b) = (1) threads(32) {
  tile.parallel (%i) in (64) {
    %x = tile.atomic_load relaxed %F[%i] : memref<64xi32>
    %y = tile.atomic_load acquire %F[%i] : memref<64xi32>
    %z = memref.load %F[%i] : memref<64xi32>
    %w = tile.atomic_load seq_cst %G[%i] : memref<64xi32>
    %xy = arith.addi %x, %y : i32
    %zw = arith.addi %z, %w : i32
    %s = arith.addi %xy, %zw : i32
    memref.store %s, %O[%i] : memref<64xi32>
  }
}
