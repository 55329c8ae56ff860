// All blocks add into, or take the maximum with, the same elements at once.
// RUN: tile-run %s --kernel=sum --args=C=40x40:smallint --check --workers=4 | FileCheck %s
// RUN: tile-run %s --kernel=extremes --args=C=8:zeros --check --workers=4 | FileCheck %s --check-prefix=MAX
// RUN: tile-run %s --kernel=half --args=C=8:zeros --check --workers=4 | FileCheck %s --check-prefix=HALF
#shared = #gpu.address_space<workgroup>

// CHECK: check C: 1600 elements equal
// CHECK: PASS
tile.kernel @sum(%C: memref<?x?xf32>) grid(%bx, %by) = (1, 200) threads(32) {
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %f with %one : memref<64x64xf32, #tile.fragment>, f32
  %m = arith.muli %bx, %c8 : index
  tile.atomic add %f to %C[%m, %bx] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
}

// MAX: check C: 8 elements equal
// MAX: PASS
tile.kernel @extremes(%C: memref<8xi32>) grid(%b) = (100) threads(32) {
  %f = tile.alloc : memref<8xi32, #shared>
  %x = arith.index_cast %b : index to i32
  tile.fill %f with %x : memref<8xi32, #shared>, i32
  tile.atomic max %f to %C : memref<8xi32, #shared> to memref<8xi32>
}

// HALF: check C: 8 elements equal
// HALF: PASS
tile.kernel @half(%C: memref<8xf16>) grid(%b) = (100) threads(32) {
  %one = arith.constant 1.0 : f16
  %f = tile.alloc : memref<8xf16, #shared>
  tile.fill %f with %one : memref<8xf16, #shared>, f16
  tile.atomic add %f to %C : memref<8xf16, #shared> to memref<8xf16>
}

// Put off until it is awaited, as a tensor reduction is, it adds the same.
// RUN: tile-run %s --kernel=later --args=C=64x64:smallint --check --workers=4 | FileCheck %s --check-prefix=LATER
// RUN: tile-run %s --kernel=later --args=C=64x64:smallint --check --workers=4 --lazy-async | FileCheck %s --check-prefix=LATER
// LATER: check C: 4096 elements equal
// LATER: PASS
tile.kernel @later(%C: memref<64x64xf32>) grid(%b) = (50) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %s = tile.alloc : memref<64x64xf32, #shared>
  tile.fill %s with %one : memref<64x64xf32, #shared>, f32
  %t = tile.atomic add %s to %C[%c0, %c0] : memref<64x64xf32, #shared> to memref<64x64xf32> -> !tile.token
  tile.await read %t
  tile.fill %s with %two : memref<64x64xf32, #shared>, f32
  %u = tile.atomic add %s to %C[%c0, %c0] : memref<64x64xf32, #shared> to memref<64x64xf32> -> !tile.token
  tile.await %u
}
