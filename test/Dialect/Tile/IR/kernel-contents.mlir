// What a kernel may contain beside tile operations.
// RUN: tile-opt %s | tile-opt | FileCheck %s
// CHECK-LABEL: tile.kernel @contents
// CHECK: memref.subview
// CHECK: memref.cast
// CHECK: memref.extract_strided_metadata
// CHECK: affine.load
// CHECK: vector.broadcast
// CHECK: ub.poison
// CHECK: scf.execute_region
// CHECK: cf.br
tile.kernel @contents(%Y: memref<?x?xf32>, %c: i1) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Y, %c0 : memref<?x?xf32>
  %part = memref.subview %Y[%c0, 0] [%n, 1] [1, 1] : memref<?x?xf32> to memref<?x1xf32, strided<[?, 1], offset: ?>>
  %cast = memref.cast %Y : memref<?x?xf32> to memref<4x?xf32>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %Y : memref<?x?xf32> -> memref<f32>, index, index, index, index, index
  %x = affine.load %Y[0, 0] : memref<?x?xf32>
  %v = vector.broadcast %x : f32 to vector<4xf32>
  %u = ub.poison : f32
  %either = arith.select %c, %cast, %cast : memref<4x?xf32>
  scf.execute_region {
    cf.br ^end
  ^end:
    memref.store %x, %either[%c0, %c0] : memref<4x?xf32>
    scf.yield
  }
}
