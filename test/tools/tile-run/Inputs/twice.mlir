// C[i, j] = 2 * A[j]: 64 columns of one row a block.
tile.kernel @twice(%A: memref<?xf32>, %C: memref<?x?xf32, strided<[?, 1]>>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0)) threads(64) {
  %c64 = arith.constant 64 : index
  %n = arith.muli %bx, %c64 : index
  %row = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %A[%n] to %row : memref<?xf32> to memref<64xf32, #tile.fragment>
  tile.parallel (%i) in (64) {
    %x = memref.load %row[%i] : memref<64xf32, #tile.fragment>
    %y = arith.addf %x, %x : f32
    memref.store %y, %row[%i] : memref<64xf32, #tile.fragment>
  }
  tile.copy %row to %C[%by, %n] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<?x?xf32, strided<[?, 1]>>
}
