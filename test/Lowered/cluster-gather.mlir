// What the blocks of a cluster gather: for a softmax of rows that four blocks share; in a loop, where the first of the
// two barriers keeps a block from writing what another one still reads; and that no block is written before it has begun.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=VERSION
// VERSION: .version 8.0
// RUN: tile-run %s --kernel=softmax --check | FileCheck %s
// RUN: tile-run %s --kernel=softmax --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=softmax --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=softmax --stage=lowered --arch=sm_100a --seed=7 --check | FileCheck %s
// RUN: tile-run %s --kernel=turns --args=Y=8x6x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=turns --args=Y=8x6x4 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=turns --args=Y=8x6x4 --stage=lowered --arch=sm_90a --seed=3 --check | FileCheck %s
// CHECK: PASS

// Without the first barrier of an iteration.
// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-to-schedule{arch=sm_90a})' -o %t.mlir
// RUN: tile-run %t.mlir --kernel=turns --args=Y=8x6x4 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: %python -c 'import sys; t = sys.stdin.read(); i = t.index("scf.for"); print(t[:i] + t[i:].replace("tile.cluster_barrier\n", "\n", 1))' < %t.mlir > %t.race.mlir
// RUN: not tile-run %t.race.mlir --kernel=turns --args=Y=8x6x4 --stage=lowered --arch=sm_90a 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: race: 

// Each block says that it has begun, and waits for the others where it is about to write into their memory.
// RUN: tile-translate %s --tile-to-llvmir --arch=sm_90a -o %t.ll
// RUN: FileCheck %s --check-prefix=BEGIN --input-file=%t.ll
// BEGIN-LABEL: define {{.*}}@softmax
// BEGIN: barrier.cluster.arrive.relaxed.aligned;
// BEGIN: barrier.cluster.wait.aligned;
// BEGIN-NOT: barrier
// BEGIN: mapa
// BEGIN-NOT: barrier
// BEGIN: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a -o %t.nvvm.mlir
// RUN: sed '/barrier.cluster.arrive.relaxed.aligned;/d; /"barrier.cluster.wait.aligned;"/d' %t.nvvm.mlir > %t.early.mlir
// RUN: tile-run %t.nvvm.mlir --source=%s --kernel=softmax --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RUNS
// RUN: not tile-run %t.early.mlir --source=%s --kernel=softmax --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=EARLY
// RUNS: PASS
// EARLY: shared memory of block {{[0-9]}} of the cluster is accessed before that block is known to have begun: expected a barrier of the cluster in front
#shared = #gpu.address_space<workgroup>

tile.kernel @softmax(%X: memref<6x1000xf16> {tile.alignment = 16}, %Y: memref<6x1000xf16> {tile.alignment = 16})
    grid(%part, %m) = (4, 6) threads(64) cluster(4, 1) {
  %c250 = arith.constant 250 : index
  %n = arith.muli %part, %c250 : index
  %log2e = arith.constant 1.44269504 : f32
  %low = arith.constant -6.0e+4 : f32
  %x = tile.alloc : memref<1x250xf32, #tile.fragment>
  %own_top = tile.alloc : memref<1xf32, #tile.fragment>
  %own_sum = tile.alloc : memref<1xf32, #tile.fragment>
  %tops = tile.alloc : memref<4x1xf32, #tile.fragment>
  %sums = tile.alloc : memref<4x1xf32, #tile.fragment>
  %top = tile.alloc : memref<1xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %X[%m, %n] to %x : memref<6x1000xf16> to memref<1x250xf32, #tile.fragment>
  tile.reduce max %x to %own_top dim(1) : memref<1x250xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%i, %j) in (1, 250) {
    %a = memref.load %x[%i, %j] : memref<1x250xf32, #tile.fragment>
    %b = memref.load %own_top[%i] : memref<1xf32, #tile.fragment>
    %d = arith.subf %a, %b : f32
    %e = arith.mulf %d, %log2e : f32
    %f = math.exp2 %e : f32
    memref.store %f, %x[%i, %j] : memref<1x250xf32, #tile.fragment>
  }
  tile.reduce sum %x to %own_sum dim(1) : memref<1x250xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.cluster_gather %own_top to %tops : memref<1xf32, #tile.fragment> to memref<4x1xf32, #tile.fragment>
  tile.cluster_gather %own_sum to %sums : memref<1xf32, #tile.fragment> to memref<4x1xf32, #tile.fragment>
  tile.reduce max %tops to %top dim(0) : memref<4x1xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%r, %i) in (4, 1) {
    %a = memref.load %tops[%r, %i] : memref<4x1xf32, #tile.fragment>
    %b = memref.load %top[%i] : memref<1xf32, #tile.fragment>
    %s = memref.load %sums[%r, %i] : memref<4x1xf32, #tile.fragment>
    %d = arith.subf %a, %b : f32
    %e = arith.mulf %d, %log2e : f32
    %f = math.exp2 %e : f32
    %g = arith.mulf %f, %s : f32
    memref.store %g, %sums[%r, %i] : memref<4x1xf32, #tile.fragment>
  }
  tile.reduce sum %sums to %sum dim(0) : memref<4x1xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%i, %j) in (1, 250) {
    %a = memref.load %x[%i, %j] : memref<1x250xf32, #tile.fragment>
    %o = memref.load %own_top[%i] : memref<1xf32, #tile.fragment>
    %t = memref.load %top[%i] : memref<1xf32, #tile.fragment>
    %s = memref.load %sum[%i] : memref<1xf32, #tile.fragment>
    %d = arith.subf %o, %t : f32
    %e = arith.mulf %d, %log2e : f32
    %f = math.exp2 %e : f32
    %g = arith.mulf %a, %f : f32
    %h = arith.divf %g, %s : f32
    memref.store %h, %x[%i, %j] : memref<1x250xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %n] sizes [1, 250] : memref<1x250xf32, #tile.fragment> to memref<6x1000xf16>
}

tile.kernel @turns(%Y: memref<8x6x4xi32>) grid(%x, %y) = (4, 2) threads(32) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %row = arith.muli %y, %c4 : index
  %block = arith.addi %row, %x : index
  %own = tile.alloc : memref<1xi32, #tile.fragment>
  %all = tile.alloc : memref<4x1xi32, #shared>
  scf.for %i = %c0 to %c6 step %c1 {
    tile.parallel (%k) in (1) {
      %n = arith.muli %block, %c6 : index
      %m = arith.addi %n, %i : index
      %v = arith.index_cast %m : index to i32
      memref.store %v, %own[%k] : memref<1xi32, #tile.fragment>
    }
    tile.cluster_gather %own to %all : memref<1xi32, #tile.fragment> to memref<4x1xi32, #shared>
    tile.parallel (%k) in (4) {
      %v = memref.load %all[%k, %c0] : memref<4x1xi32, #shared>
      memref.store %v, %Y[%block, %i, %k] : memref<8x6x4xi32>
    }
  }
}
