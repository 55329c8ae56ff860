// Blocks of a cluster meet by hand: copies into each other's tiles, behind a
// barrier of the cluster or an arrival; arrivals from afar; regions, conversion,
// swizzled tiles of tensor cores; several clusters, of two dimensions, too.
// RUN: tile-run %s --kernel=rotate --check | FileCheck %s
// RUN: tile-run %s --kernel=rotate --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rotate --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rotate --stage=lowered --arch=sm_100a --seed=7 --check | FileCheck %s
// RUN: tile-run %s --kernel=gather --check | FileCheck %s
// RUN: tile-run %s --kernel=gather --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=gather --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=gather --stage=lowered --arch=sm_90a --seed=5 --check | FileCheck %s
// RUN: tile-run %s --kernel=multiply --check | FileCheck %s
// RUN: tile-run %s --kernel=multiply --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=count --args=Y=8x32 --check | FileCheck %s
// RUN: tile-run %s --kernel=count --args=Y=8x32 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=flags --args=X=12x32,Y=12x32,Z=12x32 --check | FileCheck %s
// RUN: tile-run %s --kernel=flags --args=X=12x32,Y=12x32,Z=12x32 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=copies --check | FileCheck %s
// RUN: tile-run %s --kernel=copies --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_80 2>&1 | FileCheck %s --check-prefix=OLD
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// OLD: error: 'tile.cluster_barrier' op expected a target with clusters, got sm_80

// Each block gives its row to the next one of the cluster, again and again.
// PTX-LABEL: .entry rotate
// PTX: mapa.shared::cluster.u32
// PTX: st.shared::cluster
// PTX: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
tile.kernel @rotate(%X: memref<16x64xf32>, %Y: memref<16x64xf32>) grid(%x, %y) = (4, 4) threads(64) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = tile.alloc : memref<1x64xf32, #shared>
  %b = tile.alloc : memref<1x64xf32, #shared>
  %row = arith.muli %y, %c4 : index
  %block = arith.addi %row, %x : index
  %rx = arith.remui %x, %c2 : index
  %ry = arith.remui %y, %c2 : index
  %ry2 = arith.muli %ry, %c2 : index
  %rank = arith.addi %rx, %ry2 : index
  %after = arith.addi %rank, %c1 : index
  %next = arith.remui %after, %c4 : index
  tile.copy %X[%block, %c0] to %a : memref<16x64xf32> to memref<1x64xf32, #shared>
  tile.cluster_barrier
  scf.for %i = %c0 to %c3 step %c1 {
    tile.cluster_copy %a to %b block(%next) : memref<1x64xf32, #shared> to memref<1x64xf32, #shared>
    tile.cluster_barrier
    tile.copy %b to %a : memref<1x64xf32, #shared> to memref<1x64xf32, #shared>
    tile.cluster_barrier
  }
  tile.copy %a to %Y[%block, %c0] : memref<1x64xf32, #shared> to memref<16x64xf32>
}

// The first block adds what the others send it, in half of the precision.
// PTX-LABEL: .entry gather
// PTX: mbarrier.init
// PTX: fence.mbarrier_init.release.cluster;
// PTX: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// PTX: st.shared::cluster.v4.b32
// PTX: bar.sync
// PTX: mbarrier.arrive.release.cluster.shared::cluster.b64 _,
// PTX: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
tile.kernel @gather(%X: memref<8x32x32xf32>, %Y: memref<2x32x32xf32>) grid(%b) = (8) threads(128) cluster(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %own = tile.alloc : memref<32x32xf32, #shared>
  %half = tile.alloc : memref<32x32xf16, #shared>
  %parts = tile.alloc : memref<4x32x32xf16, #shared>
  %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
  %ready = tile.mbarrier.create arrivals [4] cluster : !tile.mbarrier<1>
  %rank = arith.remui %b, %c4 : index
  %group = arith.divui %b, %c4 : index
  tile.copy %X[%b, %c0, %c0] to %own : memref<8x32x32xf32> to memref<32x32xf32, #shared>
  tile.copy %own to %half : memref<32x32xf32, #shared> to memref<32x32xf16, #shared>
  tile.cluster_copy %half to %parts[%rank, %c0, %c0] sizes [1, 32, 32] block(%c0) arrives(%ready[%c0] : !tile.mbarrier<1>) : memref<32x32xf16, #shared> to memref<4x32x32xf16, #shared>
  %isFirst = arith.cmpi eq, %rank, %c0 : index
  scf.if %isFirst {
    tile.mbarrier.wait %ready[%c0] parity %c0 : !tile.mbarrier<1>
    tile.fill %sum with %zero : memref<32x32xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %c4 step %c1 {
      tile.parallel (%m, %n) in (32, 32) {
        %part = memref.load %parts[%i, %m, %n] : memref<4x32x32xf16, #shared>
        %wide = arith.extf %part : f16 to f32
        %so_far = memref.load %sum[%m, %n] : memref<32x32xf32, #tile.fragment>
        %added = arith.addf %so_far, %wide : f32
        memref.store %added, %sum[%m, %n] : memref<32x32xf32, #tile.fragment>
      }
    }
    tile.copy %sum to %Y[%group, %c0, %c0] sizes [1, 32, 32] : memref<32x32xf32, #tile.fragment> to memref<2x32x32xf32>
  }
}

