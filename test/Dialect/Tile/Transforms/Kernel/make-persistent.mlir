// A block of a persistent grid works off several tiles: what depends on the
// tile goes into a loop over them, what does not stays in front of it.
// RUN: tile-opt %s --tile-make-persistent -split-input-file | FileCheck %s
// What is a loop already stays one loop.
// RUN: tile-opt %s --tile-make-persistent --tile-make-persistent -split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @tiles
// CHECK-DAG: %[[C32:.*]] = arith.constant 32
// CHECK-DAG: %[[C64:.*]] = arith.constant 64
// Dimensions, promises and memory are the same for every tile.
// CHECK: %[[K:.*]] = memref.dim %A
// CHECK-NEXT: tile.assume %[[K]]
// CHECK-NEXT: %[[S:.*]] = tile.alloc
// CHECK-NEXT: %[[FIRST:.*]], %[[END:.*]], %[[STEP:.*]] = tile.block_range
// CHECK-NEXT: scf.for %[[T:.*]] = %[[FIRST]] to %[[END]] step %[[STEP]] {
// CHECK-NEXT: %[[AT:.*]]:2 = tile.block_coordinates %[[T]] : index, index
// CHECK-NEXT: %[[M:.*]] = arith.muli %[[AT]]#1, %[[C32]]
// CHECK-NEXT: %[[N:.*]] = arith.muli %[[AT]]#0, %[[C64]]
// A promise about what depends on the tile goes with it.
// CHECK-NEXT: tile.assume %[[M]]
// CHECK-NEXT: tile.copy %A[%[[M]], %[[N]]] to %[[S]]
// CHECK-NEXT: tile.copy %[[S]] to %C[%[[M]], %[[N]]]
// CHECK-NEXT: }
// CHECK-NEXT: tile.return
tile.kernel @tiles(%A: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 32) threads(128) attributes {persistent = 1 : i64} {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %m {max = 65536 : i64} : index
  %s = tile.alloc : memref<32x64xf16, #shared>
  tile.copy %A[%m, %n] to %s : memref<?x?xf16> to memref<32x64xf16, #shared>
  tile.copy %s to %C[%m, %n] : memref<32x64xf16, #shared> to memref<?x?xf16>
}

// -----

// What happens once for a tile happens once for a tile, though it is the same
// each time: effects and reads of memory stay in order behind each other.

// CHECK-LABEL: tile.kernel @effects
// CHECK: %[[ACC:.*]] = tile.alloc
// CHECK-NEXT: tile.block_range
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.block_coordinates
// CHECK-NEXT: tile.fill %[[ACC]]
// CHECK-NEXT: %[[COUNT:.*]] = memref.load %count
// CHECK-NEXT: %[[UP:.*]] = arith.index_cast %[[COUNT]]
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %[[UP]]
// CHECK: tile.copy %[[ACC]] to %C
tile.kernel @effects(%count: memref<1xi32>, %A: memref<?x64xf32>, %C: memref<?x64xf32>)
    grid(%b) = (dim(%C, 0) ceildiv 64) threads(128) attributes {persistent = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  %n = memref.load %count[%c0] : memref<1xi32>
  %up = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %up step %c1 {
    tile.atomic add %A[%i, %c0] to %C[%i, %c0] sizes [1, 64] : memref<?x64xf32> to memref<?x64xf32>
  }
  %m = arith.muli %b, %c64 : index
  tile.copy %acc to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x64xf32>
}

// -----

// Without the attribute a block keeps to its tile.

// CHECK-LABEL: tile.kernel @once
// CHECK-NOT: tile.block_range
// CHECK-NOT: scf.for
// CHECK: tile.copy %A[%{{.*}}] to %C[%{{.*}}]
tile.kernel @once(%A: memref<?xf32>, %C: memref<?xf32>) grid(%b) = (dim(%C, 0) ceildiv 64) threads(64) {
  %c64 = arith.constant 64 : index
  %m = arith.muli %b, %c64 : index
  tile.copy %A[%m] sizes [64] to %C[%m] : memref<?xf32> to memref<?xf32>
}

// -----

// Nothing to do for a tile: no loop.

// CHECK-LABEL: tile.kernel @nothing
// CHECK-NOT: tile.block_range
// CHECK: tile.return
tile.kernel @nothing() grid(%b) = (4) threads(64) attributes {persistent = 1 : i64} {
}

// -----

#shared = #gpu.address_space<workgroup>

// Where the trip count of a loop depends on the block, every second round of
// blocks takes its numbers from the last to the first: number t of round
// t / step stands at t - first, and the round has min(step, end - (t - first))
// numbers.

// CHECK-LABEL: tile.kernel @uneven
// CHECK: %[[FIRST:.*]], %[[END:.*]], %[[STEP:.*]] = tile.block_range
// CHECK-NEXT: scf.for %[[T:.*]] = %[[FIRST]] to %[[END]] step %[[STEP]] {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0
// CHECK-NEXT: %[[START:.*]] = arith.subi %[[T]], %[[FIRST]]
// CHECK-NEXT: %[[REST:.*]] = arith.subi %[[END]], %[[START]]
// CHECK-NEXT: %[[COUNT:.*]] = arith.minui %[[STEP]], %[[REST]]
// CHECK-NEXT: %[[BEFORE:.*]] = arith.subi %[[COUNT]], %[[ONE]]
// CHECK-NEXT: %[[LAST:.*]] = arith.addi %[[START]], %[[BEFORE]]
// CHECK-NEXT: %[[MIRRORED:.*]] = arith.subi %[[LAST]], %[[FIRST]]
// CHECK-NEXT: %[[ROUND:.*]] = arith.divui %[[T]], %[[STEP]]
// CHECK-NEXT: %[[PARITY:.*]] = arith.andi %[[ROUND]], %[[ONE]]
// CHECK-NEXT: %[[EVEN:.*]] = arith.cmpi eq, %[[PARITY]], %[[ZERO]]
// CHECK-NEXT: %[[NUMBER:.*]] = arith.select %[[EVEN]], %[[T]], %[[MIRRORED]]
// CHECK-NEXT: tile.block_coordinates %[[NUMBER]]
tile.kernel @uneven(%A: memref<?x64xf32>, %C: memref<?x64xf32>)
    grid(%b) = (dim(%C, 0) ceildiv 64) threads(128) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %b, %c64 : index
  %up = arith.addi %b, %c1 : index
  %s = tile.alloc : memref<64x64xf32, #shared>
  scf.for %i = %c0 to %up step %c1 {
    %row = arith.muli %i, %c64 : index
    tile.copy %A[%row, %c0] to %s : memref<?x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %C[%m, %c0] : memref<64x64xf32, #shared> to memref<?x64xf32>
  }
}

// -----

#shared = #gpu.address_space<workgroup>

// A loop of the same length for every block leaves the order as it is, though
// its body depends on the block.

// CHECK-LABEL: tile.kernel @even
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: tile.block_coordinates %[[T]]
// CHECK-NOT: arith.select
// CHECK: tile.return
tile.kernel @even(%A: memref<?x64xf32>, %C: memref<?x64xf32>)
    grid(%b) = (dim(%C, 0) ceildiv 64) threads(128) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %up = memref.dim %A, %c0 : memref<?x64xf32>
  %m = arith.muli %b, %c64 : index
  %s = tile.alloc : memref<64x64xf32, #shared>
  scf.for %i = %c0 to %up step %c1 {
    tile.copy %A[%m, %c0] to %s : memref<?x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %C[%m, %c0] : memref<64x64xf32, #shared> to memref<?x64xf32>
  }
}
