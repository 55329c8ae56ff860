// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// gemm-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<4x16x16xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-1] expected operands of rank 2 and static shape}}
  tile.gemm %a, %b, %c : memref<4x16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-1: dynamic
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  %a = "test.buffer"() : () -> memref<?x16xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gemm-1] expected operands of rank 2 and static shape}}
  tile.gemm %a, %a, %c : memref<?x16xf16, #gpu.address_space<workgroup>>, memref<?x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-2: K
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x32xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-2] expected (M x K) * (K x N) = (M x N), got (16 x 32) * (16 x 16) = (16 x 16)}}
  tile.gemm %a, %b, %c : memref<16x32xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-2: M
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<32x16xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x8xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x8xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-2] expected (M x K) * (K x N) = (M x N), got (32 x 16) * (16 x 8) = (16 x 8)}}
  tile.gemm %a, %b, %c : memref<32x16xf16, #gpu.address_space<workgroup>>, memref<16x8xf16, #gpu.address_space<workgroup>>, memref<16x8xf32, #tile.fragment>
}

// -----

// gemm-2: N
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x8xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-2] expected (M x K) * (K x N) = (M x N), got (16 x 16) * (16 x 8) = (16 x 16)}}
  tile.gemm %a, %b, %c : memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x8xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-2: transposed operands
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x32xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x8xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-2] expected (M x K) * (K x N) = (M x N), got (32 x 16) * (8 x 16) = (16 x 16)}}
  tile.gemm %a, %b, %c {transpose_a, transpose_b} : memref<16x32xf16, #gpu.address_space<workgroup>>, memref<16x8xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-3: A
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf16, #tile.local>
  %b = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-3] expected A and B in shared memory or fragments, got}}
  tile.gemm %a, %b, %c : memref<16x16xf16, #tile.local>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-3: C
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gemm-3] expected C in a fragment, got}}
  tile.gemm %a, %b, %c : memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #gpu.address_space<workgroup>>
}

// -----

// gemm-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xbf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-4] expected element types that multiply, got 'f16' x 'bf16' into 'f32'}}
  tile.gemm %a, %b, %c : memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xbf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xbf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xbf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xbf16, #tile.fragment>
  // expected-error @+1 {{[gemm-4] expected element types that multiply, got 'bf16' x 'bf16' into 'bf16'}}
  tile.gemm %a, %b, %c : memref<16x16xbf16, #gpu.address_space<workgroup>>, memref<16x16xbf16, #gpu.address_space<workgroup>>, memref<16x16xbf16, #tile.fragment>
}

// -----

// gemm-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xi8, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xi8, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-4] expected element types that multiply, got 'i8' x 'i8' into 'f32'}}
  tile.gemm %a, %b, %c : memref<16x16xi8, #gpu.address_space<workgroup>>, memref<16x16xi8, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf64, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xf64, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-4] expected element types that multiply, got 'f64' x 'f64' into 'f32'}}
  tile.gemm %a, %b, %c : memref<16x16xf64, #gpu.address_space<workgroup>>, memref<16x16xf64, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-5: precision
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-5] expected `precision` on f32 operands only, got 'f16'}}
  tile.gemm %a, %b, %c {precision = #tile.precision<ieee>} : memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-5: signedness
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-5] expected signedness on i8 operands only, got 'f16'}}
  tile.gemm %a, %b, %c {unsigned_b} : memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// gemm-6
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf32, #tile.fragment>
  %b = tile.alloc : memref<16x16xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gemm-6] expected C to be a buffer of its own}}
  tile.gemm %a, %b, %a : memref<16x16xf32, #tile.fragment>, memref<16x16xf32, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

// -----

// reduce-1: element types
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf16, #tile.fragment>
  // expected-error @+1 {{[reduce-1] expected fragments or shared tiles of one element type}}
  tile.reduce sum %s to %t dim(1) : memref<8x4xf32, #tile.fragment> to memref<8xf16, #tile.fragment>
}

// -----

// reduce-1: space
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.local>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce-1] expected fragments or shared tiles of one element type}}
  tile.reduce sum %s to %t dim(1) : memref<8x4xf32, #tile.local> to memref<8xf32, #tile.fragment>
}

// -----

