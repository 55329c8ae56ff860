// An index outside of a tile in shared memory touches no other tile: what lies there reads as zero and is not written.
// The CPU says where the index is wrong.
// RUN: tile-run %s --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_100a | FileCheck %s
// RUN: not tile-run %s 2>&1 | FileCheck %s --check-prefix=CPU
// CHECK-NOT: assertion failed
// CHECK: kernel 'outside' on cpu (lowered
// CPU: assertion failed in block 0: expected {{.*}} at {{.*}}guarded-accesses.mlir
#shared = #gpu.address_space<workgroup>
tile.kernel @outside(%A: memref<64xf32>) grid(%b) = (1) threads(64) {
  %c61 = arith.constant 61 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %i0 = arith.constant 0 : i32
  %i2 = arith.constant 2 : i32
  %below = tile.alloc : memref<64xi32, #shared>
  %s = tile.alloc : memref<64xi32, #shared>
  %above = tile.alloc : memref<64xi32, #shared>
  tile.fill %below with %i2 : memref<64xi32, #shared>, i32
  tile.fill %s with %i2 : memref<64xi32, #shared>, i32
  tile.fill %above with %i2 : memref<64xi32, #shared>, i32
  // Elements -3 to 124: the first three and all from 64 on are outside.
  tile.parallel (%i) in (64) {
    %x = arith.index_cast %i : index to i32
    %x2 = arith.muli %x, %i2 : i32
    %x3 = arith.constant 3 : i32
    %x4 = arith.subi %x2, %x3 : i32
    %k = arith.index_cast %x4 : i32 to index
    memref.store %one, %s[%k] : memref<64xi32, #shared>
    %old = memref.atomic_rmw addi %one, %s[%k] : (i32, memref<64xi32, #shared>) -> i32
    %inside = arith.cmpi ult, %k, %c64 : index
    %expected = arith.select %inside, %one, %i0 : i32
    %right = arith.cmpi eq, %old, %expected : i32
    tile.assert %right, "what an atomic gives outside is zero"
  }
  tile.parallel (%i) in (64) {
    %x = memref.load %below[%i] : memref<64xi32, #shared>
    %y = memref.load %above[%i] : memref<64xi32, #shared>
    %z = memref.load %s[%i] : memref<64xi32, #shared>
    %a = arith.cmpi eq, %x, %i2 : i32
    %b1 = arith.cmpi eq, %y, %i2 : i32
    %c = arith.cmpi eq, %z, %i2 : i32
    %ab = arith.andi %a, %b1 : i1
    %abc = arith.andi %ab, %c : i1
    tile.assert %abc, "other tiles are as they were, and elements inside have been counted"
    %r = arith.sitofp %z : i32 to f32
    memref.store %r, %A[%i] : memref<64xf32>
  }
}
