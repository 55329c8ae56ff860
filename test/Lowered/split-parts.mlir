// Each block of a split tile finishes a part of it: columns, or rows where operands are swapped, with what follows the loop. Two, three and four blocks
// send each other what belongs to the others' parts; where shared memory is short, as in a persistent kernel, in pieces.
// RUN: split-file %s %t
// RUN: tile-opt %t/columns.mlir --tile-to-barriers=arch=sm_90a | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: tile.cluster_reduce sum {{.*}} blocks(2) stride(1) parts(1)
// RUN: tile-run %t/columns.mlir --args=A=200x584,B=376x584,C=200x376,bias=376 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %t/columns.mlir --args=A=200x584,B=376x584,C=200x376,bias=376 --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-opt %t/rows.mlir --tile-to-barriers=arch=sm_90a | FileCheck %s --check-prefix=ROWS
// ROWS: tile.cluster_reduce sum {{.*}} blocks(3) stride(2) parts(0)
// RUN: tile-run %t/rows.mlir --args=A=200x584,B=376x584,C=200x376 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-opt %t/pieces.mlir --tile-to-barriers=arch=sm_90a | FileCheck %s --check-prefix=PIECES
// PIECES: tile.cluster_reduce sum {{.*}} blocks(4) stride(1) parts(1)
// RUN: tile-run %t/pieces.mlir --args=A=200x584,B=376x584,C=200x376 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS

// Nobody writes into another block's memory before that block has read what lies there, or reads before all has come.
// RUN: tile-opt %t/columns.mlir --tile-to-nvvm=arch=sm_90a -o %t.nvvm.mlir
// RUN: awk '/try_wait.parity.acquire.cluster/ && !n {n = 1; next} {print}' %t.nvvm.mlir > %t.early.mlir
// RUN: not tile-run %t.early.mlir --source=%t/columns.mlir --args=A=120x648,B=120x648,C=120x120,bias=120 --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: race: write of 16 bytes of shared memory {{.*}} earlier asynchronous
// RUN: awk '/try_wait.parity.acquire.cluster/ {n++; if (n == 2) next} {print}' %t.nvvm.mlir > %t.late.mlir
// RUN: not tile-run %t.late.mlir --source=%t/columns.mlir --args=A=120x648,B=120x648,C=120x120,bias=120 --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: race: read of 16 bytes of shared memory

//--- columns.mlir
#shared = #gpu.address_space<workgroup>
tile.kernel @columns(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16}, %bias: memref<?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) attributes {split = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bm : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<128x64xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  %row = tile.alloc : memref<128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<128x64xf16, #shared>, memref<128x64xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %bias[%n] to %row : memref<?xf16> to memref<128xf32, #tile.fragment>
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %y = memref.load %row[%j] : memref<128xf32, #tile.fragment>
    // The column's number itself: parts begin where they are in the tile.
    %number = arith.index_cast %j : index to i32
    %z = arith.sitofp %number : i32 to f32
    %xy = arith.addf %x, %y : f32
    %sum = arith.addf %xy, %z : f32
    memref.store %sum, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
}

//--- rows.mlir
#shared = #gpu.address_space<workgroup>
tile.kernel @rows(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 256) * 2, dim(%C, 0) ceildiv 48) threads(128) cluster(2, 1) attributes {panel = 8 : i64, split = 3 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 48 : index
  %bn = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc : memref<48x64xf16, #shared>
  %Bs = tile.alloc : memref<128x64xf16, #shared>
  %acc = tile.alloc : memref<48x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<48x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<48x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<48x64xf16, #shared>, memref<128x64xf16, #shared>, memref<48x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<48x128xf32, #tile.fragment> to memref<?x?xf16>
}

//--- pieces.mlir
#shared = #gpu.address_space<workgroup>
tile.kernel @pieces(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 192, dim(%C, 0) ceildiv 128) threads(256) attributes {persistent = 1 : i64, split = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<192x64xf16, #shared>
  %acc = tile.alloc : memref<128x192xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x192xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(5) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<192x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<128x64xf16, #shared>, memref<192x64xf16, #shared>, memref<128x192xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x192xf32, #tile.fragment> to memref<?x?xf16>
}
