// Constants outside of a tile.
// RUN: tile-opt %s --split-input-file --tile-guard-accesses --verify-diagnostics

#shared = #gpu.address_space<workgroup>
tile.kernel @shared(%A: memref<64xf32>) grid(%b) = (1) threads(64) {
  %c64 = arith.constant 64 : index
  %s = tile.alloc : memref<64xf32, #shared>
  // expected-error @below {{expected index 0 of a tile to be in [0, 64), got 64}}
  %x = memref.load %s[%c64] : memref<64xf32, #shared>
  memref.store %x, %A[%b] : memref<64xf32>
}

// -----

tile.kernel @fragment() grid(%b) = (1) threads(64) {
  %negative = arith.constant -1 : index
  %x = arith.constant 1.0 : f32
  %s = tile.alloc : memref<8x64xf32, #tile.fragment>
  tile.parallel (%i) in (8) {
    // expected-error @below {{expected index 1 of a tile to be in [0, 64), got -1}}
    memref.store %x, %s[%i, %negative] : memref<8x64xf32, #tile.fragment>
  }
}
