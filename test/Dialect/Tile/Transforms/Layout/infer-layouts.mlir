// RUN: tile-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// The accumulator has the fragment of mma.sync m16n8k16 over 2x2 warps, and the
// loops on it run where it is held. Both operands are swizzled for ldmatrix;
// the copies that fill them move 16 bytes per thread along the contiguous
// dimension.

#shared = #gpu.address_space<workgroup>
// CHECK: module
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: tile.kernel @gemm
tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  // CHECK: tile.alloc layout(#tile.shared_layout<shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)>) : memref<128x32xf16
  // CHECK: tile.alloc layout(#tile.shared_layout<shape [32, 128] bits 16 modes [(128, 1:1), (32, 0:128)] swizzle(3, 4, 4)>) : memref<32x128xf16
  // CHECK: %[[ACC:.*]] = tile.alloc layout([[C:#tile.fragment_layout<shape \[128, 128\] reg \[\(2, 1:1\), \(2, 0:8\), \(8, 1:8\), \(4, 0:16\)\] lane \[\(4, 1:2\), \(8, 0:1\)\] warp \[\(2, 0:64\), \(2, 1:64\)\]>]]) : memref<128x128xf32
  // CHECK-NOT: tile.alloc
  %As = tile.alloc : memref<128x32xf16, #shared>
  %Bs = tile.alloc : memref<32x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  // CHECK: tile.fill %[[ACC]] {{.*}} {layout = [[C]]}
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    // CHECK: tile.copy %A{{.*}} decided {layout = #tile.fragment_layout<shape [128, 32] reg [(8, 1:1), (4, 0:32)] lane [(4, 1:8), (8, 0:1)] warp [(4, 0:8)]>}
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x32xf16, #shared>
    // CHECK: tile.copy %B{{.*}} decided {layout = #tile.fragment_layout<shape [32, 128] reg [(8, 1:1), (4, 0:8)] lane [(16, 1:8), (2, 0:1)] warp [(4, 0:2)]>}
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32x128xf16, #shared>
    // CHECK: tile.gemm {{.*}} {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>}
    tile.gemm %As, %Bs, %acc : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  // An epilogue: a parallel loop with a row of biases, then the copy out.
  %bias = tile.alloc : memref<128xf32, #tile.fragment>
  // CHECK-NOT: convert_layout
  // CHECK: tile.parallel (%{{.*}}) in (128, 128) layout([[C]])
  tile.fill %bias with %zero : memref<128xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %b = memref.load %bias[%j] : memref<128xf32, #tile.fragment>
    %y = arith.addf %x, %b : f32
    memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  // CHECK: tile.copy %[[ACC]] to %C{{.*}} decided {layout = [[C]]}
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
}
}

// -----

// Chained gemms: the accumulator of the first is, once cast, operand A of the
// second. Both take all warps along the rows, although 2x2 warps would be
// cheaper for the second alone: then nothing moves between threads.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: tile.kernel @chained
// CHECK-NOT: tile.convert_layout
// CHECK: tile.gemm {{.*}} {clear, plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1]>}
// CHECK: tile.copy %[[S:.*]] to %[[P:.*]] decided {layout = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>}
// CHECK: tile.gemm %[[P]], {{.*}} {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1]>}
// CHECK-NOT: tile.convert_layout
tile.kernel @chained() grid(%b) = (1) threads(128) {
  %Q = tile.alloc : memref<64x64xf16, #shared>
  %K = tile.alloc : memref<64x64xf16, #shared>
  %V = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %P = tile.alloc : memref<64x64xf16, #tile.fragment>
  %O = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %Q, %K, %S {clear} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %S to %P : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #tile.fragment>
  tile.gemm %P, %V, %O : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.return
}

