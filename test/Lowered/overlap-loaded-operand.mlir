// A product's operand depends on a number that is loaded between the two products and stored behind them: nothing of it is done an iteration later.
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --check --args=A=128x64:smallint,K=256x64:smallint,V=256x64:smallint,W=4x128x64:smallint,I=4:zeros,O=128x64 | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check --args=A=128x64:smallint,K=256x64:smallint,V=256x64:smallint,W=4x128x64:smallint,I=4:zeros,O=128x64 | FileCheck %s
// RUN: tile-opt %s --tile-to-schedule='arch=sm_90a remarks' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: PASS
// REMARK: a product's operands depend on other results of the loop
#shared = #gpu.address_space<workgroup>
tile.kernel @chain(%A: memref<?x64xf16> {tile.alignment = 16}, %K: memref<?x64xf16> {tile.alignment = 16}, %V: memref<?x64xf16> {tile.alignment = 16}, %W: memref<4x128x64xf16> {tile.alignment = 16}, %I: memref<4xi32>, %O: memref<?x64xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(256) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %keys = memref.dim %K, %c0 : memref<?x64xf16>
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Ws = tile.alloc : memref<4x128x64xf16, #shared>
  %Ks = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  %sum = tile.alloc : memref<128xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %As : memref<?x64xf16> to memref<128x64xf16, #shared>
  tile.copy %W to %Ws : memref<4x128x64xf16> to memref<4x128x64xf16, #shared>
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<128xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %keys step %c64 stages(2) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.copy %V[%n, %c0] to %Vs : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 64) {
      %x = memref.load %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %w2 = arith.addf %x, %x : f32
      memref.store %w2, %S[%i, %j] : memref<128x64xf32, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<128x64xf32, #tile.fragment> to memref<128xf32, #tile.fragment>
    %ix = memref.load %I[%c0] : memref<4xi32>
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %inc = arith.addi %ix, %one : i32
    %next = arith.andi %inc, %three : i32
    tile.parallel (%i) in (1) {
      memref.store %next, %I[%i] : memref<4xi32>
    }
    %w = arith.index_cast %ix : i32 to index
    %slice = memref.subview %Ws[%w, 0, 0] [1, 128, 64] [1, 1, 1] : memref<4x128x64xf16, #shared> to memref<128x64xf16, strided<[64, 1], offset: ?>, #shared>
    tile.gemm %slice, %Vs, %acc {policy = #tile.warp_policy<full_row>} : memref<128x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (128, 64) {
    %x = memref.load %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<128xf32, #tile.fragment>
    %y = arith.addf %x, %l : f32
    memref.store %y, %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%c0, %c0] : memref<128x64xf32, #tile.fragment> to memref<?x64xf32>
}
