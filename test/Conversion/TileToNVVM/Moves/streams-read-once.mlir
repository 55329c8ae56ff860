// Loads of an argument that is read once ask the L2 cache to let their lines leave first: weights that one row of blocks reads,
// however many blocks it has, or two rows whose blocks all run at the same time. Else they ask for nothing.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --device=H200 | FileCheck %s
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: .entry one_row_of_blocks(
// CHECK:         mov.b64 [[LEAVES:%rd[0-9]+]], 1364590687093260288;
// CHECK:         cp.async.bulk.tensor.2d{{.*}}, [[LEAVES]];
tile.kernel @one_row_of_blocks(%A: memref<64x512xf16> {tile.alignment = 16}, %W: memref<12800x512xf16> {tile.alignment = 16}, %C: memref<64x12800xf16> {tile.alignment = 16})
    grid(%bx, %by) = (200, 1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Ws = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<64x512xf16> to memref<64x64xf16, #shared>
    tile.copy %W[%n, %k] to %Ws : memref<12800x512xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Ws, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<64x12800xf16>
}

// CHECK-LABEL: .entry two_rows_of_many_blocks(
// CHECK-NOT:     1364590687093260288
// CHECK:         cp.async.bulk.tensor.2d
// CHECK-NOT:     1364590687093260288
tile.kernel @two_rows_of_many_blocks(%A: memref<128x512xf16> {tile.alignment = 16}, %W: memref<12800x512xf16> {tile.alignment = 16}, %C: memref<128x12800xf16> {tile.alignment = 16})
    grid(%bx, %by) = (200, 2) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Ws = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<128x512xf16> to memref<64x64xf16, #shared>
    tile.copy %W[%n, %k] to %Ws : memref<12800x512xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Ws, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<128x12800xf16>
}

// CHECK-LABEL: .entry two_rows_at_a_time(
// CHECK:         mov.b64 [[BOTH:%rd[0-9]+]], 1364590687093260288;
// CHECK:         cp.async.bulk.tensor.2d{{.*}}, [[BOTH]];
tile.kernel @two_rows_at_a_time(%A: memref<128x512xf16> {tile.alignment = 16}, %W: memref<3840x512xf16> {tile.alignment = 16}, %C: memref<128x3840xf16> {tile.alignment = 16})
    grid(%bx, %by) = (60, 2) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Ws = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<128x512xf16> to memref<64x64xf16, #shared>
    tile.copy %W[%n, %k] to %Ws : memref<3840x512xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Ws, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<128x3840xf16>
}
