// i4 and fp4 lie two to a byte: runs move as whole bytes, words and vectors; a
// single element is loaded by a shift and stored by two atomics on its word.
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_80 | FileCheck %s

#shared = #gpu.address_space<workgroup>
// A tile of 64 x 64 halves of a byte is 2 KiB: one cp.async of 16 bytes for each
// of 128 threads, and words of eight elements on the way out.
// CHECK-LABEL: llvm.func @whole
// CHECK-SAME:    mlir_tile.shared_bytes = 2048
// CHECK-COUNT-1: nvvm.cp.async.shared.global {{.*}}, 16
// CHECK-NOT:     nvvm.cp.async.shared.global
// CHECK:         llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK:         llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT:     llvm.atomicrmw
tile.kernel @whole(%X: memref<64x64xi4> {tile.alignment = 16}, %Y: memref<64x64xi4> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xi4, #shared>
  tile.copy %X to %s : memref<64x64xi4> to memref<64x64xi4, #shared>
  tile.copy %s to %Y : memref<64x64xi4, #shared> to memref<64x64xi4>
}

// -----
// Rows of 33 elements begin in the middle of a byte: nothing is wider than one.
// CHECK-LABEL: llvm.func @odd_rows
// CHECK:         llvm.load {{.*}} : !llvm.ptr<1> -> i8
// CHECK:         llvm.atomicrmw _and {{.*}}!llvm.ptr<1>, i32
// CHECK:         llvm.atomicrmw _or {{.*}}!llvm.ptr<1>, i32
// CHECK-NOT:     llvm.store {{.*}}!llvm.ptr<1>
tile.kernel @odd_rows(%X: memref<4x33xf4E2M1FN>, %Y: memref<4x33xf4E2M1FN>) grid(%b) = (1) threads(32) {
  %f = tile.alloc : memref<4x33xf4E2M1FN, #tile.fragment>
  tile.copy %X to %f : memref<4x33xf4E2M1FN> to memref<4x33xf4E2M1FN, #tile.fragment>
  tile.copy %f to %Y : memref<4x33xf4E2M1FN, #tile.fragment> to memref<4x33xf4E2M1FN>
}

// -----
// A loop gives a thread runs, so whole words are loaded and stored.
// CHECK-LABEL: llvm.func @loop
// CHECK:         llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT:     llvm.atomicrmw
// CHECK:         llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<1>
tile.kernel @loop(%X: memref<32x64xi4> {tile.alignment = 16}, %Y: memref<32x64xi4> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  tile.parallel (%i, %j) in (32, 64) {
    %x = memref.load %X[%i, %j] : memref<32x64xi4>
    %y = arith.addi %x, %x : i4
    memref.store %y, %Y[%i, %j] : memref<32x64xi4>
  }
}

// -----
// Weights that become an operand of the tensor cores in registers: conversions
// two at a time, as f16x2, without cvt.
// CHECK-LABEL: llvm.func @dequantize
// CHECK-NOT:     llvm.sitofp
// CHECK:         llvm.fsub {{.*}} : vector<2xf16>
// CHECK-NOT:     llvm.sitofp
tile.kernel @dequantize(%X: memref<64x64xi4> {tile.alignment = 16}, %Y: memref<64x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %q = tile.alloc : memref<64x64xi4, #tile.fragment>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.copy %X to %q : memref<64x64xi4> to memref<64x64xi4, #tile.fragment>
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %q[%i, %j] : memref<64x64xi4, #tile.fragment>
    %y = arith.sitofp %x : i4 to f16
    memref.store %y, %f[%i, %j] : memref<64x64xf16, #tile.fragment>
  }
  tile.copy %f to %Y : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
}

// -----
// Halves of a byte of %Y may be another block's, which stores it: what is read
// back is a relaxed load of the word. %X is only read, %Z may be %Y.
// CHECK-LABEL: llvm.func @beside_other_blocks
// CHECK:         llvm.load {{.*}} : !llvm.ptr<1> -> i8
// CHECK:         llvm.atomicrmw _or {{.*}}!llvm.ptr<1>, i32
// CHECK-NOT:     llvm.load {{.*}}!llvm.ptr<1> -> i8
// CHECK:         llvm.load {{.*}} atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NOT:     llvm.load {{.*}}!llvm.ptr<1> -> i8
// CHECK:         llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK-NOT:     llvm.load {{.*}}!llvm.ptr<1> -> i8
// CHECK:         llvm.load {{.*}} atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
tile.kernel @beside_other_blocks(%X: memref<1x99xi4>, %Y: memref<1x99xi4>, %Z: memref<1x99xi4> {tile.may_alias}, %O: memref<1x99xf32>) grid(%b) = (3) threads(32) {
  %c0 = arith.constant 0 : index
  %c33 = arith.constant 33 : index
  %at = arith.muli %b, %c33 : index
  %f = tile.alloc : memref<1x33xi4, #tile.fragment>
  tile.copy %X[%c0, %at] to %f : memref<1x99xi4> to memref<1x33xi4, #tile.fragment>
  tile.copy %f to %Y[%c0, %at] : memref<1x33xi4, #tile.fragment> to memref<1x99xi4>
  tile.copy %Y[%c0, %at] to %O[%c0, %at] : memref<1x99xi4> to memref<1x99xf32>
  tile.copy %Z[%c0, %at] to %O[%c0, %at] : memref<1x99xi4> to memref<1x99xf32>
}
