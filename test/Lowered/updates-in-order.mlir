// An update that an iteration makes before it reads the element, updates it in another way, or waits for the updates of other blocks
// is made there, and not behind the loop together with those of other iterations.
// RUN: tile-run %s --kernel=reads --args=F=4:zeros,Y=4 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=reads --args=F=4:zeros,Y=4 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=shared --args=X=128:range:1:99,Y=4 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=two_kinds --args=F=4:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=waits --args=F=4:zeros,Y=4x128 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @reads(%F: memref<4xi32>, %Y: memref<4xi32>) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i32
  tile.parallel (%i) in (128) {
    %is = arith.cmpi eq, %i, %c0 : index
    scf.if %is {
      %o = memref.atomic_rmw addi %five, %F[%b] : (i32, memref<4xi32>) -> i32
      %v = memref.load %F[%b] : memref<4xi32>
      memref.store %v, %Y[%b] : memref<4xi32>
    }
  }
}

tile.kernel @shared(%X: memref<128xi32>, %Y: memref<4xi32>) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %s = tile.alloc : memref<4xi32, #shared>
  tile.fill %s with %z : memref<4xi32, #shared>, i32
  tile.parallel (%i) in (128) {
    %is = arith.cmpi eq, %i, %c0 : index
    scf.if %is {
      %x = memref.load %X[%b] : memref<128xi32>
      %o = memref.atomic_rmw addi %x, %s[%b] : (i32, memref<4xi32, #shared>) -> i32
      %v = memref.load %s[%b] : memref<4xi32, #shared>
      memref.store %v, %Y[%b] : memref<4xi32>
    }
  }
}

tile.kernel @two_kinds(%F: memref<4xi32>) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  tile.parallel (%i) in (128) {
    %is = arith.cmpi eq, %i, %c0 : index
    scf.if %is {
      %o = memref.atomic_rmw addi %five, %F[%b] : (i32, memref<4xi32>) -> i32
      %p = memref.atomic_rmw maxs %seven, %F[%b] : (i32, memref<4xi32>) -> i32
    }
  }
}

// Each block waits until all have come.
tile.kernel @waits(%F: memref<4xi32>, %Y: memref<4x128xi32>) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  tile.parallel (%i) in (128) {
    %is = arith.cmpi eq, %i, %c0 : index
    scf.if %is {
      %o = memref.atomic_rmw addi %one, %F[%c0] : (i32, memref<4xi32>) -> i32
      scf.while : () -> () {
        %v = tile.atomic_load acquire %F[%c0] : memref<4xi32>
        %less = arith.cmpi slt, %v, %four : i32
        scf.condition(%less)
      } do {
        scf.yield
      }
    }
    %z = arith.index_cast %i : index to i32
    memref.store %z, %Y[%b, %i] : memref<4x128xi32>
  }
}
