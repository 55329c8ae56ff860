// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// Behind a loop of gemms nothing stands in front of the wait for the groups in
// flight (lib/Target/AssemblerFaults.h): ptxas would serialize them (C7514).

// What is stored where is known before the loop, and sunk by LLVM to where it
// is needed.
// CHECK-LABEL: .entry sunk(
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: bra
// CHECK-NOT: mul
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: mul
// CHECK: st.global
llvm.func @sunk(%out: !llvm.ptr<1>, %x: i32, %n: i32, %d: i64) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %c137 = llvm.mlir.constant(137 : i32) : i32
  %start = llvm.mlir.constant(0.0 : f32) : f32
  %place = llvm.mul %x, %c137 : i32
  llvm.br ^loop(%zero, %start : i32, f32)
^loop(%i: i32, %c: f32):
  %r = llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $0, $0, $0}, $2, $2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;", "=f,0,l" %c, %d : (f32, i64) -> f32
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next, %r : i32, f32), ^exit
^exit:
  %w = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,0" %r : (f32) -> f32
  %at = llvm.getelementptr %out[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %w, %at : f32, !llvm.ptr<1>
  llvm.return
}

// What the wait itself needs stays in front of it, and so does what stands
// between a gemm and a wait of one block.
// CHECK-LABEL: .entry needed(
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: mul.lo
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: bra
// CHECK-NOT: add.s32
// CHECK: shl.b32
// CHECK-NOT: add.s32
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: add.s32
llvm.func @needed(%out: !llvm.ptr<1>, %x: i32, %n: i32, %d: i64) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %c3 = llvm.mlir.constant(3 : i32) : i32
  %start = llvm.mlir.constant(0.0 : f32) : f32
  llvm.br ^loop(%zero, %start : i32, f32)
^loop(%i: i32, %c: f32):
  %r = llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $0, $0, $0}, $2, $2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;", "=f,0,l" %c, %d : (f32, i64) -> f32
  %square = llvm.mul %i, %i : i32
  %v = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,0" %r : (f32) -> f32
  %place = llvm.getelementptr %out[%square] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %i, %place : i32, !llvm.ptr<1>
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next, %v : i32, f32), ^exit
^exit:
  %times = llvm.shl %x, %c3 : i32
  %plus = llvm.add %x, %c3 : i32
  %w = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,0,r" %v, %times : (f32, i32) -> f32
  %end = llvm.getelementptr %out[%plus] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %w, %end : f32, !llvm.ptr<1>
  llvm.return
}
