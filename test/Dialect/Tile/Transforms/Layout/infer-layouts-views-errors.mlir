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

// -----

// What the loop writes by one view it would not read by the other one, of which there would be another copy.
tile.kernel @two_views(%X: memref<64x32xi32>, %Y: memref<64x32xi32>) grid(%b) = (1) threads(128) {
  %c63 = arith.constant 63 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note @+1 {{one view}}
  %f = tile.alloc : memref<64x32xi32, #tile.fragment>
  // expected-note @+1 {{the other one}}
  %v = tile.view %f : memref<64x32xi32, #tile.fragment> to memref<2048xi32, #tile.fragment>
  tile.fill %f with %z : memref<64x32xi32, #tile.fragment>, i32
  // expected-error @+1 {{expected one view of a fragment that the loop writes, got two; use one of them for all accesses}}
  tile.parallel (%i, %j) in (64, 32) {
    %x = memref.load %X[%i, %j] : memref<64x32xi32>
    %r = arith.subi %c63, %i : index
    memref.store %x, %f[%r, %j] : memref<64x32xi32, #tile.fragment>
    %q = arith.muli %r, %c32 : index
    %p = arith.addi %q, %j : index
    %y = memref.load %v[%p] : memref<2048xi32, #tile.fragment>
    %w = arith.addi %y, %one : i32
    memref.store %w, %Y[%i, %j] : memref<64x32xi32>
  }
}
