// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream compaction: the positive elements of X, in order within blocks of 1024, the blocks in any order. (To keep their
// order, their counts have to be scanned by another launch: a block cannot wait for another.)
// X: n f32; Y: as many as are kept or more, f32; N: one i32, zero before, then how many were kept.
// Look at: a scan over the threads in doubling steps through shared memory, and one `memref.atomic_rmw` a block that
// takes room in Y.
#shared = #gpu.address_space<workgroup>
tile.kernel @compaction(
    %X: memref<?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4096>},
    %Y: memref<?xf32> {tile.shape_hint = array<i64: 8192>},
    %N: memref<1xi32>)
    grid(%b) = (dim(%X, 0) ceildiv 1024) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c255 = arith.constant 255 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %n = arith.muli %b, %c1024 : index
  %xs = tile.alloc : memref<1024xf32, #shared>
  %count = tile.alloc : memref<256xi32, #shared>
  %next = tile.alloc : memref<256xi32, #shared>
  %base = tile.alloc : memref<1xi32, #shared>
  tile.copy %X[%n] to %xs pad(%zero : f32) : memref<?xf32> to memref<1024xf32, #shared>
  tile.parallel (%t) in (256) attributes {coalesced_width = 1 : i64} {
    %f = arith.muli %t, %c4 : index
    %total = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %i0) -> (i32) {
      %p = arith.addi %f, %k : index
      %v = memref.load %xs[%p] : memref<1024xf32, #shared>
      %keep = arith.cmpf ogt, %v, %zero : f32
      %one = arith.extui %keep : i1 to i32
      %s = arith.addi %a, %one : i32
      scf.yield %s : i32
    }
    memref.store %total, %count[%t] : memref<256xi32, #shared>
  }
  scf.for %s = %c0 to %c8 step %c1 {
    %d = arith.shli %c1, %s : index
    tile.parallel (%t) in (256) attributes {coalesced_width = 1 : i64} {
      %v = memref.load %count[%t] : memref<256xi32, #shared>
      %has = arith.cmpi uge, %t, %d : index
      %from = arith.subi %t, %d : index
      %w = scf.if %has -> (i32) {
        %l = memref.load %count[%from] : memref<256xi32, #shared>
        scf.yield %l : i32
      } else {
        scf.yield %i0 : i32
      }
      %y = arith.addi %v, %w : i32
      memref.store %y, %next[%t] : memref<256xi32, #shared>
    }
    tile.copy %next to %count : memref<256xi32, #shared> to memref<256xi32, #shared>
  }
  // One element of a loop as wide as the block: a loop of extent 1 would run in every thread.
  tile.parallel (%t) in (256) attributes {coalesced_width = 1 : i64} {
    %is = arith.cmpi eq, %t, %c255 : index
    scf.if %is {
      %all = memref.load %count[%t] : memref<256xi32, #shared>
      %old = memref.atomic_rmw addi %all, %N[%c0] : (i32, memref<1xi32>) -> i32
      memref.store %old, %base[%c0] : memref<1xi32, #shared>
    }
  }
  tile.parallel (%t) in (256) attributes {coalesced_width = 1 : i64} {
    %f = arith.muli %t, %c4 : index
    %has = arith.cmpi uge, %t, %c1 : index
    %from = arith.subi %t, %c1 : index
    %b0 = memref.load %base[%c0] : memref<1xi32, #shared>
    %w = scf.if %has -> (i32) {
      %l = memref.load %count[%from] : memref<256xi32, #shared>
      scf.yield %l : i32
    } else {
      scf.yield %i0 : i32
    }
    %at = arith.addi %b0, %w : i32
    %end = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %at) -> (i32) {
      %p = arith.addi %f, %k : index
      %v = memref.load %xs[%p] : memref<1024xf32, #shared>
      %keep = arith.cmpf ogt, %v, %zero : f32
      %after = scf.if %keep -> (i32) {
        %q = arith.index_cast %a : i32 to index
        memref.store %v, %Y[%q] : memref<?xf32>
        %s = arith.addi %a, %i1 : i32
        scf.yield %s : i32
      } else {
        scf.yield %a : i32
      }
      scf.yield %after : i32
    }
  }
}
