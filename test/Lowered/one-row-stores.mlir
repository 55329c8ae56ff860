// A fragment of one row that leaves through shared memory, by TMA: copies are loops over the dimensions that are not one wide.
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a | FileCheck %s --check-prefix=IR
// CHECK: PASS
// IR: tile.copy %{{.*}} to %[[STAGED:.*]] decided {layout = #tile.fragment_layout<shape [1024] {{.*}} : memref<1x1024xf32, #tile.fragment> to memref<1x1024xf32, #gpu.address_space<workgroup>>
// IR: tile.copy %[[STAGED]] to %Y[{{.*}}] sizes [1, 1024] decided {plan = #tile.copy_plan<tma
tile.kernel @groups(%X: memref<?x1024xf32> {tile.shape_hint = array<i64: 3, 1024>}, %Y: memref<?x1024xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 1024>}) grid(%m) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x1024xf32, #tile.fragment>
  %top = tile.alloc : memref<1x8xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x1024xf32> to memref<1x1024xf32, #tile.fragment>
  %g = tile.view %x : memref<1x1024xf32, #tile.fragment> to memref<1x8x128xf32, #tile.fragment>
  tile.reduce max %g to %top dim(2) : memref<1x8x128xf32, #tile.fragment> to memref<1x8xf32, #tile.fragment>
  tile.parallel (%i, %j, %k) in (1, 8, 128) {
    %v = memref.load %g[%i, %j, %k] : memref<1x8x128xf32, #tile.fragment>
    %t = memref.load %top[%i, %j] : memref<1x8xf32, #tile.fragment>
    %d = arith.subf %v, %t : f32
    memref.store %d, %g[%i, %j, %k] : memref<1x8x128xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %c0] : memref<1x1024xf32, #tile.fragment> to memref<?x1024xf32>
}