// Under a stated policy that splits the columns, the probabilities have to
// cross warps. The f16 copy is converted, not the f32 accumulator.
// CHECK-LABEL: tile.kernel @chained_columns
// CHECK: tile.copy %[[S:.*]] to %[[CAST:.*]] decided {layout = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (2, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(4, 1:16)]>} : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #tile.fragment>
// CHECK-NEXT: tile.convert_layout %[[CAST]] to %[[P:.*]] : memref<64x64xf16
// CHECK-NEXT: tile.gemm %[[P]],
tile.kernel @chained_columns() grid(%b) = (1) threads(128) {
  %Q = tile.alloc : memref<64x64xf16, #shared>
  %K = tile.alloc : memref<64x64xf16, #shared>
  %V = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %P = tile.alloc : memref<64x64xf16, #tile.fragment>
  %O = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %Q, %K, %S {clear, policy = #tile.warp_policy<full_col>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %S to %P : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #tile.fragment>
  tile.gemm %P, %V, %O {policy = #tile.warp_policy<full_col>} : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.return
}

// A K tile that is no multiple of the instruction's k goes to FMA; 8 still has
// an instruction.
// CHECK-LABEL: tile.kernel @odd_k
// CHECK: tile.gemm {{.*}} {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8, warps = [2, 2]>}
// CHECK: tile.gemm {{.*}} {plan = #tile.mma_plan<fma, m = 1, n = 1, k = 1, warps = [
tile.kernel @odd_k() grid(%b) = (1) threads(128) {
  %A8 = tile.alloc : memref<64x24xf16, #shared>
  %B8 = tile.alloc : memref<24x64xf16, #shared>
  %C8 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %A8, %B8, %C8 : memref<64x24xf16, #shared>, memref<24x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  %A1 = tile.alloc : memref<64x1xf16, #shared>
  %B1 = tile.alloc : memref<1x64xf16, #shared>
  %C1 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %A1, %B1, %C1 : memref<64x1xf16, #shared>, memref<1x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.return
}

// An operand loaded once and used in a loop in another layout than its own is
// converted outside the loop.
// CHECK-LABEL: tile.kernel @hoisted
// CHECK: tile.fill %[[X:.*]] with
// CHECK-NEXT: tile.convert_layout %[[X]] to %[[A:.*]] : memref<64x16xf16
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.convert_layout
// CHECK: tile.gemm %[[A]],
tile.kernel @hoisted(%n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f16
  %X = tile.alloc layout(#tile.fragment_layout<shape [64, 16] reg [(8, 1:1)] lane [(2, 1:8), (16, 0:1)] warp [(4, 0:16)]>) : memref<64x16xf16, #tile.fragment>
  %B = tile.alloc : memref<16x64xf16, #shared>
  %C = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %X with %z : memref<64x16xf16, #tile.fragment>, f16
  scf.for %i = %c0 to %n step %c1 {
    tile.gemm %X, %B, %C : memref<64x16xf16, #tile.fragment>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.return
}

// A neighbour is not held where the loop runs: the fragment is read through a
// shared copy, while the owned access stays in registers.
// CHECK-LABEL: tile.kernel @neighbour
// CHECK: %[[X:.*]] = tile.alloc layout(#tile.fragment_layout
// CHECK: %[[TWIN:.*]] = tile.alloc layout(#tile.shared_layout<shape [128] bits 32
// CHECK: tile.copy %[[X]] to %[[TWIN]]
// CHECK: tile.parallel
// CHECK: memref.load %[[X]][%
// CHECK: memref.load %[[TWIN]][%
tile.kernel @neighbour() grid(%b) = (1) threads(128) {
  %c1 = arith.constant 1 : index
  %c127 = arith.constant 127 : index
  %X = tile.alloc : memref<128xf32, #tile.fragment>
  %Y = tile.alloc : memref<128xf32, #tile.fragment>
  tile.parallel (%i) in (128) {
    %i1 = arith.addi %i, %c1 : index
    %in = arith.andi %i1, %c127 : index
    %x = memref.load %X[%i] : memref<128xf32, #tile.fragment>
    %y = memref.load %X[%in] : memref<128xf32, #tile.fragment>
    %s = arith.addf %x, %y : f32
    memref.store %s, %Y[%i] : memref<128xf32, #tile.fragment>
  }
  tile.return
}

// Reductions work in registers; along the rows the result is held by the lanes
// of a column, along the columns by those of a row.
// CHECK-LABEL: tile.kernel @reductions
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (4, 1:8), (2, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:32)]>)
// CHECK: %[[ROWS:.*]] = tile.alloc layout(#tile.fragment_layout<shape [64] reg [(2, 0:8), (2, 0:16)] lane [(4, *), (8, 0:1)] warp [(2, 0:32), (2, *)]>)
// CHECK: %[[COLS:.*]] = tile.alloc layout(#tile.fragment_layout<shape [64] reg [(2, 0:1), (4, 0:8)] lane [(4, 0:2), (8, *)] warp [(2, *), (2, 0:32)]>)
// CHECK-NOT: convert_layout
// CHECK: tile.reduce sum %{{.*}} to %[[ROWS]]
// CHECK: tile.reduce max %{{.*}} to %[[COLS]]
// CHECK: tile.copy %{{.*}} to %[[STAGED:.*]] decided {layout = {{.*}}} : memref<64x64xf32, #gpu.address_space<workgroup>> to memref<64x64xf32, #tile.fragment>
// CHECK-NEXT: tile.reduce sum %[[STAGED]]
tile.kernel @reductions() grid(%b) = (1) threads(128) {
  %A = tile.alloc : memref<64x16xf16, #shared>
  %B = tile.alloc : memref<16x64xf16, #shared>
  %C = tile.alloc : memref<64x64xf32, #tile.fragment>
  %rows = tile.alloc : memref<64xf32, #tile.fragment>
  %cols = tile.alloc : memref<64xf32, #tile.fragment>
  %S = tile.alloc : memref<64x64xf32, #shared>
  %r = tile.alloc : memref<64x1xf32, #tile.fragment>
  tile.gemm %A, %B, %C : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.reduce sum %C to %rows dim(1) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  tile.reduce max %C to %cols dim(0) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  tile.reduce sum %S to %r dim(1) : memref<64x64xf32, #shared> to memref<64x1xf32, #tile.fragment>
  tile.return
}
}

// -----

// Each triple of element types takes the target's instruction with the largest
// k; fp8 has one from sm_89 on.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: tile.kernel @types80
tile.kernel @types80() grid(%b) = (1) threads(128) {
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>{{.*}} : memref<64x32xf16,
  %a0 = tile.alloc : memref<64x32xf16, #shared>
  %b0 = tile.alloc : memref<32x64xf16, #shared>
  %c0 = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.gemm %a0, %b0, %c0 : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf16, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>{{.*}} : memref<64x32xbf16,
  %a1 = tile.alloc : memref<64x32xbf16, #shared>
  %b1 = tile.alloc : memref<32x64xbf16, #shared>
  %c1 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a1, %b1, %c1 : memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8, warps = [2, 2]>{{.*}} : memref<64x32xf32,
  %a2 = tile.alloc : memref<64x32xf32, #shared>
  %b2 = tile.alloc : memref<32x64xf32, #shared>
  %c2 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a2, %b2, %c2 : memref<64x32xf32, #shared>, memref<32x64xf32, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<fma, m = 1, n = 1, k = 1, warps = [{{.*}} : memref<64x32xf32,
  %a3 = tile.alloc : memref<64x32xf32, #shared>
  %b3 = tile.alloc : memref<32x64xf32, #shared>
  %c3 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a3, %b3, %c3 {precision = #tile.precision<ieee>} : memref<64x32xf32, #shared>, memref<32x64xf32, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 8, n = 8, k = 4, warps = [2, 2]>{{.*}} : memref<64x32xf64,
  %a4 = tile.alloc : memref<64x32xf64, #shared>
  %b4 = tile.alloc : memref<32x64xf64, #shared>
  %c4 = tile.alloc : memref<64x64xf64, #tile.fragment>
  tile.gemm %a4, %b4, %c4 : memref<64x32xf64, #shared>, memref<32x64xf64, #shared>, memref<64x64xf64, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 32, warps = [2, 2]>{{.*}} : memref<64x32xi8,
  %a5 = tile.alloc : memref<64x32xi8, #shared>
  %b5 = tile.alloc : memref<32x64xi8, #shared>
  %c5 = tile.alloc : memref<64x64xi32, #tile.fragment>
  tile.gemm %a5, %b5, %c5 : memref<64x32xi8, #shared>, memref<32x64xi8, #shared>, memref<64x64xi32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 32, warps = [2, 2]>{{.*}} : memref<64x32xi8,
  %a6 = tile.alloc : memref<64x32xi8, #shared>
  %b6 = tile.alloc : memref<32x64xi8, #shared>
  %c6 = tile.alloc : memref<64x64xi32, #tile.fragment>
  tile.gemm %a6, %b6, %c6 {unsigned_b} : memref<64x32xi8, #shared>, memref<32x64xi8, #shared>, memref<64x64xi32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<fma, m = 1, n = 1, k = 1, warps = [{{.*}} : memref<64x32xf8E4M3FN,
  %a7 = tile.alloc : memref<64x32xf8E4M3FN, #shared>
  %b7 = tile.alloc : memref<32x64xf8E5M2, #shared>
  %c7 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a7, %b7, %c7 : memref<64x32xf8E4M3FN, #shared>, memref<32x64xf8E5M2, #shared>, memref<64x64xf32, #tile.fragment>
  tile.return
}
}

// -----

// Each triple of element types takes the target's instruction with the largest
// k; fp8 has one from sm_89 on.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_89">} {
// CHECK-LABEL: tile.kernel @types89
tile.kernel @types89() grid(%b) = (1) threads(128) {
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>{{.*}} : memref<64x32xf16,
  %a0 = tile.alloc : memref<64x32xf16, #shared>
  %b0 = tile.alloc : memref<32x64xf16, #shared>
  %c0 = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.gemm %a0, %b0, %c0 : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf16, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>{{.*}} : memref<64x32xbf16,
  %a1 = tile.alloc : memref<64x32xbf16, #shared>
  %b1 = tile.alloc : memref<32x64xbf16, #shared>
  %c1 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a1, %b1, %c1 : memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8, warps = [2, 2]>{{.*}} : memref<64x32xf32,
  %a2 = tile.alloc : memref<64x32xf32, #shared>
  %b2 = tile.alloc : memref<32x64xf32, #shared>
  %c2 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a2, %b2, %c2 : memref<64x32xf32, #shared>, memref<32x64xf32, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<fma, m = 1, n = 1, k = 1, warps = [{{.*}} : memref<64x32xf32,
  %a3 = tile.alloc : memref<64x32xf32, #shared>
  %b3 = tile.alloc : memref<32x64xf32, #shared>
  %c3 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a3, %b3, %c3 {precision = #tile.precision<ieee>} : memref<64x32xf32, #shared>, memref<32x64xf32, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 8, n = 8, k = 4, warps = [2, 2]>{{.*}} : memref<64x32xf64,
  %a4 = tile.alloc : memref<64x32xf64, #shared>
  %b4 = tile.alloc : memref<32x64xf64, #shared>
  %c4 = tile.alloc : memref<64x64xf64, #tile.fragment>
  tile.gemm %a4, %b4, %c4 : memref<64x32xf64, #shared>, memref<32x64xf64, #shared>, memref<64x64xf64, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 32, warps = [2, 2]>{{.*}} : memref<64x32xi8,
  %a5 = tile.alloc : memref<64x32xi8, #shared>
  %b5 = tile.alloc : memref<32x64xi8, #shared>
  %c5 = tile.alloc : memref<64x64xi32, #tile.fragment>
  tile.gemm %a5, %b5, %c5 : memref<64x32xi8, #shared>, memref<32x64xi8, #shared>, memref<64x64xi32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 32, warps = [2, 2]>{{.*}} : memref<64x32xi8,
  %a6 = tile.alloc : memref<64x32xi8, #shared>
  %b6 = tile.alloc : memref<32x64xi8, #shared>
  %c6 = tile.alloc : memref<64x64xi32, #tile.fragment>
  tile.gemm %a6, %b6, %c6 {unsigned_b} : memref<64x32xi8, #shared>, memref<32x64xi8, #shared>, memref<64x64xi32, #tile.fragment>
  // CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 32, warps = [2, 2]>{{.*}} : memref<64x32xf8E4M3FN,
  %a7 = tile.alloc : memref<64x32xf8E4M3FN, #shared>
  %b7 = tile.alloc : memref<32x64xf8E5M2, #shared>
  %c7 = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a7, %b7, %c7 : memref<64x32xf8E4M3FN, #shared>, memref<32x64xf8E5M2, #shared>, memref<64x64xf32, #tile.fragment>
  tile.return
}
}

// -----

// A loop over part of a fragment runs in the threads that hold that part, and
// counts their registers without those of other parts; so does one over another
// part, whose rows are in other registers of the same threads. A transposed use
// converts.

module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: tile.kernel @parts
// CHECK: tile.fill %[[X:.*]] with {{.*}} {layout = #tile.fragment_layout<shape [64, 64] reg [(32, 0:2)] [[THREADS:lane \[\(32, 1:1\)\] warp \[\(2, 1:32\), \(2, 0:1\)\]]]>} : memref<64x64xf32
// CHECK-NEXT: tile.copy %[[X]][%[[ZERO:.*]], %[[ZERO]]] sizes [32, 64] to %[[Y:.*]] decided {layout = #tile.fragment_layout<shape [32, 64] reg [(16, 0:2)] [[THREADS]]>}
// CHECK-NEXT: tile.copy %[[X]][%{{.*}}, %[[ZERO]]] sizes [32, 64] to %[[Y]] decided {layout = #tile.fragment_layout<shape [32, 64] reg [(16, 0:2)] [[THREADS]]>}
// CHECK: tile.convert_layout %[[X]] to %[[XT:.*]] :
// CHECK-NEXT: tile.parallel
// CHECK: memref.load %[[X]][%[[I:.*]], %[[J:.*]]]
// CHECK: memref.load %[[XT]][%[[J]], %[[I]]]
tile.kernel @parts() grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<64x64xf32, #tile.fragment>
  %y = tile.alloc : memref<32x64xf32, #tile.fragment>
  %t = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %x with %z : memref<64x64xf32, #tile.fragment>, f32
  tile.copy %x[%c0, %c0] sizes [32, 64] to %y : memref<64x64xf32, #tile.fragment> to memref<32x64xf32, #tile.fragment>
  tile.copy %x[%c32, %c0] sizes [32, 64] to %y : memref<64x64xf32, #tile.fragment> to memref<32x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (64, 64) {
    %a = memref.load %x[%i, %j] : memref<64x64xf32, #tile.fragment>
    %c = memref.load %x[%j, %i] : memref<64x64xf32, #tile.fragment>
    %s = arith.addf %a, %c : f32
    memref.store %s, %t[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.return
}

// The example of the pass's documentation.
// CHECK-LABEL: tile.kernel @documented
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>) : memref<64xf32, #tile.fragment>
// CHECK: tile.copy {{.*}} decided {layout = #tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>}
tile.kernel @documented(%A: memref<4096xf32> {tile.alignment = 16}, %i: index) grid(%b) = (1) threads(32) {
  %x = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %A[%i] to %x : memref<4096xf32> to memref<64xf32, #tile.fragment>
  tile.return
}
}

