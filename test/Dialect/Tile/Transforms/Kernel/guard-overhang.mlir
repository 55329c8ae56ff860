// Blocks that lie outside the grid because clusters do not divide it store, add and say nothing.
// RUN: tile-opt %s --split-input-file --tile-make-persistent --tile-guard-overhang | FileCheck %s

// CHECK-LABEL: tile.kernel @single
tile.kernel @single(%X: memref<?xf32>, %Y: memref<?x8xf32>) grid(%bx, %by) = (dim(%X, 0), dim(%Y, 0) ceildiv 2) threads(128) cluster(2, 3) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  // CHECK: %[[DX:.*]] = memref.dim %X
  // CHECK: %[[INX:.*]] = arith.cmpi slt, %bx, %[[DX]] : index
  // CHECK: %[[INY:.*]] = arith.cmpi slt, %by
  // CHECK: %[[IN:.*]] = arith.andi %[[INX]], %[[INY]]
  // What is read outside is zero.
  // CHECK: %[[READ:.*]] = scf.if %[[IN]] -> (f32) {
  // CHECK-NEXT: %[[LOADED:.*]] = memref.load %X[%bx]
  // CHECK-NEXT: scf.yield %[[LOADED]] : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-NEXT: scf.yield %[[ZERO]] : f32
  %x = memref.load %X[%bx] : memref<?xf32>
  %s = arith.addf %x, %v : f32
  // CHECK: scf.if %[[IN]] {
  // CHECK-NEXT: memref.store %{{.*}}, %X[%bx]
  // CHECK-NEXT: }
  memref.store %s, %X[%bx] : memref<?xf32>
  // CHECK: scf.if %[[IN]] {
  // CHECK-NEXT: tile.print
  tile.print "x" %s : f32
  // Elements inside a tile, and shared memory, are not the grid's.
  // CHECK: tile.parallel
  // CHECK-NEXT: memref.store %{{.*}}, %{{.*}} : memref<8xf32, #gpu
  %t = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  tile.parallel (%i) in (8) {
    memref.store %s, %t[%i] : memref<8xf32, #gpu.address_space<workgroup>>
  }
  // A copy drops what lies outside.
  // CHECK-NOT: scf.if
  // CHECK: tile.copy
  tile.copy %t to %Y[%by, %c0] sizes [1, 8] : memref<8xf32, #gpu.address_space<workgroup>> to memref<?x8xf32>
}

// -----

// A persistent block asks for each of its tiles.
// CHECK-LABEL: tile.kernel @tiles
tile.kernel @tiles(%X: memref<?xf32>) grid(%bx) = (dim(%X, 0)) threads(128) cluster(2) attributes {persistent = 1 : i64} {
  // CHECK: %[[X:.*]] = tile.block_coordinates
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %[[X]], %{{.*}} : index
  // CHECK: scf.if %[[IN]] {
  // CHECK-NEXT: memref.store
  %v = arith.constant 1.0 : f32
  memref.store %v, %X[%bx] : memref<?xf32>
}

// -----

// A grid that is known to be divided needs no guard.
// CHECK-LABEL: tile.kernel @divided
// CHECK-NOT: scf.if
tile.kernel @divided(%X: memref<?xf32>) grid(%bx, %by) = ((dim(%X, 0) ceildiv 4) * 2, 6) threads(128) cluster(2, 3) {
  %v = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  memref.store %v, %X[%c0] : memref<?xf32>
}
