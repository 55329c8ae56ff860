// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of each token's copies with their weights.
// Data for tile-run: --args=SLOT=160:range:0:160.
// Printed by: benchmarks/program.py combine_copies name=combine k=8 columns=128 threads=128 hints=Y=160x128,SLOT=160,WEIGHT=160,OUT=20x128
#shared = #gpu.address_space<workgroup>
tile.kernel @combine(%Y: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 160, 128>}, %SLOT: memref<?xi32> {tile.shape_hint = array<i64: 160>}, %WEIGHT: memref<?xf32> {tile.shape_hint = array<i64: 160>}, %OUT: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 20, 128>})
    grid(%bx, %by) = (dim(%OUT, 1) ceildiv 128, dim(%OUT, 0) ceildiv 4) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant -1 : i32
  %copies = memref.dim %SLOT, %c0 : memref<?xi32>
  %N = memref.dim %OUT, %c1 : memref<?x?xbf16>
  %NY = memref.dim %Y, %c1 : memref<?x?xbf16>
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c4 : index
  %n = arith.muli %bx, %c128 : index
  %slot = tile.alloc : memref<32xi32, #shared>
  %w = tile.alloc : memref<32xf32, #shared>
  %part = tile.alloc : memref<4x128xf32, #tile.fragment>
  %acc = tile.alloc : memref<4x128xf32, #tile.fragment>
  // Copy x of the block's tokens has the numbers from 4 x on.
  tile.parallel (%i) in (32) {
    %x0 = arith.remui %i, %c4 : index
    %x1 = arith.addi %m, %x0 : index
    %x2 = arith.muli %x1, %c8 : index
    %x3 = arith.divui %i, %c4 : index
    %c = arith.addi %x2, %x3 : index
    %in = arith.cmpi slt, %c, %copies : index
    scf.if %in {
      %s = memref.load %SLOT[%c] : memref<?xi32>
      memref.store %s, %slot[%i] : memref<32xi32, #shared>
      %v = memref.load %WEIGHT[%c] : memref<?xf32>
      memref.store %v, %w[%i] : memref<32xf32, #shared>
    } else {
      memref.store %none, %slot[%i] : memref<32xi32, #shared>
      memref.store %zero, %w[%i] : memref<32xf32, #shared>
    }
  }
  tile.fill %acc with %zero : memref<4x128xf32, #tile.fragment>, f32
  scf.for %x = %c0 to %c8 step %c1 {
    %first = arith.muli %x, %c4 : index
    tile.gather %Y[%n] rows %slot[%first] to %part : memref<?x?xbf16>, memref<32xi32, #shared> to memref<4x128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (4, 128) {
      %x4 = memref.load %acc[%i, %j] : memref<4x128xf32, #tile.fragment>
      %x5 = memref.load %part[%i, %j] : memref<4x128xf32, #tile.fragment>
      %x6 = arith.muli %x, %c4 : index
      %x7 = arith.addi %x6, %i : index
      %x8 = memref.load %w[%x7] : memref<32xf32, #shared>
      %x9 = arith.mulf %x5, %x8 : f32
      %x10 = arith.addf %x4, %x9 : f32
      memref.store %x10, %acc[%i, %j] : memref<4x128xf32, #tile.fragment>
    }
  }
  tile.copy %acc to %OUT[%m, %n] : memref<4x128xf32, #tile.fragment> to memref<?x?xbf16>
}
