// Sums of f32, f16 and bf16 in global memory are made several at a time, where the target's elements are aligned and in a row.
// A vector that the tensor has a part of goes element by element. What is not a sum, or is in shared memory, does so always.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: tile-run %s --kernel=f32 --stage=lowered --arch=sm_90a --check --args=A=61x32,C=61x36 | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=f16 --stage=lowered --arch=sm_80 --check --args=A=61x32,C=61x36 | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=f16 --stage=lowered --arch=sm_90a --check --args=A=64x32,C=64x32 | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=bf16 --stage=lowered --arch=sm_90a --check --args=A=64x32,C=64x32 | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=row --stage=lowered --arch=sm_90a --check --args=A=190,C=190 | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=others --stage=lowered --arch=sm_90a --check --args=A=64x32,C=64x32 | FileCheck %s --check-prefix=RIGHT
// RUN: sed 's/{disable_tma} : memref<32x32xf32/{prefer = #tile.copy_instruction<vector>} : memref<32x32xf32/' %s > %t.mlir
// RUN: not tile-opt %t.mlir --tile-set-target=arch=sm_80 --tile-infer-layouts --tile-select-copies 2>&1 | FileCheck %s --check-prefix=REFUSED
// RIGHT: PASS

// CHECK-LABEL: .entry f32(
// CHECK: red.relaxed.gpu.global.add.v4.f32 [%{{.*}}], {%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}};
// SM80-LABEL: .entry f32(
// SM80-NOT: red.{{.*}}.v{{[24]}}
// SM80-LABEL: .entry f16(
tile.kernel @f32(%A: memref<?x32xf32> {tile.alignment = 16}, %C: memref<?x?xf32> {tile.alignment = 16})
    grid(%b) = (dim(%C, 0) ceildiv 32) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %C, %c1 : memref<?x?xf32>
  tile.assume %n {divisible_by = 4 : i64} : index
  %m = arith.muli %b, %c32 : index
  %f = tile.alloc : memref<32x32xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %f : memref<?x32xf32> to memref<32x32xf32, #tile.fragment>
  tile.atomic add %f to %C[%m, %c0] {disable_tma} : memref<32x32xf32, #tile.fragment> to memref<?x?xf32>
}

// CHECK-LABEL: .entry f16(
// CHECK: red.relaxed.gpu.global.add.noftz.v2.f16x2
// SM80: red.relaxed.gpu.global.add.noftz.f16x2 [%{{.*}}], %{{.*}};
tile.kernel @f16(%A: memref<?x32xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%b) = (dim(%C, 0) ceildiv 32) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %n {divisible_by = 4 : i64} : index
  %m = arith.muli %b, %c32 : index
  %f = tile.alloc : memref<32x32xf16, #tile.fragment>
  tile.copy %A[%m, %c0] to %f : memref<?x32xf16> to memref<32x32xf16, #tile.fragment>
  tile.atomic add %f to %C[%m, %c0] {disable_tma} : memref<32x32xf16, #tile.fragment> to memref<?x?xf16>
}

// CHECK-LABEL: .entry bf16(
// CHECK: red.relaxed.gpu.global.add.noftz.v4.bf16x2
tile.kernel @bf16(%A: memref<64x32xbf16> {tile.alignment = 16}, %C: memref<64x32xbf16> {tile.alignment = 16})
    grid(%b) = (2) threads(64) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.muli %b, %c32 : index
  %f = tile.alloc : memref<32x32xbf16, #tile.fragment>
  tile.copy %A[%m, %c0] to %f : memref<64x32xbf16> to memref<32x32xbf16, #tile.fragment>
  tile.atomic add %f to %C[%m, %c0] {disable_tma} : memref<32x32xbf16, #tile.fragment> to memref<64x32xbf16>
}

// A vector whose last elements the tensor does not have.
// CHECK-LABEL: .entry row(
// CHECK: red.relaxed.gpu.global.add.v4.f32
// CHECK: atom.global.add.f32
tile.kernel @row(%A: memref<?xf32> {tile.alignment = 16}, %C: memref<?xf32> {tile.alignment = 16})
    grid(%b) = (dim(%C, 0) ceildiv 128) threads(32) {
  %c128 = arith.constant 128 : index
  %m = arith.muli %b, %c128 : index
  %f = tile.alloc : memref<128xf32, #tile.fragment>
  tile.copy %A[%m] to %f : memref<?xf32> to memref<128xf32, #tile.fragment>
  tile.atomic add %f to %C[%m] : memref<128xf32, #tile.fragment> to memref<?xf32>
}

// CHECK-LABEL: .entry others(
// CHECK-NOT: .v{{[24]}}.f32
tile.kernel @others(%A: memref<64x32xf32> {tile.alignment = 16}, %C: memref<64x32xf32>)
    grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %f = tile.alloc : memref<64x32xf32, #tile.fragment>
  %s = tile.alloc : memref<64x32xf32, #gpu.address_space<workgroup>>
  tile.copy %A to %f : memref<64x32xf32> to memref<64x32xf32, #tile.fragment>
  tile.fill %s with %zero : memref<64x32xf32, #gpu.address_space<workgroup>>, f32
  tile.atomic add %f to %s : memref<64x32xf32, #tile.fragment> to memref<64x32xf32, #gpu.address_space<workgroup>>
  // The argument is aligned to its elements only.
  tile.atomic add %s to %C {disable_tma} : memref<64x32xf32, #gpu.address_space<workgroup>> to memref<64x32xf32>
  tile.atomic max %f to %C {disable_tma} : memref<64x32xf32, #tile.fragment> to memref<64x32xf32>
}
// REFUSED: error: 'tile.atomic' op cannot be made by 'vector', which `prefer` asks for
// REFUSED: sm_80 has no atomic operations on vectors