// reduce-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce-2] expected a dimension in [0, 2), got 2}}
  tile.reduce sum %s to %t dim(2) : memref<8x4xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// reduce-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce-2] expected a dimension in [0, 2), got -1}}
  tile.reduce sum %s to %t dim(-1) : memref<8x4xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// reduce-3
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<4xf32, #tile.fragment>
  // expected-error @+1 {{[reduce-3] expected a target of the source's shape without dimension 1, got}}
  tile.reduce sum %s to %t dim(1) : memref<8x4xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
}

// -----

// reduce-3: an extent of one stays where it was
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<4x1xf32, #tile.fragment>
  // expected-error @+1 {{[reduce-3] expected a target of the source's shape without dimension 0, got}}
  tile.reduce sum %s to %t dim(0) : memref<8x4xf32, #tile.fragment> to memref<4x1xf32, #tile.fragment>
}

// -----

// reduce-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xi32, #tile.fragment>
  %t = tile.alloc : memref<8xi32, #tile.fragment>
  // expected-error @+1 {{[reduce-4] expected `propagate_nan` on floats, got 'i32'}}
  tile.reduce max %s to %t dim(1) {propagate_nan} : memref<8x4xi32, #tile.fragment> to memref<8xi32, #tile.fragment>
}

// -----

// reduce-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce-4] expected `is_unsigned` on integers, got 'f32'}}
  tile.reduce max %s to %t dim(1) {is_unsigned} : memref<8x4xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// not a way to combine elements
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{expected how to combine elements, got 'mean'}}
  tile.reduce mean %s to %t dim(1) : memref<8x4xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// gemm-7: promotion is for fp8
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-7] expected a positive `promote_every` on fp8 operands into f32, got 128 on 'f16' into 'f32'}}
  tile.gemm %a, %a, %c {promote_every = 128} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-8: a flag goes with wgmma
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%f: i1) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-8] expected `accumulate(...)` with a plan by wgmma}}
  tile.gemm %a, %a, %c accumulate(%f) : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-8: and not with what says otherwise
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%f: i1) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-8] expected `accumulate(...)` without `clear`}}
  tile.gemm %a, %a, %c accumulate(%f) {clear, plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// cluster_reduce-1: only fragments
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  %s = tile.alloc : memref<8xf32, #shared>
  // expected-error @+1 {{[cluster_reduce-1] expected a fragment of numbers of 8 to 64 bits, got 'memref<8xf32, #gpu.address_space<workgroup>>'}}
  tile.cluster_reduce sum %s blocks(2) stride(1) : memref<8xf32, #shared>
}

// -----

// cluster_reduce-2: magnitudes are taken before
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster_reduce-2] expected `sum`, `max` or `min`, got `absmax`}}
  tile.cluster_reduce absmax %s blocks(2) stride(1) : memref<8xf32, #tile.fragment>
}

// -----

// cluster_reduce-2: signedness
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster_reduce-2] expected `is_unsigned` on integers, got 'f32'}}
  tile.cluster_reduce max %s blocks(2) stride(1) {is_unsigned} : memref<8xf32, #tile.fragment>
}

// -----

// cluster_reduce-3: blocks that the cluster has
tile.kernel @k() grid(%bx) = (6) threads(32) cluster(6) {
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster_reduce-3] expected two blocks or more, whose number times the stride divides the kernel's cluster of 6, got 4 with stride 1}}
  tile.cluster_reduce sum %s blocks(4) stride(1) : memref<8xf32, #tile.fragment>
}

// -----

// cluster_reduce-4: parts along a dimension that there is
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster_reduce-4] expected `parts` to name a dimension of 'memref<8xf32, #tile.fragment>' whose extent 2 blocks divide, got 1}}
  tile.cluster_reduce sum %s blocks(2) stride(1) parts(1) : memref<8xf32, #tile.fragment>
}

// -----

// cluster_reduce-4: of equal extents
tile.kernel @k() grid(%bx) = (3) threads(32) cluster(3) {
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[cluster_reduce-4] expected `parts` to name a dimension of 'memref<8xf32, #tile.fragment>' whose extent 3 blocks divide, got 0}}
  tile.cluster_reduce sum %s blocks(3) stride(1) parts(0) : memref<8xf32, #tile.fragment>
}

// -----

