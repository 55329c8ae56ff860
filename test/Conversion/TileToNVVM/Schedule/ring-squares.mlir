// A plain GEMM in clusters of 2x2: A is loaded once for the two blocks of a row, B
// once for the two of a column. A slot is written into by three of the four
// blocks, and released to them: the fourth, across, would be one arrival more, of
// a block that has nothing to do with it.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a | FileCheck %s --check-prefix=TCGEN05

// Two warpgroups of three blocks each.
// CHECK-LABEL: .entry square(
// CHECK:     mov.b32 %[[FULL:r[0-9]+]], 1;
// CHECK:     mbarrier.init.shared::cta.b64 [%{{r[0-9]+}}], %[[FULL]];
// CHECK:     mov.b32 %[[EMPTY:r[0-9]+]], 6;
// CHECK:     mbarrier.init.shared::cta.b64 [%{{r[0-9]+}}], %[[EMPTY]];
// CHECK-NOT: mov.b32 {{.*}}, 8;
// CHECK:     barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// CHECK:     mbarrier.expect_tx.relaxed.cta
// CHECK:     cp.async.bulk.tensor.2d.{{.*}}.multicast::cluster{{.*}}, %[[ROWMASK:rs[0-9]+]], %rd{{[0-9]+}};
// CHECK:     mbarrier.expect_tx.relaxed.cta
// CHECK-NOT: %[[ROWMASK]],
// CHECK:     cp.async.bulk.tensor.2d.{{.*}}.multicast::cluster{{.*}}, %[[COLUMNMASK:rs[0-9]+]], %rd{{[0-9]+}};
// CHECK:     cp.async.bulk.tensor.2d.{{.*}}.multicast::cluster{{.*}}, %[[COLUMNMASK]], %rd{{[0-9]+}};
// Who releases: of each warpgroup the threads whose number is the rank of a block
// in its row or column.
// CHECK:     mov.u32 %[[OWN:r[0-9]+]], %cluster_ctarank;
// CHECK:     and.b32 %[[FIRST:r[0-9]+]], %[[OWN]], -2;
// CHECK:     mov.b32 %[[THREE:r[0-9]+]], 3;
// CHECK:     shl.b32 %[[ROW:r[0-9]+]], %[[THREE]], %[[FIRST]];
// CHECK:     and.b32 %[[X:r[0-9]+]], %[[OWN]], 1;
// CHECK:     mov.b32 %[[FIVE:r[0-9]+]], 5;
// CHECK:     shl.b32 %[[COLUMN:r[0-9]+]], %[[FIVE]], %[[X]];
// CHECK:     or.b32 %[[BOTH:r[0-9]+]], %[[ROW]], %[[COLUMN]];
// CHECK:     setp.lt.u32 %[[FEW:p[0-9]+]], %[[PLACE:r[0-9]+]], 4;
// CHECK:     shr.u32 %{{r[0-9]+}}, %[[BOTH]], %{{r[0-9]+}};
// CHECK:     and.pred %{{p[0-9]+}}, %[[FEW]], %{{p[0-9]+}};
// CHECK:     mapa.shared::cluster.u32 remote, %{{r[0-9]+}}, %[[PLACE]]; mbarrier.arrive.shared::cluster.b64 _, [remote];

// The tensor core arrives in three blocks: by a mask, too.
// TCGEN05-LABEL: .entry square(
// TCGEN05:     mov.b32 %[[EMPTY:r[0-9]+]], 3;
// TCGEN05:     mbarrier.init.shared::cta.b64 [%{{r[0-9]+}}], %[[EMPTY]];
// TCGEN05-COUNT-3: cp.async.bulk.tensor.2d.{{.*}}.multicast::cluster
// TCGEN05:     mov.u32 %[[OWN:r[0-9]+]], %cluster_ctarank;
// TCGEN05:     or.b32 %[[BOTH:r[0-9]+]],
// TCGEN05:     cvt.u16.u32 %[[MASK:rs[0-9]+]], %[[BOTH]];
// TCGEN05:     tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%{{r[0-9]+}}], %[[MASK]];
// TCGEN05-NOT: cta_group::2
#shared = #gpu.address_space<workgroup>
tile.kernel @square(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 512) * 2, (dim(%C, 0) ceildiv 256) * 2) threads(256) cluster(2, 2) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x256xf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
}
