// What the cost model thinks of each combination of tunables, for sizes of two problems: a line of JSON each, the fastest first, then
// those that are not possible.
// RUN: tile-translate %s --tile-to-candidates --arch=sm_90a --shape-hints=A=4096x4096:64x4096,B=4096x4096:4096x4096,C=4096x4096:64x4096 -o %t
// RUN: FileCheck %s < %t
// RUN: tile-translate %s --tile-to-candidates --arch=sm_90a --tunables=bm=64 | FileCheck %s --check-prefix=DECIDED
// RUN: not tile-translate %s --tile-to-candidates --arch=sm_90a --shape-hints=X=1 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tile-translate %s --tile-to-candidates 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: echo 'tile.kernel @plain() grid(%%b) = (1) threads(32) {}' > %t.mlir
// RUN: not tile-translate %t.mlir --tile-to-candidates --arch=sm_90a 2>&1 | FileCheck %s --check-prefix=PLAIN

// CHECK: {"kernel":"gemm","values":{"bm":128,"bn":128},"microseconds":[{{[0-9]+\.[0-9][0-9][0-9]}},{{[0-9.]+}}],"rounds":{{[0-9]+}},"busy":{{[01]\.[0-9][0-9][0-9]}},"limit":"{{[^"]+}}"}
// CHECK: {"kernel":"gemm","values":{"bm":64,"bn":128},"microseconds":[
// CHECK: {"kernel":"gemm","values":{"bm":{{[0-9]+}},"bn":1024},"excluded":"{{[^"]+}}"}
// DECIDED-NOT: "bm":128
// DECIDED: "bm":64
// NAME: expected sizes to choose for by the names of arguments, got 'X'
// ARCH: expected an architecture
// PLAIN: expected a kernel with tunables

#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    tunable(%bm in [64, 128], %bn in [128, 1024])
    grid(%bx, %by) = (dim(%C, 1) ceildiv %bn, dim(%C, 0) ceildiv %bm) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc(%bm) : memref<?x64xf16, #shared>
  %Bs = tile.alloc(%bn) : memref<?x64xf16, #shared>
  %acc = tile.alloc(%bm, %bn) : memref<?x?xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<?x?xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<?x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<?x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<?x64xf16, #shared>, memref<?x64xf16, #shared>, memref<?x?xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<?x?xf32, #tile.fragment> to memref<?x?xf16>
}
