// A tile that other blocks of the cluster write is alive all the time: no other
// tile shares its bytes. Barriers: a cluster's barrier is one of the block, and
// waits for copies that have not landed.
// RUN: tile-opt %s --tile-place-shared-memory --tile-insert-barriers | FileCheck %s

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [64, 64] bits 32 modes [(64, 1:1), (64, 0:64)]>
#loop = #tile.fragment_layout<shape [64, 64] reg [(4, 1:1), (8, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  // CHECK-LABEL: tile.kernel @peers
  // CHECK-SAME:    tile.shared_bytes = 32768 : i64
  tile.kernel @peers(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %n: index) grid(%bx) = (2) threads(128) cluster(2) {
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %u = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.copy %{{.*}} to %{{.*}} decided {layout = #{{.*}}, plan = #tile.copy_plan<cp_async, bytes = 16>}
    // CHECK-NEXT: tile.fence copies
    // CHECK-NEXT: tile.cluster_barrier
    tile.copy %A to %s decided {layout = #loop, plan = #tile.copy_plan<cp_async, bytes = 16>} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.cluster_barrier
    // What all threads have copied, they read behind the barrier without another.
    // CHECK-NEXT: tile.cluster_copy
    tile.cluster_copy %s to %t block(%n) decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32, #shared>
    // CHECK-NEXT: tile.cluster_barrier
    tile.cluster_barrier
    // CHECK-NEXT: tile.copy
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.copy %A to %u decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %u to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }
}
