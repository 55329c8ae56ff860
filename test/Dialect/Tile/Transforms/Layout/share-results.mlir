// Each block of a split tile finishes a part of it; what is in the way is said.
// RUN: tile-opt %s --tile-share-results=remarks -split-input-file -verify-diagnostics | FileCheck %s

// Columns: what is read and written in global memory, and what a loop computes from its indices, moves along with the part.
#acc = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#row = #tile.fragment_layout<shape [64] reg [(2, 0:1), (8, 0:8)] lane [(4, 0:2), (8, *)] warp [(4, *)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @columns
tile.kernel @columns(%X: memref<64x64xf32>, %R: memref<64xf32>, %C: memref<64x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc layout(#acc) : memref<64x64xf32, #tile.fragment>
  %row = tile.alloc layout(#row) : memref<64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  // CHECK: tile.cluster_reduce sum %[[ACC:.*]] blocks(2) stride(1) parts(1)
  // expected-remark @+1 {{each of 2 blocks finishes 64 x 32 elements of the tile}}
  tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<64x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c1 : index
  // CHECK: %[[FIRST:.*]], %[[END:.*]] = tile.cluster_parts blocks(2) stride(1)
  // CHECK: scf.for %[[P:.*]] = %[[FIRST]] to %[[END]]
  // CHECK-DAG: %[[ROW:.*]] = tile.alloc layout({{.*}}) : memref<32xf32, #tile.fragment>
  // CHECK-DAG: %[[PART:.*]] = tile.alloc layout(#tile.fragment_layout<shape [64, 32] reg [(2, 1:1), (2, 0:8), (4, 1:8)]{{.*}}) : memref<64x32xf32, #tile.fragment>
  // CHECK: tile.cluster_part %[[ACC]][%[[P]]] to %[[PART]]
  // CHECK: %[[BY:.*]] = arith.muli %[[P]], %{{.*}}
  // CHECK: tile.copy %R[%[[BY]]] sizes [32] to %[[ROW]]
  // CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (64, 32)
  // CHECK: %[[WHOLE:.*]] = arith.addi %[[J]], %{{.*}}
  // CHECK: memref.load %[[PART]][%[[I]], %[[J]]]
  // CHECK: memref.load %[[ROW]][%[[J]]]
  // CHECK: arith.index_cast %[[WHOLE]]
  // CHECK: memref.store %{{.*}}, %[[PART]][%[[I]], %[[J]]]
  // CHECK: tile.copy %[[PART]] to %C[%{{.*}}, %{{.*}}] sizes [64, 32]
  // CHECK-NOT: scf.if
  scf.if %last {
    tile.copy %R[%c0] to %row decided {layout = #row} : memref<64xf32> to memref<64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) layout(#acc) {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %y = memref.load %row[%j] : memref<64xf32, #tile.fragment>
      %n = arith.index_cast %j : index to i32
      %f = arith.sitofp %n : i32 to f32
      %xy = arith.addf %x, %y : f32
      %sum = arith.addf %xy, %f : f32
      memref.store %sum, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc to %C[%c0, %c0] decided {layout = #acc} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
}
}

// -----

// Rows, of a product with swapped operands: warps hold the columns.
#acc = #tile.fragment_layout<shape [48, 64] reg [(2, 0:1), (2, 1:8), (6, 0:8)] lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%X: memref<48x64xf32>, %C: memref<3x48x64xf32>) grid(%bx) = (3) threads(128) cluster(3) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %acc = tile.alloc layout(#acc) : memref<48x64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<48x64xf32> to memref<48x64xf32, #tile.fragment>
  // CHECK: tile.cluster_reduce sum %{{.*}} blocks(3) stride(1) parts(0)
  // expected-remark @+1 {{each of 3 blocks finishes 16 x 64 elements of the tile}}
  tile.cluster_reduce sum %acc blocks(3) stride(1) : memref<48x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c2 : index
  // CHECK: tile.copy %{{.*}} to %C[%c2, %{{.*}}, %c0] sizes [1, 16, 64]
  scf.if %last {
    tile.copy %acc to %C[%c2, %c0, %c0] sizes [1, 48, 64] decided {layout = #acc} : memref<48x64xf32, #tile.fragment> to memref<3x48x64xf32>
  }
}
}

// -----

// A sum over the columns needs all of them.
#acc = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#sum = #tile.fragment_layout<shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @row_sums
tile.kernel @row_sums(%X: memref<64x64xf32>, %C: memref<64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc layout(#acc) : memref<64x64xf32, #tile.fragment>
  %sum = tile.alloc layout(#sum) : memref<64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  // CHECK: tile.cluster_reduce sum %{{.*}} blocks(2) stride(1) :
  // expected-remark @+1 {{the last block finishes the tile: `tile.reduce` works on more than single elements}}
  tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<64x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c1 : index
  scf.if %last {
    tile.reduce sum %acc to %sum dim(1) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.copy %sum to %C[%c0] decided {layout = #sum} : memref<64xf32, #tile.fragment> to memref<64xf32>
  }
}
}

// -----

// Threads hold no equal parts: 40 rows are five groups of eight, and warps hold the columns.
#acc = #tile.fragment_layout<shape [40, 64] reg [(2, 0:1), (2, 1:8), (5, 0:8)] lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @uneven
tile.kernel @uneven(%X: memref<40x64xf32>, %C: memref<40x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc layout(#acc) : memref<40x64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<40x64xf32> to memref<40x64xf32, #tile.fragment>
  // expected-remark @+1 {{the last block finishes the tile: threads do not hold equal shares of 2 parts}}
  tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<40x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c1 : index
  // CHECK: scf.if
  scf.if %last {
    tile.copy %acc to %C[%c0, %c0] decided {layout = #acc} : memref<40x64xf32, #tile.fragment> to memref<40x64xf32>
  }
}
}

// -----

// What the last block stores that is the same for all of the tile would be stored by all.
#acc = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @once
tile.kernel @once(%X: memref<64x64xf32>, %C: memref<64x64xf32>, %D: memref<64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc layout(#acc) : memref<64x64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{the last block finishes the tile: part of it is the same for all of the tile}}
  tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<64x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c1 : index
  // CHECK: scf.if
  scf.if %last {
    tile.copy %acc to %C[%c0, %c0] decided {layout = #acc} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
    tile.parallel (%i) in (64) layout(#tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32), (2, *)]>) {
      %x = memref.load %D[%i] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %D[%i] : memref<64xf32>
    }
  }
}
}

// -----

// What one block stores another one would read, or overwrite: the second store begins a column further.
#acc = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @shifted
tile.kernel @shifted(%X: memref<64x64xf32>, %C: memref<64x65xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc layout(#acc) : memref<64x64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{the last block finishes the tile: it accesses global memory at other places than it writes}}
  tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<64x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c1 : index
  // CHECK: scf.if
  scf.if %last {
    tile.copy %acc to %C[%c0, %c0] sizes [64, 64] decided {layout = #acc} : memref<64x64xf32, #tile.fragment> to memref<64x65xf32>
    tile.copy %acc to %C[%c0, %c1] sizes [64, 64] decided {layout = #acc} : memref<64x64xf32, #tile.fragment> to memref<64x65xf32>
  }
}
}

// -----

// The turned tile is read back where another block stores it.
#acc = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @turned
tile.kernel @turned(%X: memref<64x64xf32>, %C: memref<64x64xf32>, %D: memref<64x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc layout(#acc) : memref<64x64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{the last block finishes the tile: it accesses global memory at other places than it writes}}
  tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<64x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c1 : index
  // CHECK: scf.if
  scf.if %last {
    tile.copy %acc to %C[%c0, %c0] decided {layout = #acc} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
    tile.parallel (%i, %j) in (64, 64) layout(#acc) {
      %x = memref.load %C[%j, %i] : memref<64x64xf32>
      memref.store %x, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc to %D[%c0, %c0] decided {layout = #acc} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
}
}

// -----

// What is added to stands at the same places: each element is one block's.
#acc = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @added
tile.kernel @added(%X: memref<64x64xf32>, %C: memref<64x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc layout(#acc) : memref<64x64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{each of 2 blocks finishes 64 x 32 elements of the tile}}
  tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<64x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c1 : index
  // CHECK: tile.cluster_part
  scf.if %last {
    %old = tile.alloc layout(#acc) : memref<64x64xf32, #tile.fragment>
    tile.copy %C[%c0, %c0] sizes [64, 64] to %old sizes [64, 64] decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) layout(#acc) {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %y = memref.load %old[%i, %j] : memref<64x64xf32, #tile.fragment>
      %sum = arith.addf %x, %y : f32
      memref.store %sum, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc sizes [64, 64] to %C[%c0, %c0] sizes [64, 64] decided {layout = #acc} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
}
}

// -----

// One column gives a value to each row, which all columns read afterwards: only the block with that column would have it.
#acc = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#row = #tile.fragment_layout<shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @picked
tile.kernel @picked(%X: memref<64x64xf32>, %C: memref<64x64xf32>) grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc layout(#acc) : memref<64x64xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %acc decided {layout = #acc} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{the last block finishes the tile: a loop writes what is the same for all parts of the tile}}
  tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<64x64xf32, #tile.fragment>
  %last = arith.cmpi eq, %bx, %c1 : index
  %row = tile.alloc layout(#row) : memref<64xf32, #tile.fragment>
  // CHECK: scf.if
  scf.if %last {
    tile.parallel (%i, %j) in (64, 64) layout(#acc) {
      %first = arith.cmpi eq, %j, %c0 : index
      scf.if %first {
        %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
        memref.store %x, %row[%i] : memref<64xf32, #tile.fragment>
      }
    }
    tile.copy %acc to %C[%c0, %c0] decided {layout = #acc} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
}
}
