// y = max(x, 0) * s, on a matrix of any shape: a block handles 64 x 64 elements.
tile.kernel @scale(%X: memref<?x?xf32> {tile.shape_hint = array<i64: 1024, 1024>}, %Y: memref<?x?xf32> {tile.shape_hint = array<i64: 1024, 1024>}, %s: f32)
    grid(%bx, %by) = (dim(%X, 1) ceildiv 64, dim(%X, 0) ceildiv 64) threads(128) {
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %x = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %X[%m, %n] to %x : memref<?x?xf32> to memref<64x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (64, 64) {
    %a = memref.load %x[%i, %j] : memref<64x64xf32, #tile.fragment>
    %b = arith.maximumf %a, %zero : f32
    %c = arith.mulf %b, %s : f32
    memref.store %c, %x[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
}
