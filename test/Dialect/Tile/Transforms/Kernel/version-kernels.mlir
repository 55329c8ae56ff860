// A kernel that leaves open how its arguments are aligned is compiled once more
// for aligned ones; end to end in test/tools/tile-run/cuda-versions.mlir.
// RUN: tile-opt %s --tile-version-kernels=remarks --mlir-print-op-on-diagnostic=false --verify-diagnostics | FileCheck %s
// The promises are what the fast copies were waiting for.
// RUN: sed 's/expected-remark//' %s | tile-opt --tile-set-target=arch=sm_90a --tile-version-kernels --canonicalize --tile-infer-layouts --tile-select-copies | FileCheck %s --check-prefix=PLANS

#shared = #gpu.address_space<workgroup>

// The order of what the user wrote stays; versions come behind.
// CHECK-LABEL: tile.kernel @open(%A: memref<?x?xf16>, %C: memref<?x?xf16>)
// CHECK-NOT: version_of
// CHECK-NOT: tile.assume
// PLANS-LABEL: tile.kernel @open
// PLANS: plan = #tile.copy_plan<realign, bytes = 16>
// PLANS: plan = #tile.copy_plan<{{scalar|vector}}, bytes = 2>
// expected-remark @below {{compiled a second time, as 'open__aligned', for addresses and strides that are multiples of 16 bytes}}
tile.kernel @open(%A: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 32) threads(128) {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %s = tile.alloc : memref<32x64xf16, #shared>
  tile.copy %A[%m, %n] to %s : memref<?x?xf16> to memref<32x64xf16, #shared>
  tile.copy %s to %C[%m, %n] : memref<32x64xf16, #shared> to memref<?x?xf16>
}

// Of dynamic strides the strides are promised, of an argument that is aligned
// the rows only; of f32 multiples of 4. What no tile is copied from or to, and
// scalars, are nobody's business.
// CHECK-LABEL: tile.kernel @strided(
// expected-remark @below {{compiled a second time, as 'strided__aligned'}}
tile.kernel @strided(%A: memref<?x?xf32, strided<[?, 1]>>, %C: memref<?x?xf32> {tile.alignment = 64 : i64}, %table: memref<?x?xf32>, %x: f32)
    grid(%b) = (dim(%C, 0) ceildiv 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.muli %b, %c32 : index
  %s = tile.alloc : memref<32x64xf32, #shared>
  %y = memref.load %table[%b, %c0] : memref<?x?xf32>
  tile.copy %A[%m, %c0] to %s : memref<?x?xf32, strided<[?, 1]>> to memref<32x64xf32, #shared>
  tile.copy %s to %C[%m, %c0] : memref<32x64xf32, #shared> to memref<?x?xf32>
}

// Everything is promised, or static: once is enough.
// CHECK-LABEL: tile.kernel @promised
// PLANS-LABEL: tile.kernel @promised
// PLANS-COUNT-2: plan = #tile.copy_plan<tma,
tile.kernel @promised(%A: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x64xf16> {tile.alignment = 16})
    grid(%b) = (dim(%C, 0) ceildiv 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %m = arith.muli %b, %c32 : index
  %s = tile.alloc : memref<32x64xf16, #shared>
  tile.copy %A[%m, %c0] to %s : memref<?x?xf16> to memref<32x64xf16, #shared>
  tile.copy %s to %C[%m, %c0] : memref<32x64xf16, #shared> to memref<?x64xf16>
}

// Rows that are known not to be aligned never will be, and no promise helps
// where elements do not lie side by side.
// CHECK-LABEL: tile.kernel @hopeless
// CHECK-NEXT: arith.constant
tile.kernel @hopeless(%A: memref<?x33xf16>, %C: memref<64x64xf16, strided<[1, 64]>>) grid(%b) = (2) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<32x32xf16, #shared>
  tile.copy %A[%c0, %c0] to %s : memref<?x33xf16> to memref<32x32xf16, #shared>
  tile.copy %s to %C[%c0, %c0] : memref<32x32xf16, #shared> to memref<64x64xf16, strided<[1, 64]>>
}

// CHECK-LABEL: tile.kernel @open__aligned(%A: memref<?x?xf16> {tile.alignment = 16 : i64}, %C: memref<?x?xf16> {tile.alignment = 16 : i64})
// CHECK-SAME: attributes {mlir_tile.version_of = "open"}
// CHECK: %[[KA:.*]] = memref.dim %A, %c1
// CHECK-NEXT: tile.assume %[[KA]] {divisible_by = 8 : i64}
// CHECK: %[[KC:.*]] = memref.dim %C, %c1
// CHECK-NEXT: tile.assume %[[KC]] {divisible_by = 8 : i64}
// CHECK: tile.copy %A
// PLANS-LABEL: tile.kernel @open__aligned
// PLANS-COUNT-2: plan = #tile.copy_plan<tma, bytes = 2>

// CHECK-LABEL: tile.kernel @strided__aligned(
// CHECK-SAME: %A: memref<?x?xf32, strided<[?, 1]>> {tile.alignment = 16 : i64}, %C: memref<?x?xf32> {tile.alignment = 64 : i64}, %table: memref<?x?xf32>, %x: f32)
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %A
// CHECK-NEXT: tile.assume %[[STRIDES]]#0 {divisible_by = 4 : i64}
// CHECK: %[[ROW:.*]] = memref.dim %C
// CHECK-NEXT: tile.assume %[[ROW]] {divisible_by = 4 : i64}
// CHECK-NOT: tile.assume
// CHECK-NOT: __aligned
// CHECK-NOT: promised__
