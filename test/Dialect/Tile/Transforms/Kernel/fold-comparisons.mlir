// Comparisons that hold for every block, counter and extent become constants; others stay.
// RUN: tile-opt %s --split-input-file --tile-fold-comparisons --canonicalize | FileCheck %s

// A block's index, its quotient and its remainder are below the extents of which the grid is made.
// CHECK-LABEL: tile.kernel @blocks
// CHECK-NOT: arith.cmpi
// CHECK: memref.store %{{.*}}, %A[
// CHECK: tile.return
tile.kernel @blocks(%A: memref<?x?xf32>) grid(%bx, %by) = ((dim(%A, 1) * 2), dim(%A, 0)) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant 1.0 : f32
  %rows = memref.dim %A, %c0 : memref<?x?xf32>
  %columns = memref.dim %A, %c1 : memref<?x?xf32>
  %column = arith.divui %bx, %c2 : index
  %half = arith.remui %bx, %c2 : index
  %a = arith.cmpi slt, %by, %rows : index
  %b = arith.cmpi ult, %column, %columns : index
  %c = arith.cmpi sge, %by, %c0 : index
  %d = arith.cmpi sgt, %c2, %half : index
  %e = arith.cmpi sle, %half, %c1 : index
  %ab = arith.andi %a, %b : i1
  %cd = arith.andi %c, %d : i1
  %cde = arith.andi %cd, %e : i1
  %all = arith.andi %ab, %cde : i1
  scf.if %all {
    memref.store %x, %A[%by, %column] : memref<?x?xf32>
  }
  %outside = arith.cmpi sge, %by, %rows : index
  scf.if %outside {
    memref.store %x, %A[%c0, %c0] : memref<?x?xf32>
  }
}

// -----

// Extents that are promised to be equal are one; those of which nothing is promised are not.
// CHECK-LABEL: tile.kernel @promises
// CHECK: %[[OTHER:.*]] = memref.dim %C
// CHECK: %[[STAYS:.*]] = arith.cmpi slt, %bx, %[[OTHER]] : index
// CHECK-NOT: arith.cmpi
// CHECK: scf.if %[[STAYS]]
tile.kernel @promises(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) grid(%bx) = (dim(%B, 0)) threads(32) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %a = memref.dim %A, %c0 : memref<?xf32>
  %b = memref.dim %B, %c0 : memref<?xf32>
  %c = memref.dim %C, %c0 : memref<?xf32>
  tile.assume %a equals %b : index
  %first = arith.cmpi slt, %bx, %a : index
  %second = arith.cmpi slt, %bx, %c : index
  %both = arith.andi %first, %second : i1
  scf.if %both {
    memref.store %x, %A[%bx] : memref<?xf32>
  }
}

// -----

// Blocks of clusters that do not divide the grid may lie outside of it; counters lie in their loops.
// CHECK-LABEL: tile.kernel @clusters
// CHECK: arith.cmpi slt, %bx
// CHECK: scf.for %[[I:.*]] =
// CHECK-NOT: arith.cmpi
// CHECK: arith.cmpi slt, %[[I]]
// CHECK-NOT: arith.cmpi
tile.kernel @clusters(%A: memref<?x64xf32>, %n: index) grid(%bx) = (dim(%A, 0)) threads(32) attributes {cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %x = arith.constant 1.0 : f32
  %rows = memref.dim %A, %c0 : memref<?x64xf32>
  %c64 = arith.constant 64 : index
  %in = arith.cmpi slt, %bx, %rows : index
  scf.if %in {
    scf.for %i = %c0 to %c64 step %c1 {
      %a = arith.cmpi slt, %i, %c64 : index
      %b = arith.cmpi slt, %i, %c63 : index
      %both = arith.andi %a, %b : i1
      scf.if %both {
        memref.store %x, %A[%bx, %i] : memref<?x64xf32>
      }
    }
  }
}

// -----

// Nothing is known of numbers of 32 bits, which wrap, and of what memory holds.
// CHECK-LABEL: tile.kernel @unknown
// CHECK-COUNT-3: arith.cmpi
tile.kernel @unknown(%A: memref<?xf32>, %I: memref<?xi32>) grid(%bx) = (dim(%A, 0)) threads(32) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %rows = memref.dim %A, %c0 : memref<?xf32>
  %narrow = arith.index_cast %rows : index to i32
  %block = arith.index_cast %bx : index to i32
  %a = arith.cmpi slt, %block, %narrow : i32
  %row = memref.load %I[%bx] : memref<?xi32>
  %at = arith.index_cast %row : i32 to index
  %b = arith.cmpi slt, %at, %rows : index
  %more = arith.addi %block, %block : i32
  %twice = arith.index_cast %more : i32 to index
  %c = arith.cmpi sge, %twice, %c0 : index
  %ab = arith.andi %a, %b : i1
  %both = arith.andi %ab, %c : i1
  scf.if %both {
    memref.store %x, %A[%at] : memref<?xf32>
  }
}

// -----

// In a branch its condition holds, where arithmetic cannot have wrapped around: 69069 n may be small though n is not.
// CHECK-LABEL: tile.kernel @branches
// CHECK: %[[H:.*]] = arith.muli
// CHECK: arith.cmpi ult, %[[H]]
// CHECK: scf.if
// CHECK:   arith.cmpi slt, %n
// CHECK: arith.cmpi slt, %n
// CHECK: scf.if
// CHECK-NOT: arith.cmpi
// CHECK: tile.return
tile.kernel @branches(%A: memref<64xi32>, %n: i64) grid(%b) = (64) threads(32) {
  %c32 = arith.constant 32 : i64
  %c40 = arith.constant 40 : i64
  %one = arith.constant 1 : i32
  %factor = arith.constant 69069 : i64
  %limit = arith.constant 2210208 : i64
  %h = arith.muli %n, %factor : i64
  %low = arith.cmpi ult, %h, %limit : i64
  scf.if %low {
    %less = arith.cmpi slt, %n, %c32 : i64
    scf.if %less {
      memref.store %one, %A[%b] : memref<64xi32>
    }
  }
  %small = arith.cmpi slt, %n, %c32 : i64
  scf.if %small {
    %less = arith.cmpi slt, %n, %c40 : i64
    scf.if %less {
      memref.store %one, %A[%b] : memref<64xi32>
    }
  }
}
