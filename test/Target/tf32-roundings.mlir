// Operands of tf32 products are rounded, but for those that tf32 has: extensions of bf16 and f16, and small integers.
// RUN: rm -rf %t && split-file %s %t
// RUN: tile-translate %t/exact.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=EXACT
// RUN: tile-translate %t/bytes.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=BYTES
// RUN: tile-run %t/exact.mlir --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/bytes.mlir --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS

//--- exact.mlir
// A has 8 elements a thread, B 4.
// EXACT-LABEL: .entry exact
// EXACT-COUNT-4: cvt.rna.tf32.f32
// EXACT-NOT: cvt.rna.tf32.f32
// EXACT: ret;
tile.kernel @exact(%A: memref<16x16xbf16> {tile.alignment = 16}, %B: memref<16x8xf32> {tile.alignment = 16}, %C: memref<16x8xf32>)
    grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  %Ab = tile.alloc : memref<16x16xbf16, #tile.fragment>
  %Af = tile.alloc : memref<16x16xf32, #tile.fragment>
  %Bf = tile.alloc : memref<16x8xf32, #tile.fragment>
  %acc = tile.alloc : memref<16x8xf32, #tile.fragment>
  tile.copy %A to %Ab : memref<16x16xbf16> to memref<16x16xbf16, #tile.fragment>
  tile.copy %Ab to %Af : memref<16x16xbf16, #tile.fragment> to memref<16x16xf32, #tile.fragment>
  tile.copy %B to %Bf : memref<16x8xf32> to memref<16x8xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<16x8xf32, #tile.fragment>, f32
  tile.gemm %Af, %Bf, %acc : memref<16x16xf32, #tile.fragment>, memref<16x8xf32, #tile.fragment>, memref<16x8xf32, #tile.fragment>
  tile.copy %acc to %C : memref<16x8xf32, #tile.fragment> to memref<16x8xf32>
}

//--- bytes.mlir
// Bytes are exact; halves of words are not.
// BYTES-LABEL: .entry bytes
// BYTES-COUNT-4: cvt.rna.tf32.f32
// BYTES-NOT: cvt.rna.tf32.f32
// BYTES: ret;
tile.kernel @bytes(%A: memref<16x16xi8> {tile.alignment = 16}, %B: memref<16x8xi16> {tile.alignment = 16}, %C: memref<16x8xf32>)
    grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  %Af = tile.alloc : memref<16x16xf32, #tile.fragment>
  %Bf = tile.alloc : memref<16x8xf32, #tile.fragment>
  %acc = tile.alloc : memref<16x8xf32, #tile.fragment>
  tile.copy %A to %Af : memref<16x16xi8> to memref<16x16xf32, #tile.fragment>
  tile.copy %B to %Bf : memref<16x8xi16> to memref<16x8xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<16x8xf32, #tile.fragment>, f32
  tile.gemm %Af, %Bf, %acc : memref<16x16xf32, #tile.fragment>, memref<16x8xf32, #tile.fragment>, memref<16x8xf32, #tile.fragment>
  tile.copy %acc to %C : memref<16x8xf32, #tile.fragment> to memref<16x8xf32>
}
