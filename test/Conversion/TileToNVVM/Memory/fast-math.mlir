// `fast-math` makes every function approximate; without it only marked ones are.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: tile-opt %s --tile-to-nvvm="arch=sm_80 fast-math" | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 --fast-math | FileCheck %s --check-prefix=PTX
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=NOPTX

// CHECK-LABEL: llvm.func @functions
// FAST-COUNT-2: llvm.nvvm.ex2.approx.ftz.f32
// EXACT-COUNT-1: llvm.nvvm.ex2.approx.ftz.f32
// EXACT-NOT: ex2.approx
// PTX-COUNT-2: ex2.approx.ftz.f32
// NOPTX-COUNT-1: ex2.approx.ftz.f32
// NOPTX-NOT: ex2.approx
tile.kernel @functions(%X: memref<32xf32>, %Y: memref<32xf32>) grid(%b) = (1) threads(32) {
  tile.parallel (%i) in (32) {
    %x = memref.load %X[%i] : memref<32xf32>
    %y = math.exp2 %x : f32
    %z = math.exp2 %y fastmath<afn> : f32
    memref.store %z, %Y[%i] : memref<32xf32>
  }
}
