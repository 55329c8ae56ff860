// Rings that the threads of a role fill, by hand: who waits, who arrives, how often, and where the fence stands.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: not tile-opt %S/Inputs/role-ring.mlir --tile-set-target=arch=sm_90a --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: expected one role to fill and to read it, or a ring from cp_async_mbarrier or threads_mbarrier

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!async = !tile.ring<3 x [!slot], cp_async_mbarrier -> wgmma>
!stores = !tile.ring<3 x [!slot], threads_mbarrier -> wgmma>
#sl = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>
#al = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#copy = #tile.fragment_layout<shape [64, 64] reg [(8, 1:1), (8, 0:8)] lane [(8, 1:8), (4, 0:1)] warp [(2, 0:4)]>
// Two warps of eight copy: 64 arrivals a use of the one ring, two of the other.
// CHECK-LABEL: .entry roles(
// CHECK: mov.b32 [[THREADS:%r[0-9]+]], 64;
// CHECK: mbarrier.init.shared::cta.b64 [{{%r[0-9]+}}], [[THREADS]];
// CHECK: mov.b32 [[WARPS:%r[0-9]+]], 2;
// CHECK: mbarrier.init.shared::cta.b64 [{{%r[0-9]+}}], [[WARPS]];
// All threads wait until the slot is empty, and copy; nobody waits for copies of its own.
// CHECK: mbarrier.try_wait.parity
// CHECK: cp.async.cg.shared.global
// CHECK-NOT: cp.async.wait_group
// CHECK-NOT: cp.async.commit_group
// CHECK: cp.async.mbarrier.arrive.noinc.shared.b64
// CHECK: mbarrier.try_wait.parity
// CHECK: st.shared.v4.b32
// The arrival speaks for its warp.
// CHECK: bar.warp.sync
// CHECK: mbarrier.arrive.shared::cta.b64 _
// Who reads fences, once, behind the waits and in front of wgmma.
// CHECK: mbarrier.try_wait.parity
// CHECK-NOT: fence.proxy
// CHECK: mbarrier.try_wait.parity
// CHECK: fence.proxy.async.shared::cta;
// CHECK: wgmma.mma_async
tile.kernel @roles(%A: memref<64x512xf16> {tile.alignment = 16}, %C: memref<64x64xf32>) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.ring.create layouts([#sl]) : !async
  %b = tile.ring.create layouts([#sl]) : !stores
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %i, %c64 : index
      %s = tile.ring.acquire %a[%i] : !async
      tile.copy %A[%c0, %k] to %s decided {layout = #copy, plan = #tile.copy_plan<cp_async, bytes = 16>} : memref<64x512xf16> to !slot
      tile.ring.commit %a[%i] : !async
      %t = tile.ring.acquire %b[%i] : !stores
      tile.copy %A[%c0, %k] to %t decided {layout = #copy, plan = #tile.copy_plan<vector, bytes = 16>} : memref<64x512xf16> to !slot
      tile.ring.commit %b[%i] : !stores
    }
  }
  role "idle" warps(2) {
  }
  role "mma" warps(4) {
    %acc = tile.alloc layout(#al) : memref<64x64xf32, #tile.fragment>
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %n step %c1 {
      %s = tile.ring.wait %a[%i] : !async
      %t = tile.ring.wait %b[%i] : !stores
      tile.gemm %s, %t, %acc {transpose_b, plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>} : !slot, !slot, memref<64x64xf32, #tile.fragment>
      tile.ring.release %a[%i] : !async
      tile.ring.release %b[%i] : !stores
    }
    tile.copy %acc to %C decided {layout = #al} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
}
