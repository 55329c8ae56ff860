// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inclusive sums along rows: Y[i, j] = sum of X[i, :j + 1].
// X, Y: rows x N f32, N a multiple of 4.
// A block walks its row in chunks of 2048: each thread sums 16 neighbours, the 128 sums are scanned in 7 doubling steps, and a
// carry goes on to the next chunk.
// Look at: shared memory with a hole after every 16 elements (`#place`), so that threads which walk 16 neighbours each
// meet different banks.
#shared = #gpu.address_space<workgroup>
#place = affine_map<(d0) -> (d0 + d0 floordiv 16)>
#first = affine_map<(d0) -> (d0 * 17)>
tile.kernel @cumsum(
    %X: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 8192>},
    %Y: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 8192>})
    grid(%b) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %c127 = arith.constant 127 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %N = memref.dim %X, %c1 : memref<?x?xf32>
  %NY = memref.dim %Y, %c1 : memref<?x?xf32>
  tile.assume %N {divisible_by = 4 : i64} : index
  tile.assume %NY {divisible_by = 4 : i64} : index
  %x = tile.alloc : memref<2048xf32, #tile.fragment>
  %xs = tile.alloc : memref<2176xf32, #shared>
  %sums = tile.alloc : memref<128xf32, #shared>
  %next = tile.alloc : memref<128xf32, #shared>
  %carry = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %carry with %zero : memref<1xf32, #tile.fragment>, f32
  scf.for %n = %c0 to %N step %c2048 {
    tile.copy %X[%b, %n] to %x : memref<?x?xf32> to memref<2048xf32, #tile.fragment>
    tile.parallel (%j) in (2048) {
      %v = memref.load %x[%j] : memref<2048xf32, #tile.fragment>
      %p = affine.apply #place(%j)
      memref.store %v, %xs[%p] : memref<2176xf32, #shared>
    }
    tile.parallel (%t) in (128) attributes {coalesced_width = 1 : i64} {
      %f = affine.apply #first(%t)
      %total = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zero) -> (f32) {
        %p = arith.addi %f, %k : index
        %v = memref.load %xs[%p] : memref<2176xf32, #shared>
        %s = arith.addf %a, %v : f32
        memref.store %s, %xs[%p] : memref<2176xf32, #shared>
        scf.yield %s : f32
      }
      memref.store %total, %sums[%t] : memref<128xf32, #shared>
    }
    scf.for %s = %c0 to %c7 step %c1 {
      %d = arith.shli %c1, %s : index
      tile.parallel (%t) in (128) attributes {coalesced_width = 1 : i64} {
        %v = memref.load %sums[%t] : memref<128xf32, #shared>
        %has = arith.cmpi uge, %t, %d : index
        %from = arith.subi %t, %d : index
        %w = scf.if %has -> (f32) {
          %l = memref.load %sums[%from] : memref<128xf32, #shared>
          scf.yield %l : f32
        } else {
          scf.yield %zero : f32
        }
        %y = arith.addf %v, %w : f32
        memref.store %y, %next[%t] : memref<128xf32, #shared>
      }
      tile.copy %next to %sums : memref<128xf32, #shared> to memref<128xf32, #shared>
    }
    tile.parallel (%j) in (2048) {
      %p = affine.apply #place(%j)
      %v = memref.load %xs[%p] : memref<2176xf32, #shared>
      %g = arith.divui %j, %c16 : index
      %has = arith.cmpi uge, %g, %c1 : index
      %before = arith.subi %g, %c1 : index
      %w = scf.if %has -> (f32) {
        %l = memref.load %sums[%before] : memref<128xf32, #shared>
        scf.yield %l : f32
      } else {
        scf.yield %zero : f32
      }
      %c = memref.load %carry[%c0] : memref<1xf32, #tile.fragment>
      %y0 = arith.addf %v, %w : f32
      %y = arith.addf %y0, %c : f32
      memref.store %y, %x[%j] : memref<2048xf32, #tile.fragment>
    }
    tile.parallel (%i) in (1) {
      %c = memref.load %carry[%i] : memref<1xf32, #tile.fragment>
      %l = memref.load %sums[%c127] : memref<128xf32, #shared>
      %y = arith.addf %c, %l : f32
      memref.store %y, %carry[%i] : memref<1xf32, #tile.fragment>
    }
    tile.copy %x to %Y[%b, %n] : memref<2048xf32, #tile.fragment> to memref<?x?xf32>
  }
}
