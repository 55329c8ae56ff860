// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-debuginfo | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @gemms
tile.kernel @gemms() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %at = tile.alloc : memref<32x128xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %bt = tile.alloc : memref<64x32xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  %a32 = tile.alloc : memref<128x32xf32, #tile.fragment>
  %b32 = tile.alloc : memref<32x64xf32, #shared>
  %a8 = tile.alloc : memref<128x32xi8, #shared>
  %b8 = tile.alloc : memref<32x64xi8, #shared>
  %ci = tile.alloc : memref<128x64xi32, #tile.fragment>
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref<128x32xf16, {{.*}}>, memref<32x64xf16, {{.*}}>, memref<128x64xf32, #tile.fragment>
  // GENERIC: "tile.gemm"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, policy = #tile.warp_policy<square>}>
  tile.gemm %a, %b, %c : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  // CHECK: tile.gemm %{{.*}} {clear, policy = #tile.warp_policy<full_row>, transpose_a, transpose_b}
  tile.gemm %at, %bt, %c {clear, policy = #tile.warp_policy<full_row>, transpose_a, transpose_b} : memref<32x128xf16, #shared>, memref<64x32xf16, #shared>, memref<128x64xf32, #tile.fragment>
  // CHECK: tile.gemm %{{.*}} {policy = #tile.warp_policy<full_col>, precision = #tile.precision<ieee>}
  tile.gemm %a32, %b32, %c {policy = #tile.warp_policy<full_col>, precision = #tile.precision<ieee>} : memref<128x32xf32, #tile.fragment>, memref<32x64xf32, #shared>, memref<128x64xf32, #tile.fragment>
  // CHECK: tile.gemm %{{.*}} {precision = #tile.precision<tf32>}
  tile.gemm %a32, %b32, %c {precision = #tile.precision<tf32>} : memref<128x32xf32, #tile.fragment>, memref<32x64xf32, #shared>, memref<128x64xf32, #tile.fragment>
  // CHECK: tile.gemm %{{.*}} {unsigned_a, unsigned_b}
  tile.gemm %a8, %b8, %ci {unsigned_a, unsigned_b} : memref<128x32xi8, #shared>, memref<32x64xi8, #shared>, memref<128x64xi32, #tile.fragment>
  // CHECK: tile.gemm %{{.*}} {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>} : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}

// CHECK-LABEL: tile.kernel @sparse
tile.kernel @sparse(%keep: i1) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %at = tile.alloc : memref<32x64xf16, #shared>
  %e = tile.alloc : memref<64x4xi16, #shared>
  %et = tile.alloc : memref<2x64xi32, #tile.fragment>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %a32 = tile.alloc : memref<64x16xf32, #shared>
  %e32 = tile.alloc : memref<64x8xi8, #shared>
  %b32 = tile.alloc : memref<32x64xf32, #shared>
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} metadata(%{{.*}} : memref<64x4xi16, {{.*}}>) : memref<64x32xf16, {{.*}}>, memref<64x64xf16, {{.*}}>, memref<64x64xf32, #tile.fragment>
  // GENERIC: "tile.gemm"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}} metadata(%{{.*}} : memref<2x64xi32, #tile.fragment>) {transpose_a, transpose_b, transpose_metadata}
  tile.gemm %at, %b, %c metadata(%et : memref<2x64xi32, #tile.fragment>) {transpose_a, transpose_b, transpose_metadata} : memref<32x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  // Of two elements of f32 one is kept.
  // CHECK: tile.gemm {{.*}} metadata(%{{.*}} : memref<64x8xi8, {{.*}}>)
  tile.gemm %a32, %b32, %c metadata(%e32 : memref<64x8xi8, #shared>) : memref<64x16xf32, #shared>, memref<32x64xf32, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}} accumulate(%{{.*}}) metadata(%{{.*}}) {plan = #tile.mma_plan<wgmma_sp, m = 64, n = 64, k = 32, warps = [4, 1]>}
  // GENERIC: operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>
  tile.gemm %a, %b, %c accumulate(%keep) metadata(%e : memref<64x4xi16, #shared>) {plan = #tile.mma_plan<wgmma_sp, m = 64, n = 64, k = 32, warps = [4, 1]>} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.gemm {{.*}} {plan = #tile.mma_plan<mma_sp, m = 16, n = 8, k = 32, warps = [2, 2]>}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) {plan = #tile.mma_plan<mma_sp, m = 16, n = 8, k = 32, warps = [2, 2]>} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// CHECK-LABEL: tile.kernel @reductions
tile.kernel @reductions() grid(%bx) = (1) threads(128) {
  %s = tile.alloc : memref<64x32xf32, #tile.fragment>
  %rows = tile.alloc : memref<64xf32, #tile.fragment>
  %columns = tile.alloc : memref<1x32xf32, #shared>
  %i = tile.alloc : memref<64x32xi32, #shared>
  %irows = tile.alloc : memref<64xi32, #tile.fragment>
  // CHECK: tile.reduce sum %{{.*}} to %{{.*}} dim(1) : memref<64x32xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  // GENERIC: "tile.reduce"({{.*}}) <{dim = 1 : i64, kind = #tile.reduce_kind<sum>}>
  tile.reduce sum %s to %rows dim(1) : memref<64x32xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce max %{{.*}} dim(1) accumulate {propagate_nan} :
  // GENERIC: "tile.reduce"({{.*}}) <{accumulate,
  tile.reduce max %s to %rows dim(1) accumulate {propagate_nan} : memref<64x32xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce abssum %{{.*}} dim(0) : memref<64x32xf32, #tile.fragment> to memref<1x32xf32, #gpu.address_space<workgroup>>
  tile.reduce abssum %s to %columns dim(0) : memref<64x32xf32, #tile.fragment> to memref<1x32xf32, #shared>
  // CHECK: tile.reduce absmax
  tile.reduce absmax %s to %rows dim(1) : memref<64x32xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce min %{{.*}} dim(1) {is_unsigned}
  tile.reduce min %i to %irows dim(1) {is_unsigned} : memref<64x32xi32, #shared> to memref<64xi32, #tile.fragment>
}

// CHECK-LABEL: tile.kernel @clusters
tile.kernel @clusters() grid(%bx, %by) = (8, 2) threads(128) cluster(4, 2) {
  %s = tile.alloc : memref<64x32xf32, #tile.fragment>
  %i = tile.alloc : memref<64xi32, #tile.fragment>
  // CHECK: tile.cluster_reduce sum %{{.*}} blocks(4) stride(1) : memref<64x32xf32, #tile.fragment>
  // GENERIC: "tile.cluster_reduce"({{.*}}) <{blocks = 4 : i64, kind = #tile.reduce_kind<sum>, stride = 1 : i64}>
  tile.cluster_reduce sum %s blocks(4) stride(1) : memref<64x32xf32, #tile.fragment>
  // CHECK: tile.cluster_reduce min %{{.*}} blocks(2) stride(4) {is_unsigned} : memref<64xi32, #tile.fragment>
  tile.cluster_reduce min %i blocks(2) stride(4) {is_unsigned} : memref<64xi32, #tile.fragment>
  %h = tile.alloc : memref<64x8xf32, #tile.fragment>
  %one = arith.constant 1 : index
  // CHECK: tile.cluster_reduce sum %{{.*}} blocks(4) stride(1) parts(1) : memref<64x32xf32, #tile.fragment>
  // GENERIC: "tile.cluster_reduce"({{.*}}) <{blocks = 4 : i64, kind = #tile.reduce_kind<sum>, parts = 1 : i64, stride = 1 : i64}>
  tile.cluster_reduce sum %s blocks(4) stride(1) parts(1) : memref<64x32xf32, #tile.fragment>
  // CHECK: %[[FIRST:.*]], %[[END:.*]] = tile.cluster_parts blocks(4) stride(1)
  %first, %end = tile.cluster_parts blocks(4) stride(1)
  // CHECK: scf.for %[[P:.*]] = %[[FIRST]] to %[[END]]
  scf.for %p = %first to %end step %one {
    // CHECK: tile.cluster_part %{{.*}}[%[[P]]] to %{{.*}} : memref<64x32xf32, #tile.fragment> to memref<64x8xf32, #tile.fragment>
    tile.cluster_part %s[%p] to %h : memref<64x32xf32, #tile.fragment> to memref<64x8xf32, #tile.fragment>
  }
}
