// exp(x) - 1 of small numbers keeps their digits on the CPU, where subtracting one from an exponential would leave none.
// RUN: tile-run %s --args=A=4,Y=4 | FileCheck %s
// CHECK: y: 1e-08
tile.kernel @small(%A: memref<4xf32>, %Y: memref<4xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %small = arith.constant 1.0e-8 : f32
  %y = math.expm1 %small : f32
  tile.print "y" %y : f32
  memref.store %y, %Y[%c0] : memref<4xf32>
}
