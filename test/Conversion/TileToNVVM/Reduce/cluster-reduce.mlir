// Fragments combined over a cluster, down to PTX; cluster-reduce-ptxas.test assembles it.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s --check-prefix=NVVM
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=ANY
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100 | FileCheck %s --check-prefix=ANY
// RUN: tile-translate %s --tile-to-ptx --arch=sm_120 | FileCheck %s --check-prefix=ANY
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_89 2>&1 | FileCheck %s --check-prefix=OLD

// OLD: [split-1] expected a target with clusters for `split`, got sm_89

#shared = #gpu.address_space<workgroup>
#l = #tile.fragment_layout<shape [64, 32] reg [(16, 1:1)] lane [(2, 1:16), (16, 0:1)] warp [(4, 0:16)]>

// 16 registers a thread and 4 blocks: a share is 4 registers, one access of 16 bytes.
// ANY-LABEL: .entry sum(
// ANY: mbarrier.arrive.release.cluster.shared::cluster.b64
// ANY: ld.shared::cluster.v4.b32
// CHECK-LABEL: .entry sum(
// Both mbarriers count four warps of four blocks, and are published to the cluster.
// CHECK: mov.b32 [[COUNT:%r[0-9]+]], 16;
// CHECK: mbarrier.init.shared::cta.b64 [%{{r[0-9]+}}], [[COUNT]];
// CHECK: mbarrier.init.shared::cta.b64 [%{{r[0-9]+}}], [[COUNT]];
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// This block's registers: 16 bytes a thread, 2048 an access.
// CHECK: st.shared::cta.v4.b32 [[[OWN:%r[0-9]+]]+0],
// CHECK: st.shared::cta.v4.b32 [[[OWN]]+2048],
// CHECK: st.shared::cta.v4.b32 [[[OWN]]+4096],
// CHECK: st.shared::cta.v4.b32 [[[OWN]]+6144],
// One lane of each warp for each block arrives there.
// CHECK: bar.warp.sync
// CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// Its share of everybody's, in the order of ranks, goes to the last block.
// CHECK: ld.shared::cluster.v4.b32 {[[A:%r[0-9]+]],
// CHECK: ld.shared::cluster.v4.b32 {[[B:%r[0-9]+]],
// CHECK: ld.shared::cluster.v4.b32 {[[C:%r[0-9]+]],
// CHECK: ld.shared::cluster.v4.b32 {[[D:%r[0-9]+]], {{.*}}}, [[[LAST:%r[0-9]+]]+0];
// CHECK: add.rn.f32 [[AB:%r[0-9]+]], [[A]], [[B]];
// CHECK: add.rn.f32 [[ABC:%r[0-9]+]], [[AB]], [[C]];
// CHECK: add.rn.f32 [[ABCD:%r[0-9]+]], [[ABC]], [[D]];
// CHECK-NOT: ld.shared::cluster
// CHECK: st.shared::cluster.v4.b32 [[[LAST]]+0], {[[ABCD]],
// CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// CHECK-COUNT-4: ld.shared::cta.v4.b32
// Nobody reads this block's memory any more: it may leave.
// CHECK-NOT: barrier.cluster
// CHECK: ret;
tile.kernel @sum(%X: memref<64x32xf32>, %Y: memref<64x32xf32>) grid(%bx) = (4) threads(128) cluster(4) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %a = tile.alloc layout(#l) : memref<64x32xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %a : memref<64x32xf32> to memref<64x32xf32, #tile.fragment>
  tile.cluster_reduce sum %a blocks(4) stride(1) : memref<64x32xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c3 : index
  scf.if %last {
    tile.copy %a to %Y[%c0, %c0] : memref<64x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

// Halves go as floats; with more blocks than registers to share, some have no share.
// ANY-LABEL: .entry halves(
// ANY: ld.shared::cluster.b32
// CHECK-LABEL: .entry halves(
// CHECK: cvt.f32.f16
// CHECK: st.shared::cta.b32
// CHECK: ld.shared::cluster.b32
// CHECK: max.f32
// CHECK: cvt.rn.f16.f32
tile.kernel @halves(%X: memref<128xf16>, %Y: memref<128xf16>) grid(%bx) = (8) threads(128) cluster(8) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %a = tile.alloc layout(#tile.fragment_layout<shape [128] reg [] lane [(32, 0:1)] warp [(4, 0:32)]>) : memref<128xf16, #tile.fragment>
  tile.copy %X[%c0] to %a : memref<128xf16> to memref<128xf16, #tile.fragment>
  tile.cluster_reduce max %a blocks(8) stride(1) : memref<128xf16, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c7 : index
  scf.if %last {
    tile.copy %a to %Y[%c0] : memref<128xf16, #tile.fragment> to memref<128xf16>
  }
}

// Roles: nobody waits for the other blocks before the first load. The consumers wait before they
// multiply, the producers when they have issued everything.
// CHECK-LABEL: .entry gemm(
// CHECK: barrier.cluster.arrive.aligned;
// CHECK: barrier.cluster.wait.aligned;
// CHECK: wgmma.mma_async
// CHECK-NOT: barrier.cluster.wait
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK: barrier.cluster.wait.aligned;
// Each block finishes 32 columns: others write what belongs to them into its memory, and a barrier counts the bytes.
// CHECK: mbarrier.expect_tx
// CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// CHECK: ld.shared::cta.v4.b32
// CHECK-NOT: ld.shared::cluster
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK-NOT: barrier.cluster
// The sums are exchanged in the slots of the ring: three of 24576 bytes, a piece of 2048 to store from, and mbarriers.
// NVVM: llvm.func @gemm
// NVVM-SAME: mlir_tile.shared_bytes = {{7[0-9]+}} : i64
tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 64) threads(128) attributes {split = 4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %NC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %NC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x128xf32, #tile.fragment> to memref<?x?xf16>
}
