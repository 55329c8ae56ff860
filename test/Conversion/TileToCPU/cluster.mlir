// Meetings of a cluster by hand are calls of the runtime: blocks say where their
// tiles lie, a copy goes to the address that it gives, and arrives behind it.
// RUN: tile-opt %s --convert-tile-to-cpu | FileCheck %s
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: func.func @send.cpu
// CHECK: call @tile_cpu_block_begin
// CHECK: %[[TILE:.*]] = arith.constant 0 : index
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: call @tile_cpu_cluster_tile
// CHECK: call @tile_cpu_mbarrier_create
// CHECK: call @tile_cpu_cluster_barrier
// CHECK: %[[PEER:.*]] = {{.*}}call @tile_cpu_cluster_peer({{.*}}) : (index, index, index) -> index
// CHECK: scf.for
// CHECK: memref.store
// CHECK: call @tile_cpu_cluster_arrive
// CHECK: call @tile_cpu_cluster_arrive
// CHECK: call @tile_cpu_block_end
// CHECK-NEXT: call @tile_cpu_cluster_end
tile.kernel @send(%n: index) grid(%b) = (4) threads(32) cluster(2) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<8xf32, #shared>
  %t = tile.alloc : memref<8xf32, #shared>
  %e = tile.mbarrier.create arrivals [33] cluster : !tile.mbarrier<1>
  tile.cluster_barrier
  tile.cluster_copy %a to %t block(%n) arrives(%e[%c0] : !tile.mbarrier<1>) : memref<8xf32, #shared> to memref<8xf32, #shared>
  tile.mbarrier.arrive %e[%c0] block(%n) : !tile.mbarrier<1>
}
