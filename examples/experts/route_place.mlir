// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routing, third: the row of each copy, and the token of each row.
// Data for tile-run: --args=ID=250:range:0:64,BASE=1x64:zeros,OFF=65:zeros,COUNT=1x64:zeros.
// Printed by: benchmarks/program.py place name=route_place experts=64 k=8 chunk=256 ordered=True hints=ID=250,BASE=1x64,OFF=65,COUNT=1x64,SLOT=250,ROW=250
#shared = #gpu.address_space<workgroup>
tile.kernel @route_place(%ID: memref<?xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 250>}, %BASE: memref<?x64xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 64>}, %OFF: memref<?xi32> {tile.shape_hint = array<i64: 65>}, %COUNT: memref<?x64xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 64>}, %SLOT: memref<?xi32> {tile.shape_hint = array<i64: 250>}, %ROW: memref<?xi32> {tile.shape_hint = array<i64: 250>})
    grid(%b) = (dim(%ID, 0) ceildiv 256) threads(256) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %i32_0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : index
  %none = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %experts = arith.constant 64 : i32
  %copies = memref.dim %ID, %c0 : memref<?xi32>
  %n = arith.muli %b, %c256 : index
  %id = tile.alloc : memref<256xi32, #shared>
  %next = tile.alloc : memref<64xi32, #shared>
  tile.copy %ID[%n] to %id pad(%none : i32) : memref<?xi32> to memref<256xi32, #shared>
  tile.copy %BASE[%b, %c0] sizes [1, 64] to %next : memref<?x64xi32> to memref<64xi32, #shared>
  tile.parallel (%e) in (64) {
    %x0 = memref.load %next[%e] : memref<64xi32, #shared>
    %x1 = memref.load %OFF[%e] : memref<?xi32>
    %x2 = arith.addi %x0, %x1 : i32
    memref.store %x2, %next[%e] : memref<64xi32, #shared>
  }
  %which = tile.alloc : memref<256xi32, #shared>
  %own = tile.alloc : memref<64xi32, #shared>
  tile.copy %COUNT[%b, %c0] sizes [1, 64] to %own : memref<?x64xi32> to memref<64xi32, #shared>
  tile.scan sum %own to %own dim(0) exclusive : memref<64xi32, #shared> to memref<64xi32, #shared>
  tile.parallel (%i) in (256) {
    %x3 = arith.index_cast %i : index to i32
    memref.store %x3, %which[%i] : memref<256xi32, #shared>
  }
  // What is no expert is the greatest.
  tile.sort %id, %which dim(0) {is_unsigned} : memref<256xi32, #shared>, memref<256xi32, #shared>
  tile.parallel (%i) in (256) {
    %e32 = memref.load %id[%i] : memref<256xi32, #shared>
    %x4 = memref.load %which[%i] : memref<256xi32, #shared>
    %x5 = arith.index_cast %x4 : i32 to index
    %c = arith.addi %n, %x5 : index
    %is = arith.cmpi ult, %e32, %experts : i32
    scf.if %is {
      %e = arith.index_cast %e32 : i32 to index
      %x6 = memref.load %next[%e] : memref<64xi32, #shared>
      %x7 = arith.index_cast %i : index to i32
      %x8 = arith.addi %x6, %x7 : i32
      %x9 = memref.load %own[%e] : memref<64xi32, #shared>
      %at32 = arith.subi %x8, %x9 : i32
      %at = arith.index_cast %at32 : i32 to index
      %x10 = arith.addi %at32, %i32_0 : i32
      memref.store %x10, %SLOT[%c] : memref<?xi32>
      %x11 = arith.divui %c, %c8 : index
      %x12 = arith.index_cast %x11 : index to i32
      memref.store %x12, %ROW[%at] : memref<?xi32>
    } else {
      %in = arith.cmpi slt, %c, %copies : index
      scf.if %in {
        memref.store %none, %SLOT[%c] : memref<?xi32>
      }
    }
  }
}
