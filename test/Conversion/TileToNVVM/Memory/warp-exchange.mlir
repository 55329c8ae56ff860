// A thread that reads what another thread of its warp holds: by a shuffle, whatever the numbers in the index are, and neither
// shared memory nor barriers (lib/Analysis/Layout/WarpExchange.cpp).
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_90a | FileCheck %s

// As T.shfl_xor, T.shfl_down (a lane above the last one: the thread's own value) and T.shfl_sync with a number of the block write it.
// CHECK-LABEL: llvm.func @shuffles
// CHECK-NOT:     llvm.{{load|store}} {{.*}}!llvm.ptr<3>
// CHECK-NOT:     nvvm.barrier
// CHECK-COUNT-3: nvvm.shfl.sync {{.*}}idx
// CHECK-NOT:     llvm.{{load|store}} {{.*}}!llvm.ptr<3>
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @shuffles(%A: memref<128xf32>, %B: memref<3x128xf32>, %from: i32) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %f = tile.alloc : memref<128x1xf32, #tile.fragment>
  %g = tile.alloc : memref<128x3xf32, #tile.fragment>
  tile.parallel (%t) in (128) {
    %v = memref.load %A[%t] : memref<128xf32>
    memref.store %v, %f[%t, %c0] : memref<128x1xf32, #tile.fragment>
  }
  tile.parallel (%t) in (128) {
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %first = arith.muli %warp, %c32 : index
    %turned = arith.xori %lane, %c3 : index
    %other = arith.addi %first, %turned : index
    %v = memref.load %f[%other, %c0] : memref<128x1xf32, #tile.fragment>
    memref.store %v, %g[%t, %c0] : memref<128x3xf32, #tile.fragment>
  }
  tile.parallel (%t) in (128) {
    %lane = arith.remui %t, %c16 : index
    %group = arith.divui %t, %c16 : index
    %first = arith.muli %group, %c16 : index
    %next = arith.addi %lane, %c3 : index
    %above = arith.cmpi sge, %next, %c0 : index
    %below = arith.cmpi slt, %next, %c16 : index
    %inside = arith.andi %above, %below : i1
    %there = arith.addi %first, %next : index
    %other = arith.select %inside, %there, %t : index
    %v = memref.load %f[%other, %c0] : memref<128x1xf32, #tile.fragment>
    memref.store %v, %g[%t, %c1] : memref<128x3xf32, #tile.fragment>
  }
  tile.parallel (%t) in (128) {
    %number = arith.index_cast %from : i32 to index
    %lane = arith.remui %number, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %first = arith.muli %warp, %c32 : index
    %other = arith.addi %first, %lane : index
    %v = memref.load %f[%other, %c0] : memref<128x1xf32, #tile.fragment>
    memref.store %v, %g[%t, %c2] : memref<128x3xf32, #tile.fragment>
  }
  tile.parallel (%t) in (128) {
    %x = memref.load %g[%t, %c0] : memref<128x3xf32, #tile.fragment>
    %y = memref.load %g[%t, %c1] : memref<128x3xf32, #tile.fragment>
    %z = memref.load %g[%t, %c2] : memref<128x3xf32, #tile.fragment>
    memref.store %x, %B[%c0, %t] : memref<3x128xf32>
    memref.store %y, %B[%c1, %t] : memref<3x128xf32>
    memref.store %z, %B[%c2, %t] : memref<3x128xf32>
  }
}

// -----

// A signed remainder of a number that may be negative is a lane below the warp; groups of 24 lanes lie in two warps; a sum
// beyond the group; a thread that reads under a condition, where other lanes do not come: through shared memory.
// CHECK-LABEL: llvm.func @elsewhere
// CHECK-NOT:     nvvm.shfl
// CHECK:         llvm.return
tile.kernel @elsewhere(%A: memref<96xf32>, %B: memref<4x96xf32>, %from: i32) grid(%b) = (1) threads(96) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %f = tile.alloc : memref<96x1xf32, #tile.fragment>
  tile.parallel (%t) in (96) {
    %v = memref.load %A[%t] : memref<96xf32>
    memref.store %v, %f[%t, %c0] : memref<96x1xf32, #tile.fragment>
  }
  tile.parallel (%t) in (96) {
    %number = arith.index_cast %from : i32 to index
    %lane = arith.remsi %number, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %first = arith.muli %warp, %c32 : index
    %other = arith.addi %first, %lane : index
    %v = memref.load %f[%other, %c0] : memref<96x1xf32, #tile.fragment>
    memref.store %v, %B[%c0, %t] : memref<4x96xf32>
  }
  tile.parallel (%t) in (96) {
    %number = arith.index_cast %from : i32 to index
    %lane = arith.remui %number, %c24 : index
    %group = arith.divui %t, %c24 : index
    %first = arith.muli %group, %c24 : index
    %other = arith.addi %first, %lane : index
    %v = memref.load %f[%other, %c0] : memref<96x1xf32, #tile.fragment>
    memref.store %v, %B[%c1, %t] : memref<4x96xf32>
  }
  tile.parallel (%t) in (96) {
    %number = arith.index_cast %from : i32 to index
    %lane = arith.remui %number, %c24 : index
    %next = arith.addi %lane, %c24 : index
    %warp = arith.divui %t, %c32 : index
    %first = arith.muli %warp, %c32 : index
    %other = arith.addi %first, %next : index
    %v = memref.load %f[%other, %c0] : memref<96x1xf32, #tile.fragment>
    memref.store %v, %B[%c2, %t] : memref<4x96xf32>
  }
  tile.parallel (%t) in (96) {
    %some = arith.cmpi ult, %t, %c24 : index
    scf.if %some {
      %number = arith.index_cast %from : i32 to index
      %lane = arith.remui %number, %c32 : index
      %warp = arith.divui %t, %c32 : index
      %first = arith.muli %warp, %c32 : index
      %other = arith.addi %first, %lane : index
      %v = memref.load %f[%other, %c0] : memref<96x1xf32, #tile.fragment>
      memref.store %v, %B[%c3, %t] : memref<4x96xf32>
    }
  }
}
