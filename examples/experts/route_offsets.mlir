// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routing, second: where each expert's rows begin, and the table of tiles.
// Data for tile-run: --args=COUNT=3x64:range:0:9.
// Printed by: benchmarks/program.py offsets name=route_offsets experts=64 rows=64 hints=COUNT=3x64,BASE=3x64,OFF=65,TILE=80x4,TOTAL=1
#shared = #gpu.address_space<workgroup>
tile.kernel @route_offsets(%COUNT: memref<?x64xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 64>}, %BASE: memref<?x64xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 64>}, %OFF: memref<?xi32> {tile.shape_hint = array<i64: 65>}, %TILE: memref<?x4xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 80, 4>}, %TOTAL: memref<1xi32> {tile.shape_hint = array<i64: 1>})
    grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %i32_63 = arith.constant 63 : i32
  %i32_64 = arith.constant 64 : i32
  %i32_0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0 : i32
  %none = arith.constant -1 : i32
  %blocks = memref.dim %COUNT, %c0 : memref<?x64xi32>
  %tiles = memref.dim %TILE, %c0 : memref<?x4xi32>
  %part = tile.alloc : memref<16x64xi32, #tile.fragment>
  %total = tile.alloc : memref<64xi32, #shared>
  %count = tile.alloc : memref<64xi32, #shared>
  %tile = tile.alloc : memref<64xi32, #shared>
  %start = tile.alloc : memref<64xi32, #shared>
  tile.fill %total with %zero : memref<64xi32, #shared>, i32
  // Of each expert, the copies in chunks before.
  scf.for %c = %c0 to %blocks step %c16 {
    tile.copy %COUNT[%c, %c0] to %part : memref<?x64xi32> to memref<16x64xi32, #tile.fragment>
    tile.scan sum %part to %part dim(0) exclusive carry(%total : memref<64xi32, #shared>) : memref<16x64xi32, #tile.fragment> to memref<16x64xi32, #tile.fragment>
    tile.copy %part to %BASE[%c, %c0] : memref<16x64xi32, #tile.fragment> to memref<?x64xi32>
  }
  tile.parallel (%e) in (64) {
    %x0 = memref.load %total[%e] : memref<64xi32, #shared>
    %x1 = arith.addi %x0, %i32_63 : i32
    %x2 = arith.divui %x1, %i32_64 : i32
    memref.store %x2, %count[%e] : memref<64xi32, #shared>
  }
  tile.scan sum %count to %tile dim(0) exclusive : memref<64xi32, #shared> to memref<64xi32, #shared>
  tile.scan sum %total to %start dim(0) exclusive : memref<64xi32, #shared> to memref<64xi32, #shared>
  tile.parallel (%e) in (64) {
    %first = memref.load %start[%e] : memref<64xi32, #shared>
    %have = memref.load %total[%e] : memref<64xi32, #shared>
    %x3 = arith.addi %first, %i32_0 : i32
    memref.store %x3, %OFF[%e] : memref<?xi32>
    %last = arith.cmpi eq, %e, %c63 : index
    scf.if %last {
      %x4 = arith.addi %e, %c1 : index
      %x5 = arith.addi %first, %have : i32
      memref.store %x5, %OFF[%x4] : memref<?xi32>
      %x6 = memref.load %tile[%e] : memref<64xi32, #shared>
      %x7 = memref.load %count[%e] : memref<64xi32, #shared>
      %x8 = arith.addi %x6, %x7 : i32
      memref.store %x8, %TOTAL[%c0] : memref<1xi32>
    }
    %x9 = memref.load %count[%e] : memref<64xi32, #shared>
    %many = arith.index_cast %x9 : i32 to index
    scf.for %x = %c0 to %many step %c1 {
      %x10 = memref.load %tile[%e] : memref<64xi32, #shared>
      %x11 = arith.index_cast %x10 : i32 to index
      %at = arith.addi %x11, %x : index
      %x12 = arith.index_cast %e : index to i32
      memref.store %x12, %TILE[%at, %c0] : memref<?x4xi32>
      %x13 = arith.index_cast %x : index to i32
      %x14 = arith.muli %x13, %i32_64 : i32
      %x15 = arith.addi %first, %x14 : i32
      memref.store %x15, %TILE[%at, %c1] : memref<?x4xi32>
      %x16 = arith.addi %first, %have : i32
      memref.store %x16, %TILE[%at, %c2] : memref<?x4xi32>
      memref.store %zero, %TILE[%at, %c3] : memref<?x4xi32>
    }
  }
  // Tiles that nobody has.
  %x17 = memref.load %tile[%c63] : memref<64xi32, #shared>
  %x18 = memref.load %count[%c63] : memref<64xi32, #shared>
  %used32 = arith.addi %x17, %x18 : i32
  %used = arith.index_cast %used32 : i32 to index
  scf.for %s = %used to %tiles step %c256 {
    tile.parallel (%i) in (256) {
      %at = arith.addi %s, %i : index
      %in = arith.cmpi slt, %at, %tiles : index
      scf.if %in {
        memref.store %none, %TILE[%at, %c0] : memref<?x4xi32>
      }
    }
  }
}
