// RUN: tile-opt --tile-set-target=arch=sm_90a --tile-combine-updates --split-input-file --verify-diagnostics %s
#shared = #gpu.address_space<workgroup>

// No atomic multiplies.
tile.kernel @products(%x: memref<64xf32>) grid(%bx) = (1) threads(64) {
  %c4 = arith.constant 4 : index
  %s = tile.alloc : memref<16xf32, #shared>
  // expected-note @below {{in this loop; sums, extrema and bit operations of an element that nothing else in the loop uses become atomic updates, and layouts under which one thread executes the iterations of an element need none}}
  tile.parallel (%i) in (64) {
    %a = arith.divui %i, %c4 : index
    %v = memref.load %x[%i] : memref<64xf32>
    %old = memref.load %s[%a] : memref<16xf32, #shared>
    %new = arith.mulf %v, %old : f32
    // expected-error @below {{expected each iteration to change an element of its own, got one element that several iterations read and write}}
    memref.store %new, %s[%a] : memref<16xf32, #shared>
  }
}

// -----

// The sum that one iteration finds depends on their order.
#shared = #gpu.address_space<workgroup>
tile.kernel @used(%x: memref<64xf32>) grid(%bx) = (1) threads(64) {
  %c4 = arith.constant 4 : index
  %s = tile.alloc : memref<16xf32, #shared>
  // expected-note @below {{in this loop}}
  tile.parallel (%i) in (64) {
    %a = arith.divui %i, %c4 : index
    %v = memref.load %x[%i] : memref<64xf32>
    %old = memref.load %s[%a] : memref<16xf32, #shared>
    %new = arith.addf %v, %old : f32
    // expected-error @below {{expected each iteration to change an element of its own}}
    memref.store %new, %s[%a] : memref<16xf32, #shared>
    memref.store %old, %x[%i] : memref<64xf32>
  }
}

// -----

// The layout that the program states gives the iterations of one element to several threads.
#across = #tile.fragment_layout<shape [4, 64] reg [(4, 0:1)] lane [(32, 1:1)] warp [(2, 1:32)]>
tile.kernel @stated(%x: memref<4x64xf32>) grid(%bx) = (1) threads(64) {
  %s = tile.alloc : memref<4xf32, #tile.fragment>
  // expected-note @below {{in this loop; without a `layout` the compiler states such a one}}
  tile.parallel (%i, %j) in (4, 64) layout(#across) {
    %v = memref.load %x[%i, %j] : memref<4x64xf32>
    %old = memref.load %s[%i] : memref<4xf32, #tile.fragment>
    %new = arith.mulf %v, %old : f32
    // expected-error @below {{expected a layout of the loop in which one thread has all iterations of an element that they read and write, got threads that have different parts of index 1}}
    memref.store %new, %s[%i] : memref<4xf32, #tile.fragment>
  }
}