// Tensor cores multiply what another block has sent: its tile is swizzled, and
// the asynchronous proxy reads it.
// PTX-LABEL: .entry multiply
// PTX: st.shared::cluster
// PTX: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// PTX: fence.proxy.async
// PTX: wgmma.mma_async
tile.kernel @multiply(%A: memref<128x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %C: memref<128x64xf32>) grid(%b) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %mine = tile.alloc : memref<64x64xf16, #shared>
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %other = arith.subi %c1, %b : index
  %at = arith.muli %b, %c64 : index
  tile.copy %A[%at, %c0] to %mine : memref<128x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.cluster_barrier
  tile.cluster_copy %mine to %As block(%other) : memref<64x64xf16, #shared> to memref<64x64xf16, #shared>
  tile.cluster_barrier
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %acc to %C[%at, %c0] : memref<64x64xf32, #tile.fragment> to memref<128x64xf32>
}

// All threads of all blocks arrive at the second one's barrier, for two phases.
// PTX-LABEL: .entry count
// PTX: mbarrier.arrive.release.cluster.shared::cluster.b64 _,
tile.kernel @count(%Y: memref<8x32xi32>) grid(%b) = (8) threads(32) cluster(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %all = tile.mbarrier.create arrivals [128] cluster : !tile.mbarrier<2>
  %rank = arith.remui %b, %c4 : index
  scf.for %i = %c0 to %c2 step %c1 {
    tile.mbarrier.arrive %all[%c1] block(%c1) : !tile.mbarrier<2>
    %isIt = arith.cmpi eq, %rank, %c1 : index
    scf.if %isIt {
      tile.mbarrier.wait %all[%c1] parity %i : !tile.mbarrier<2>
    }
    tile.cluster_barrier
  }
  tile.parallel (%i) in (32) {
    %value = arith.index_cast %rank : index to i32
    memref.store %value, %Y[%b, %i] : memref<8x32xi32>
  }
}

// Blocks exchange values through global memory.
tile.kernel @flags(%X: memref<12x32xi32>, %Y: memref<12x32xi32>, %Z: memref<12x32xi32>) grid(%b) = (12) threads(32) cluster(4) {
  %c1 = arith.constant 1 : index
  %other = arith.xori %b, %c1 : index
  tile.parallel (%i) in (32) {
    %x = memref.load %X[%b, %i] : memref<12x32xi32>
    memref.store %x, %Y[%b, %i] : memref<12x32xi32>
  }
  tile.cluster_barrier
  tile.parallel (%i) in (32) {
    %y = memref.load %Y[%other, %i] : memref<12x32xi32>
    memref.store %y, %Z[%b, %i] : memref<12x32xi32>
  }
}

// Tensor copies are made of tiles that no other block writes, from what no block
// writes and to what none reads: the first and the last are some, the two of B
// are not.
// PTX-LABEL: .entry copies
// PTX: cp.async.bulk.tensor.2d.shared
// PTX: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// PTX-NOT: cp.async.bulk.tensor
// PTX: cp.async.bulk.tensor.2d.global
// PTX-NOT: cp.async.bulk.tensor
// PTX: ret;
tile.kernel @copies(%A: memref<128x64xf16> {tile.alignment = 16}, %B: memref<128x64xf16> {tile.alignment = 16}, %C: memref<128x64xf16> {tile.alignment = 16}) grid(%b) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<64x64xf16, #shared>
  %u = tile.alloc : memref<64x64xf16, #shared>
  %other = arith.subi %c1, %b : index
  %at = arith.muli %b, %c64 : index
  %there = arith.muli %other, %c64 : index
  tile.copy %A[%at, %c0] sizes [64, 64] to %s : memref<128x64xf16> to memref<64x64xf16, #shared>
  tile.cluster_barrier
  tile.cluster_copy %s to %t block(%other) : memref<64x64xf16, #shared> to memref<64x64xf16, #shared>
  tile.cluster_barrier
  tile.copy %t to %B[%at, %c0] sizes [64, 64] : memref<64x64xf16, #shared> to memref<128x64xf16>
  tile.cluster_barrier
  tile.copy %B[%there, %c0] sizes [64, 64] to %u : memref<128x64xf16> to memref<64x64xf16, #shared>
  tile.copy %u to %C[%at, %c0] sizes [64, 64] : memref<64x64xf16, #shared> to memref<128x64xf16>
}
