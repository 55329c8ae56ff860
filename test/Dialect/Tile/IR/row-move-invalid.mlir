// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// im2col-1
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-1] expected a global buffer of rank 3 to 5, got}}
  tile.im2col %M pixel %c0 filter [] channel %c0 to %s kernel [] : memref<?x?xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-1
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %row = tile.alloc : memref<64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-1] expected a tile of rank 2 in shared or fragment memory, got}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %row kernel [3, 3] : memref<?x?x?x64xf16> to memref<64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-2
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-2] expected `filter` with 2 positions, got 1}}
  tile.im2col %X pixel %c0 filter [%c0] channel %c0 to %s kernel [3, 3] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-2
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-2] expected `kernel` with 2 entries, got 1}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-2
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-2] expected `pad_upper` with 2 entries, got 3}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3, 3] pad_upper [1, 1, 1] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-3
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-3] expected entries of `strides` between 1 and 2^31 - 1, got 0}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3, 3] strides [1, 0] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-3
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-3] expected entries of `pad_lower` between 0 and 2^31 - 1, got -1}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3, 3] pad_lower [-1, 0] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-3
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-3] expected entries of `dilations` between 1 and 2^31 - 1, got 2147483648}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3, 3] dilations [1, 2147483648] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-4
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %Z = "test.buffer"() : () -> memref<?x?x?x64xcomplex<f32>>
  // expected-error @+1 {{[im2col-4] expected element types that convert, got 'complex<f32>' to 'f16'}}
  tile.im2col %Z pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3, 3] : memref<?x?x?x64xcomplex<f32>> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-5
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-5] expected `filter` inside of `kernel`, got 1 of 1}}
  tile.im2col %X pixel %c0 filter [%c0, %c1] channel %c0 to %s kernel [3, 1] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-5
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %neg = arith.constant -1 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-5] expected `pixel` not to be negative, got -1}}
  tile.im2col %X pixel %neg filter [%c0, %c0] channel %c0 to %s kernel [3, 3] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-5
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %neg = arith.constant -1 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-5] expected `channel` not to be negative, got -1}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %neg to %s kernel [3, 3] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-6
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-6] expected a layout of shape [128, 64], got [128]}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3, 3] decided {layout = #tile.fragment_layout<shape [128] reg [(4, 0:1)] lane [(32, 0:4)] warp []>} : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-7
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-7] expected `coalesced_width` to be a positive power of two, got 3}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3, 3] {coalesced_width = 3 : i64} : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// im2col-8
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[im2col-8] expected a slot of a ring as target of `multicast`}}
  tile.im2col %X pixel %c0 filter [%c0, %c0] channel %c0 to %s kernel [3, 3] decided {multicast = 2 : i64} : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-1
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-1] expected a global buffer of rank 2, got}}
  tile.gather %X[%c0] rows %I[%c0] to %s : memref<?x?x?x64xf16>, memref<128xi32> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-1
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %row = tile.alloc : memref<64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-1] expected a tile of rank 2 in shared or fragment memory, got}}
  tile.gather %M[%c0] rows %I[%c0] to %row : memref<?x?xf16>, memref<128xi32> to memref<64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-2
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %row = tile.alloc : memref<64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-2] expected `indices` of rank 1 and type i32, i64 or index in global, shared or fragment memory, got}}
  tile.gather %M[%c0] rows %row[%c0] to %s : memref<?x?xf16>, memref<64xf16, #gpu.address_space<workgroup>> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-2
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %f = tile.alloc : memref<256xi32, #tile.fragment>
  // expected-error @+1 {{[gather-2] expected a constant `first` with indices in fragment memory}}
  tile.gather %M[%c0] rows %f[%bx] to %s : memref<?x?xf16>, memref<256xi32, #tile.fragment> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-3
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %Z = "test.buffer"() : () -> memref<?x?xcomplex<f32>>
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-3] expected element types that convert, got 'complex<f32>' to 'f16'}}
  tile.gather %Z[%c0] rows %I[%c0] to %s : memref<?x?xcomplex<f32>>, memref<128xi32> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-4
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %is = tile.alloc : memref<128xi32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-4] expected 128 indices from 1 on inside of}}
  tile.gather %M[%c0] rows %is[%c1] to %s : memref<?x?xf16>, memref<128xi32, #gpu.address_space<workgroup>> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-4
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %neg = arith.constant -1 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-4] expected `column` not to be negative, got -1}}
  tile.gather %M[%neg] rows %I[%c0] to %s : memref<?x?xf16>, memref<128xi32> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-5
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-5] expected a layout of shape [128, 64], got [128]}}
  tile.gather %M[%c0] rows %I[%c0] to %s decided {layout = #tile.fragment_layout<shape [128] reg [(4, 0:1)] lane [(32, 0:4)] warp []>} : memref<?x?xf16>, memref<128xi32> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-6
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-6] expected `coalesced_width` to be a positive power of two, got 0}}
  tile.gather %M[%c0] rows %I[%c0] to %s {coalesced_width = 0 : i64} : memref<?x?xf16>, memref<128xi32> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// gather-7
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[gather-7] expected `multicast` to 2 to 16 blocks, got 17}}
  tile.gather %M[%c0] rows %I[%c0] to %s decided {multicast = 17 : i64} : memref<?x?xf16>, memref<128xi32> to memref<128x64xf16, #gpu.address_space<workgroup>>
}

