// What grows with the square of a function's size is left out of functions of more than 4,096 blocks (LargeFunctions.cpp), and of
// those only: five blocks for each of 500 and of 1,100 guarded copies.
// RUN: %python %S/Inputs/large_function.py 500 > %t.small.mlir
// RUN: tile-translate %t.small.mlir --tile-to-llvmir --arch=sm_80 -o - | FileCheck %s --check-prefix=SMALL
// RUN: %python %S/Inputs/large_function.py 1100 > %t.large.mlir
// RUN: tile-translate %t.large.mlir --tile-to-llvmir --arch=sm_80 -o - | FileCheck %s --check-prefix=LARGE
// RUN: tile-translate %t.large.mlir --tile-to-ptx --arch=sm_80 -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx

// Each guard says what the thread's number is, and each guarded block converts for itself.
// SMALL: %[[TID:.*]] = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// SMALL-NEXT: %[[FIRST:.*]] = icmp eq i32 %[[TID]], 0
// SMALL-NEXT: br i1 %[[FIRST]]
// SMALL-COUNT-500: trunc nuw i64 %0 to i32
// SMALL-NOT: trunc

// Nobody asks 1,100 conditions what they say: the number stays as it is. One conversion serves all blocks, without the promise that
// was made behind the guards. The condition that is always true is found, although many branches share it; those that were hidden
// are shown again.
// LARGE-NOT: tile.condition
// LARGE: %[[LOW:.*]] = trunc i64 %0 to i32
// LARGE: %[[TID:.*]] = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// LARGE-NEXT: %[[FIRST:.*]] = icmp eq i32 %[[TID]], 0
// LARGE-NOT: icmp
// LARGE-NOT: trunc
// LARGE-NOT: i32 8
// LARGE-NOT: tile.condition
// LARGE: br i1 %[[FIRST]]
// LARGE: add i32 %[[TID]], %[[LOW]]
// LARGE-COUNT-1099: br i1 %[[FIRST]]
// LARGE-NOT: br i1
// LARGE-NOT: icmp
// LARGE-NOT: i32 8
// LARGE-NOT: tile.condition

// PTX: .entry k(
// PTX-COUNT-1100: bra
// PTX-NOT: call
