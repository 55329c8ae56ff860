// Blocks that share the iterations of a product begin with zero, but for one of them: where a condition fills the accumulator, where
// something is written into it behind the fill, and where the fill reaches a part of it.
// RUN: tile-run %s --kernel=branch --args=fresh=0,A=64x256:smallint,B=256x64:smallint,C=64x64:smallint,D=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=branch --args=fresh=1,A=64x256:smallint,B=256x64:smallint,C=64x64:smallint,D=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=streamed --args=fresh=0,A=64x256:smallint,B=256x64:smallint,C=64x64:smallint,D=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=part_behind --args=fresh=1,A=64x256:smallint,B=256x64:smallint,C=64x64:smallint,D=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=part_filled --args=fresh=1,A=64x256:smallint,B=256x64:smallint,C=64x64:smallint,D=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @branch(%A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16}, %D: memref<64x64xf32> {tile.alignment = 16}, %fresh: i32)
    grid(%b) = (1) threads(128) attributes {split = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %is = arith.cmpi ne, %fresh, %z : i32
  scf.if %is {
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  } else {
    tile.copy %C to %acc : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  }
  tile.pipelined %k = %c0 to %c256 step %c32 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<256x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %D : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

tile.kernel @streamed(%A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16}, %D: memref<64x64xf32> {tile.alignment = 16}, %fresh: i32)
    grid(%b) = (1) threads(128) attributes {persistent = 1 : i64, stream_k = 4 : i64, tile.stream_least = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %is = arith.cmpi ne, %fresh, %z : i32
  scf.if %is {
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  } else {
    tile.copy %C to %acc : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  }
  tile.pipelined %k = %c0 to %c256 step %c32 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<256x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %D : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

tile.kernel @part_behind(%A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16}, %D: memref<64x64xf32> {tile.alignment = 16}, %fresh: i32)
    grid(%b) = (1) threads(128) attributes {split = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %is = arith.cmpi ne, %fresh, %z : i32
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  %v = memref.subview %acc[0, 0] [32, 64] [1, 1] : memref<64x64xf32, #tile.fragment> to memref<32x64xf32, strided<[64, 1]>, #tile.fragment>
  tile.copy %C[%c0, %c0] to %v : memref<64x64xf32> to memref<32x64xf32, strided<[64, 1]>, #tile.fragment>
  tile.pipelined %k = %c0 to %c256 step %c32 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<256x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %D : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

tile.kernel @part_filled(%A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16}, %D: memref<64x64xf32> {tile.alignment = 16}, %fresh: i32)
    grid(%b) = (1) threads(128) attributes {split = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %is = arith.cmpi ne, %fresh, %z : i32
  tile.copy %C to %acc : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  tile.fill %acc[%c32, %c0] sizes [32, 64] with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c32 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<256x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %D : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
