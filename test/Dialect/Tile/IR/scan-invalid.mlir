// RUN: tile-opt %s --verify-diagnostics --split-input-file

// scan-1: shapes
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[scan-1] expected fragments or shared tiles of one static shape and one type of numbers of 8 bits or more}}
  tile.scan sum %s to %t dim(1) : memref<8x4xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// scan-1: element types
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf16, #tile.fragment>
  // expected-error @+1 {{[scan-1] expected fragments or shared tiles of one static shape and one type of numbers of 8 bits or more}}
  tile.scan sum %s to %t dim(0) : memref<8xf32, #tile.fragment> to memref<8xf16, #tile.fragment>
}

// -----

// scan-1: width
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8xi4, #tile.fragment>
  // expected-error @+1 {{[scan-1] expected fragments or shared tiles of one static shape and one type of numbers of 8 bits or more}}
  tile.scan sum %s to %s dim(0) : memref<8xi4, #tile.fragment> to memref<8xi4, #tile.fragment>
}

// -----

// scan-1: space
tile.kernel @k(%s: memref<8xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[scan-1] expected fragments or shared tiles of one static shape and one type of numbers of 8 bits or more}}
  tile.scan sum %s to %s dim(0) : memref<8xf32> to memref<8xf32>
}

// -----

// scan-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  // expected-error @+1 {{[scan-2] expected a dimension in [0, 2), got 2}}
  tile.scan sum %s to %s dim(2) : memref<8x4xf32, #tile.fragment> to memref<8x4xf32, #tile.fragment>
}

// -----

// scan-3
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8xi32, #tile.fragment>
  // expected-error @+1 {{[scan-3] expected `sum`, `prod`, `max` or `min`, got `bitor`}}
  tile.scan bitor %s to %s dim(0) : memref<8xi32, #tile.fragment> to memref<8xi32, #tile.fragment>
}

// -----

// scan-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8xi32, #tile.fragment>
  // expected-error @+1 {{[scan-4] expected `propagate_nan` on floats, got 'i32'}}
  tile.scan max %s to %s dim(0) {propagate_nan} : memref<8xi32, #tile.fragment> to memref<8xi32, #tile.fragment>
}

// -----

// scan-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[scan-4] expected `is_unsigned` on integers, got 'f32'}}
  tile.scan max %s to %s dim(0) {is_unsigned} : memref<8xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// scan-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[scan-5] expected a layout of shape [8], got [32]}}
  tile.scan sum %s to %s dim(0) {layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>} : memref<8xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// reduce-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce-5] expected `bitxor` on integers, got 'f32'}}
  tile.reduce bitxor %s to %t dim(1) : memref<8x4xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
}

// -----

// cluster_reduce-2: a kind that blocks do not combine by
tile.kernel @k() grid(%bx) = (2) threads(32) cluster(2) {
  %s = tile.alloc : memref<8xi32, #tile.fragment>
  // expected-error @+1 {{[cluster_reduce-2] expected `sum`, `max` or `min`, got `bitand`}}
  tile.cluster_reduce bitand %s blocks(2) stride(1) : memref<8xi32, #tile.fragment>
}
