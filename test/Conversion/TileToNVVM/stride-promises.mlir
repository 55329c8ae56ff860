// A promise about a stride is checked where the dimension has two elements or
// more: nothing is ever multiplied by the stride of one, and libraries write
// what they like there.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | sed 's/[\\]0A *//g; s/[\\]22//g' | FileCheck %s
// CHECK: assumptions: [{expr: [eq,[mul,[mod,[stride,0,0],64],[ge,[dim,0,0],2]],0]
tile.kernel @scale(%X: memref<?x64xf32, strided<[?, 1]>> {tile.alignment = 16}) grid(%b) = (dim(%X, 0)) threads(32) {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %X : memref<?x64xf32, strided<[?, 1]>> -> memref<f32>, index, index, index, index, index
  tile.assume %strides#0 {divisible_by = 64 : i64} : index
  tile.parallel (%j) in (64) {
    %x = memref.load %X[%b, %j] : memref<?x64xf32, strided<[?, 1]>>
    %y = arith.addf %x, %x : f32
    memref.store %y, %X[%b, %j] : memref<?x64xf32, strided<[?, 1]>>
  }
}
