// A ring that wgmma, or a role's copies to global memory, read beside a role of fewer than four warps: no warpgroup arrives for
// those, so all arrive by warps.
// RUN: tile-opt %s --tile-verify-rings -o /dev/null
// RUN: tile-run %s --kernel=race --args=A=64x320,B=320x64,C=64x64,D=64x64,n=5 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=race_store --args=A=64x320,B=320x64,C=64x64,D=64x64,n=5,E=5x64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=hang --args=X=5x16x32,Y=16x32 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @race(%A: memref<64x?xf16> {tile.alignment = 16}, %B: memref<?x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>, %D: memref<64x64xf32>, %n: index) grid(%b) = (1) threads(288) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<64x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %r = tile.ring.create layouts([#tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>, #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>]) : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
  tile.warp_specialize
  role "p" warps(4) {
   scf.for %i = %c0 to %n step %c1 {
    %x, %y = tile.ring.acquire %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
    %k = arith.muli %i, %c64 : index
    tile.copy %A[%c0, %k] to %x : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %c0] to %y : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.ring.commit %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
   }
  }
  role "m" warps(4) {
   %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
   tile.fill %acc with %z : memref<64x64xf32, #tile.fragment>, f32
   scf.for %i = %c0 to %n step %c1 {
      %x, %y = tile.ring.wait %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
      tile.gemm %x, %y, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
      tile.ring.release %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
   }
   tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
  role "s" warps(1) {
   %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
   tile.fill %acc with %z : memref<64x64xf32, #tile.fragment>, f32
   scf.for %i = %c0 to %n step %c1 {
      %x, %y = tile.ring.wait %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
    tile.parallel (%q1a, %q1b) in (64, 64) {
      %q1xx = memref.load %x[%q1a, %q1b] : memref<64x64xf16, #shared>
      %q1x = arith.extf %q1xx : f16 to f32
      %q1y = memref.load %acc[%q1a, %q1b] : memref<64x64xf32, #tile.fragment>
      %q1s = arith.addf %q1x, %q1y : f32
      memref.store %q1s, %acc[%q1a, %q1b] : memref<64x64xf32, #tile.fragment>
    }
      tile.ring.release %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
   }
   tile.copy %acc to %D : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
}
tile.kernel @race_store(%A: memref<64x?xf16> {tile.alignment = 16}, %B: memref<?x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>, %D: memref<64x64xf32>, %E: memref<?x64x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(288) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<64x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %r = tile.ring.create layouts([#tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>, #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>]) : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, tma_store)>
  tile.warp_specialize
  role "p" warps(4) {
   scf.for %i = %c0 to %n step %c1 {
    %x, %y = tile.ring.acquire %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, tma_store)>
    %k = arith.muli %i, %c64 : index
    tile.copy %A[%c0, %k] to %x : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %c0] to %y : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.ring.commit %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, tma_store)>
   }
  }
  role "r0" warps(4) {
   %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
   tile.fill %acc with %z : memref<64x64xf32, #tile.fragment>, f32
   %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
   tile.fill %sum with %z : memref<64x64xf32, #tile.fragment>, f32
   scf.for %i = %c0 to %n step %c1 {
      %x, %y = tile.ring.wait %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, tma_store)>
      tile.gemm %x, %y, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
      tile.ring.release %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, tma_store)>
   }
   tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
  role "r1" warps(1) {
   %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
   tile.fill %acc with %z : memref<64x64xf32, #tile.fragment>, f32
   %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
   tile.fill %sum with %z : memref<64x64xf32, #tile.fragment>, f32
   scf.for %i = %c0 to %n step %c1 {
      %x, %y = tile.ring.wait %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, tma_store)>
      %tk = tile.copy %x to %E[%i, %c0, %c0] sizes [1, 64, 64] : memref<64x64xf16, #shared> to memref<?x64x64xf16> -> !tile.token
      tile.await read %tk
      tile.ring.release %r[%i] : !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> (wgmma, tma_store)>
   }
  }
}
tile.kernel @hang(%X: memref<?x16x32xf32> {tile.alignment = 16}, %Y: memref<16x32xf32>) grid(%b) = (1) threads(96) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %X, %c0 : memref<?x16x32xf32>
  %r = tile.ring.create layouts([#tile.shared_layout<shape [16, 32] bits 32 modes [(32, 1:1), (16, 0:32)]>]) : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> (threads, wgmma)>
  tile.warp_specialize
  role "p" warps(1) {
   %accp = tile.alloc : memref<16x32xf32, #tile.fragment>
   tile.fill %accp with %z : memref<16x32xf32, #tile.fragment>, f32
   scf.for %i = %c0 to %n step %c1 {
    %v = tile.ring.acquire %r[%i] : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> (threads, wgmma)>
    tile.copy %X[%i, %c0, %c0] sizes [1, 16, 32] to %v : memref<?x16x32xf32> to memref<16x32xf32, #shared>
    tile.ring.commit %r[%i] : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> (threads, wgmma)>
   }
  }
  role "c" warps(2) {
    %acc = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %acc with %z : memref<16x32xf32, #tile.fragment>, f32
   scf.for %i = %c0 to %n step %c1 {
    %w = tile.ring.wait %r[%i] : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> (threads, wgmma)>
    tile.parallel (%q41a, %q41b) in (16, 32) {
      %q41xx = memref.load %w[%q41a, %q41b] : memref<16x32xf32, #shared>
      %q41x = arith.addf %q41xx, %z : f32
      %q41y = memref.load %acc[%q41a, %q41b] : memref<16x32xf32, #tile.fragment>
      %q41s = arith.addf %q41x, %q41y : f32
      memref.store %q41s, %acc[%q41a, %q41b] : memref<16x32xf32, #tile.fragment>
    }
    tile.ring.release %r[%i] : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> (threads, wgmma)>
   }
    tile.copy %acc to %Y[%c0, %c0] : memref<16x32xf32, #tile.fragment> to memref<16x32xf32>
  }
}
