// The range of a loop is dealt out to the blocks of a cluster.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-split-reduction | FileCheck %s

#shared = #gpu.address_space<workgroup>

// Three blocks: a third dimension of the grid and of the cluster, beside the one that is there.
// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: grid(%bx, %by, %[[PART:[a-z0-9]+]]) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64, 3) threads(128) cluster(2, 1, 3) {
tile.kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) cluster(2, 1) attributes {split = 3} {
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
  // Zero in every block already: nobody clears it again.
  // CHECK: tile.fill %[[ACC:.*]] with %{{.*}}
  // CHECK-NOT: tile.fill
  // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[PART]], %{{.*}} : index
  // CHECK: %[[NEXT:.*]] = arith.addi %[[PART]], %{{.*}}
  // CHECK: %[[TRIPS:.*]] = arith.maxsi
  // CHECK: %[[SHARE:.*]] = arith.muli %[[PART]], %[[TRIPS]]
  // CHECK: %[[FIRST:.*]] = arith.divui %[[SHARE]], %c3
  // CHECK: %[[LOWER:.*]] = arith.muli %[[FIRST]], %c32
  // CHECK: %[[SHARE2:.*]] = arith.muli %[[NEXT]], %[[TRIPS]]
  // CHECK: %[[END:.*]] = arith.divui %[[SHARE2]], %c3
  // CHECK: %[[UPPER:.*]] = arith.muli %[[END]], %c32
  // CHECK: tile.pipelined %{{.*}} = %{{.*}} to %{{.*}} step %c32 stages(3) {
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  // Blocks of a part are two ranks apart. The last one finishes the tile, alone.
  // CHECK: tile.cluster_reduce sum %[[ACC]] blocks(3) stride(2)
  // CHECK: scf.if %[[LAST]] {
  // CHECK-NEXT: tile.parallel
  // CHECK: tile.copy %[[ACC]] to %C
  // CHECK-NEXT: }
  // CHECK-NEXT: tile.return
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    %y = arith.maximumf %x, %zero : f32
    memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}

// A fourth dimension there is not: the third is multiplied. What the loop continues stays in one
// block; the others start from zero. A maximum needs no start of its own.
// CHECK-LABEL: tile.kernel @continued
// CHECK-SAME: = (dim(%C, 2) ceildiv 64, dim(%C, 1) ceildiv 64, dim(%C, 0) * 4) threads(128) cluster(1, 1, 4)
tile.kernel @continued(%A: memref<?x?x?xf16>, %B: memref<?x?x?xf16>, %C: memref<?x?x?xf32>, %D: memref<?xf32>)
    grid(%bx, %by, %bz) = (dim(%C, 2) ceildiv 64, dim(%C, 1) ceildiv 64, dim(%C, 0)) threads(128) attributes {split = 4} {
  // CHECK: %[[BATCH:.*]] = arith.divui %bz, %c4
  // CHECK: %[[PART:.*]] = arith.remui %bz, %c4
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %B, %c1 : memref<?x?x?xf16>
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %a = tile.alloc : memref<64x32xf32, #tile.fragment>
  %most = tile.alloc : memref<64xf32, #tile.fragment>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // CHECK: tile.copy %C[%[[BATCH]]
  // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[PART]]
  // CHECK: scf.if %[[LAST]] {
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tile.fill %[[ACC:.*]] with
  // CHECK-NEXT: }
  // CHECK-NOT: scf.if
  // CHECK: tile.pipelined
  tile.copy %C[%bz, %m, %n] sizes [1, 64, 64] to %acc : memref<?x?x?xf32> to memref<64x64xf32, #tile.fragment>
  tile.copy %D[%m] to %most : memref<?xf32> to memref<64xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%bz, %m, %k] sizes [1, 64, 32] to %As : memref<?x?x?xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%bz, %k, %n] sizes [1, 32, 64] to %Bs : memref<?x?x?xf16> to memref<32x64xf16, #shared>
    tile.copy %As to %a : memref<64x32xf16, #shared> to memref<64x32xf32, #tile.fragment>
    tile.reduce max %a to %most dim(1) accumulate : memref<64x32xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  // CHECK-DAG: tile.cluster_reduce sum %{{.*}} blocks(4) stride(1) : memref<64x64xf32, #tile.fragment>
  // CHECK-DAG: tile.cluster_reduce max %{{.*}} blocks(4) stride(1) : memref<64xf32, #tile.fragment>
  // CHECK: scf.if %[[LAST]] {
  // CHECK-NEXT: tile.copy
  // CHECK-NEXT: tile.copy
  // CHECK-NEXT: }
  tile.copy %acc to %C[%bz, %m, %n] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?xf32>
  tile.copy %most to %D[%m] : memref<64xf32, #tile.fragment> to memref<?xf32>
}

// Without the attribute nothing happens.
// CHECK-LABEL: tile.kernel @whole
// CHECK-NOT: cluster
tile.kernel @whole(%A: memref<?xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc : memref<32xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %c32 step %c32 stages(2) {
    tile.copy %A[%k] to %a : memref<?xf32> to memref<32xf32, #tile.fragment>
  }
}
