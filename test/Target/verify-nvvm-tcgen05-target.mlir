// tcgen05 in assembly on architectures that lack it, where LLVM or ptxas would
// stop with less of a word.
// RUN: not tile-opt %s --tile-verify-nvvm=arch=sm_100 2>&1 | FileCheck %s -DARCH=sm_100
// RUN: not tile-opt %s --tile-verify-nvvm=arch=sm_120a 2>&1 | FileCheck %s -DARCH=sm_120a
// RUN: not tile-opt %s --tile-verify-nvvm=arch=sm_90a 2>&1 | FileCheck %s -DARCH=sm_90a
// RUN: tile-opt %s --tile-verify-nvvm=arch=sm_100a -o /dev/null

// CHECK: error: 'tcgen05.alloc{{.*}}': expected sm_100f, sm_100a, sm_103a or sm_110a, got [[ARCH]]
// CHECK: error: 'tcgen05.dealloc{{.*}}': expected sm_100f, sm_100a, sm_103a or sm_110a, got [[ARCH]]
llvm.func @allocates(%slot: i32, %n: i32) {
  llvm.inline_asm has_side_effects "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], $1;", "r,r,~{memory}" %slot, %n : (i32, i32) -> ()
  llvm.inline_asm has_side_effects "tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, $1;", "r,r,~{memory}" %slot, %n : (i32, i32) -> ()
  llvm.return
}

// Integers are no feature of a family, and sm_103a lacks them.
// RUN: not tile-opt %s --tile-verify-nvvm=arch=sm_103a 2>&1 | FileCheck %s --check-prefix=BYTES -DARCH=sm_103a
// RUN: not tile-opt %s --tile-verify-nvvm=arch=sm_100f 2>&1 | FileCheck %s --check-prefix=BYTES -DARCH=sm_100f
// RUN: tile-opt %s --tile-verify-nvvm=arch=sm_110a -o /dev/null
// BYTES-NOT: error:
// BYTES: error: 'tcgen05.mma.cta_group::1.kind::i8{{.*}}': expected sm_100a or sm_110a, got [[ARCH]]
// BYTES-NOT: error:
llvm.func @multiplies(%d: i32, %a: i64, %b: i64, %i: i32) {
  %elected = nvvm.elect.sync -> i1
  llvm.cond_br %elected, ^issue, ^end
^issue:
  llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.u32 p, $3, 0; tcgen05.mma.cta_group::1.kind::i8 [$0], $1, $2, $3, p; }", "r,l,l,r,~{memory}" %d, %a, %b, %i : (i32, i64, i64, i32) -> ()
  llvm.br ^end
^end:
  llvm.return
}
