// Rows that start at any element go to fragments by aligned loads of 16 bytes, shifted into place, of one and of two bytes an
// element; what lies outside is the pad, whatever it is.
// RUN: tile-opt %s --tile-to-copies="arch=sm_90a" -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --remarks -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.ptx
// RUN: tile-run %s --kernel=halves --args=X=5x4001:normal --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=halves --args=X=1x1:normal --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=bytes --args=X=5x999:uniform --stage=lowered --arch=sm_100a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS
// REMARK: remark: global to registers copy: realign, 16 bytes; vector not taken: the stride of dimension 0 of 'X' is known to be a multiple of 2 bytes only
// REMARK: remark: global to registers copy: realign, 16 bytes; vector not taken: the stride of dimension 0 of 'X' is known to be a multiple of 1 byte only
// CHECK-LABEL: .entry halves(
// CHECK:         ld.global{{(.nc)?}}.v4.b32
// CHECK:         shf.r.wrap.b32
// CHECK-LABEL: .entry bytes(
// CHECK:         ld.global{{(.nc)?}}.v4.b32
// CHECK:         shf.r.wrap.b32
tile.kernel @halves(%X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 4001>}, %Y: memref<?xf32> {tile.shape_hint = array<i64: 5>}) grid(%m) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2048 = arith.constant 2048 : index
  %low = arith.constant -6.0e+4 : f32
  %N = memref.dim %X, %c1 : memref<?x?xf16>
  %x = tile.alloc : memref<1x2048xf32, #tile.fragment>
  %top = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %top with %low : memref<1xf32, #tile.fragment>, f32
  scf.for %n = %c0 to %N step %c2048 {
    tile.copy %X[%m, %n] to %x pad(%low : f32) : memref<?x?xf16> to memref<1x2048xf32, #tile.fragment>
    tile.reduce max %x to %top dim(1) accumulate : memref<1x2048xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  tile.copy %top to %Y[%m] : memref<1xf32, #tile.fragment> to memref<?xf32>
}
tile.kernel @bytes(%X: memref<?x?xi8> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 999>}, %Y: memref<?xi32> {tile.shape_hint = array<i64: 5>}) grid(%m) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2048 = arith.constant 2048 : index
  %low = arith.constant -100 : i32
  %N = memref.dim %X, %c1 : memref<?x?xi8>
  %x = tile.alloc : memref<1x2048xi32, #tile.fragment>
  %top = tile.alloc : memref<1xi32, #tile.fragment>
  tile.fill %top with %low : memref<1xi32, #tile.fragment>, i32
  scf.for %n = %c0 to %N step %c2048 {
    tile.copy %X[%m, %n] to %x pad(%low : i32) : memref<?x?xi8> to memref<1x2048xi32, #tile.fragment>
    tile.reduce sum %x to %top dim(1) accumulate : memref<1x2048xi32, #tile.fragment> to memref<1xi32, #tile.fragment>
  }
  tile.copy %top to %Y[%m] : memref<1xi32, #tile.fragment> to memref<?xi32>
}
