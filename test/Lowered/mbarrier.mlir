// Warps that the program parts itself, and barriers at which they wait by hand:
// copies for warps that multiply; two slots; arrivals of several ranges of
// warps; and work of the whole block between the parts.
// RUN: tile-run %s --kernel=produce --check | FileCheck %s
// RUN: tile-run %s --kernel=produce --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=produce --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=produce --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=produce --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=slots --args=X=7x64 --check | FileCheck %s
// RUN: tile-run %s --kernel=slots --args=X=7x64 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=slots --args=X=7x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=slots --args=X=7x64 --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=meet --check | FileCheck %s
// RUN: tile-run %s --kernel=meet --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=meet --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=between --check | FileCheck %s
// RUN: tile-run %s --kernel=between --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=between --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=again --check | FileCheck %s
// RUN: tile-run %s --kernel=again --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=again --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PTX80
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX90
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// PTX80-LABEL: .entry produce
// PTX80: mbarrier.init.shared::cta.b64 [{{.*}}], {{.*}};
// PTX80: mbarrier.test_wait.parity.shared::cta.b64
// PTX80: cp.async.wait_group 0;
// PTX80: mbarrier.arrive.shared::cta.b64 _,
// PTX90-LABEL: .entry produce
// PTX90: fence.mbarrier_init.release.cluster;
// PTX90: mbarrier.try_wait.parity.shared::cta.b64
// PTX90: fence.proxy.async
// PTX90: mbarrier.arrive.shared::cta.b64 _,
// PTX90: wgmma.mma_async
tile.kernel @produce(%A: memref<64x192xf16> {tile.alignment = 16}, %B: memref<192x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>)
    grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %done = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  tile.on_warps 4 count 4 {
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  }
  scf.for %k = %c0 to %c6 step %c1 {
    tile.on_warps 0 count 4 {
      %next = arith.addi %k, %c1 : index
      %at = arith.muli %k, %c32 : index
      tile.mbarrier.wait %done[%c0] parity %next : !tile.mbarrier<1>
      tile.copy %A[%c0, %at] to %As : memref<64x192xf16> to memref<64x32xf16, #shared>
      tile.copy %B[%at, %c0] to %Bs : memref<192x64xf16> to memref<32x64xf16, #shared>
      tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
    }
    tile.on_warps 4 count 4 {
      tile.mbarrier.wait %ready[%c0] parity %k : !tile.mbarrier<1>
      tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
      tile.mbarrier.arrive %done[%c0] : !tile.mbarrier<1>
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
}

// A barrier for each slot, chosen by an index that is known at run time only.
tile.kernel @slots(%X: memref<?x64xf32>, %Y: memref<64xf32>) grid(%b) = (1) threads(96) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %X, %c0 : memref<?x64xf32>
  %rows = tile.alloc : memref<2x64xf32, #shared>
  %sum = tile.alloc : memref<64xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [32] : !tile.mbarrier<2>
  %free = tile.mbarrier.create arrivals [64, 64] : !tile.mbarrier<2>
  tile.on_warps 1 count 2 {
    tile.fill %sum with %zero : memref<64xf32, #tile.fragment>, f32
  }
  scf.for %k = %c0 to %n step %c1 {
    %slot = arith.remui %k, %c2 : index
    %round = arith.divui %k, %c2 : index
    tile.on_warps 0 count 1 {
      %other = arith.addi %round, %c1 : index
      tile.mbarrier.wait %free[%slot] parity %other : !tile.mbarrier<2>
      tile.parallel (%i) in (64) {
        %x = memref.load %X[%k, %i] : memref<?x64xf32>
        memref.store %x, %rows[%slot, %i] : memref<2x64xf32, #shared>
      }
      tile.mbarrier.arrive %full[%slot] : !tile.mbarrier<2>
    }
    tile.on_warps 1 count 2 {
      tile.mbarrier.wait %full[%slot] parity %round : !tile.mbarrier<2>
      tile.parallel (%i) in (64) {
        %x = memref.load %rows[%slot, %i] : memref<2x64xf32, #shared>
        %s = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
        %t = arith.addf %x, %s : f32
        memref.store %t, %sum[%i] : memref<64xf32, #tile.fragment>
      }
      tile.mbarrier.arrive %free[%slot] : !tile.mbarrier<2>
    }
  }
  tile.on_warps 1 count 2 {
    tile.copy %sum to %Y : memref<64xf32, #tile.fragment> to memref<64xf32>
  }
}

