// A fragment of one warp, parts of which are written in several rounds of a loop, or behind a fill in another part of the same branch:
// what was written before stays.
// RUN: tile-run %s --kernel=rounds --args=n=8,X=8x8:range:1:90,Y=8x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rounds --args=n=8,X=8x8:range:1:90,Y=8x64 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=behind_a_fill --args=n=8,X=8x8:range:1:9,Y=8x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @rounds(%X: memref<8x8xi32>, %Y: memref<8x64xi32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = tile.alloc : memref<8x64xi32, #tile.fragment>
  %s = tile.alloc : memref<8x8xi32, #shared>
  scf.for %r = %c0 to %n step %c1 {
    tile.copy %X to %s : memref<8x8xi32> to memref<8x8xi32, #shared>
    tile.on_warps 0 count 1 {
      tile.parallel (%i, %j) in (8, 8) {
        %x = memref.load %s[%i, %r] : memref<8x8xi32, #shared>
        %q = arith.muli %r, %c8 : index
        %p = arith.addi %q, %j : index
        memref.store %x, %f[%i, %p] : memref<8x64xi32, #tile.fragment>
      }
    }
  }
  tile.on_warps 0 count 1 {
    tile.copy %f to %Y : memref<8x64xi32, #tile.fragment> to memref<8x64xi32>
  }
}

tile.kernel @behind_a_fill(%X: memref<8x8xi32>, %Y: memref<8x64xi32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %seven = arith.constant 7 : i32
  %f = tile.alloc : memref<8x64xi32, #tile.fragment>
  %s = tile.alloc : memref<8x8xi32, #shared>
  %is = arith.cmpi sgt, %n, %c0 : index
  scf.if %is {
    tile.on_warps 0 count 1 {
      tile.fill %f with %seven : memref<8x64xi32, #tile.fragment>, i32
    }
    tile.copy %X to %s : memref<8x8xi32> to memref<8x8xi32, #shared>
    tile.on_warps 0 count 1 {
      tile.parallel (%i, %j) in (8, 8) {
        %x = memref.load %s[%i, %j] : memref<8x8xi32, #shared>
        %p = arith.addi %n, %j : index
        memref.store %x, %f[%i, %p] : memref<8x64xi32, #tile.fragment>
      }
    }
    tile.on_warps 0 count 1 {
      tile.copy %f to %Y : memref<8x64xi32, #tile.fragment> to memref<8x64xi32>
    }
  }
}
