// Registers, then butterfly shuffles, then warps through scratch memory.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 --split-input-file -o %t
// RUN: FileCheck %s < %t

// A row belongs to one warp: shuffles, no scratch, no barrier.
// CHECK-LABEL: llvm.func @rows
// CHECK-SAME:    mlir_tile.shared_bytes = 0 : i64
// CHECK:         nvvm.shfl.sync  bfly
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @rows(%A: memref<4x1024xf32>, %B: memref<4xf32>) grid(%bx) = (1) threads(128) {
  %x = tile.alloc : memref<4x1024xf32, #tile.fragment>
  %s = tile.alloc : memref<4xf32, #tile.fragment>
  tile.copy %A to %x : memref<4x1024xf32> to memref<4x1024xf32, #tile.fragment>
  tile.reduce sum %x to %s dim(1) : memref<4x1024xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.copy %s to %B : memref<4xf32, #tile.fragment> to memref<4xf32>
}

// -----

// One row over all warps: partial results meet in scratch memory, one for each
// warp. Nobody has used the bytes before.
// CHECK-LABEL: llvm.func @across_warps
// CHECK-SAME:    mlir_tile.shared_bytes = 16 : i64
// CHECK-NOT:     nvvm.barrier
// CHECK:         nvvm.shfl.sync  bfly
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.cond_br
// CHECK:         llvm.store {{.*}} !llvm.ptr<3>
// CHECK:         nvvm.barrier
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.load {{.*}} !llvm.ptr<3>
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @across_warps(%A: memref<1x4096xf32>, %B: memref<1xf32>) grid(%bx) = (1) threads(128) {
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %s = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %A to %x : memref<1x4096xf32> to memref<1x4096xf32, #tile.fragment>
  tile.reduce max %x to %s dim(1) : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.copy %s to %B : memref<1xf32, #tile.fragment> to memref<1xf32>
}

// -----

// NaNs are ignored: a row of nothing else gives the kind's identity, as on the
// CPU, also where the target takes part.
// CHECK-LABEL: llvm.func @ignored
// CHECK:         nvvm.shfl.sync  bfly
// CHECK:         %[[LEAST:.*]] = llvm.mlir.constant(0xFF800000 : f32)
// CHECK:         %[[ROW:.*]] = llvm.intr.maxnum({{.*}}, %[[LEAST]])
// CHECK:         llvm.intr.maxnum({{.*}}, %[[ROW]])
// CHECK:         llvm.return
tile.kernel @ignored(%A: memref<4x1024xf32>, %B: memref<4xf32>) grid(%bx) = (1) threads(128) {
  %x = tile.alloc : memref<4x1024xf32, #tile.fragment>
  %s = tile.alloc : memref<4xf32, #tile.fragment>
  tile.copy %A to %x : memref<4x1024xf32> to memref<4x1024xf32, #tile.fragment>
  tile.copy %B to %s : memref<4xf32> to memref<4xf32, #tile.fragment>
  tile.reduce max %x to %s dim(1) {accumulate} : memref<4x1024xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.copy %s to %B : memref<4xf32, #tile.fragment> to memref<4xf32>
}
