// Persistent blocks share the tiles that are left beyond whole rounds.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-make-persistent --tile-stream-reduction | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-make-persistent --tile-stream-reduction=remarks=1 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
#shared = #gpu.address_space<workgroup>

// The grid is one of parts: another dimension, the slowest, in clusters of one.
// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: grid(%bx, %by, %{{[a-z0-9]+}}) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64, 8) threads(128) cluster(2, 1, 1) attributes {persistent = 1 : i64} {
tile.kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) cluster(2, 1) attributes {persistent = 1 : i64, stream_k = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // Whole rounds, and what is left of the tiles.
  // CHECK: %[[OWN:.*]], %[[ALL:.*]], %[[BLOCKS:.*]] = tile.block_range
  // CHECK: %[[PARTIAL:.*]] = tile.workspace per_block(2) : memref<?x64x64xf32>
  // CHECK: %[[ARRIVED:.*]] = tile.workspace per_block(1) zeroed : memref<?xi32>
  // CHECK: %[[TRIPS:.*]] = arith.ceildivsi %{{.*}}, %c32
  // CHECK: %[[TILES:.*]] = arith.divui %[[ALL]], %c8
  // CHECK: %[[ROUNDS:.*]] = arith.divui %[[TILES]], %[[BLOCKS]]
  // CHECK: %[[WHOLE:.*]] = arith.muli %[[ROUNDS]], %[[BLOCKS]]
  // CHECK: %[[LEFT:.*]] = arith.subi %[[TILES]], %[[WHOLE]]
  // CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %{{.*}}
  // CHECK: %[[FIT:.*]] = arith.divui %[[BLOCKS]], %[[SOME]]
  // CHECK: %[[EACH:.*]] = arith.minsi %[[FIT]], %{{.*}}
  // CHECK: %[[EVEN:.*]] = arith.cmpi sgt, %[[EACH]], %{{.*}}
  // Worth it, or a block has one tile more.
  // CHECK: %[[COSTS:.*]] = arith.constant 24 : index
  // CHECK: %[[COSTS2:.*]] = arith.constant 128 : index
  // CHECK: %[[WORTH:.*]] = arith.select %[[EVEN]], %{{.*}}, %{{.*}} : i1
  // CHECK: %[[SHARES:.*]] = arith.andi %{{.*}}, %[[WORTH]]
  // CHECK: %[[EXTRA:.*]] = arith.cmpi slt, %[[OWN]], %[[LEFT]]
  // CHECK: arith.select %[[SHARES]]
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: %[[TILE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
  // CHECK: tile.block_coordinates %[[TILE]] : index, index, index
  // CHECK: tile.fill %[[ACC:.*]] with
  // CHECK-NOT: tile.fill
  // CHECK: tile.pipelined %{{.*}} = %{{.*}} to %{{.*}} step %c32 stages(3) {
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  // REMARK: remark: tiles beyond whole rounds of all blocks are shared, in 8 parts a tile; who comes last to a tile combines the sums of all that have a part of it, in the order of parts
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  // A tile of its own is finished as always.
  // CHECK: %[[GOESON:.*]] = scf.if %{{.*}} -> (i1) {
  // CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
  // CHECK-NEXT: scf.yield %[[TRUE]]
  // CHECK-NEXT: } else {
  // Of two blocks the second one adds the other's sums to its own.
  // CHECK: tile.last_arrival if_last %[[ARRIVED]]
  // CHECK: tile.parallel (%[[R:.*]], %[[S:.*]]) in (64, 64) {
  // CHECK: memref.load %[[ACC]][%[[R]], %[[S]]]
  // CHECK: memref.load %[[PARTIAL]][%{{.*}}, %[[R]], %[[S]]]
  // CHECK: arith.addf
  // CHECK: } else {
  // CHECK: tile.copy %[[ACC]] sizes [64, 64] to %[[PARTIAL]][%{{.*}}, %{{.*}}, %{{.*}}] sizes [1, 64, 64] {disable_tma}
  // CHECK: %[[LAST:.*]] = tile.last_arrival %[[ARRIVED]]
  // CHECK-NEXT: scf.if %[[LAST]] {
  // CHECK: tile.copy %[[PARTIAL]][%{{.*}}, %{{.*}}, %{{.*}}] sizes [1, 64, 64] to %[[ACC]] sizes [64, 64] {disable_tma}
  // CHECK: scf.for
  // CHECK: tile.parallel
  // CHECK: scf.if %[[GOESON]] {
  // CHECK-NEXT: tile.copy %[[ACC]] to %C
  // CHECK-NEXT: }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}

// A third dimension is multiplied. Sums that start from something keep it in one block: who has the last part. Maxima of rows go the same way.
// CHECK-LABEL: tile.kernel @continued
// CHECK-SAME: grid(%bx, %by, %bz) = (dim(%C, 2) ceildiv 64, dim(%C, 1) ceildiv 64, dim(%C, 0) * 4) threads(128) attributes {persistent = 2 : i64}
tile.kernel @continued(%A: memref<?x?x?xf32>, %C: memref<?x?x?xf32>, %D: memref<?xf32>)
    grid(%bx, %by, %bz) = (dim(%C, 2) ceildiv 64, dim(%C, 1) ceildiv 64, dim(%C, 0)) threads(128) attributes {persistent = 2 : i64, stream_k = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant -1.0e30 : f32
  %K = memref.dim %A, %c2 : memref<?x?x?xf32>
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x32xf32, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %most = tile.alloc : memref<64xf32, #tile.fragment>
  // CHECK: tile.workspace per_block(2) : memref<?x64x64xf32>
  // CHECK: tile.workspace per_block(2) : memref<?x64xf32>
  // CHECK: tile.block_coordinates %{{.*}} : index, index, index
  // CHECK: %[[HASLAST:.*]] = arith.cmpi eq, %{{.*}}, %c4
  // CHECK: scf.if %[[HASLAST]] {
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tile.fill
  // CHECK-NEXT: }
  tile.copy %C[%bz, %m, %n] sizes [1, 64, 64] to %acc : memref<?x?x?xf32> to memref<64x64xf32, #tile.fragment>
  tile.fill %most with %least : memref<64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%bz, %m, %k] sizes [1, 64, 32] to %As : memref<?x?x?xf32> to memref<64x32xf32, #shared>
    tile.gemm %As, %As, %acc {transpose_b} : memref<64x32xf32, #shared>, memref<64x32xf32, #shared>, memref<64x64xf32, #tile.fragment>
    tile.reduce max %As to %most dim(1) accumulate : memref<64x32xf32, #shared> to memref<64xf32, #tile.fragment>
  }
  // CHECK: arith.addf
  // CHECK: arith.maxnumf
  tile.copy %acc to %C[%bz, %m, %n] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?xf32>
  tile.copy %most to %D[%m] : memref<64xf32, #tile.fragment> to memref<?xf32>
}
