// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout by a generator that counts (Philox 4x32 with 7 rounds; counter (i / 4, 0, 0, 0), key (seed, 0); element i takes word
// i mod 4): what is kept is scaled by 1 / (1 - p).
// X, Y: n f16, n a multiple of 8; seed, threshold: i32 (p 2^32, unsigned); scale: f32, 1 / (1 - p).
// Look at: an `scf.for` with six values within `tile.parallel`, products of 32 bits with both halves.
tile.kernel @dropout(
    %X: memref<?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 65536>},
    %seed: i32,
    %threshold: i32,
    %scale: f32,
    %Y: memref<?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 65536>})
    grid(%b) = (dim(%X, 0) ceildiv 2048) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0 : i32
  %zf = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %m0 = arith.constant 0xD2511F53 : i32
  %m1 = arith.constant 0xCD9E8D57 : i32
  %w0 = arith.constant 0x9E3779B9 : i32
  %w1 = arith.constant 0xBB67AE85 : i32
  %N = memref.dim %X, %c0 : memref<?xf16>
  %NY = memref.dim %Y, %c0 : memref<?xf16>
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  %n = arith.muli %b, %c2048 : index
  %x = tile.alloc : memref<2048xf16, #tile.fragment>
  tile.copy %X[%n] to %x : memref<?xf16> to memref<2048xf16, #tile.fragment>
  tile.parallel (%i) in (2048) {
    %h = memref.load %x[%i] : memref<2048xf16, #tile.fragment>
    %v = arith.extf %h : f16 to f32
    %at = arith.addi %n, %i : index
    %quad = arith.divui %at, %c4 : index
    %lane = arith.remui %at, %c4 : index
    %ctr = arith.index_cast %quad : index to i32
    %word = arith.index_cast %lane : index to i32
    %r:6 = scf.for %k = %c0 to %c7 step %c1 iter_args(%a = %ctr, %bb = %zero, %c = %zero, %d = %zero, %k0 = %seed, %k1 = %zero) -> (i32, i32, i32, i32, i32, i32) {
      %lo0, %hi0 = arith.mului_extended %m0, %a : i32
      %lo1, %hi1 = arith.mului_extended %m1, %c : i32
      %p0 = arith.xori %hi1, %bb : i32
      %a2 = arith.xori %p0, %k0 : i32
      %p1 = arith.xori %hi0, %d : i32
      %c2 = arith.xori %p1, %k1 : i32
      %k02 = arith.addi %k0, %w0 : i32
      %k12 = arith.addi %k1, %w1 : i32
      scf.yield %a2, %lo1, %c2, %lo0, %k02, %k12 : i32, i32, i32, i32, i32, i32
    }
    %is1 = arith.cmpi eq, %word, %one : i32
    %is2 = arith.cmpi eq, %word, %two : i32
    %is0 = arith.cmpi eq, %word, %zero : i32
    %s0 = arith.select %is2, %r#2, %r#3 : i32
    %s1 = arith.select %is1, %r#1, %s0 : i32
    %s = arith.select %is0, %r#0, %s1 : i32
    %keep = arith.cmpi uge, %s, %threshold : i32
    %y = arith.mulf %v, %scale : f32
    %z = arith.select %keep, %y, %zf : f32
    %o = arith.truncf %z : f32 to f16
    memref.store %o, %x[%i] : memref<2048xf16, #tile.fragment>
  }
  tile.copy %x to %Y[%n] : memref<2048xf16, #tile.fragment> to memref<?xf16>
}
