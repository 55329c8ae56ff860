// Row indices in registers under a layout that overshoots its tile (43 rows for
// each of three warps, of 128): every row has its own index, the last ones too.
// RUN: tile-run %s --args=A=128x32,B=130x32:zeros --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
tile.kernel @reversed(%A: memref<128x32xf32> {tile.alignment = 16}, %B: memref<?x32xf32> {tile.alignment = 16}) grid(%b) = (1) threads(192) {
  %c0 = arith.constant 0 : index
  %c127 = arith.constant 127 : index
  %s = tile.alloc : memref<128x32xf32, #gpu.address_space<workgroup>>
  %rows = tile.alloc : memref<128xi32, #tile.fragment>
  tile.copy %A to %s : memref<128x32xf32> to memref<128x32xf32, #gpu.address_space<workgroup>>
  tile.parallel (%i) in (128) {
    %r = arith.subi %c127, %i : index
    %v = arith.index_cast %r : index to i32
    memref.store %v, %rows[%i] : memref<128xi32, #tile.fragment>
  }
  tile.scatter %s to %B[%c0] rows %rows[%c0] : memref<128x32xf32, #gpu.address_space<workgroup>> to memref<?x32xf32>, memref<128xi32, #tile.fragment>
}
