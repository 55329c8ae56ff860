// An argument that is seen with wider elements has to be aligned as they are: the launcher checks it.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s
// CHECK: \22name\22: \22A\22{{.*}}\22alignment\22: 4{{.*}}\22name\22: \22Y\22{{.*}}\22alignment\22: 4
tile.kernel @k(%A: memref<64xi8>, %Y: memref<16xf32>) grid(%b) = (1) threads(32) {
  %v = tile.view %A : memref<64xi8> to memref<16xf32>
  tile.parallel (%i) in (16) {
    %x = memref.load %v[%i] : memref<16xf32>
    memref.store %x, %Y[%i] : memref<16xf32>
  }
}
