// Regions whose extent a value says: a view of the global side ends where the
// rows end that count. What a load finds behind it is the pad; what a store has
// behind it stays in place. Copies, atomics, and rows that nothing is left of.
// RUN: tile-run %s --kernel=groups --args=n=5 --check | FileCheck %s
// RUN: tile-run %s --kernel=groups --args=n=16 --check | FileCheck %s
// RUN: tile-run %s --kernel=groups --args=n=0 --check | FileCheck %s
// RUN: tile-run %s --kernel=groups --args=n=5 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=groups --args=n=0 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=groups --args=n=5 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=groups --args=n=16 --stage=lowered --arch=sm_100a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
!rows = memref<?x32xf32, strided<[32, 1], offset: ?>>

tile.kernel @groups(%A: memref<20x32xf32>, %R: memref<16x32xf32>, %S: memref<16x32xf32>, %C: memref<32xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %nine = arith.constant 9.0 : f32
  %s = tile.alloc : memref<16x32xf32, #shared>
  %f = tile.alloc : memref<16x32xf32, #tile.fragment>
  %sum = tile.alloc : memref<32xf32, #tile.fragment>
  // Rows 2 to 2 + n of A; zeros behind them, or nines.
  %from = memref.subview %A[%c2, 0] [%n, 32] [1, 1] : memref<20x32xf32> to !rows
  tile.copy %from[%c0, %c0] sizes [16, 32] to %s : !rows to memref<16x32xf32, #shared>
  tile.copy %from[%c0, %c0] sizes [16, 32] to %f pad(%nine : f32) : !rows to memref<16x32xf32, #tile.fragment>
  tile.copy %f to %R : memref<16x32xf32, #tile.fragment> to memref<16x32xf32>
  // The zeros count for nothing.
  tile.reduce sum %s to %sum dim(0) : memref<16x32xf32, #shared> to memref<32xf32, #tile.fragment>
  tile.copy %sum to %C : memref<32xf32, #tile.fragment> to memref<32xf32>
  // The first n rows of S only.
  %to = memref.subview %S[%c0, 0] [%n, 32] [1, 1] : memref<16x32xf32> to !rows
  tile.copy %s to %to[%c0, %c0] sizes [16, 32] : memref<16x32xf32, #shared> to !rows
  tile.atomic add %s to %to[%c0, %c0] sizes [16, 32] : memref<16x32xf32, #shared> to !rows
}
