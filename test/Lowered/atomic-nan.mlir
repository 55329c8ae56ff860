// Atomic maxima and minima that propagate NaN: PTX has those of numbers alone.
// RUN: tile-run %s --kernel=updates --args=Z=8:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=updates --args=Z=8:zeros --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=rows --args=Y=8:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @updates(%Z: memref<8xf32>) grid(%b) = (1) threads(128) {
  %nan = arith.constant 0x7FC00000 : f32
  %two = arith.constant 2.0 : f32
  %c3 = arith.constant 3 : index
  tile.parallel (%i) in (8) {
    %is = arith.cmpi eq, %i, %c3 : index
    %x = arith.select %is, %nan, %two : f32
    %p = memref.atomic_rmw maximumf %x, %Z[%i] : (f32, memref<8xf32>) -> f32
    %q = memref.atomic_rmw minimumf %x, %Z[%i] : (f32, memref<8xf32>) -> f32
  }
}

tile.kernel @rows(%Y: memref<8xf32>) grid(%b) = (1) threads(128) {
  %nan = arith.constant 0x7FC00000 : f32
  %c3 = arith.constant 3 : index
  %c17 = arith.constant 17 : index
  %s = tile.alloc : memref<8xf32, #shared>
  tile.copy %Y to %s : memref<8xf32> to memref<8xf32, #shared>
  tile.parallel (%i, %j) in (8, 64) {
    %row = arith.cmpi eq, %i, %c3 : index
    %column = arith.cmpi eq, %j, %c17 : index
    %is = arith.andi %row, %column : i1
    %number = arith.index_cast %j : index to i32
    %float = arith.sitofp %number : i32 to f32
    %x = arith.select %is, %nan, %float : f32
    %o = memref.load %s[%i] : memref<8xf32, #shared>
    %m = arith.maximumf %o, %x : f32
    memref.store %m, %s[%i] : memref<8xf32, #shared>
  }
  tile.copy %s to %Y : memref<8xf32, #shared> to memref<8xf32>
}
