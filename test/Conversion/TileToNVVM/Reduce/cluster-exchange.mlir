// How much of a fragment the blocks of a cluster exchange at a time, and where: registers of a thread, of one part with `parts`.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-select-copies --tile-place-shared-memory | FileCheck %s
#f = #tile.fragment
#acc = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
// All 32 registers for the last block; of each part 16 where each block has its own. There is room for all of them.
// CHECK-LABEL: tile.kernel @last
// CHECK: tile.cluster_reduce sum %{{.*}} blocks(2) stride(1) {tile.exchanged = 32 : i64, tile.offset = {{[0-9]+}} : i64}
tile.kernel @last(%X: memref<64x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc layout(#acc) : memref<64x64xf32, #f>
  tile.copy %X[%c0, %c0] to %a decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #f>
  tile.cluster_reduce sum %a blocks(2) stride(1) : memref<64x64xf32, #f>
}
// CHECK-LABEL: tile.kernel @parts
// CHECK: tile.cluster_reduce sum %{{.*}} blocks(2) stride(1) parts(1) {tile.exchanged = 16 : i64, tile.offset = {{[0-9]+}} : i64}
tile.kernel @parts(%X: memref<64x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc layout(#acc) : memref<64x64xf32, #f>
  tile.copy %X[%c0, %c0] to %a decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #f>
  tile.cluster_reduce sum %a blocks(2) stride(1) parts(1) : memref<64x64xf32, #f>
}
// 220 KB are taken: what two blocks exchange goes in pieces, of a part in half of them.
// CHECK-LABEL: tile.kernel @pieces
// CHECK: tile.cluster_reduce sum %{{.*}} blocks(2) stride(1) parts(1) {tile.exchanged = 8 : i64
tile.kernel @pieces(%X: memref<64x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#tile.shared_layout<shape [56320] bits 32 modes [(56320, 0:1)]>) : memref<56320xf32, #gpu.address_space<workgroup>>
  %a = tile.alloc layout(#acc) : memref<64x64xf32, #f>
  tile.copy %X[%c0, %c0] to %a decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #f>
  tile.cluster_reduce sum %a blocks(2) stride(1) parts(1) : memref<64x64xf32, #f>
  tile.print "s" %s : memref<56320xf32, #gpu.address_space<workgroup>>
}
