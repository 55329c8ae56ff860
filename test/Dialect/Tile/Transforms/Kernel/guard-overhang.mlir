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
  // Row %by may be a row of %Y in a block outside: the region moves behind the last one.
  // CHECK: %[[END:.*]] = memref.dim %Y
  // CHECK: %[[ROW:.*]] = arith.select %[[IN]], %by, %[[END]] : index
  // CHECK: tile.copy %{{.*}} to %Y[%[[ROW]], %{{.*}}] sizes [1, 8]
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

// -----

// Each offset is its block's index times at least as much as the grid has a block for: what lies outside is dropped.
// CHECK-LABEL: tile.kernel @covered
// CHECK-NOT: arith.select
// CHECK-NOT: scf.if
// CHECK: tile.copy
// CHECK: tile.atomic
// CHECK: tile.return
tile.kernel @covered(%X: memref<?x?xf32>, %Y: memref<40x96xf32>) grid(%bx, %by) = (dim(%X, 1) ceildiv 16, (dim(%X, 0) + 7) floordiv 8) threads(128) cluster(2, 2) attributes {persistent = 1 : i64} {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %t = tile.alloc : memref<8x16xf32, #gpu.address_space<workgroup>>
  %m = arith.muli %by, %c8 : index
  %n = arith.muli %c16, %bx : index
  %n2 = arith.addi %c8, %n : index
  tile.copy %t to %X[%m, %n] : memref<8x16xf32, #gpu.address_space<workgroup>> to memref<?x?xf32>
  tile.atomic add %t to %X[%m, %n2] : memref<8x16xf32, #gpu.address_space<workgroup>> to memref<?x?xf32>
}

// -----

// A region that a block outside the grid shares with one inside; a token; a part that a block is left out of.
// CHECK-LABEL: tile.kernel @shared
tile.kernel @shared(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %Z: memref<?xf32>) grid(%bx, %by) = (dim(%X, 0) ceildiv 8, 3) threads(128) cluster(2, 1) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = tile.alloc : memref<8x64xf32, #gpu.address_space<workgroup>>
  %v = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  // CHECK: %[[B:.*]]:2 = tile.block_coordinates
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %[[B]]#0
  %m = arith.muli %bx, %c8 : index
  // Of another buffer, which may have more rows.
  // CHECK: %[[OTHER:.*]] = arith.select %[[IN]]
  // CHECK: tile.copy %{{.*}} to %Y[%[[OTHER]], %{{.*}}]
  tile.copy %t to %Y[%m, %c0] : memref<8x64xf32, #gpu.address_space<workgroup>> to memref<?x64xf32>
  // Four rows a block, where the grid has a block for eight.
  // CHECK: %[[HALF:.*]] = arith.select %[[IN]]
  // CHECK: %[[TOKEN:.*]] = tile.atomic add %{{.*}} to %X[%[[HALF]], %{{.*}}]
  // CHECK: tile.await %[[TOKEN]]
  %h = arith.muli %bx, %c4 : index
  %k = tile.atomic add %t to %X[%h, %c0] : memref<8x64xf32, #gpu.address_space<workgroup>> to memref<?x64xf32> -> !tile.token
  tile.await %k
  // One dimension: the copy becomes conditional.
  // CHECK: scf.if %[[IN]] {
  // CHECK-NEXT: tile.copy %{{.*}} to %Z
  %p = arith.muli %bx, %c3 : index
  tile.copy %v to %Z[%p] : memref<8xf32, #gpu.address_space<workgroup>> to memref<?xf32>
}

// -----

// Rows that indices name.
// CHECK-LABEL: tile.kernel @rows
// CHECK: scf.if
// CHECK-NEXT: tile.scatter
tile.kernel @rows(%X: memref<?x64xf32>, %I: memref<?xi32>) grid(%bx) = (dim(%X, 0)) threads(128) cluster(2) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : memref<8x64xf32, #gpu.address_space<workgroup>>
  tile.scatter %t to %X[%c0] rows %I[%bx] : memref<8x64xf32, #gpu.address_space<workgroup>> to memref<?x64xf32>, memref<?xi32>
}
