// A word that is taken apart into two halves is a vector of them: codes come off their power of two together, the mask and the
// power are one instruction, and a code from bit 4 on stays where it is.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-llvmir --arch=sm_90a | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: .entry codes(
// CHECK: lop3.b32 {{.*}}, 0xf000f0, 0x64006400, 0x6a
// CHECK: fma.rn.f16x2
// CHECK-NOT: shr.u32
// CHECK-NOT: prmt
// CHECK: fma.rn.f16
llvm.func @codes(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %a: f16, %b: f16) attributes {nvvm.kernel} {
  %mask = llvm.mlir.constant(0x000f000f : i32) : i32
  %power = llvm.mlir.constant(0x64006400 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %sixteen = llvm.mlir.constant(16 : i32) : i32
  %minus = llvm.mlir.constant(-1024.0 : f16) : f16
  %word = llvm.load %in : !llvm.ptr<1> -> i32
  %moved = llvm.lshr %word, %four : i32
  %code = llvm.and %moved, %mask : i32
  %bits = llvm.or %code, %power : i32
  %lower = llvm.trunc %bits : i32 to i16
  %x = llvm.bitcast %lower : i16 to f16
  %shifted = llvm.lshr %bits, %sixteen : i32
  %upper = llvm.trunc %shifted : i32 to i16
  %y = llvm.bitcast %upper : i16 to f16
  %x0 = llvm.fadd %x, %minus : f16
  %y0 = llvm.fadd %y, %minus : f16
  %p = llvm.fmul %x0, %a {fastmathFlags = #llvm.fastmath<contract>} : f16
  %s = llvm.fadd %p, %b {fastmathFlags = #llvm.fastmath<contract>} : f16
  %q = llvm.fmul %y0, %a {fastmathFlags = #llvm.fastmath<contract>} : f16
  %t = llvm.fadd %q, %s {fastmathFlags = #llvm.fastmath<contract>} : f16
  llvm.store %t, %out : f16, !llvm.ptr<1>
  llvm.return
}

// Where the two halves are computed with differently, they are elements of the vector; bf16, too.
// LLVM-LABEL: @differently(
// LLVM: %[[V:.*]] = bitcast i32 %{{.*}} to <2 x bfloat>
// LLVM-DAG: extractelement <2 x bfloat> %[[V]], i64 0
// LLVM-DAG: extractelement <2 x bfloat> %[[V]], i64 1
// LLVM-NOT: trunc
// LLVM: ret void
llvm.func @differently(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %sixteen = llvm.mlir.constant(16 : i32) : i32
  %two = llvm.mlir.constant(2.0 : bf16) : bf16
  %flip = llvm.mlir.constant(0x00010001 : i32) : i32
  %loaded = llvm.load %in : !llvm.ptr<1> -> i32
  %word = llvm.xor %loaded, %flip : i32
  %lower = llvm.trunc %word : i32 to i16
  %x = llvm.bitcast %lower : i16 to bf16
  %shifted = llvm.lshr %word, %sixteen : i32
  %upper = llvm.trunc %shifted : i32 to i16
  %y = llvm.bitcast %upper : i16 to bf16
  %x2 = llvm.fadd %x, %two : bf16
  %z = llvm.fmul %x2, %y : bf16
  llvm.store %z, %out : bf16, !llvm.ptr<1>
  llvm.return
}
