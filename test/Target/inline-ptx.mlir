// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 | FileCheck %s
// NVVM operations that have no intrinsic are expanded to inline PTX.

// CHECK: .entry wait(
// CHECK: mbarrier.init.shared
// CHECK: mbarrier.try_wait.parity.shared
// CHECK: ex2.approx.ftz.f32
llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
llvm.func @wait(%out: !llvm.ptr<1>, %n: i32, %x: f32) attributes {nvvm.kernel} {
  %p = llvm.mlir.addressof @shared : !llvm.ptr<3>
  nvvm.mbarrier.init %p, %n : !llvm.ptr<3>, i32
  nvvm.mbarrier.try_wait.parity %p, %n, %n : !llvm.ptr<3>, i32, i32
  %y = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro (%x : f32) -> f32
  llvm.store %y, %out : f32, !llvm.ptr<1>
  llvm.return
}
