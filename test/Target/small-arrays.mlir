// An array of a thread that a number indexes at run time lies in memory. A small one is registers, of which comparisons choose one.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s

// Four words of four bytes, of which each thread reads one: the index is a number of words, so there are four places.
// CHECK-LABEL: .entry rows(
// CHECK-NOT:   local
// CHECK:       selp.b32
// CHECK:       ret;
llvm.func @rows(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %row: i64) attributes {nvvm.kernel} {
  %n = llvm.mlir.constant(16 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %a = llvm.alloca %n x i8 {alignment = 16 : i64} : (i64) -> !llvm.ptr
  %v = llvm.load %in {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xi8>
  llvm.store %v, %a {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr
  %at = llvm.mul %row, %four : i64
  %p = llvm.getelementptr %a[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %w = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<4xi8>
  llvm.store %w, %out {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr<1>
  llvm.return
}

// Stored at a place and read at all.
// CHECK-LABEL: .entry stored(
// CHECK-NOT:   local
// CHECK-COUNT-4: selp
// CHECK:       ret;
llvm.func @stored(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %i: i64, %x: f32) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %a = llvm.alloca %one x !llvm.array<4 x f32> {alignment = 16 : i64} : (i64) -> !llvm.ptr
  %v = llvm.load %in {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  llvm.store %v, %a {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %x, %p : f32, !llvm.ptr
  %w = llvm.load %a {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  llvm.store %w, %out {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}

// Sixteen places are more than memory costs.
// CHECK-LABEL: .entry many(
// CHECK:       st.local
// CHECK:       ld.local.b32
llvm.func @many(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %i: i64) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %a = llvm.alloca %one x !llvm.array<16 x f32> {alignment = 16 : i64} : (i64) -> !llvm.ptr
  %v = llvm.load %in {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xf32>
  llvm.store %v, %a {alignment = 16 : i64} : vector<16xf32>, !llvm.ptr
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %w = llvm.load %p : !llvm.ptr -> f32
  llvm.store %w, %out : f32, !llvm.ptr<1>
  llvm.return
}

// A word at any byte may lie between two places.
// CHECK-LABEL: .entry between(
// CHECK:       ld.local
llvm.func @between(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %i: i64) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %a = llvm.alloca %one x !llvm.array<8 x i8> {alignment = 16 : i64} : (i64) -> !llvm.ptr
  %v = llvm.load %in {alignment = 8 : i64} : !llvm.ptr<1> -> vector<8xi8>
  llvm.store %v, %a {alignment = 8 : i64} : vector<8xi8>, !llvm.ptr
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %w = llvm.load %p {alignment = 1 : i64} : !llvm.ptr -> i32
  llvm.store %w, %out : i32, !llvm.ptr<1>
  llvm.return
}
