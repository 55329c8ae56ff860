// RUN: tile-opt %s --tile-pipeline -verify-diagnostics
// Another instruction for a copy that cannot have an mbarrier is the target's.

// expected-error @below {{expected 'tile.target' on the module (`--tile-set-target=arch=...`)}}
module {
tile.kernel @lone(%R: memref<64x?xf16> {tile.alignment = 16}, %C: memref<64x64xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %As = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  // expected-note @below {{a copy by TMA needs another instruction: another operation also writes the shared buffer}}
  tile.copy %R[%c0, %c0] sizes [64, 64] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #gpu.address_space<workgroup>>
  tile.fill %As with %zero : memref<64x64xf16, #gpu.address_space<workgroup>>, f16
  tile.copy %As to %C : memref<64x64xf16, #gpu.address_space<workgroup>> to memref<64x64xf16>
}
}
