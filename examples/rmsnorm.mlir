// Y[i, j] = X[i, j] / sqrt(mean of X[i, :]^2 + eps) * W[j]: f16 in memory, f32 in
// between. A block owns 8 rows and walks them twice in chunks of 256 columns.
tile.kernel @rmsnorm(%X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>}, %W: memref<?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024>}, %eps: f32, %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1024, 1024>})
    grid(%b) = (dim(%X, 0) ceildiv 8) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %columns = memref.dim %X, %c1 : memref<?x?xf16>
  %count = arith.index_cast %columns : index to i32
  %n = arith.sitofp %count : i32 to f32
  %m = arith.muli %b, %c8 : index

  %x = tile.alloc : memref<8x256xf32, #tile.fragment>
  %square = tile.alloc : memref<8x256xf32, #tile.fragment>
  %w = tile.alloc : memref<256xf32, #tile.fragment>
  %scale = tile.alloc : memref<8xf32, #tile.fragment>
  tile.fill %scale with %zero : memref<8xf32, #tile.fragment>, f32

  scf.for %j0 = %c0 to %columns step %c256 {
    // What lies beyond a row is loaded as zeros, which add nothing.
    tile.copy %X[%m, %j0] to %x : memref<?x?xf16> to memref<8x256xf32, #tile.fragment>
    tile.parallel (%i, %j) in (8, 256) {
      %v = memref.load %x[%i, %j] : memref<8x256xf32, #tile.fragment>
      %s = arith.mulf %v, %v : f32
      memref.store %s, %square[%i, %j] : memref<8x256xf32, #tile.fragment>
    }
    tile.reduce sum %square to %scale dim(1) accumulate : memref<8x256xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
  }
  tile.parallel (%i) in (8) {
    %sum = memref.load %scale[%i] : memref<8xf32, #tile.fragment>
    %mean = arith.divf %sum, %n : f32
    %shifted = arith.addf %mean, %eps : f32
    %root = math.sqrt %shifted : f32
    %inverse = arith.divf %one, %root : f32
    memref.store %inverse, %scale[%i] : memref<8xf32, #tile.fragment>
  }
  scf.for %j0 = %c0 to %columns step %c256 {
    tile.copy %X[%m, %j0] to %x : memref<?x?xf16> to memref<8x256xf32, #tile.fragment>
    tile.copy %W[%j0] to %w : memref<?xf16> to memref<256xf32, #tile.fragment>
    tile.parallel (%i, %j) in (8, 256) {
      %v = memref.load %x[%i, %j] : memref<8x256xf32, #tile.fragment>
      %s = memref.load %scale[%i] : memref<8xf32, #tile.fragment>
      %weight = memref.load %w[%j] : memref<256xf32, #tile.fragment>
      %normal = arith.mulf %v, %s : f32
      %y = arith.mulf %normal, %weight : f32
      memref.store %y, %x[%i, %j] : memref<8x256xf32, #tile.fragment>
    }
    tile.copy %x to %Y[%m, %j0] : memref<8x256xf32, #tile.fragment> to memref<?x?xf16>
  }
}
