// RUN: tile-translate %s --tile-to-llvmir --arch=sm_80 | FileCheck %s --check-prefix=LLVM
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s
// Inline assembly is convergent: -O3 must not copy it into both arms of a
// branch, which it does to the same assembly without the mark (jump threading
// over the two tests of %c).

// LLVM-COUNT-1: call void asm sideeffect "shfl_like_barrier;"
// LLVM-NOT: asm sideeffect "shfl_like_barrier;"
// LLVM: attributes #{{[0-9]+}} = { convergent
// CHECK-COUNT-1: shfl_like_barrier;
// CHECK-NOT: shfl_like_barrier;
llvm.func @branch(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %c = llvm.icmp "slt" %tid, %n : i32
  llvm.cond_br %c, ^left, ^right
^left:
  llvm.store volatile %one, %out : i32, !llvm.ptr<1>
  llvm.br ^join
^right:
  llvm.store volatile %two, %out : i32, !llvm.ptr<1>
  llvm.br ^join
^join:
  llvm.inline_asm has_side_effects asm_dialect = att "shfl_like_barrier;", "" : () -> ()
  llvm.cond_br %c, ^again, ^exit
^again:
  llvm.store volatile %zero, %out : i32, !llvm.ptr<1>
  llvm.br ^exit
^exit:
  llvm.return
}
