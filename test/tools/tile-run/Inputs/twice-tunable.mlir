// twice.mlir with its tile left open: columns of a block, and its threads.
tile.kernel @twice(%A: memref<?xf32>, %C: memref<?x?xf32, strided<[?, 1]>>)
    tunable(%bn in [64, 128, 0], %t in [64, 32])
    grid(%bx, %by) = (dim(%C, 1) ceildiv %bn, dim(%C, 0)) threads(%t) {
  %n = arith.muli %bx, %bn : index
  %row = tile.alloc(%bn) : memref<?xf32, #tile.fragment>
  tile.copy %A[%n] to %row : memref<?xf32> to memref<?xf32, #tile.fragment>
  tile.parallel (%i) in (%bn) {
    %x = memref.load %row[%i] : memref<?xf32, #tile.fragment>
    %y = arith.addf %x, %x : f32
    memref.store %y, %row[%i] : memref<?xf32, #tile.fragment>
  }
  tile.copy %row to %C[%by, %n] : memref<?xf32, #tile.fragment> to memref<?x?xf32, strided<[?, 1]>>
}
