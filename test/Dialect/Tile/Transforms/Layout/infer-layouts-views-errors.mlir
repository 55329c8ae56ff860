// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-infer-layouts --verify-diagnostics --split-input-file

// Threads hold places beyond the last column: no other shape has them.
tile.kernel @overshoots(%B: memref<35xf32>) grid(%bx) = (1) threads(64) {
  %f = tile.alloc layout(#tile.fragment_layout<shape [7, 5] reg [] lane [(8, 1:1), (4, 0:1)] warp [(2, 0:4)]>) : memref<7x5xf32, #tile.fragment>
  // expected-error @+1 {{expected a layout that both shapes have: the layout of shape [7, 5] has no form of shape [35]: threads hold places beyond dimension 0}}
  %v = tile.view %f : memref<7x5xf32, #tile.fragment> to memref<35xf32, #tile.fragment>
  tile.copy %v to %B : memref<35xf32, #tile.fragment> to memref<35xf32>
}

// -----

tile.kernel @swizzled(%B: memref<64x128xi8>) grid(%bx) = (1) threads(64) {
  %s = tile.alloc layout(#tile.shared_layout<shape [64, 32] bits 32 modes [(32, 1:1), (64, 0:32)] swizzle(3, 4, 3)>) : memref<64x32xi32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{elements of another width are not in row-major order}}
  %v = tile.view %s : memref<64x32xi32, #gpu.address_space<workgroup>> to memref<64x128xi8, #gpu.address_space<workgroup>>
  tile.copy %v to %B : memref<64x128xi8, #gpu.address_space<workgroup>> to memref<64x128xi8>
}

// -----

tile.kernel @everyother(%B: memref<8x8xf32>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<16x8xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expected a part of a tile with static extents and strides of one}}
  %v = memref.subview %s[0, 0] [8, 8] [2, 1] : memref<16x8xf32, #gpu.address_space<workgroup>> to memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>
  tile.copy %v to %B : memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>> to memref<8x8xf32>
}
