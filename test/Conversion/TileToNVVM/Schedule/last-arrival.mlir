// Memory of the launch is a parameter behind the arguments, which the manifest describes. Who arrives last is found by one thread: it releases what
// all have written, adds, and where the count is complete takes it back to zero and acquires; the others learn it through shared memory.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | sed 's/\\0A *//g; s/\\22//g' | FileCheck %s --check-prefix=MAP
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s

// MAP: {kind: pointer,arg: 1},{kind: workspace,bytes_per_block: 256,zeroed: false},{kind: workspace,bytes_per_block: 4,zeroed: true}
// CHECK-LABEL: .entry halves(
// CHECK: .param .u64 .ptr .global .align 256 halves_param_2
// CHECK: .param .u64 .ptr .global .align 256 halves_param_3
// CHECK: st.global
// CHECK: bar.sync 0
// CHECK: fence.acq_rel.gpu;
// CHECK-NEXT: atom.global.add.u32
// CHECK: fence.acq_rel.gpu;
// CHECK: st.relaxed.gpu.global.b32 {{.*}}, {{(0|%r[0-9]+)}};
// CHECK: st.shared.b32
// CHECK: bar.sync 0
// CHECK: ld.shared.b32
// What others have written is no read-only memory.
// CHECK-NOT: ld.global.nc
// CHECK: ret;
tile.kernel @halves(%X: memref<8x128xf32>, %Y: memref<8x32xf32>) grid(%h, %row) = (2, 8) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %sums = tile.workspace per_block(2) : memref<?x32xf32>
  %arrived = tile.workspace per_block(1) zeroed : memref<?xi32>
  %first = arith.muli %row, %c2 : index
  %own = arith.addi %first, %h : index
  tile.parallel (%i) in (32) {
    memref.store %zero, %sums[%own, %i] : memref<?x32xf32>
  }
  %last = tile.last_arrival %arrived[%row], %one of %two : memref<?xi32>
  scf.if %last {
    tile.parallel (%i) in (32) {
      %x = memref.load %sums[%first, %i] : memref<?x32xf32>
      memref.store %x, %Y[%row, %i] : memref<8x32xf32>
    }
  }
}

// A look at the counter: nothing is added, and what the others released is acquired.
// CHECK-LABEL: .entry looks(
// CHECK-NOT: atom
// CHECK: ld.acquire.gpu.global.b32
// CHECK-NOT: atom
// CHECK: ret;
tile.kernel @looks(%Counters: memref<8xi32>, %Y: memref<8xf32>) grid(%row) = (8) threads(64) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %x = arith.constant 1.0 : f32
  %last = tile.last_arrival if_last %Counters[%row], %one of %two : memref<8xi32>
  scf.if %last {
    tile.parallel (%i) in (1) {
      %at = arith.addi %row, %i : index
      memref.store %x, %Y[%at] : memref<8xf32>
    }
  }
}
