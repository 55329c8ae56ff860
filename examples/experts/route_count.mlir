// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routing, first: how many copies of tokens each expert has in each chunk of them.
// Data for tile-run: --args=ID=600:range:0:64.
// Printed by: benchmarks/program.py count name=route_count experts=64 chunk=256 hints=ID=600,COUNT=3x64
#shared = #gpu.address_space<workgroup>
tile.kernel @route_count(%ID: memref<?xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 600>}, %COUNT: memref<?x64xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 64>})
    grid(%b) = (dim(%ID, 0) ceildiv 256) threads(256) {
  %c256 = arith.constant 256 : index
  %c0 = arith.constant 0 : index
  %none = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %experts = arith.constant 64 : i32
  %n = arith.muli %b, %c256 : index
  %id = tile.alloc : memref<256xi32, #tile.fragment>
  %count = tile.alloc : memref<64xi32, #shared>
  tile.fill %count with %zero : memref<64xi32, #shared>, i32
  tile.copy %ID[%n] to %id pad(%none : i32) : memref<?xi32> to memref<256xi32, #tile.fragment>
  tile.parallel (%i) in (256) {
    %e32 = memref.load %id[%i] : memref<256xi32, #tile.fragment>
    %is = arith.cmpi ult, %e32, %experts : i32
    scf.if %is {
      %e = arith.index_cast %e32 : i32 to index
      memref.atomic_rmw addi %one, %count[%e] : (i32, memref<64xi32, #shared>) -> i32
    }
  }
  tile.copy %count to %COUNT[%b, %c0] sizes [1, 64] : memref<64xi32, #shared> to memref<?x64xi32>
}