// cluster_parts-1: blocks that the cluster has
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  // expected-error @+1 {{[cluster_parts-1] expected two blocks or more, whose number times the stride divides the kernel's cluster of 2, got 4 with stride 1}}
  %first, %end = tile.cluster_parts blocks(4) stride(1)
}

// -----

// cluster_part-1: a part along one dimension
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<8x8xf32, #tile.fragment>
  %t = tile.alloc : memref<4x4xf32, #tile.fragment>
  // expected-error @+1 {{[cluster_part-1] expected a part of a fragment along one dimension, got 'memref<4x4xf32, #tile.fragment>' of 'memref<8x8xf32, #tile.fragment>'}}
  tile.cluster_part %s[%c0] to %t : memref<8x8xf32, #tile.fragment> to memref<4x4xf32, #tile.fragment>
}

// -----

// gemm-2: a sparse A has half of the columns
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %e = tile.alloc : memref<64x4xi16, #shared>
  // expected-error @+1 {{[gemm-2] expected (M x K/2) * (K x N) = (M x N), got (64 x 64) * (64 x 64) = (64 x 64)}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-9: four bits for each group
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %e = tile.alloc : memref<64x2xi16, #shared>
  // expected-error @+1 {{[gemm-9] expected `metadata` with four bits for each 4 of 64 columns in each of 64 rows, 16 columns an element, got 'memref<64x2xi16, #gpu.address_space<workgroup>>'}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x2xi16, #shared>) : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-9: rows of the metadata are those of A
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %e = tile.alloc : memref<64x4xi16, #shared>
  // expected-error @+1 {{[gemm-9] expected `metadata` with four bits for each 4 of 64 columns in each of 64 rows, 16 columns an element, got 'memref<64x4xi16, #gpu.address_space<workgroup>>'}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) {transpose_metadata} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-9: an element has whole groups of each row
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x8xf16, #shared>
  %b = tile.alloc : memref<16x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %e = tile.alloc : memref<64x1xi32, #shared>
  // expected-error @+1 {{[gemm-9] expected `metadata` with four bits for each 4 of 16 columns in each of 64 rows, 32 columns an element, got}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x1xi32, #shared>) : memref<64x8xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-9: metadata are integers
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %e = tile.alloc : memref<64x4xf16, #shared>
  // expected-error @+1 {{[gemm-9] expected `metadata` in a buffer of its own, in shared memory or a fragment, of rank 2 and of integers of 8, 16 or 32 bits, got 'memref<64x4xf16, #gpu.address_space<workgroup>>'}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xf16, #shared>) : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-9: f64 has no sparse form
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf64, #shared>
  %b = tile.alloc : memref<64x64xf64, #shared>
  %c = tile.alloc : memref<64x64xf64, #tile.fragment>
  %e = tile.alloc : memref<64x4xi16, #shared>
  // expected-error @+1 {{[gemm-9] expected a sparse A of 8, 16 or 32 bits, and f32 in tf32, got 'f64'}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) : memref<64x32xf64, #shared>, memref<64x64xf64, #shared>, memref<64x64xf64, #tile.fragment>
}

// -----

// gemm-9: neither has ieee
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf32, #shared>
  %b = tile.alloc : memref<64x64xf32, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %e = tile.alloc : memref<64x8xi16, #shared>
  // expected-error @+1 {{[gemm-9] expected a sparse A of 8, 16 or 32 bits, and f32 in tf32, got 'f32' with precision `ieee`}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x8xi16, #shared>) {precision = #tile.precision<ieee>} : memref<64x32xf32, #shared>, memref<64x64xf32, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-10: a plan for a whole A
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %e = tile.alloc : memref<64x4xi16, #shared>
  // expected-error @+1 {{[gemm-10] expected a plan by an instruction for a sparse A, got `wgmma`}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-10: a plan for a sparse A
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-10] expected a plan by an instruction for a whole A, as there is no `metadata`, got `mma_sp`}}
  tile.gemm %a, %a, %c {plan = #tile.mma_plan<mma_sp, m = 16, n = 8, k = 32, warps = [2, 2]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// -----

// gemm-10: transposed metadata, and none
#shared = #gpu.address_space<workgroup>
tile.kernel @k() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-10] expected `transpose_metadata` on a gemm with `metadata`}}
  tile.gemm %a, %a, %c {transpose_metadata} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
