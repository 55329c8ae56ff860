// Several combinations are compiled, and the launcher chooses by what predicts each of them.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables=remarks=true -split-input-file 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// One combination where versions are not wanted, and where one is decided.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables="versions=false" -split-input-file | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables="values=bm=64,bn=128,stages=4" -split-input-file | FileCheck %s --check-prefix=FIXED
// What is left out by name is replaced by the next best.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables="without=listed__128_256_3" -split-input-file | FileCheck %s --check-prefix=WITHOUT
#shared = #gpu.address_space<workgroup>

// Sizes of two problems by hints: the best for both stands in the kernel's place.
// CHECK-LABEL: tile.kernel @counted(
// CHECK-SAME: tile.chosen = {bm = [[BM:[0-9]+]] : i64, bn = [[BN:[0-9]+]] : i64, stages = [[S:[0-9]+]] : i64}
// CHECK-SAME: tile.cost = "{
// CHECK-NOT: tile.versions
// CHECK: tile.kernel @counted__{{[0-9]+}}_{{[0-9]+}}_{{[0-9]+}}(
// CHECK-SAME: mlir_tile.version_of = "counted"
// CHECK-SAME: tile.chosen = {
// CHECK-SAME: tile.cost = "{
// REMARK: remark: compiled 2 times for 2 problems, and the launcher takes the one that is predicted to be the fastest: bm = {{[0-9]+}}, bn = {{[0-9]+}}, stages = {{[0-9]+}} for 1; bm = {{[0-9]+}}, bn = {{[0-9]+}}, stages = {{[0-9]+}} for 1; in the mean {{[0-9.]+}} % slower than the best of all combinations
// ONE-LABEL: tile.kernel @counted(
// ONE-NOT: tile.cost
// ONE-NOT: tile.kernel @counted__
// FIXED-LABEL: tile.kernel @counted(
// FIXED-SAME: tile.chosen = {bm = 64 : i64, bn = 128 : i64, stages = 4 : i64}
// FIXED-NOT: tile.kernel @counted__
tile.kernel @counted(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = [array<i64: 16, 4096>, array<i64: 8192, 8192>]}, %B: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = [array<i64: 4096, 4096>, array<i64: 8192, 8192>]}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = [array<i64: 16, 4096>, array<i64: 8192, 8192>]})
    tunable(%bm in [64, 128], %bn in [128, 256], %stages in [3, 4])
    grid(%bx, %by) = (dim(%C, 1) ceildiv %bn, dim(%C, 0) ceildiv %bm) threads(%bm * 2) attributes {persistent = 1 : i64, tile.versions = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc(%bm, %bk) : memref<?x?xf16, #shared>
  %Bs = tile.alloc(%bk, %bn) : memref<?x?xf16, #shared>
  %acc = tile.alloc(%bm, %bn) : memref<?x?xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<?x?xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(%stages) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<?x?xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<?x?xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<?x?xf16, #shared>, memref<?x?xf16, #shared>, memref<?x?xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<?x?xf32, #tile.fragment> to memref<?x?xf16>
}

// -----

// Combinations that the program lists are compiled, whatever the model thinks of them.
// CHECK-LABEL: tile.kernel @listed(
// CHECK: tile.kernel @listed__
// CHECK: tile.kernel @listed__
// CHECK-NOT: tile.kernel
// WITHOUT-LABEL: tile.kernel @listed(
// WITHOUT-NOT: @listed__128_256_3
// WITHOUT: tile.kernel @listed__64_128_4
#shared = #gpu.address_space<workgroup>
tile.kernel @listed(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    tunable(%bm in [64, 128], %bn in [128, 256], %stages in [3, 4])
    grid(%bx, %by) = (dim(%C, 1) ceildiv %bn, dim(%C, 0) ceildiv %bm) threads(%bm * 2) attributes {persistent = 1 : i64, tile.versions = [array<i64: 64, 128, 4>, array<i64: 128, 256, 3>, array<i64: 128, 256, 4>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc(%bm, %bk) : memref<?x?xf16, #shared>
  %Bs = tile.alloc(%bk, %bn) : memref<?x?xf16, #shared>
  %acc = tile.alloc(%bm, %bn) : memref<?x?xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<?x?xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(%stages) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<?x?xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<?x?xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<?x?xf16, #shared>, memref<?x?xf16, #shared>, memref<?x?xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<?x?xf32, #tile.fragment> to memref<?x?xf16>
}
