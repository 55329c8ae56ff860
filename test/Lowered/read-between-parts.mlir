// What some warps write in `tile.on_warps` and all read afterwards: they meet in between. The numbers are compared with those that follow from the program, for the CPU's meaning of it forms roles, too.
// RUN: tile-run %s --kernel=once --stage=source --check --args=X=8:range:5:90,Y=64,Z=64 --save=Z:%t.z.npy | FileCheck %s
// RUN: %python %S/../tools/tile-run/Inputs/npy.py show %t.z.npy | FileCheck %s --check-prefix=ONCE
// RUN: tile-run %s --kernel=once --stage=lowered --arch=sm_90a --check --args=X=8:range:5:90,Y=64,Z=64 | FileCheck %s
// RUN: tile-run %s --kernel=in_loop --stage=source --check --args=X=8:range:50:90,Z=64 --save=Z:%t.l.npy | FileCheck %s
// RUN: %python %S/../tools/tile-run/Inputs/npy.py show %t.l.npy | FileCheck %s --check-prefix=LOOP
// RUN: tile-run %s --kernel=in_loop --stage=lowered --arch=sm_90a --check --args=X=8:range:50:90,Z=64 | FileCheck %s
// RUN: tile-run %s --kernel=others --stage=lowered --arch=sm_90a --check --args=X=8:range:5:90,Y=64,Z=64 | FileCheck %s
// CHECK: PASS
// ONCE: 777
// ONCE-NOT: {{[0-6]}}
// LOOP: {{^3 3 3 3}}
tile.kernel @once(%X: memref<8xi32>, %Y: memref<64xi32>, %Z: memref<64xi32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %seven = arith.constant 777 : i32
  tile.on_warps 0 count 4 {
    tile.parallel (%i) in (8) {
      memref.store %seven, %X[%i] : memref<8xi32>
    }
  }
  %v = memref.load %X[%c0] : memref<8xi32>
  tile.on_warps 0 count 4 {
    tile.parallel (%i) in (64) {
      memref.store %v, %Y[%i] : memref<64xi32>
    }
  }
  tile.parallel (%i) in (64) {
    memref.store %v, %Z[%i] : memref<64xi32>
  }
}
tile.kernel @in_loop(%X: memref<8xi32>, %Z: memref<64xi32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (i32) {
    tile.on_warps 0 count 4 {
      tile.parallel (%i) in (8) {
        %w = arith.index_cast %k : index to i32
        memref.store %w, %X[%i] : memref<8xi32>
      }
    }
    %v = memref.load %X[%c0] : memref<8xi32>
    %t = arith.addi %s, %v : i32
    scf.yield %t : i32
  }
  tile.parallel (%i) in (64) {
    memref.store %sum, %Z[%i] : memref<64xi32>
  }
}
tile.kernel @others(%X: memref<8xi32>, %Y: memref<64xi32>, %Z: memref<64xi32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %seven = arith.constant 777 : i32
  tile.on_warps 0 count 4 {
    tile.parallel (%i) in (8) {
      memref.store %seven, %X[%i] : memref<8xi32>
    }
  }
  %v = memref.load %X[%c0] : memref<8xi32>
  tile.on_warps 4 count 4 {
    tile.parallel (%i) in (64) {
      memref.store %v, %Y[%i] : memref<64xi32>
    }
  }
  tile.parallel (%i) in (64) {
    memref.store %v, %Z[%i] : memref<64xi32>
  }
}
