// What is compared with one value of 32 bits for all registers, and loops that a warp skips, compute what they say.
// RUN: tile-run %s --kernel=mask --args=A=128x32,C=128x32,m=0,n=0 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=mask --args=A=128x32,C=128x32,m=3,n=100 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=mask --args=A=128x32,C=128x32,m=32,n=1 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=mask --args=A=128x32,C=128x32,m=0,n=126 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=mask --args=A=128x32,C=128x32,m=0,n=127 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=mask --args=A=128x32,C=128x32,m=-1000000000000,n=-5 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=mask --args=A=128x32,C=128x32,m=5000000000,n=-7 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=rescale --args=A=128x32,F=128:smallint --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=rescale --args=A=128x32,F=128:ones --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=rescale --args=A=128x32,F=128 --check --stage=lowered --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --kernel=replicas --args=C=4x32,F=4:smallint --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=replicas --args=C=4x32,F=4:smallint --check --stage=lowered --arch=sm_90a | FileCheck %s
// CHECK: PASS

// Two comparisons, of different sides and predicates, one of a multiple.
tile.kernel @mask(%A: memref<128x32xf32>, %C: memref<128x32xf32>, %m: index, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  tile.warp_specialize
  role "all" warps(4) {
    %x = tile.alloc : memref<128x32xf32, #tile.fragment>
    tile.copy %A[%c0, %c0] to %x : memref<128x32xf32> to memref<128x32xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 32) {
      %row = arith.addi %i, %m : index
      %column = arith.addi %j, %n : index
      %keep = arith.cmpi sle, %row, %column : index
      %twice = arith.muli %j, %c2 : index
      %even = arith.subi %n, %twice : index
      %same = arith.cmpi eq, %i, %even : index
      %v = memref.load %x[%i, %j] : memref<128x32xf32, #tile.fragment>
      %kept = arith.select %keep, %v, %zero : f32
      %y = arith.select %same, %one, %kept : f32
      memref.store %y, %x[%i, %j] : memref<128x32xf32, #tile.fragment>
    }
    tile.copy %x to %C[%c0, %c0] : memref<128x32xf32, #tile.fragment> to memref<128x32xf32>
  }
}

tile.kernel @rescale(%A: memref<128x32xf32>, %F: memref<128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  tile.warp_specialize
  role "all" warps(4) {
    %x = tile.alloc layout(#tile.fragment_layout<shape [128, 32] reg [(16, 1:2), (2, 0:1)] lane [(2, 1:1), (16, 0:2)] warp [(4, 0:32)]>) : memref<128x32xf32, #tile.fragment>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    tile.copy %A[%c0, %c0] to %x : memref<128x32xf32> to memref<128x32xf32, #tile.fragment>
    tile.copy %F[%c0] to %f : memref<128xf32> to memref<128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 32) {
      %v = memref.load %x[%i, %j] : memref<128x32xf32, #tile.fragment>
      %by = memref.load %f[%i] : memref<128xf32, #tile.fragment>
      %y = arith.mulf %v, %by : f32
      %differs = arith.cmpf une, %by, %one : f32
      scf.if %differs {
        memref.store %y, %x[%i, %j] : memref<128x32xf32, #tile.fragment>
      }
    }
    tile.copy %x to %A[%c0, %c0] : memref<128x32xf32, #tile.fragment> to memref<128x32xf32>
  }
}

// All lanes vote, although only the first of each eight lanes that hold an iteration stores.
tile.kernel @replicas(%C: memref<4x32xf32>, %F: memref<4xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %f = tile.alloc layout(#tile.fragment_layout<shape [4] reg [] lane [(4, 0:1), (8, *)] warp [(4, *)]>) : memref<4xf32, #tile.fragment>
  tile.copy %F[%c0] to %f : memref<4xf32> to memref<4xf32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 32) layout(#tile.fragment_layout<shape [4, 32] reg [(32, 1:1)] lane [(4, 0:1), (8, *)] warp [(4, *)]>) {
    %by = memref.load %f[%i] : memref<4xf32, #tile.fragment>
    %differs = arith.cmpf une, %by, %one : f32
    scf.if %differs {
      memref.store %by, %C[%i, %j] : memref<4x32xf32>
    }
  }
}
