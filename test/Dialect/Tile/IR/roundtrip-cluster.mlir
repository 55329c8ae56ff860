// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @give
tile.kernel @give(%n: index) grid(%b) = (4) threads(128) cluster(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = tile.alloc : memref<8x32xf32, #shared>
  %half = tile.alloc : memref<8x32xf16, #shared>
  %all = tile.alloc : memref<4x8x32xf32, #shared>
  // CHECK: %[[B:.*]] = tile.mbarrier.create arrivals [4, 128] cluster : !tile.mbarrier<2>
  %ready = tile.mbarrier.create arrivals [4, 128] cluster : !tile.mbarrier<2>
  // CHECK: tile.cluster_barrier
  tile.cluster_barrier
  // CHECK: tile.cluster_copy %{{.*}} to %{{.*}} block(%{{.*}}) : memref<8x32xf16, #{{.*}}> to memref<8x32xf32, #{{.*}}>
  tile.cluster_copy %half to %own block(%n) : memref<8x32xf16, #shared> to memref<8x32xf32, #shared>
  // CHECK: tile.cluster_copy %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] sizes [1, 8, 32] block(%{{.*}}) arrives(%[[B]][%{{.*}}] : !tile.mbarrier<2>) {coalesced_width = 2 : i64} : memref<8x32xf32, #{{.*}}> to memref<4x8x32xf32, #{{.*}}>
  tile.cluster_copy %own to %all[%b, %c0, %c0] sizes [1, 8, 32] block(%c1) arrives(%ready[%c0] : !tile.mbarrier<2>) {coalesced_width = 2 : i64} : memref<8x32xf32, #shared> to memref<4x8x32xf32, #shared>
  // CHECK: tile.cluster_copy %{{.*}}[%{{.*}}, %{{.*}}] sizes [4, 16] to %{{.*}}[%{{.*}}, %{{.*}}] block(%{{.*}}) decided {plan = #tile.copy_plan<vector, bytes = 16>}
  tile.cluster_copy %own[%c0, %c0] sizes [4, 16] to %own[%c1, %c0] block(%n) decided {plan = #tile.copy_plan<vector, bytes = 16>} : memref<8x32xf32, #shared> to memref<8x32xf32, #shared>
  // CHECK: tile.cluster_gather %{{.*}} to %{{.*}} : memref<8x32xf32, #{{.*}}> to memref<4x8x32xf32, #tile.fragment>
  %gathered = tile.alloc : memref<4x8x32xf32, #tile.fragment>
  tile.cluster_gather %own to %gathered : memref<8x32xf32, #shared> to memref<4x8x32xf32, #tile.fragment>
  // CHECK: tile.mbarrier.arrive %[[B]][%{{.*}}] block(%{{.*}}) : !tile.mbarrier<2>
  tile.mbarrier.arrive %ready[%c1] block(%n) : !tile.mbarrier<2>
}
