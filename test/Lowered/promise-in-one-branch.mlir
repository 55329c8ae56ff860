// What a branch promises of an offset does not hold in the other branch.
// RUN: tile-run %s --kernel=k --args=T=4:range:4:8,X=4096,Y=4x512 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=k --args=T=4:range:4:8,X=4096,Y=4x512 --stage=lowered --arch=sm_100a --check | FileCheck %s
// CHECK: PASS
tile.kernel @k(%T: memref<4xi32>, %X: memref<4096xf32> {tile.alignment = 16}, %Y: memref<4x512xf32> {tile.alignment = 16}) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %f = tile.alloc : memref<512xf32, #tile.fragment>
  %t = memref.load %T[%b] : memref<4xi32>
  %o = arith.index_cast %t : i32 to index
  %r = arith.remui %o, %c4 : index
  %is = arith.cmpi eq, %r, %c0 : index
  scf.if %is {
    tile.assume %o {divisible_by = 4 : i64} : index
    %v = memref.subview %X[%o] [512] [1] : memref<4096xf32> to memref<512xf32, strided<[1], offset: ?>>
    tile.copy %v to %f : memref<512xf32, strided<[1], offset: ?>> to memref<512xf32, #tile.fragment>
  } else {
    %v = memref.subview %X[%o] [512] [1] : memref<4096xf32> to memref<512xf32, strided<[1], offset: ?>>
    tile.copy %v to %f : memref<512xf32, strided<[1], offset: ?>> to memref<512xf32, #tile.fragment>
  }
  tile.copy %f to %Y[%b, %c0] : memref<512xf32, #tile.fragment> to memref<4x512xf32>
}
