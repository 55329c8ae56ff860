// tcgen05 in assembly on architectures that lack it, where LLVM or ptxas would
// stop with less of a word.
// RUN: not tile-opt %s --tile-verify-nvvm=arch=sm_100 2>&1 | FileCheck %s -DARCH=sm_100
// RUN: not tile-opt %s --tile-verify-nvvm=arch=sm_120a 2>&1 | FileCheck %s -DARCH=sm_120a
// RUN: not tile-opt %s --tile-verify-nvvm=arch=sm_90a 2>&1 | FileCheck %s -DARCH=sm_90a
// RUN: tile-opt %s --tile-verify-nvvm=arch=sm_100a -o /dev/null

// CHECK: error: 'tcgen05.alloc{{.*}}': expected sm_100a, got [[ARCH]]
// CHECK: error: 'tcgen05.dealloc{{.*}}': expected sm_100a, got [[ARCH]]
llvm.func @allocates(%slot: i32, %n: i32) {
  llvm.inline_asm has_side_effects "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], $1;", "r,r,~{memory}" %slot, %n : (i32, i32) -> ()
  llvm.inline_asm has_side_effects "tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, $1;", "r,r,~{memory}" %slot, %n : (i32, i32) -> ()
  llvm.return
}
