// Rings that are created one after the other are published together: one fence after the last initialization, and one barrier.
// What reads or writes memory between two of them ends that: the first are published before it.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-count-arrivals --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<2 x [memref<64x64xf16, #shared>], tma -> threads>
#sl = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// CHECK-LABEL: llvm.func @together
// CHECK-COUNT-8: mbarrier.init.shared
// CHECK-NEXT: fence.mbarrier_init
// CHECK: nvvm.barrier0
// CHECK-NOT: {{fence.mbarrier_init|nvvm.barrier0}}
// CHECK: mbarrier.try_wait
tile.kernel @together(%A: memref<64x64xf16>, %n: index) grid(%bx) = (1) threads(256) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %first = tile.ring.create layouts([#sl]) : !ring
  %more = arith.addi %n, %c1 : index
  %second = tile.ring.create layouts([#sl]) : !ring
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    scf.for %k = %c0 to %more step %c1 {
      %s = tile.ring.acquire %first[%k] : !ring
      tile.copy %A[%c0, %c0] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x64xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %first[%k] : !ring
      %t = tile.ring.acquire %second[%k] : !ring
      tile.copy %A[%c0, %c0] to %t decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x64xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %second[%k] : !ring
    }
  }
  role "mma" warps(4) registers(232) {
    scf.for %k = %c0 to %more step %c1 {
      %s = tile.ring.wait %first[%k] : !ring
      tile.ring.release %first[%k] : !ring
      %t = tile.ring.wait %second[%k] : !ring
      tile.ring.release %second[%k] : !ring
    }
  }
}

// CHECK-LABEL: llvm.func @apart
// CHECK-COUNT-4: mbarrier.init.shared
// CHECK-NEXT: fence.mbarrier_init
// CHECK: nvvm.barrier0
// CHECK: llvm.store
// CHECK-COUNT-4: mbarrier.init.shared
// CHECK-NEXT: fence.mbarrier_init
// CHECK: nvvm.barrier0
tile.kernel @apart(%A: memref<64x64xf16>, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %first = tile.ring.create layouts([#sl]) : !ring
  memref.store %zero, %A[%c0, %c0] : memref<64x64xf16>
  %second = tile.ring.create layouts([#sl]) : !ring
  scf.for %k = %c0 to %n step %c1 {
    %s = tile.ring.acquire %first[%k] : !ring
    tile.copy %A[%c0, %c0] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x64xf16> to memref<64x64xf16, #shared>
    tile.ring.commit %first[%k] : !ring
    %v = tile.ring.wait %first[%k] : !ring
    tile.ring.release %first[%k] : !ring
    %t = tile.ring.acquire %second[%k] : !ring
    tile.copy %A[%c0, %c0] to %t decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x64xf16> to memref<64x64xf16, #shared>
    tile.ring.commit %second[%k] : !ring
    %w = tile.ring.wait %second[%k] : !ring
    tile.ring.release %second[%k] : !ring
  }
}
