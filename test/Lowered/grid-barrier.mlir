// All blocks of the grid meet: what each has written before, the others read
// behind; again and again in a loop; copies of tiles on both sides.
// RUN: tile-run %s --kernel=turn --check | FileCheck %s
// RUN: tile-run %s --kernel=turn --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=turn --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=turn --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=turn --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=tiles --check | FileCheck %s
// RUN: tile-run %s --kernel=tiles --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=tiles --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: not tile-run %s --kernel=some --check 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not tile-run %s --kernel=some --stage=lowered --arch=sm_80 --check 2>&1 | FileCheck %s --check-prefix=UNEVEN-LOWERED
// RUN: not tile-run %s --kernel=large --check 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tile-run %s --kernel=wide --stage=lowered --arch=sm_80 --check 2>&1 | FileCheck %s --check-prefix=LARGE-LOWERED
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PTX
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX90
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// PTX-LABEL: .entry turn
// PTX-DAG: %envreg1;
// PTX-DAG: %envreg2;
// PTX: bar.sync 0;
// PTX: fence.acq_rel.gpu;
// PTX-NEXT: atom{{.*}}add
// PTX: ld.acquire.gpu.global.b32
// PTX: bar.sync 0;
tile.kernel @turn(%X: memref<6x32xi32>, %Y: memref<6x32xi32>, %Z: memref<6x32xi32>) grid(%b) = (6) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  tile.parallel (%i) in (32) {
    %x = memref.load %X[%b, %i] : memref<6x32xi32>
    memref.store %x, %Y[%b, %i] : memref<6x32xi32>
  }
  // Each round takes the row of the next block.
  scf.for %round = %c0 to %c5 step %c1 {
    tile.grid_barrier
    %after = arith.addi %b, %c1 : index
    %next = arith.remui %after, %c6 : index
    tile.parallel (%i) in (32) {
      %y = memref.load %Y[%next, %i] : memref<6x32xi32>
      memref.store %y, %Z[%b, %i] : memref<6x32xi32>
    }
    tile.grid_barrier
    tile.parallel (%i) in (32) {
      %z = memref.load %Z[%b, %i] : memref<6x32xi32>
      memref.store %z, %Y[%b, %i] : memref<6x32xi32>
    }
  }
}

// Tensor copies are made of what no block writes: the first is one, the second
// is not.
// PTX90-LABEL: .entry tiles
// PTX90: cp.async.bulk
// PTX90: atom{{.*}}add
// PTX90-NOT: cp.async.bulk
// PTX90: ret;
tile.kernel @tiles(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<256x64xf16> {tile.alignment = 16}) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<64x64xf16, #shared>
  %own = arith.muli %b, %c64 : index
  %after = arith.addi %b, %c1 : index
  %next = arith.remui %after, %c4 : index
  %other = arith.muli %next, %c64 : index
  tile.copy %A[%own, %c0] sizes [64, 64] to %s : memref<256x64xf16> to memref<64x64xf16, #shared>
  tile.copy %s to %B[%own, %c0] sizes [64, 64] : memref<64x64xf16, #shared> to memref<256x64xf16>
  tile.grid_barrier
  tile.copy %B[%other, %c0] sizes [64, 64] to %t : memref<256x64xf16> to memref<64x64xf16, #shared>
  tile.copy %t to %C[%own, %c0] sizes [64, 64] : memref<64x64xf16, #shared> to memref<256x64xf16>
}

// UNEVEN: the block waits at a tile.grid_barrier, and another one has ended: all blocks have to run it equally often
// UNEVEN-LOWERED: is repeated for ever: all {{[0-9]+}} threads that can run wait for a value that none of them stores
tile.kernel @some(%X: memref<3xi32>) grid(%b) = (3) threads(32) {
  %c0 = arith.constant 0 : index
  %isFirst = arith.cmpi eq, %b, %c0 : index
  scf.if %isFirst {
    tile.grid_barrier
  }
  tile.parallel (%i) in (1) {
    %x = memref.load %X[%b] : memref<3xi32>
    memref.store %x, %X[%b] : memref<3xi32>
  }
}

// LARGE: the blocks of 'large' wait for each other, so each runs on a thread of its own: expected a grid of at most 1024 blocks, got 5000
tile.kernel @large(%X: memref<8xi32>) grid(%b) = (5000) threads(32) {
  tile.grid_barrier
}

// LARGE-LOWERED: its blocks wait for each other, so the device must hold all of them at a time: expected a grid of at most {{[0-9]+}} blocks ({{[0-9]+}} on each of its {{[0-9]+}} multiprocessors), got 500 x 1 x 1
tile.kernel @wide(%X: memref<8xi32>) grid(%b) = (500) threads(1024) {
  tile.grid_barrier
}
