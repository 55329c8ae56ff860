// Loops that fill a fragment row by row, before a reduction along its rows: the rows stay in registers, whatever would be
// cheapest to reduce.
// RUN: tile-opt --tile-to-layouts='arch=sm_90a' %s | FileCheck %s --check-prefix=IR
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=odd_rows --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS

// IR-LABEL: tile.kernel @rows
// IR-NOT: address_space<workgroup>
tile.kernel @rows(%x: memref<4x256xf16>, %y: memref<4xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = tile.alloc : memref<4x256xf32, #tile.fragment>
  %g = tile.alloc : memref<4x256xf32, #tile.fragment>
  %sum = tile.alloc : memref<4xf32, #tile.fragment>
  scf.for %i = %c0 to %c4 step %c1 {
    tile.parallel (%j) in (256) {
      %v = memref.load %x[%i, %j] : memref<4x256xf16>
      %e = arith.extf %v : f16 to f32
      memref.store %e, %f[%i, %j] : memref<4x256xf32, #tile.fragment>
    }
  }
  scf.for %i = %c0 to %c4 step %c1 {
    tile.parallel (%j) in (256) {
      %v = memref.load %f[%i, %j] : memref<4x256xf32, #tile.fragment>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %g[%i, %j] : memref<4x256xf32, #tile.fragment>
    }
  }
  tile.reduce sum %g to %sum dim(1) : memref<4x256xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.copy %sum to %y : memref<4xf32, #tile.fragment> to memref<4xf32>
}

// Rows that the threads do not divide.
// IR-LABEL: tile.kernel @odd_rows
// IR-NOT: address_space<workgroup>
tile.kernel @odd_rows(%x: memref<3x1032xf16>, %y: memref<3x1032xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %f = tile.alloc : memref<3x1032xf32, #tile.fragment>
  scf.for %i = %c0 to %c3 step %c1 {
    tile.parallel (%j) in (1032) {
      %v = memref.load %x[%i, %j] : memref<3x1032xf16>
      %e = arith.extf %v : f16 to f32
      memref.store %e, %f[%i, %j] : memref<3x1032xf32, #tile.fragment>
    }
  }
  scf.for %i = %c0 to %c3 step %c1 {
    tile.parallel (%j) in (1032) {
      %v = memref.load %f[%i, %j] : memref<3x1032xf32, #tile.fragment>
      memref.store %v, %y[%i, %j] : memref<3x1032xf32>
    }
  }
}
