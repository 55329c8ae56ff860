// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s
// A product and a sum contract only where both carry `contract`. A plain PTX
// `add` or `mul` would let the assembler contract them, hence `.rn`. Denormals
// are kept: nothing is flushed.

// CHECK-NOT: .ftz
// CHECK: .entry separate(
// CHECK-NOT: fma
// CHECK: mul.rn.f32
// CHECK-NOT: fma
// CHECK: add.rn.f32
// CHECK-NOT: fma
// CHECK: .entry contracted(
// CHECK-NOT: {{mul|add}}.{{(rn.)?}}f32
// CHECK: fma.rn.f32
// CHECK-NOT: {{mul|add}}.{{(rn.)?}}f32
// CHECK-NOT: .ftz
llvm.func @separate(%out: !llvm.ptr<1>, %a: f32, %b: f32, %c: f32) attributes {nvvm.kernel} {
  %p = llvm.fmul %a, %b : f32
  %s = llvm.fadd %p, %c : f32
  llvm.store %s, %out : f32, !llvm.ptr<1>
  llvm.return
}
llvm.func @contracted(%out: !llvm.ptr<1>, %a: f32, %b: f32, %c: f32) attributes {nvvm.kernel} {
  %p = llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
  %s = llvm.fadd %p, %c {fastmathFlags = #llvm.fastmath<contract>} : f32
  llvm.store %s, %out : f32, !llvm.ptr<1>
  llvm.return
}
