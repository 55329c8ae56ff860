// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histogram: H[v] += how often v is in X; values outside of 0 to 255 do not count.
// X: n i32; H: 256 i32, zero before.
// Look at: `memref.atomic_rmw` on shared memory under a condition, then one `tile.atomic` of the block's counts.
#shared = #gpu.address_space<workgroup>
tile.kernel @histogram(
    %X: memref<?xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 65536>},
    %H: memref<256xi32> {tile.alignment = 16})
    grid(%b) = (dim(%X, 0) ceildiv 8192) threads(256) {
  %c0 = arith.constant 0 : index
  %c8192 = arith.constant 8192 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant -1 : i32
  %c256 = arith.constant 256 : i32
  %n = arith.muli %b, %c8192 : index
  %x = tile.alloc : memref<8192xi32, #tile.fragment>
  %h = tile.alloc : memref<256xi32, #shared>
  tile.fill %h with %zero : memref<256xi32, #shared>, i32
  tile.copy %X[%n] to %x pad(%none : i32) : memref<?xi32> to memref<8192xi32, #tile.fragment>
  tile.parallel (%i) in (8192) {
    %v = memref.load %x[%i] : memref<8192xi32, #tile.fragment>
    %in = arith.cmpi ult, %v, %c256 : i32
    scf.if %in {
      %bin = arith.index_cast %v : i32 to index
      memref.atomic_rmw addi %one, %h[%bin] : (i32, memref<256xi32, #shared>) -> i32
    }
  }
  tile.atomic add %h to %H : memref<256xi32, #shared> to memref<256xi32>
}
