// Blocks that have parts of one tile leave their sums in memory, and the last one to arrive takes all of them: two blocks a tile, one of which adds
// what the other has left to its own, or more, in the order of blocks; whole tiles between parts; tiles without iterations.
// RUN: tile-run %s --kernel=few --args=A=64x1096,B=64x1096,C=64x64 --check | FileCheck %s
// RUN: tile-run %s --kernel=few --args=A=64x1096,B=64x1096,C=64x64 --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=few --args=A=64x1096,B=64x1096,C=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=few --args=A=200x328,B=136x328,C=200x136 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=few --args=A=200x328,B=136x328,C=200x136 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=few --args=A=200x0,B=136x0,C=200x136 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=pairs --args=A=200x328,B=264x328,C=200x264,R=200x264 --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=pairs --args=A=200x328,B=264x328,C=200x264,R=200x264 --stage=lowered --arch=sm_90a --check | FileCheck %s
// More blocks than take part: eight, of which five share the one tile, and eight, of which six share three.
// RUN: sed 's/persistent = 1/persistent = 2/' %s > %t.more.mlir
// RUN: tile-run %t.more.mlir --kernel=few --args=A=64x1096,B=64x1096,C=64x64 --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %t.more.mlir --kernel=few --args=A=64x1096,B=64x1096,C=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %t.more.mlir --kernel=few --args=A=64x1096,B=192x1096,C=64x192 --stage=lowered --arch=sm_90a --check | FileCheck %s
// Only where it saves as many iterations as it costs: then the tile is one block's.
// RUN: sed 's/, tile.stream_least = 0 : i64//' %s > %t.whole.mlir
// RUN: tile-run %t.whole.mlir --kernel=few --args=A=200x328,B=136x328,C=200x136 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %t.whole.mlir --kernel=few --args=A=64x4096,B=192x4096,C=64x192 --stage=lowered --arch=sm_90a --check | FileCheck %s
// Who does not wait for what others have written reads what is not there.
// RUN: sed 's/one of .two/one of %one/' %s > %t.mlir
// RUN: tile-run %s --kernel=halves --check | FileCheck %s
// RUN: tile-run %s --kernel=halves --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=halves --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: not tile-run %t.mlir --kernel=halves --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=EARLY
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @few(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) attributes {persistent = 1 : i64, stream_k = 5 : i64, tile.stream_least = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}
tile.kernel @pairs(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %R: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 128) * 2, dim(%C, 0) ceildiv 64) threads(128) cluster(2, 1) attributes {panel = 2 : i64, persistent = 1 : i64, stream_k = 8 : i64, tile.stream_least = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowR = memref.dim %R, %c1 : memref<?x?xf16>
  tile.assume %rowR {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %R[%m, %n] to %acc : memref<?x?xf16> to memref<64x64xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %bk stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}

// By hand: two blocks sum up half of a row each, and the second one to arrive adds both.
// EARLY: {{race|not written|never written|data race}}
tile.kernel @halves(%X: memref<8x128xf32>, %Y: memref<8x32xf32>) grid(%h, %row) = (2, 8) threads(64) {
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %sums = tile.workspace per_block(1) : memref<?x32xf32>
  %arrived = tile.workspace per_block(1) zeroed : memref<?xi32>
  %first = arith.muli %row, %c2 : index
  %own = arith.addi %first, %h : index
  %column = arith.muli %h, %c64 : index
  tile.parallel (%i) in (32) {
    %c32 = arith.constant 32 : index
    %at = arith.addi %column, %i : index
    %next = arith.addi %at, %c32 : index
    %x = memref.load %X[%row, %at] : memref<8x128xf32>
    %y = memref.load %X[%row, %next] : memref<8x128xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %sums[%own, %i] : memref<?x32xf32>
  }
  %last = tile.last_arrival %arrived[%row], %one of %two : memref<?xi32>
  scf.if %last {
    tile.parallel (%i) in (32) {
      %c1 = arith.constant 1 : index
      %second = arith.addi %first, %c1 : index
      %x = memref.load %sums[%first, %i] : memref<?x32xf32>
      %y = memref.load %sums[%second, %i] : memref<?x32xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %Y[%row, %i] : memref<8x32xf32>
    }
  }
}
