// Two blocks that multiply as one, in PTX, after -O3.
// RUN: split-file %s %t
// RUN: tile-translate %t/turns.mlir --tile-to-ptx --arch=sm_100a -o %t.turns
// RUN: FileCheck %t/turns.mlir < %t.turns
// RUN: FileCheck %t/turns.mlir --check-prefix=NEVER < %t.turns
// RUN: grep -c setmaxnreg %t.turns | FileCheck %t/turns.mlir --check-prefix=TWICE
// RUN: tile-translate %t/once.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/once.mlir
// RUN: tile-translate %t/apart.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/apart.mlir
// RUN: tile-translate %t/turns.mlir --tile-to-artifact --arch=sm_100a --ptxas=%S/../../../Target/Inputs/old-ptxas -o - | FileCheck %t/turns.mlir --check-prefix=BYTES

//--- turns.mlir
// A persistent kernel: three roles, two accumulators.
// CHECK-LABEL: .entry turns(
// Both blocks allocate, and know of each other's barriers and columns.
// CHECK:       tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32
// CHECK-SAME:  tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
// CHECK:       fence.mbarrier_init.release.cluster;
// CHECK:       tcgen05.fence::before_thread_sync;
// CHECK:       barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// CHECK:       tcgen05.fence::after_thread_sync;
// The loading thread: 2 x (128 x 64 + 64 x 128) elements of two bytes, armed by the
// leader; copies of both blocks complete there.
// CHECK:       setmaxnreg.dec
// CHECK:       mbarrier.try_wait.parity.shared::cta.b64
// CHECK:       mov.b32 [[ARMED:%r[0-9]+]], 32768;
// CHECK-NEXT:  mbarrier.expect_tx.relaxed.cta.shared.b64 [%{{.*}}], [[ARMED]];
// CHECK:       mapa.shared::cluster.u32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0;
// CHECK:       cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2
// CHECK:       mov.b32 [[ARMED:%r[0-9]+]], 32768;
// CHECK-NEXT:  mbarrier.expect_tx.relaxed.cta.shared.b64 [%{{.*}}], [[ARMED]];
// CHECK:       mapa.shared::cluster.u32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0;
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2
// CHECK-NOT:   cp.async.bulk.tensor.2d.shared::cluster
// Who reads: its own rows; each warp tells the leader.
// CHECK:       setmaxnreg.inc
// CHECK:       mbarrier.try_wait.parity.shared::cta.b64
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       tcgen05.ld.sync.aligned.32x32b.x64.b32
// CHECK:       tcgen05.wait::ld.sync.aligned;
// CHECK:       tcgen05.fence::before_thread_sync;
// CHECK:       bar.warp.sync
// CHECK:       mapa.shared::cluster.u32
// CHECK:       mbarrier.arrive.release.cluster.shared::cluster.b64 _
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// Who multiplies, m256n256k16: 1 << 4 | 1 << 16 | 256 / 8 << 17 | 256 / 16 << 24.
// CHECK:       mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// CHECK:       mov.b32 id, 272695312;
// CHECK:       tcgen05.mma.cta_group::2.kind::f16 [d], da, db, id, old;
// CHECK-COUNT-3: tcgen05.mma.cta_group::2.kind::f16 [d], da, db, id, yes;
// CHECK:       tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
// CHECK:       tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
// The end: nobody leaves, or gives columns back, while the other may use them.
// CHECK:       barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// CHECK:       tcgen05.dealloc.cta_group::2.sync.aligned.b32
// CHECK-NOT:   barrier.cluster
// NEVER-NOT:   cta_group::1
// NEVER-NOT:   tcgen05.commit{{.*}}shared::cluster.b64
// NEVER-NOT:   mma.sync
// NEVER-NOT:   global.{{.*}}multicast::cluster
// The two roles that fill rings share a warpgroup, and its registers.
// TWICE:       {{^}}2{{$}}
// 4 stages of 128 x 64 and 64 x 128, staging of 128 x 128 elements, barriers.
// BYTES:       "shared_bytes": 16{{[0-9]+}},
#shared = #gpu.address_space<workgroup>
tile.kernel @turns(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 256, (dim(%C, 0) ceildiv 256) * 2) threads(256) cluster(1, 2) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
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

//--- once.mlir
// No loop over tiles: everybody waits for the gemms, which arrive in both blocks;
// the blocks meet before the leader could write again.
// CHECK-LABEL: .entry once(
// CHECK:       tcgen05.alloc.cta_group::2
// CHECK:       tcgen05.mma.cta_group::2.kind::f16
// CHECK:       tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
// CHECK:       tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
// CHECK:       mbarrier.try_wait.parity
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       tcgen05.ld.sync.aligned
// CHECK:       tcgen05.fence::before_thread_sync;
// CHECK:       mapa.shared::cluster.u32 remote, %r{{[0-9]+}}, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];
// CHECK:       mapa.shared::cluster.u32 remote, %r{{[0-9]+}}, 1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];
// CHECK:       mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       tcgen05.dealloc.cta_group::2
#shared = #gpu.address_space<workgroup>
tile.kernel @once(%A: memref<256x512xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16}, %C: memref<256x64xf32> {tile.alignment = 16})
    grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %K = arith.constant 512 : index
  %bm = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %bx, %bm : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(3) {
    tile.copy %A[%m, %k] to %As : memref<256x512xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%c0, %k] to %Bs : memref<64x512xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<256x64xf32>
}

//--- apart.mlir
// Forbidden: each block multiplies alone, what they share is multicast.
// CHECK-LABEL: .entry apart(
// CHECK:       tcgen05.alloc.cta_group::1
// CHECK:       cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
// CHECK:       tcgen05.mma.cta_group::1.kind::f16
// CHECK-NOT:   cta_group::2
#shared = #gpu.address_space<workgroup>
tile.kernel @apart(%A: memref<256x512xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16}, %C: memref<256x64xf32> {tile.alignment = 16})
    grid(%bx) = (2) threads(128) cluster(2) attributes {pairs = false} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %K = arith.constant 512 : index
  %bm = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %bx, %bm : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(3) {
    tile.copy %A[%m, %k] to %As : memref<256x512xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%c0, %k] to %Bs : memref<64x512xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<256x64xf32>
}
