// Tensor stores and reductions that begin in front of their buffer, by rows and by columns, wholly and in part; and of buffers without rows.
// The machine that executes lowered code refuses the instruction there, as an H200 does.
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=40x64,at=-8 | FileCheck %s
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=40x64,at=-16 | FileCheck %s
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=40x64,at=-40 | FileCheck %s
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=40x64,at=30 | FileCheck %s
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=0x64,at=0 | FileCheck %s
// RUN: tile-run %s --kernel=columns --stage=lowered --arch=sm_90a --check --args=X=48x40,Y=3x32x40,at=-24 | FileCheck %s
// RUN: tile-run %s --kernel=columns --stage=lowered --arch=sm_90a --check --args=X=48x40,Y=3x32x40,at=16 | FileCheck %s
// RUN: tile-run %s --kernel=sums --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=40x64,at=-8 | FileCheck %s
// RUN: tile-run %s --kernel=results --stage=lowered --arch=sm_90a --check --args=A=150x64:smallint,B=64x64:smallint,Y=150x64 | FileCheck %s
// RUN: not tile-run %s --kernel=promised --stage=lowered --arch=sm_90a --args=Y=40x64,At=1:range:-8:-7 2>&1 | FileCheck %s --check-prefix=PROMISED
// CHECK: PASS
// PROMISED: expected a box that begins inside of the tensor or behind it in a store, got -8
#shared = #gpu.address_space<workgroup>

tile.kernel @rows(%X: memref<?x64xf32> {tile.alignment = 16}, %Y: memref<?x64xf32> {tile.alignment = 16}, %at: i32) grid(%b) = (3) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %first = arith.index_cast %at : i32 to index
  %row = arith.muli %b, %c16 : index
  %to = arith.addi %row, %first : index
  %s = tile.alloc : memref<16x64xf32, #shared>
  tile.copy %X[%row, %c0] to %s : memref<?x64xf32> to memref<16x64xf32, #shared>
  tile.copy %s to %Y[%to, %c0] : memref<16x64xf32, #shared> to memref<?x64xf32>
}

tile.kernel @columns(%X: memref<?x40xf16> {tile.alignment = 16}, %Y: memref<?x?x40xf16> {tile.alignment = 16}, %at: index) grid(%b) = (3) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.assume %at {divisible_by = 8 : i64} : index
  %row = arith.muli %b, %c16 : index
  %s = tile.alloc : memref<16x64xf16, #shared>
  %before = arith.subi %b, %c1 : index
  tile.copy %X[%row, %c0] to %s : memref<?x40xf16> to memref<16x64xf16, #shared>
  tile.copy %s to %Y[%before, %c16, %at] sizes [1, 16, 64] : memref<16x64xf16, #shared> to memref<?x?x40xf16>
}

tile.kernel @sums(%X: memref<?x64xf32> {tile.alignment = 16}, %Y: memref<?x64xf32> {tile.alignment = 16}, %at: i32) grid(%b) = (3) threads(128) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %first = arith.index_cast %at : i32 to index
  %row = arith.muli %b, %c8 : index
  %to = arith.addi %row, %first : index
  %s = tile.alloc : memref<16x64xf32, #shared>
  tile.copy %X[%row, %c0] to %s : memref<?x64xf32> to memref<16x64xf32, #shared>
  tile.atomic add %s to %Y[%to, %c0] : memref<16x64xf32, #shared> to memref<?x64xf32>
}

// Results that leave while the next tile is computed, each warpgroup's rows by themselves, counted from the last row.
tile.kernel @results(%A: memref<?x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %Y: memref<?x64xf16> {tile.alignment = 16})
    grid(%b) = (dim(%A, 0) ceildiv 128) threads(256) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %A, %c0 : memref<?x64xf16>
  %next = arith.addi %b, %c1 : index
  %up = arith.muli %next, %c128 : index
  %m = arith.subi %n, %up : index
  %As = tile.alloc : memref<128x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c64 step %c32 stages(2) {
    tile.copy %A[%m, %k] to %As : memref<?x64xf16> to memref<128x32xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<64x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %Y[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<?x64xf16>
}

// A promise is believed.
tile.kernel @promised(%Y: memref<?x64xf32> {tile.alignment = 16}, %At: memref<1xi32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %number = memref.load %At[%c0] : memref<1xi32>
  %at = arith.index_cast %number : i32 to index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<16x64xf32, #shared>
  tile.fill %s with %zero : memref<16x64xf32, #shared>, f32
  tile.assume %at {min = 0 : i64} : index
  tile.copy %s to %Y[%at, %c0] : memref<16x64xf32, #shared> to memref<?x64xf32>
}
