// What the mbarriers of a ring count, and who arrives at a release.
// RUN: tile-opt %s --tile-count-arrivals | FileCheck %s
// What was counted is what the agents do.
// RUN: tile-opt %s --tile-count-arrivals --tile-verify-rings=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROVED
// What is stated stays.
// RUN: tile-opt %s --tile-count-arrivals | tile-opt --tile-count-arrivals | FileCheck %s

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x64xf16, #shared>
!acc = memref<128x64xf32, #tile.fragment>
!half = memref<128x64xf16, #tile.fragment>
!gemms = !tile.ring<2 x [!a, !b], tma -> wgmma>
!both = !tile.ring<2 x [!a, !b], tma -> (wgmma, threads)>
!role = !tile.ring<2 x [!a, !b], cp_async_mbarrier -> wgmma>

// One thread of each of two warpgroups: its wgmma shows that all four warps have read.
// CHECK-LABEL: tile.kernel @gemms
// CHECK: tile.ring.create {tile.arrivals = {by = "warpgroup", empty = 2 : i64, full = 1 : i64}}
// CHECK-NOT: tile.meet
tile.kernel @gemms(%A: memref<128x64xf16>, %B: memref<64x64xf16>, %n: index) grid(%bx) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !gemms
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !gemms
      tile.copy %A to %a : memref<128x64xf16> to !a
      tile.copy %B to %b : memref<64x64xf16> to !b
      tile.ring.commit %r[%k] : !gemms
    }
  }
  role "mma" warps(8) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !gemms
      tile.gemm %a, %b, %acc {plan = #wgmma} : !a, !b, !acc
      tile.ring.release %r[%k] : !gemms
    }
  }
}

// Threads read a use of their own behind the loop: their warpgroup meets there,
// and the loop's releases cost nothing more.
// CHECK-LABEL: tile.kernel @apart
// CHECK: tile.ring.create {tile.arrivals = {by = "warpgroup", empty = 2 : i64, full = 1 : i64}}
// CHECK: tile.gemm
// CHECK-NEXT: tile.ring.release %{{.*}}[%{{.*}}] : !tile.ring
// CHECK: tile.copy {{.*}} to memref<128x64xf16, #tile.fragment>
// CHECK-NEXT: tile.ring.release %{{.*}}[%{{.*}}] {tile.meet} : !tile.ring
tile.kernel @apart(%A: memref<128x64xf16>, %B: memref<64x64xf16>, %n: index) grid(%bx) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !both
  %last = arith.maxsi %n, %c0 : index
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !both
      tile.copy %A to %a : memref<128x64xf16> to !a
      tile.copy %B to %b : memref<64x64xf16> to !b
      tile.ring.commit %r[%k] : !both
    }
    %a, %b = tile.ring.acquire %r[%last] : !both
    tile.copy %A to %a : memref<128x64xf16> to !a
    tile.ring.commit %r[%last] : !both
  }
  role "mma" warps(8) {
    %acc = tile.alloc : !acc
    %f = tile.alloc : !half
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !both
      tile.gemm %a, %b, %acc {plan = #wgmma} : !a, !b, !acc
      tile.ring.release %r[%k] : !both
    }
    %a, %b = tile.ring.wait %r[%last] : !both
    tile.copy %a to %f : !a to !half
    tile.ring.release %r[%last] : !both
  }
}

// A gemm in a branch may be left out: then nothing shows that the other warps of
// the warpgroup have passed the wait, and each warp speaks for itself. All 128
// threads of the role that copies arrive on the full barrier.
// CHECK-LABEL: tile.kernel @skipped
// CHECK: tile.ring.create {tile.arrivals = {by = "warp", empty = 8 : i64, full = 128 : i64}}
// CHECK-NOT: tile.meet
tile.kernel @skipped(%A: memref<128x64xf16>, %B: memref<64x64xf16>, %n: index, %m: index) grid(%bx) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !role
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !role
      tile.copy %A to %a : memref<128x64xf16> to !a
      tile.copy %B to %b : memref<64x64xf16> to !b
      tile.ring.commit %r[%k] : !role
    }
  }
  role "mma" warps(8) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !role
      %is = arith.cmpi slt, %k, %m : index
      scf.if %is {
        tile.gemm %a, %b, %acc {plan = #wgmma} : !a, !b, !acc
      }
      tile.ring.release %r[%k] : !role
    }
  }
}

// PROVED-COUNT-3: remark: rings are proved
