// Parts that threads do not hold in equal shares.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a -split-input-file -verify-diagnostics

#lanes = #tile.fragment_layout<shape [64, 32] reg [(16, 1:1)] lane [(2, 1:16), (16, 0:1)] warp [(4, 0:16)]>
tile.kernel @lanes(%X: memref<64x32xf32>, %Y: memref<64x32xf32>) grid(%bx) = (4) threads(128) cluster(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc layout(#lanes) : memref<64x32xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %a : memref<64x32xf32> to memref<64x32xf32, #tile.fragment>
  // expected-error @+1 {{[cluster_reduce-5] expected each thread to hold equal shares of 4 parts along dimension 1: a layout whose lanes and warps stay within a part}}
  tile.cluster_reduce sum %a blocks(4) stride(1) parts(1) : memref<64x32xf32, #tile.fragment>
  tile.copy %a to %Y[%c0, %c0] : memref<64x32xf32, #tile.fragment> to memref<64x32xf32>
}

// -----

// A part whose lanes go another way than those of the fragment.
#whole = #tile.fragment_layout<shape [64, 32] reg [(16, 1:2)] lane [(2, 1:1), (16, 0:1)] warp [(4, 0:16)]>
#part = #tile.fragment_layout<shape [64, 16] reg [(8, 1:1)] lane [(2, 1:8), (16, 0:1)] warp [(4, 0:16)]>
tile.kernel @other(%X: memref<64x32xf32>, %Y: memref<64x32xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc layout(#whole) : memref<64x32xf32, #tile.fragment>
  %p = tile.alloc layout(#part) : memref<64x16xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %a : memref<64x32xf32> to memref<64x32xf32, #tile.fragment>
  tile.cluster_reduce sum %a blocks(2) stride(1) parts(1) : memref<64x32xf32, #tile.fragment>
  %first, %end = tile.cluster_parts blocks(2) stride(1)
  scf.for %i = %first to %end step %c1 {
    // expected-error @+1 {{[cluster_part-2] expected each thread to hold the same elements of the part as of the fragment that it is a part of}}
    tile.cluster_part %a[%i] to %p : memref<64x32xf32, #tile.fragment> to memref<64x16xf32, #tile.fragment>
    tile.copy %p to %Y[%c0, %c0] sizes [64, 16] : memref<64x16xf32, #tile.fragment> to memref<64x32xf32>
  }
}
