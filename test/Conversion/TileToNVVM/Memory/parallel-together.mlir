// Iterations of a group that take one way through a branch or a loop go through it together: accesses inside are as
// wide as those outside, and what all of them read is read once.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
// Rows by a table, zeros where it says 0, which a gather would not: a load and a store of 16 bytes for 8 elements.
// CHECK-LABEL: llvm.func @gather
// CHECK:     llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK-NOT: llvm.load
// CHECK:     llvm.cond_br
// CHECK-NOT: llvm.load
// CHECK:     llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-NOT: llvm.load
// CHECK:     llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<3>
tile.kernel @gather(%rows: memref<64xi32>, %KV: memref<8192x64xbf16> {tile.alignment = 16}, %out: memref<64x64xf32>) grid(%b) = (1) threads(256) {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0 : i32
  %s = tile.alloc : memref<64x64xbf16, #shared>
  tile.parallel (%i, %j) in (64, 64) {
    %row = memref.load %rows[%i] : memref<64xi32>
    %is = arith.cmpi sgt, %row, %none : i32
    %x = scf.if %is -> (bf16) {
      %r = arith.index_cast %row : i32 to index
      %y = memref.load %KV[%r, %j] : memref<8192x64xbf16>
      scf.yield %y : bf16
    } else {
      scf.yield %zero : bf16
    }
    memref.store %x, %s[%i, %j] : memref<64x64xbf16, #shared>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %s[%j, %i] : memref<64x64xbf16, #shared>
    %y = arith.extf %x : bf16 to f32
    memref.store %y, %out[%i, %j] : memref<64x64xf32>
  }
}

// -----

// A sum over a table's entries, four columns at a time; the loop's counter is one for all.
// CHECK-LABEL: llvm.func @sums
// CHECK:     llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:     llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
tile.kernel @sums(%X: memref<16x512xf32> {tile.alignment = 16}, %out: memref<512xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%j) in (512) {
    %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%part = %zero) -> (f32) {
      %x = memref.load %X[%k, %j] : memref<16x512xf32>
      %next = arith.addf %part, %x : f32
      scf.yield %next : f32
    }
    memref.store %sum, %out[%j] : memref<512xf32>
  }
}

// -----

// Columns are compared with a multiple of four: four take one way.
// CHECK-LABEL: llvm.func @columns
// CHECK-NOT: llvm.load {{.*}} -> f32
// CHECK: -> vector<4xf32>
// CHECK-NOT: llvm.load {{.*}} -> f32
// CHECK: llvm.return
tile.kernel @columns(%X: memref<512xf32> {tile.alignment = 16}, %out: memref<512xf32>) grid(%b) = (1) threads(128) {
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%j) in (512) {
    %is = arith.cmpi slt, %j, %c100 : index
    %x = scf.if %is -> (f32) {
      %y = memref.load %X[%j] : memref<512xf32>
      scf.yield %y : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %x, %out[%j] : memref<512xf32>
  }
}

// A condition of each column is asked of each column.
// CHECK-LABEL: llvm.func @odd_columns
// CHECK-NOT: -> vector<{{[24]}}xf32>
// CHECK: llvm.return
tile.kernel @odd_columns(%X: memref<512xf32> {tile.alignment = 16}, %out: memref<512xf32>) grid(%b) = (1) threads(128) {
  %c101 = arith.constant 101 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%j) in (512) {
    %is = arith.cmpi slt, %j, %c101 : index
    %x = scf.if %is -> (f32) {
      %y = memref.load %X[%j] : memref<512xf32>
      scf.yield %y : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %x, %out[%j] : memref<512xf32>
  }
}

// Two take one way, not four.
// CHECK-LABEL: llvm.func @even_columns
// CHECK-NOT: -> vector<4xf32>
// CHECK: -> vector<2xf32>
// CHECK: llvm.return
tile.kernel @even_columns(%X: memref<512xf32> {tile.alignment = 16}, %out: memref<512xf32>) grid(%b) = (1) threads(128) {
  %c102 = arith.constant 102 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%j) in (512) {
    %is = arith.cmpi slt, %j, %c102 : index
    %x = scf.if %is -> (f32) {
      %y = memref.load %X[%j] : memref<512xf32>
      scf.yield %y : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %x, %out[%j] : memref<512xf32>
  }
}
