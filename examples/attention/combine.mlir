// The parts of decode.mlir put together.
// Printed by: benchmarks/program.py combine name=combine d=64 hints=OP=3x16x64,LSE=3x16,O=16x64,LSEO=16
#shared = #gpu.address_space<workgroup>
tile.kernel @combine(%OP: memref<?x?x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 16, 64>}, %LSE: memref<?x?xf32> {tile.shape_hint = array<i64: 3, 16>}, %O: memref<?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 64>}, %LSEO: memref<?xf32> {tile.shape_hint = array<i64: 16>})
    grid(%b) = (dim(%O, 0) ceildiv 8) threads(128) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %f32_0_0 = arith.constant 0.0 : f32
  %f32_1_0 = arith.constant 1.0 : f32
  %f32_0_6931471805599453 = arith.constant 0.6931471805599453 : f32
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  %splits = memref.dim %OP, %c0 : memref<?x?x64xf32>
  %m = arith.muli %b, %c8 : index
  %part = tile.alloc : memref<8x64xf32, #tile.fragment>
  %acc = tile.alloc : memref<8x64xf32, #tile.fragment>
  %l = tile.alloc : memref<8xf32, #tile.fragment>
  %top = tile.alloc : memref<8xf32, #tile.fragment>
  %old = tile.alloc : memref<8xf32, #tile.fragment>
  %sum = tile.alloc : memref<8xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<8x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<8xf32, #tile.fragment>, f32
  tile.fill %top with %lowest : memref<8xf32, #tile.fragment>, f32
  scf.for %s = %c0 to %splits step %c1 {
    tile.copy %OP[%s, %m, %c0] sizes [1, 8, 64] to %part : memref<?x?x64xf32> to memref<8x64xf32, #tile.fragment>
    tile.copy %LSE[%s, %m] sizes [1, 8] to %l : memref<?x?xf32> to memref<8xf32, #tile.fragment>
    // Parts so far were weighed against a smaller maximum.
    tile.parallel (%i) in (8) {
      %x0 = memref.load %top[%i] : memref<8xf32, #tile.fragment>
      %x1 = memref.load %l[%i] : memref<8xf32, #tile.fragment>
      %new = arith.maximumf %x0, %x1 : f32
      %x2 = memref.load %top[%i] : memref<8xf32, #tile.fragment>
      %x3 = arith.subf %x2, %new : f32
      %x4 = math.exp2 %x3 fastmath<afn> : f32
      memref.store %x4, %old[%i] : memref<8xf32, #tile.fragment>
      %x5 = memref.load %l[%i] : memref<8xf32, #tile.fragment>
      %x6 = arith.subf %x5, %new : f32
      %x7 = math.exp2 %x6 fastmath<afn> : f32
      memref.store %x7, %l[%i] : memref<8xf32, #tile.fragment>
      %x8 = memref.load %sum[%i] : memref<8xf32, #tile.fragment>
      %x9 = memref.load %old[%i] : memref<8xf32, #tile.fragment>
      %x10 = arith.mulf %x8, %x9 : f32
      %x11 = memref.load %l[%i] : memref<8xf32, #tile.fragment>
      %x12 = arith.addf %x10, %x11 : f32
      memref.store %x12, %sum[%i] : memref<8xf32, #tile.fragment>
      memref.store %new, %top[%i] : memref<8xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (8, 64) {
      %x13 = memref.load %acc[%i, %j] : memref<8x64xf32, #tile.fragment>
      %x14 = memref.load %old[%i] : memref<8xf32, #tile.fragment>
      %x15 = arith.mulf %x13, %x14 : f32
      %x16 = memref.load %part[%i, %j] : memref<8x64xf32, #tile.fragment>
      %x17 = memref.load %l[%i] : memref<8xf32, #tile.fragment>
      %x18 = arith.mulf %x16, %x17 : f32
      %x19 = arith.addf %x15, %x18 : f32
      memref.store %x19, %acc[%i, %j] : memref<8x64xf32, #tile.fragment>
    }
  }
  tile.parallel (%i, %j) in (8, 64) {
    %all = memref.load %sum[%i] : memref<8xf32, #tile.fragment>
    %x20 = arith.cmpf ogt, %all, %f32_0_0 : f32
    %some = arith.select %x20, %all, %f32_1_0 : f32
    %x21 = memref.load %acc[%i, %j] : memref<8x64xf32, #tile.fragment>
    %x22 = arith.divf %x21, %some fastmath<arcp> : f32
    memref.store %x22, %acc[%i, %j] : memref<8x64xf32, #tile.fragment>
  }
  tile.parallel (%i) in (8) {
    %x23 = memref.load %top[%i] : memref<8xf32, #tile.fragment>
    %x24 = memref.load %sum[%i] : memref<8xf32, #tile.fragment>
    %x25 = math.log2 %x24 fastmath<afn> : f32
    %x26 = arith.addf %x23, %x25 : f32
    %x27 = arith.mulf %x26, %f32_0_6931471805599453 : f32
    memref.store %x27, %l[%i] : memref<8xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] sizes [8, 64] : memref<8x64xf32, #tile.fragment> to memref<?x64xbf16>
  tile.copy %l to %LSEO[%m] sizes [8] : memref<8xf32, #tile.fragment> to memref<?xf32>
}
