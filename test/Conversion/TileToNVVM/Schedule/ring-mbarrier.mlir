// Rings with mbarriers, roles, and a persistent grid of clusters, down to PTX.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-count-arrivals --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s --check-prefix=NVVM

// The lowering reads what was counted, and counts nothing itself.
// RUN: not tile-opt %s --tile-set-target=arch=sm_90a --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=UNCOUNTED
// UNCOUNTED: 'tile.ring.create' op expected `tile.arrivals`, which say what its mbarriers count: run --tile-count-arrivals

#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<3 x [memref<64x64xf16, #shared>], tma -> threads>
#sl = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>
tile.kernel @ring(%A: memref<?x?xf16>, %n: index) grid(%bx, %by) = (dim(%A, 1) ceildiv 64, dim(%A,0) ceildiv 64) threads(256) cluster(1, 2) attributes {persistent = 1, panel = 8} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %ring = tile.ring.create layouts([#sl]) {peers = 2} : !ring
  %first, %end, %step = tile.block_range
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    %e = scf.for %t = %first to %end step %step iter_args(%base = %c0) -> (index) {
      %x, %y = tile.block_coordinates %t : index, index
      %f = scf.for %k = %c0 to %n step %c1 iter_args(%u = %base) -> (index) {
        %s = tile.ring.acquire %ring[%u] : !ring
        tile.ring.commit %ring[%u] : !ring
        %v = arith.addi %u, %c1 : index
        scf.yield %v : index
      }
      scf.yield %f : index
    }
  }
  role "mma" warps(4) registers(232) {
    %e = scf.for %t = %first to %end step %step iter_args(%base = %c0) -> (index) {
      %f = scf.for %k = %c0 to %n step %c1 iter_args(%u = %base) -> (index) {
        %s = tile.ring.wait %ring[%u] : !ring
        tile.ring.release %ring[%u] : !ring
        %v = arith.addi %u, %c1 : index
        scf.yield %v : index
      }
      scf.yield %f : index
    }
  }
}

// NVVM-LABEL: llvm.func @ring
// NVVM-SAME: nvvm.minctasm = 1

// CHECK-LABEL: .entry ring(
// CHECK: .minnctapersm 1
// The role is the same in all lanes of a warp.
// CHECK: shfl.sync.idx.b32
// One arrival of the producer; eight of the consumers: a warp each, four warps, two blocks.
// CHECK: add.s32 [[FULL0:%r[0-9]+]], {{%r[0-9]+}}, 24576;
// CHECK: mov.b32 [[ONE:%r[0-9]+]], 1;
// CHECK: mbarrier.init.shared::cta.b64 [[[FULL0]]], [[ONE]];
// CHECK: add.s32 [[EMPTY0:%r[0-9]+]], {{%r[0-9]+}}, 24600;
// CHECK: mov.b32 [[EIGHT:%r[0-9]+]], 8;
// CHECK: mbarrier.init.shared::cta.b64 [[[EMPTY0]]], [[EIGHT]];
// CHECK-COUNT-4: mbarrier.init
// CHECK-NOT: mbarrier.init
// Published to the cluster before a peer can arrive.
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// CHECK: setmaxnreg.dec.sync.aligned.u32 {{.*}}40;
// CHECK: mbarrier.try_wait.parity
// CHECK: mbarrier.arrive.shared::cta.b64 _
// CHECK: setmaxnreg.{{(inc|dec)}}.sync.aligned.u32 {{.*}}232;
// CHECK: mbarrier.try_wait.parity
// CHECK: bar.warp.sync
// Never with cluster scope: that is a memory barrier of the whole GPU.
// CHECK-NOT: release.cluster.shared
// CHECK: mapa.shared::cluster.u32 remote, {{.*}} mbarrier.arrive.shared::cluster.b64 _, [remote];
// Nobody leaves while a peer may arrive.
// CHECK: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// CHECK: ret;

// Gemms read the ring in the loop, threads behind it: one thread of each of two
// warpgroups arrives, for threads behind a barrier of the warpgroup; no warp
// synchronizes for the loop's releases.
// CHECK-LABEL: .entry apart(
// CHECK: mov.b32 [[TWO:%r[0-9]+]], 2;
// CHECK: mbarrier.init.shared::cta.b64 [{{%r[0-9]+}}], [[TWO]];
// CHECK-NOT: bar.warp.sync
// CHECK: wgmma.mma_async
// CHECK-NOT: bar.warp.sync
// CHECK: ldmatrix
// CHECK: bar.sync %r{{[0-9]+}}, 128;
// CHECK-NOT: bar.warp.sync
// CHECK: mbarrier.arrive
// CHECK: ret;
#wide = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#acc = #tile.fragment_layout<shape [128, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16), (2, 0:64)]>
!both = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
tile.kernel @apart(%n: index, %A: memref<128x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %C: memref<128x64xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create layouts([#wide, #sl]) : !both
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.acquire %ring[%k] : !both
      tile.copy %A to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<128x64xf16> to memref<128x64xf16, #shared>
      tile.copy %B to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x64xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %ring[%k] : !both
    }
    %a, %b = tile.ring.acquire %ring[%n] : !both
    tile.copy %A to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<128x64xf16> to memref<128x64xf16, #shared>
    tile.ring.commit %ring[%n] : !both
  }
  role "mma" warps(8) registers(232) {
    %acc = tile.alloc layout(#acc) : memref<128x64xf32, #tile.fragment>
    %r = tile.alloc layout(#acc) : memref<128x64xf16, #tile.fragment>
    tile.fill %acc with %zero {layout = #acc} : memref<128x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.wait %ring[%k] : !both
      %t = tile.gemm %a, %b, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment> -> !tile.token
      tile.await %t
      tile.ring.release %ring[%k] : !both
    }
    %a, %b = tile.ring.wait %ring[%n] : !both
    tile.copy %a to %r decided {layout = #acc, plan = #tile.copy_plan<ldmatrix, bytes = 16>} : memref<128x64xf16, #shared> to memref<128x64xf16, #tile.fragment>
    tile.ring.release %ring[%n] : !both
    tile.copy %r to %C decided {layout = #acc, plan = #tile.copy_plan<vector, bytes = 4>} : memref<128x64xf16, #tile.fragment> to memref<128x64xf16>
  }
}
