// A kernel that does not promise the alignment of its rows gets a second version
// that does; both take the same arguments, whatever the version asks of strides.
// RUN: tile-translate %s --tile-to-artifact --arch=sm_90a -o %t
// RUN: grep -a -A200 '"name": "double__aligned"' %t | grep -a -m1 -A60 '"args"' | FileCheck %s
#shared = #gpu.address_space<workgroup>
// CHECK: "name": "X",
// CHECK: "access": "r",
// CHECK: "name": "Y",
// CHECK: "access": "w",
tile.kernel @double(%X: memref<?x?xf16, strided<[?, 1]>> {tile.alignment = 16}, %Y: memref<?x?xf16, strided<[?, 1]>> {tile.alignment = 16}) grid(%bx, %by) = (dim(%X, 1) ceildiv 64, dim(%X, 0) ceildiv 64) threads(128) {
  %c64 = arith.constant 64 : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %t = tile.alloc : memref<64x64xf16, #shared>
  tile.copy %X[%m, %n] to %t : memref<?x?xf16, strided<[?, 1]>> to memref<64x64xf16, #shared>
  tile.copy %t to %Y[%m, %n] : memref<64x64xf16, #shared> to memref<?x?xf16, strided<[?, 1]>>
}
