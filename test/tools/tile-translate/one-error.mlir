// A name that is not one of an enumeration's is one error.
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_80 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not tile-run %s 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: one-error.mlir:[[@LINE+4]]:{{[0-9]+}}: error: expected ::mlir::tile::EvictionPolicy to be one of: normal, first, last
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  tile.copy %A to %s {eviction_policy = #tile.eviction_policy<sometimes>} : memref<64x64xf16> to memref<64x64xf16, #shared>
}