// -----

// The user's width of accesses is the vector; the promised alignment and static
// strides bound the default of 16 bytes.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: tile.kernel @widths
// CHECK: tile.copy %A to {{.*}}layout = #tile.fragment_layout<shape [64, 64] reg [(8, 1:1),
// CHECK: tile.copy %A to {{.*}}layout = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1),
// Rows that start anywhere are realigned.
// CHECK: tile.copy %B{{.*}} to {{.*}}layout = #tile.fragment_layout<shape [64, 64] reg [(8, 1:1),
// CHECK: tile.copy %C to {{.*}}layout = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1),
tile.kernel @widths(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x65xf16> {tile.alignment = 16}, %C: memref<64x64xf16> {tile.alignment = 4}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  tile.copy %A to %s : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %A to %s {coalesced_width = 2 : i64} : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B[%c0, %c0] to %s : memref<64x65xf16> to memref<64x64xf16, #shared>
  tile.copy %C to %s : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.return
}
}

// -----

// A in registers, four warps along n would hold 256 registers of it each: two by two hold half of that.
// CHECK-LABEL: tile.kernel @registers_of_operands
// CHECK: tile.gemm {{.*}} warps = [2, 2]
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @registers_of_operands(%A: memref<32x256xf32>, %B: memref<32x256xf32>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<32x256xf32, #tile.fragment>
  %bs = tile.alloc : memref<32x256xf32, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<32x32xf32, #tile.fragment>
  tile.copy %A to %a : memref<32x256xf32> to memref<32x256xf32, #tile.fragment>
  tile.copy %B to %bs : memref<32x256xf32> to memref<32x256xf32, #gpu.address_space<workgroup>>
  tile.fill %c with %zero : memref<32x32xf32, #tile.fragment>, f32
  tile.gemm %a, %bs, %c {transpose_b} : memref<32x256xf32, #tile.fragment>, memref<32x256xf32, #gpu.address_space<workgroup>>, memref<32x32xf32, #tile.fragment>
}
}
