// Regions that overhang global memory: loads give the pad, stores are dropped;
// strides, ranks that differ, and conversions of elements.
// RUN: tile-run %s --kernel=edges --args=A=5x7:smallint,C=5x7 --check | FileCheck %s
// RUN: tile-run %s --kernel=edges --args=A=64x32,C=64x32 --check | FileCheck %s --check-prefix=RANDOM
// RUN: tile-run %s --kernel=edges --args=A=0x7,C=0x7 --check | FileCheck %s --check-prefix=EMPTY
// RUN: tile-run %s --kernel=strided --args=A=40x33@48x1:iota,C=40x33@1x64 --check | FileCheck %s --check-prefix=STRIDED
// RUN: tile-run %s --kernel=pad --args=A=3:iota | FileCheck %s --check-prefix=PAD
// RUN: tile-run %s --kernel=batch --args=A=3x20x8:normal,C=3x20x8 --check | FileCheck %s
// CHECK: check C:
// CHECK: PASS
// RANDOM: PASS
// EMPTY: 0 blocks
// EMPTY: check C: 0 elements equal
// EMPTY: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @edges(%A: memref<?x?xf32>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%A, 1) ceildiv 16, dim(%A, 0) ceildiv 16) threads(64) {
  %c16 = arith.constant 16 : index
  %m = arith.muli %by, %c16 : index
  %n = arith.muli %bx, %c16 : index
  %t = tile.alloc : memref<16x16xf32, #shared>
  tile.copy %A[%m, %n] to %t : memref<?x?xf32> to memref<16x16xf32, #shared>
  tile.copy %t to %C[%m, %n] : memref<16x16xf32, #shared> to memref<?x?xf16>
}

// STRIDED: check C: 1320 elements equal
// STRIDED: PASS
tile.kernel @strided(%A: memref<?x?xf32, strided<[?, ?]>>, %C: memref<?x?xf32, strided<[?, ?]>>)
    grid(%bx, %by) = (dim(%A, 1) ceildiv 16, dim(%A, 0) ceildiv 16) threads(64) {
  %c16 = arith.constant 16 : index
  %m = arith.muli %by, %c16 : index
  %n = arith.muli %bx, %c16 : index
  %t = tile.alloc : memref<16x16xf32, #shared>
  tile.copy %A[%m, %n] to %t : memref<?x?xf32, strided<[?, ?]>> to memref<16x16xf32, #shared>
  tile.copy %t to %C[%m, %n] : memref<16x16xf32, #shared> to memref<?x?xf32, strided<[?, ?]>>
}

// A region that starts before the buffer and ends after it.
// PAD: t[0]: 9
// PAD: t[1]: 0
// PAD: t[2]: 1
// PAD: t[3]: 2
// PAD: t[4]: 9
tile.kernel @pad(%A: memref<?xi32>) grid(%b) = (1) threads(32) {
  %before = arith.constant -1 : index
  %nine = arith.constant 9 : i32
  %t = tile.alloc : memref<5xi32, #shared>
  tile.copy %A[%before] to %t pad(%nine : i32) : memref<?xi32> to memref<5xi32, #shared>
  tile.print "t" %t : memref<5xi32, #shared>
}

tile.kernel @batch(%A: memref<?x?x8xf16>, %C: memref<?x?x8xf16>)
    grid(%bx, %by) = (dim(%A, 1) ceildiv 16, dim(%A, 0)) threads(64) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = arith.muli %bx, %c16 : index
  %t = tile.alloc : memref<16x8xf16, #shared>
  %one = arith.constant 1.0 : f16
  tile.copy %A[%by, %m, %c0] sizes [1, 16, 8] to %t : memref<?x?x8xf16> to memref<16x8xf16, #shared>
  tile.copy %t to %C[%by, %m, %c0] sizes [1, 16, 8] : memref<16x8xf16, #shared> to memref<?x?x8xf16>
}
