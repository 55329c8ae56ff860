// Y = softmax of each row of X. A block owns 16 rows and walks them twice in
// chunks of 128 columns: once for the largest element and the sum (kept together,
// so that one pass is enough), once for the results.
tile.kernel @softmax(%X: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %Y: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>})
    grid(%b) = (dim(%X, 0) ceildiv 16) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  // Less than any number that a row begins with; exp of it is 0.
  %lowest = arith.constant -3.0e+38 : f32
  %columns = memref.dim %X, %c1 : memref<?x?xf32>
  %m = arith.muli %b, %c16 : index

  %x = tile.alloc : memref<16x128xf32, #tile.fragment>
  %largest = tile.alloc : memref<16xf32, #tile.fragment>
  %chunk = tile.alloc : memref<16xf32, #tile.fragment>
  %sum = tile.alloc : memref<16xf32, #tile.fragment>
  tile.fill %largest with %lowest : memref<16xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<16xf32, #tile.fragment>, f32

  scf.for %n = %c0 to %columns step %c128 {
    tile.copy %X[%m, %n] to %x pad(%lowest : f32) : memref<?x?xf32> to memref<16x128xf32, #tile.fragment>
    tile.reduce max %x to %chunk dim(1) : memref<16x128xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
    // The sum so far was taken against a smaller maximum.
    tile.parallel (%i) in (16) {
      %old = memref.load %largest[%i] : memref<16xf32, #tile.fragment>
      %new = memref.load %chunk[%i] : memref<16xf32, #tile.fragment>
      %both = arith.maximumf %old, %new : f32
      %less = arith.subf %old, %both : f32
      %scale = math.exp %less : f32
      %s = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
      %scaled = arith.mulf %s, %scale : f32
      memref.store %scaled, %sum[%i] : memref<16xf32, #tile.fragment>
      memref.store %both, %largest[%i] : memref<16xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (16, 128) {
      %v = memref.load %x[%i, %j] : memref<16x128xf32, #tile.fragment>
      %max = memref.load %largest[%i] : memref<16xf32, #tile.fragment>
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32
      memref.store %e, %x[%i, %j] : memref<16x128xf32, #tile.fragment>
    }
    tile.reduce sum %x to %sum dim(1) accumulate : memref<16x128xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
  }

  scf.for %n = %c0 to %columns step %c128 {
    tile.copy %X[%m, %n] to %x : memref<?x?xf32> to memref<16x128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 128) {
      %v = memref.load %x[%i, %j] : memref<16x128xf32, #tile.fragment>
      %max = memref.load %largest[%i] : memref<16xf32, #tile.fragment>
      %s = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32
      %y = arith.divf %e, %s : f32
      memref.store %y, %x[%i, %j] : memref<16x128xf32, #tile.fragment>
    }
    tile.copy %x to %Y[%m, %n] : memref<16x128xf32, #tile.fragment> to memref<?x?xf32>
  }
}