// Two ranges arrive at one barrier, and read what the other one wrote.
tile.kernel @meet(%X: memref<2x64xf32>, %Y: memref<2x64xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<2x64xf32, #shared>
  %all = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  tile.on_warps 0 count 2 {
    tile.copy %X[%c0, %c0] sizes [1, 64] to %s[%c0, %c0] sizes [1, 64] : memref<2x64xf32> to memref<2x64xf32, #shared>
    tile.mbarrier.arrive %all[%c0] : !tile.mbarrier<1>
    tile.mbarrier.wait %all[%c0] parity %c0 : !tile.mbarrier<1>
    tile.copy %s[%c1, %c0] sizes [1, 64] to %Y[%c0, %c0] sizes [1, 64] : memref<2x64xf32, #shared> to memref<2x64xf32>
  }
  tile.on_warps 2 count 2 {
    tile.copy %X[%c1, %c0] sizes [1, 64] to %s[%c1, %c0] sizes [1, 64] : memref<2x64xf32> to memref<2x64xf32, #shared>
    tile.mbarrier.arrive %all[%c0] : !tile.mbarrier<1>
    tile.mbarrier.wait %all[%c0] parity %c0 : !tile.mbarrier<1>
    tile.copy %s[%c0, %c0] sizes [1, 64] to %Y[%c1, %c0] sizes [1, 64] : memref<2x64xf32, #shared> to memref<2x64xf32>
  }
}

// All warps copy A; each half of them multiplies by its own part of B.
tile.kernel @between(%A: memref<64x96xf16>, %B: memref<96x64xf16>, %C: memref<64x64xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x32xf16, #shared>
  %B0 = tile.alloc : memref<32x32xf16, #shared>
  %B1 = tile.alloc : memref<32x32xf16, #shared>
  %acc0 = tile.alloc : memref<64x32xf32, #tile.fragment>
  %acc1 = tile.alloc : memref<64x32xf32, #tile.fragment>
  tile.on_warps 4 count 4 {
    tile.fill %acc1 with %zero : memref<64x32xf32, #tile.fragment>, f32
  }
  tile.on_warps 0 count 4 {
    tile.fill %acc0 with %zero : memref<64x32xf32, #tile.fragment>, f32
  }
  tile.pipelined %k = %c0 to %c96 step %c32 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<64x96xf16> to memref<64x32xf16, #shared>
    tile.on_warps 4 count 4 {
      tile.copy %B[%k, %c32] to %B1 : memref<96x64xf16> to memref<32x32xf16, #shared>
      tile.gemm %As, %B1, %acc1 : memref<64x32xf16, #shared>, memref<32x32xf16, #shared>, memref<64x32xf32, #tile.fragment>
    }
    tile.on_warps 0 count 4 {
      tile.copy %B[%k, %c0] to %B0 : memref<96x64xf16> to memref<32x32xf16, #shared>
      tile.gemm %As, %B0, %acc0 : memref<64x32xf16, #shared>, memref<32x32xf16, #shared>, memref<64x32xf32, #tile.fragment>
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %acc1 to %C[%c0, %c32] : memref<64x32xf32, #tile.fragment> to memref<64x64xf32>
  }
  tile.on_warps 0 count 4 {
    tile.copy %acc0 to %C[%c0, %c0] : memref<64x32xf32, #tile.fragment> to memref<64x64xf32>
  }
}

// Parts with work of all warps between them: each time scratch memory of their
// own, in the second parts only for sums over warps.
tile.kernel @again(%X: memref<2x256xf32>, %Y: memref<2xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<2x256xf32, #shared>
  %x = tile.alloc : memref<1x256xf32, #tile.fragment>
  %y = tile.alloc : memref<1x256xf32, #tile.fragment>
  %sx = tile.alloc : memref<1xf32, #tile.fragment>
  %sy = tile.alloc : memref<1xf32, #tile.fragment>
  tile.on_warps 0 count 4 {
    tile.fill %sx with %zero : memref<1xf32, #tile.fragment>, f32
  }
  tile.on_warps 4 count 4 {
    tile.fill %sy with %zero : memref<1xf32, #tile.fragment>, f32
  }
  tile.copy %X to %s : memref<2x256xf32> to memref<2x256xf32, #shared>
  tile.on_warps 0 count 4 {
    tile.copy %s[%c0, %c0] sizes [1, 256] to %x : memref<2x256xf32, #shared> to memref<1x256xf32, #tile.fragment>
    tile.reduce sum %x to %sx dim(1) : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    tile.copy %sx to %Y[%c0] : memref<1xf32, #tile.fragment> to memref<2xf32>
  }
  tile.on_warps 4 count 4 {
    tile.copy %s[%c1, %c0] sizes [1, 256] to %y : memref<2x256xf32, #shared> to memref<1x256xf32, #tile.fragment>
    tile.reduce sum %y to %sy dim(1) : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    tile.copy %sy to %Y[%c1] : memref<1xf32, #tile.fragment> to memref<2xf32>
  }
}
