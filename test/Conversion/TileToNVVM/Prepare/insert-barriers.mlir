// Barriers and fences as operations: what a barrier is for, who meets, and what nobody has to meet for.
// RUN: tile-opt %s --tile-place-shared-memory --tile-insert-barriers --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [64, 64] bits 32 modes [(64, 1:1), (64, 0:64)]>
#loop = #tile.fragment_layout<shape [64, 64] reg [(4, 1:1), (8, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
#plan = #tile.copy_plan<cp_async, bytes = 16>
module attributes {tile.target = #tile.target<"sm_90">} {
  // The second tile has the first one's bytes: it is written once all have read.
  // CHECK-LABEL: tile.kernel @reuse
  // CHECK-SAME:    tile.has_barriers
  // CHECK:         tile.copy
  // CHECK-NEXT:    tile.barrier{{$}}
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    tile.barrier{{$}}
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    tile.barrier{{$}}
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    tile.return
  tile.kernel @reuse(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %C decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }
  // Copies by cp.async land before all threads meet.
  // CHECK-LABEL: tile.kernel @copies
  // CHECK:         tile.copy
  // CHECK-NEXT:    tile.fence copies{{$}}
  // CHECK-NEXT:    tile.barrier{{$}}
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    tile.return
  tile.kernel @copies(%A: memref<64x64xf32> {tile.alignment = 16}, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop, plan = #plan} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }
  // A barrier of the program is one; none is added beside it.
  // CHECK-LABEL: tile.kernel @own
  // CHECK:         tile.copy
  // CHECK-NEXT:    tile.barrier{{$}}
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    tile.return
  tile.kernel @own(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.barrier
    tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }
}
