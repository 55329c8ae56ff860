// Products and sums of halves that may be contracted are one before pairs are made: a chain of sums keeps its `fma`, and products
// that do not wait for each other become pairs of them. What may not be contracted stays two.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s

// CHECK-LABEL: .entry chain(
// CHECK-NOT: {{mul.*f16|add.*f16}}
// CHECK-COUNT-4: fma.rn.f16
// CHECK-NOT: {{mul.*f16|add.*f16}}
// CHECK-LABEL: .entry apart(
// CHECK-NOT: fma
llvm.func @chain(%a: !llvm.ptr<1> {llvm.align = 16 : i64}, %b: !llvm.ptr<1> {llvm.align = 16 : i64}, %out: !llvm.ptr<1>, %c: f16) attributes {nvvm.kernel} {
  %x = llvm.load %a : !llvm.ptr<1> -> vector<4xf16>
  %y = llvm.load %b : !llvm.ptr<1> -> vector<4xf16>
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %x0 = llvm.extractelement %x[%i0 : i32] : vector<4xf16>
  %x1 = llvm.extractelement %x[%i1 : i32] : vector<4xf16>
  %x2 = llvm.extractelement %x[%i2 : i32] : vector<4xf16>
  %x3 = llvm.extractelement %x[%i3 : i32] : vector<4xf16>
  %y0 = llvm.extractelement %y[%i0 : i32] : vector<4xf16>
  %y1 = llvm.extractelement %y[%i1 : i32] : vector<4xf16>
  %y2 = llvm.extractelement %y[%i2 : i32] : vector<4xf16>
  %y3 = llvm.extractelement %y[%i3 : i32] : vector<4xf16>
  %p0 = llvm.fmul %x0, %y0 {fastmathFlags = #llvm.fastmath<contract>} : f16
  %s0 = llvm.fadd %c, %p0 {fastmathFlags = #llvm.fastmath<contract>} : f16
  %p1 = llvm.fmul %x1, %y1 {fastmathFlags = #llvm.fastmath<contract>} : f16
  %s1 = llvm.fadd %s0, %p1 {fastmathFlags = #llvm.fastmath<contract>} : f16
  %p2 = llvm.fmul %x2, %y2 {fastmathFlags = #llvm.fastmath<contract>} : f16
  %s2 = llvm.fadd %s1, %p2 {fastmathFlags = #llvm.fastmath<contract>} : f16
  %p3 = llvm.fmul %x3, %y3 {fastmathFlags = #llvm.fastmath<contract>} : f16
  %s3 = llvm.fadd %s2, %p3 {fastmathFlags = #llvm.fastmath<contract>} : f16
  llvm.store %s3, %out : f16, !llvm.ptr<1>
  llvm.return
}
llvm.func @apart(%x: f16, %y: f16, %c: f16, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %p = llvm.fmul %x, %y {fastmathFlags = #llvm.fastmath<contract>} : f16
  %s = llvm.fadd %c, %p : f16
  llvm.store %s, %out : f16, !llvm.ptr<1>
  llvm.return
}
