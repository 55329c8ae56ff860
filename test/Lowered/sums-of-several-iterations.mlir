// Elements that several iterations sum up: by a sum of two indices, by a quotient, by an index from memory, by two indices in one
// iteration. Threads do not order their iterations, so the updates are atomic ones.
// RUN: tile-run %s --kernel=shared --args=X=8x16:range:1:9,Y=32 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=global --args=X=8x16:range:1:9,Y=32:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=global --args=X=8x16:range:1:9,Y=32:zeros --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=quotient --args=X=128:range:1:9,Y=32:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=table --args=X=128:range:0:8,Y=8 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=twice_computed --args=X=128:range:0:8,Y=8 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=neighbours --args=X=128:range:1:9,Y=129 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=mirrored --args=X=128:range:1:9,Y=128 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @shared(%X: memref<8x16xi32>, %Y: memref<32xi32>) grid(%b) = (1) threads(128) {
  %z = arith.constant 0 : i32
  %s = tile.alloc : memref<32xi32, #shared>
  tile.fill %s with %z : memref<32xi32, #shared>, i32
  tile.parallel (%i, %j) in (8, 16) {
    %x = memref.load %X[%i, %j] : memref<8x16xi32>
    %p = arith.addi %i, %j : index
    %o = memref.load %s[%p] : memref<32xi32, #shared>
    %n = arith.addi %o, %x : i32
    memref.store %n, %s[%p] : memref<32xi32, #shared>
  }
  tile.copy %s to %Y : memref<32xi32, #shared> to memref<32xi32>
}

tile.kernel @global(%X: memref<8x16xi32>, %Y: memref<32xi32>) grid(%b) = (1) threads(128) {
  tile.parallel (%i, %j) in (8, 16) {
    %x = memref.load %X[%i, %j] : memref<8x16xi32>
    %p = arith.addi %i, %j : index
    %o = memref.load %Y[%p] : memref<32xi32>
    %n = arith.addi %o, %x : i32
    memref.store %n, %Y[%p] : memref<32xi32>
  }
}

tile.kernel @quotient(%X: memref<128xi32>, %Y: memref<32xi32>) grid(%b) = (1) threads(128) {
  %c4 = arith.constant 4 : index
  tile.parallel (%i) in (128) {
    %x = memref.load %X[%i] : memref<128xi32>
    %p = arith.divui %i, %c4 : index
    %o = memref.load %Y[%p] : memref<32xi32>
    %n = arith.addi %o, %x : i32
    memref.store %n, %Y[%p] : memref<32xi32>
  }
}

tile.kernel @table(%X: memref<128xi32>, %Y: memref<8xi32>) grid(%b) = (1) threads(128) {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = tile.alloc : memref<8xi32, #shared>
  tile.fill %s with %z : memref<8xi32, #shared>, i32
  tile.parallel (%i) in (128) {
    %x = memref.load %X[%i] : memref<128xi32>
    %p = arith.index_cast %x : i32 to index
    %o = memref.load %s[%p] : memref<8xi32, #shared>
    %n = arith.addi %o, %one : i32
    memref.store %n, %s[%p] : memref<8xi32, #shared>
  }
  tile.copy %s to %Y : memref<8xi32, #shared> to memref<8xi32>
}

// As a front end without CSE writes it.
tile.kernel @twice_computed(%X: memref<128xi32>, %Y: memref<8xi32>) grid(%b) = (1) threads(128) {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = tile.alloc : memref<8xi32, #shared>
  tile.fill %s with %z : memref<8xi32, #shared>, i32
  tile.parallel (%i) in (128) {
    %x = memref.load %X[%i] : memref<128xi32>
    %p = arith.index_cast %x : i32 to index
    %o = memref.load %s[%p] : memref<8xi32, #shared>
    %n = arith.addi %o, %one : i32
    %again = memref.load %X[%i] : memref<128xi32>
    %q = arith.index_cast %again : i32 to index
    memref.store %n, %s[%q] : memref<8xi32, #shared>
  }
  tile.copy %s to %Y : memref<8xi32, #shared> to memref<8xi32>
}

tile.kernel @neighbours(%X: memref<128xi32>, %Y: memref<129xi32>) grid(%b) = (1) threads(128) {
  %z = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<129xi32, #shared>
  tile.fill %s with %z : memref<129xi32, #shared>, i32
  tile.parallel (%i) in (128) {
    %x = memref.load %X[%i] : memref<128xi32>
    %o = memref.load %s[%i] : memref<129xi32, #shared>
    %n = arith.addi %o, %x : i32
    memref.store %n, %s[%i] : memref<129xi32, #shared>
    %p = arith.addi %i, %c1 : index
    %q = memref.load %s[%p] : memref<129xi32, #shared>
    %r = arith.addi %q, %x : i32
    memref.store %r, %s[%p] : memref<129xi32, #shared>
  }
  tile.copy %s to %Y : memref<129xi32, #shared> to memref<129xi32>
}

tile.kernel @mirrored(%X: memref<128xi32>, %Y: memref<128xi32>) grid(%b) = (1) threads(128) {
  %z = arith.constant 0 : i32
  %c127 = arith.constant 127 : index
  %s = tile.alloc : memref<128xi32, #shared>
  tile.fill %s with %z : memref<128xi32, #shared>, i32
  tile.parallel (%i) in (128) {
    %x = memref.load %X[%i] : memref<128xi32>
    %o = memref.load %s[%i] : memref<128xi32, #shared>
    %n = arith.addi %o, %x : i32
    memref.store %n, %s[%i] : memref<128xi32, #shared>
    %p = arith.subi %c127, %i : index
    %q = memref.load %s[%p] : memref<128xi32, #shared>
    %r = arith.addi %q, %x : i32
    memref.store %r, %s[%p] : memref<128xi32, #shared>
  }
  tile.copy %s to %Y : memref<128xi32, #shared> to memref<128xi32>
}
