// What an atomic access returns, kept in a fragment of which several threads hold each element: one of them makes the access, and the
// others get its value through shared memory.
// RUN: tile-run %s --kernel=loads --args=X=16:range:1:50,Y=16x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=loads --args=X=16:range:1:50,Y=16x64 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=updates --args=X=16:range:1:50,Y=16x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
tile.kernel @loads(%X: memref<16xi32>, %Y: memref<16x64xi32>) grid(%b) = (1) threads(128) {
  %one = arith.constant 1 : i32
  %f = tile.alloc : memref<16xi32, #tile.fragment>
  %g = tile.alloc : memref<16x64xi32, #tile.fragment>
  %z = arith.constant 0 : i32
  tile.fill %g with %z : memref<16x64xi32, #tile.fragment>, i32
  tile.parallel (%i) in (16) {
    %v = tile.atomic_load relaxed %X[%i] : memref<16xi32>
    %o = arith.addi %v, %one : i32
    tile.atomic_store relaxed %o, %X[%i] : memref<16xi32>
    memref.store %v, %f[%i] : memref<16xi32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (16, 64) {
    %x = memref.load %f[%i] : memref<16xi32, #tile.fragment>
    %y = memref.load %g[%i, %j] : memref<16x64xi32, #tile.fragment>
    %w = arith.addi %x, %y : i32
    memref.store %w, %g[%i, %j] : memref<16x64xi32, #tile.fragment>
  }
  tile.copy %g to %Y : memref<16x64xi32, #tile.fragment> to memref<16x64xi32>
}

tile.kernel @updates(%X: memref<16xi32>, %Y: memref<16x64xi32>) grid(%b) = (1) threads(128) {
  %one = arith.constant 1 : i32
  %f = tile.alloc : memref<16xi32, #tile.fragment>
  %g = tile.alloc : memref<16x64xi32, #tile.fragment>
  %z = arith.constant 0 : i32
  tile.fill %g with %z : memref<16x64xi32, #tile.fragment>, i32
  tile.parallel (%i) in (16) {
    %o = memref.atomic_rmw addi %one, %X[%i] : (i32, memref<16xi32>) -> i32
    memref.store %o, %f[%i] : memref<16xi32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (16, 64) {
    %x = memref.load %f[%i] : memref<16xi32, #tile.fragment>
    %y = memref.load %g[%i, %j] : memref<16x64xi32, #tile.fragment>
    %w = arith.addi %x, %y : i32
    memref.store %w, %g[%i, %j] : memref<16x64xi32, #tile.fragment>
  }
  tile.copy %g to %Y : memref<16x64xi32, #tile.fragment> to memref<16x64xi32>
}
