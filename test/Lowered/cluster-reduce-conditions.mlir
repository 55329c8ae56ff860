// What follows `tile.cluster_reduce` is divided between the blocks only where it is what the last of them does, and where all of
// them would do the same: other conditions stay, places that depend on the block stay the last block's.
// RUN: tile-opt %s --tile-to-copies="arch=sm_90a" | FileCheck %s
// RUN: tile-run %s --kernel=flagged --args=Y=16x32:zeros,flag=0 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=flagged --args=Y=16x32:zeros,flag=1 --stage=scheduled --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=own_rows --args=Y=2x16x32:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=own_scale --args=Y=16x32:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=last_flagged --args=Y=16x32:zeros,flag=0 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=last_flagged --args=Y=16x32:zeros,flag=1 --stage=lowered --arch=sm_90 --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS

// Whoever has the sum: that depends on the flag alone.
// CHECK-LABEL: tile.kernel @flagged
// CHECK-NOT:     tile.cluster_parts
tile.kernel @flagged(%X: memref<2x16x32xf32>, %Y: memref<16x32xf32>, %flag: i32) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %f = tile.alloc : memref<16x32xf32, #tile.fragment>
  tile.copy %X[%b, %c0, %c0] sizes [1, 16, 32] to %f : memref<2x16x32xf32> to memref<16x32xf32, #tile.fragment>
  tile.cluster_reduce sum %f blocks(2) stride(1) : memref<16x32xf32, #tile.fragment>
  %if = arith.cmpi ne, %flag, %zero : i32
  scf.if %if {
    tile.copy %f to %Y : memref<16x32xf32, #tile.fragment> to memref<16x32xf32>
  }
}

// CHECK-LABEL: tile.kernel @own_rows
// CHECK-NOT:     tile.cluster_parts
tile.kernel @own_rows(%X: memref<2x16x32xf32>, %Y: memref<2x16x32xf32>) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc : memref<16x32xf32, #tile.fragment>
  tile.copy %X[%b, %c0, %c0] sizes [1, 16, 32] to %f : memref<2x16x32xf32> to memref<16x32xf32, #tile.fragment>
  tile.cluster_reduce sum %f blocks(2) stride(1) : memref<16x32xf32, #tile.fragment>
  %last = arith.cmpi eq, %b, %c1 : index
  scf.if %last {
    tile.copy %f to %Y[%b, %c0, %c0] sizes [1, 16, 32] : memref<16x32xf32, #tile.fragment> to memref<2x16x32xf32>
  }
}

// Each block has a scale of its own in registers.
// CHECK-LABEL: tile.kernel @own_scale
// CHECK-NOT:     tile.cluster_parts
tile.kernel @own_scale(%X: memref<2x16x32xf32>, %S: memref<2x16xf32>, %Y: memref<16x32xf32>) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc : memref<16x32xf32, #tile.fragment>
  %s = tile.alloc : memref<16xf32, #tile.fragment>
  tile.copy %X[%b, %c0, %c0] sizes [1, 16, 32] to %f : memref<2x16x32xf32> to memref<16x32xf32, #tile.fragment>
  tile.copy %S[%b, %c0] sizes [1, 16] to %s : memref<2x16xf32> to memref<16xf32, #tile.fragment>
  tile.cluster_reduce sum %f blocks(2) stride(1) : memref<16x32xf32, #tile.fragment>
  %last = arith.cmpi eq, %b, %c1 : index
  scf.if %last {
    tile.parallel (%i, %j) in (16, 32) {
      %x = memref.load %f[%i, %j] : memref<16x32xf32, #tile.fragment>
      %y = memref.load %s[%i] : memref<16xf32, #tile.fragment>
      %z = arith.mulf %x, %y : f32
      memref.store %z, %f[%i, %j] : memref<16x32xf32, #tile.fragment>
    }
    tile.copy %f to %Y : memref<16x32xf32, #tile.fragment> to memref<16x32xf32>
  }
}

// The flag is asked within the part of each block.
// CHECK-LABEL: tile.kernel @last_flagged
// CHECK:         tile.cluster_parts
// CHECK:         scf.if
tile.kernel @last_flagged(%X: memref<2x16x32xf32>, %Y: memref<16x32xf32>, %flag: i32) grid(%b) = (2) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %f = tile.alloc : memref<16x32xf32, #tile.fragment>
  tile.copy %X[%b, %c0, %c0] sizes [1, 16, 32] to %f : memref<2x16x32xf32> to memref<16x32xf32, #tile.fragment>
  tile.cluster_reduce sum %f blocks(2) stride(1) : memref<16x32xf32, #tile.fragment>
  %last = arith.cmpi eq, %b, %c1 : index
  scf.if %last {
    %if = arith.cmpi ne, %flag, %zero : i32
    scf.if %if {
      tile.copy %f to %Y : memref<16x32xf32, #tile.fragment> to memref<16x32xf32>
    }
  }
}
