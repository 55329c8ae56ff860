// Loops over rows that a buffer names are gathers; guards that say what a gather does anyway go away.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-form-copies=remarks --canonicalize -verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
// Fixed indices are views: of the tensor what has the rows along its first dimension, of the table one row.
// CHECK-LABEL: tile.kernel @views
// CHECK: %[[KV:.*]] = memref.subview %KV[%bx, 0, 1, 0] [1, %{{.*}}, 1, 96] [1, 1, 1, 1] : memref<?x?x2x96xbf16> to memref<?x96xbf16, strided<[192, 1], offset: ?>>
// CHECK: %[[TABLE:.*]] = memref.subview %table[%bx, 0] [1, 64] [1, 1] : memref<?x64xi32> to memref<64xi32, strided<[1], offset: ?>>
// CHECK: tile.gather %[[KV]][%c32] rows %[[TABLE]][%c16] to %{{.*}}
// CHECK-NOT: tile.parallel
tile.kernel @views(%KV: memref<?x?x2x96xbf16>, %table: memref<?x64xi32>) grid(%b) = (dim(%KV, 0)) threads(128) {
  %zero = arith.constant 0.0 : bf16
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %rows = memref.dim %KV, %c1 : memref<?x?x2x96xbf16>
  %s = tile.alloc : memref<32x64xbf16, #shared>
  // expected-remark @below {{the loop is a gather of rows}}
  tile.parallel (%i, %j) in (32, 64) {
    %at = arith.addi %i, %c16 : index
    %row = memref.load %table[%b, %at] : memref<?x64xi32>
    %wide = arith.index_cast %row : i32 to index
    %below = arith.cmpi slt, %wide, %rows : index
    %in = scf.if %below -> (i1) {
      %again = memref.load %table[%b, %at] : memref<?x64xi32>
      %c0_i32 = arith.constant 0 : i32
      %positive = arith.cmpi sge, %again, %c0_i32 : i32
      scf.yield %positive : i1
    } else {
      scf.yield %false : i1
    }
    %x = scf.if %in -> (bf16) {
      %column = arith.addi %c32, %j : index
      %again = memref.load %table[%b, %at] : memref<?x64xi32>
      %r = arith.index_cast %again : i32 to index
      %y = memref.load %KV[%b, %r, %c1, %column] : memref<?x?x2x96xbf16>
      scf.yield %y : bf16
    } else {
      scf.yield %zero : bf16
    }
    memref.store %x, %s[%i, %j] : memref<32x64xbf16, #shared>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// Columns that the source lacks, names that the table lacks, an extent that equals by a promise, and sides in another order.
// CHECK-LABEL: tile.kernel @guards
// CHECK: tile.gather %X[%{{.*}}] rows %table[%{{.*}}]
tile.kernel @guards(%X: memref<?x?xf16>, %Y: memref<?xf16>, %table: memref<?xi64>) grid(%bx, %by) = (1, 1) threads(128) {
  %zero = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus = arith.constant -1 : i64
  %mine = memref.dim %X, %c0 : memref<?x?xf16>
  %rows = memref.dim %Y, %c0 : memref<?xf16>
  tile.assume %rows equals %mine : index
  %columns = memref.dim %X, %c1 : memref<?x?xf16>
  %names = memref.dim %table, %c0 : memref<?xi64>
  %s = tile.alloc : memref<32x64xf16, #shared>
  // expected-remark @below {{the loop is a gather of rows}}
  tile.parallel (%i, %j) in (32, 64) {
    %at = arith.addi %i, %by : index
    %column = arith.addi %bx, %j : index
    %row = memref.load %table[%at] : memref<?xi64>
    %r = arith.index_cast %row : i64 to index
    %a = arith.cmpi sgt, %rows, %r : index
    %b = arith.cmpi slt, %minus, %row : i64
    %c = arith.cmpi ult, %column, %columns : index
    %d = arith.cmpi slt, %at, %names : index
    %ab = arith.andi %a, %b : i1
    %cd = arith.andi %c, %d : i1
    %in = arith.andi %ab, %cd : i1
    %x = scf.if %in -> (f16) {
      %y = memref.load %X[%r, %column] : memref<?x?xf16>
      scf.yield %y : f16
    } else {
      scf.yield %zero : f16
    }
    memref.store %x, %s[%i, %j] : memref<32x64xf16, #shared>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// What a gather does not say: another guard, another value for rows that are not there, a column that names the row, rows of
// few bytes, an extent of 32 bits, a part of a tile.
// CHECK-LABEL: tile.kernel @others
// CHECK-NOT: tile.gather
tile.kernel @others(%X: memref<128x128xf16>, %Y: memref<?x128xf16>, %table: memref<128xi32>) grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f16
  %one = arith.constant 1.0 : f16
  %none = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<32x64xf16, #shared>
  %narrow = tile.alloc : memref<64x4xf16, #shared>
  tile.parallel (%i, %j) in (32, 64) {
    %row = memref.load %table[%i] : memref<128xi32>
    %in = arith.cmpi sgt, %row, %none : i32
    %x = scf.if %in -> (f16) {
      %r = arith.index_cast %row : i32 to index
      %y = memref.load %X[%r, %j] : memref<128x128xf16>
      scf.yield %y : f16
    } else {
      scf.yield %zero : f16
    }
    memref.store %x, %s[%i, %j] : memref<32x64xf16, #shared>
  }
  tile.parallel (%i, %j) in (32, 64) {
    %row = memref.load %table[%i] : memref<128xi32>
    %in = arith.cmpi sge, %row, %none : i32
    %x = scf.if %in -> (f16) {
      %r = arith.index_cast %row : i32 to index
      %y = memref.load %X[%r, %j] : memref<128x128xf16>
      scf.yield %y : f16
    } else {
      scf.yield %one : f16
    }
    memref.store %x, %s[%i, %j] : memref<32x64xf16, #shared>
  }
  tile.parallel (%i, %j) in (32, 64) {
    %row = memref.load %table[%j] : memref<128xi32>
    %r = arith.index_cast %row : i32 to index
    %y = memref.load %X[%r, %j] : memref<128x128xf16>
    memref.store %y, %s[%i, %j] : memref<32x64xf16, #shared>
  }
  tile.parallel (%i, %j) in (64, 4) {
    %row = memref.load %table[%i] : memref<128xi32>
    %r = arith.index_cast %row : i32 to index
    %y = memref.load %X[%r, %j] : memref<128x128xf16>
    memref.store %y, %narrow[%i, %j] : memref<64x4xf16, #shared>
  }
  %rows = memref.dim %Y, %c0 : memref<?x128xf16>
  tile.parallel (%i, %j) in (32, 64) {
    %row = memref.load %table[%i] : memref<128xi32>
    %end = arith.index_cast %rows : index to i32
    %in = arith.cmpi slt, %row, %end : i32
    %x = scf.if %in -> (f16) {
      %r = arith.index_cast %row : i32 to index
      %y = memref.load %Y[%r, %j] : memref<?x128xf16>
      scf.yield %y : f16
    } else {
      scf.yield %zero : f16
    }
    memref.store %x, %s[%i, %j] : memref<32x64xf16, #shared>
  }
  // A column that memory names.
  tile.parallel (%i, %j) in (32, 64) {
    %row = memref.load %table[%i] : memref<128xi32>
    %r = arith.index_cast %row : i32 to index
    %first = memref.load %table[%c0] : memref<128xi32>
    %f = arith.index_cast %first : i32 to index
    %column = arith.addi %f, %j : index
    %y = memref.load %X[%r, %column] : memref<128x128xf16>
    memref.store %y, %s[%i, %j] : memref<32x64xf16, #shared>
  }
  tile.parallel (%i, %j) in (16, 64) {
    %row = memref.load %table[%i] : memref<128xi32>
    %r = arith.index_cast %row : i32 to index
    %y = memref.load %X[%r, %j] : memref<128x128xf16>
    memref.store %y, %s[%i, %j] : memref<32x64xf16, #shared>
  }
}