// -----

// scatter-1
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[scatter-1] expected a global buffer of rank 2, got}}
  tile.scatter %s to %X[%c0] rows %I[%c0] : memref<128x64xf16, #gpu.address_space<workgroup>> to memref<?x?x?x64xf16>, memref<128xi32>
}

// -----

// scatter-2
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %row = tile.alloc : memref<64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[scatter-2] expected `indices` of rank 1 and type i32, i64 or index in global, shared or fragment memory, got}}
  tile.scatter %s to %M[%c0] rows %row[%c0] : memref<128x64xf16, #gpu.address_space<workgroup>> to memref<?x?xf16>, memref<64xf16, #gpu.address_space<workgroup>>
}

// -----

// scatter-3
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %Z = "test.buffer"() : () -> memref<128x64xcomplex<f32>, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[scatter-3] expected element types that convert, got 'complex<f32>' to 'f16'}}
  tile.scatter %Z to %M[%c0] rows %I[%c0] : memref<128x64xcomplex<f32>, #gpu.address_space<workgroup>> to memref<?x?xf16>, memref<128xi32>
}

// -----

// scatter-4
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %is = tile.alloc : memref<128xi32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[scatter-4] expected 128 indices from 1 on inside of}}
  tile.scatter %s to %M[%c0] rows %is[%c1] : memref<128x64xf16, #gpu.address_space<workgroup>> to memref<?x?xf16>, memref<128xi32, #gpu.address_space<workgroup>>
}

// -----

// scatter-5
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[scatter-5] expected a layout of shape [128, 64], got [128]}}
  tile.scatter %s to %M[%c0] rows %I[%c0] decided {layout = #tile.fragment_layout<shape [128] reg [(4, 0:1)] lane [(32, 0:4)] warp []>} : memref<128x64xf16, #gpu.address_space<workgroup>> to memref<?x?xf16>, memref<128xi32>
}

// -----

// scatter-6
tile.kernel @k(%X: memref<?x?x?x64xf16>, %M: memref<?x?xf16>, %I: memref<128xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[scatter-6] expected `coalesced_width` to be a positive power of two, got 6}}
  tile.scatter %s to %M[%c0] rows %I[%c0] {coalesced_width = 6 : i64} : memref<128x64xf16, #gpu.address_space<workgroup>> to memref<?x?xf16>, memref<128xi32>
}
