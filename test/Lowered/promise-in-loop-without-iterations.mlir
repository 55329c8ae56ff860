// A promise in a loop that runs zero times says nothing of the value elsewhere.
// RUN: tile-run %s --check --stage=lowered --arch=sm_90a --args=n=0,m=1:ones | FileCheck %s
// RUN: tile-run %s --check --stage=lowered --arch=sm_80 --args=n=0,m=1:ones | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%X: memref<64x64xf32> {tile.alignment=16}, %Y: memref<64x32xf32>{tile.alignment=16}, %n: index, %m: memref<1xi32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %m[%c0] : memref<1xi32>
  %k = arith.index_cast %v : i32 to index
  %t = tile.alloc : memref<64x32xf32, #shared>
  scf.for %i = %c0 to %n step %c1 {
    tile.assume %k {divisible_by = 4 : i64} : index
    tile.copy %X[%c0, %k] to %t : memref<64x64xf32> to memref<64x32xf32, #shared>
    tile.copy %t to %Y : memref<64x32xf32, #shared> to memref<64x32xf32>
  }
  tile.parallel (%i, %j) in (64, 32) {
    %q = arith.addi %k, %j : index
    %a = memref.load %X[%i, %q] : memref<64x64xf32>
    memref.store %a, %Y[%i, %j] : memref<64x32xf32>
  }
}
