// Bounds of --check that hold for right kernels, and do not for wrong ones.

// Integers of both signs cancel in a sum, and what is left says nothing of its
// rounding errors.
// RUN: tile-run %s --kernel=integers --args=X=:range:-1000:1001,s=0.1 --check | FileCheck %s
// RUN: tile-run %s --kernel=integers --args=X=:range:-1000:1001,s=-0.1 --check | FileCheck %s
// So do terms with constant factors of both signs.
// RUN: tile-run %s --kernel=signs --args=X=:normal --check | FileCheck %s
// Arithmetic in f16 rounds at each step, in a loop as often as that runs.
// RUN: tile-run %s --kernel=narrow --args=X=:normal --check | FileCheck %s
// RUN: tile-run %s --kernel=carried --args=X=:range:900:1100 --check | FileCheck %s
// RUN: tile-run %s --kernel=stored --args=X=:range:900:1100 --check | FileCheck %s
// Below the smallest normal number f16 keeps an absolute part, which a factor
// makes larger.
// RUN: tile-run %s --kernel=subnormal --args=X=:uniform --check | FileCheck %s
// Integers are not asked for where a step has none.
// RUN: tile-run %s --kernel=thirds --args=X=:iota --check | FileCheck %s
// CHECK: PASS
// Random terms of a long sum do not all err in one direction.
// RUN: tile-run %tile_src/examples/gemm.mlir --args=A=128x4096:normal,B=4096x128,C=128x128 --check | FileCheck %s --check-prefix=LONG
// LONG: at most 0.{{[2-9]}}

// RUN: not tile-run %s --kernel=narrow --source=%S/Inputs/check-bounds-wrong.mlir --args=X=:normal --check | FileCheck %s --check-prefix=WRONG
// RUN: not tile-run %s --kernel=subnormal --source=%S/Inputs/check-bounds-wrong.mlir --args=X=:uniform --check | FileCheck %s --check-prefix=WRONG
// RUN: not tile-run %s --kernel=integers --source=%S/Inputs/check-bounds-wrong.mlir --args=X=:range:-1000:1001,s=0.1 --check | FileCheck %s --check-prefix=WRONG
// WRONG: FAIL

tile.kernel @integers(%X: memref<512x32xi32>, %s: f32, %Y: memref<512xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %n = tile.alloc : memref<512x32xi32, #gpu.address_space<workgroup>>
  %x = tile.alloc : memref<512x32xf32, #tile.fragment>
  %y = tile.alloc : memref<512xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %n : memref<512x32xi32> to memref<512x32xi32, #gpu.address_space<workgroup>>
  tile.parallel (%i, %j) in (512, 32) {
    %a = memref.load %n[%i, %j] : memref<512x32xi32, #gpu.address_space<workgroup>>
    %f = arith.sitofp %a : i32 to f32
    %v = arith.mulf %f, %s : f32
    memref.store %v, %x[%i, %j] : memref<512x32xf32, #tile.fragment>
  }
  tile.reduce sum %x to %y dim(1) : memref<512x32xf32, #tile.fragment> to memref<512xf32, #tile.fragment>
  tile.copy %y to %Y[%c0] : memref<512xf32, #tile.fragment> to memref<512xf32>
}

tile.kernel @signs(%X: memref<4096xf32>, %Y: memref<4096xf32>) grid(%b) = (1) threads(32) {
  %p = arith.constant 1.1 : f32
  %q = arith.constant -1.0999999 : f32
  tile.parallel (%i) in (4096) {
    %x = memref.load %X[%i] : memref<4096xf32>
    %u = arith.mulf %x, %p : f32
    %v = arith.mulf %x, %q : f32
    %y = arith.addf %u, %v : f32
    memref.store %y, %Y[%i] : memref<4096xf32>
  }
}

tile.kernel @narrow(%X: memref<4096xf16>, %Y: memref<4096xf32>) grid(%b) = (1) threads(32) {
  %p = arith.constant 1.1 : f16
  tile.parallel (%i) in (4096) {
    %x = memref.load %X[%i] : memref<4096xf16>
    %1 = arith.mulf %x, %p : f16
    %2 = arith.mulf %1, %p : f16
    %3 = arith.mulf %2, %p : f16
    %4 = arith.mulf %3, %p : f16
    %5 = arith.mulf %4, %p : f16
    %6 = arith.mulf %5, %p : f16
    %7 = arith.mulf %6, %p : f16
    %8 = arith.mulf %7, %p : f16
    %y = arith.extf %8 : f16 to f32
    memref.store %y, %Y[%i] : memref<4096xf32>
  }
}

tile.kernel @carried(%X: memref<64xf16>, %Y: memref<64xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %zero = arith.constant 0.0 : f16
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf16>
    %sum = scf.for %k = %c0 to %c50 step %c1 iter_args(%old = %zero) -> (f16) {
      %new = arith.addf %old, %x : f16
      scf.yield %new : f16
    }
    %y = arith.extf %sum : f16 to f32
    memref.store %y, %Y[%i] : memref<64xf32>
  }
}

tile.kernel @stored(%X: memref<64xf16>, %Y: memref<64xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %zero = arith.constant 0.0 : f16
  %sum = tile.alloc : memref<64xf16, #tile.fragment>
  tile.fill %sum with %zero : memref<64xf16, #tile.fragment>, f16
  scf.for %k = %c0 to %c50 step %c1 {
    tile.parallel (%i) in (64) {
      %x = memref.load %X[%i] : memref<64xf16>
      %old = memref.load %sum[%i] : memref<64xf16, #tile.fragment>
      %new = arith.addf %old, %x : f16
      memref.store %new, %sum[%i] : memref<64xf16, #tile.fragment>
    }
  }
  tile.copy %sum to %Y[%c0] : memref<64xf16, #tile.fragment> to memref<64xf32>
}

tile.kernel @subnormal(%X: memref<4096xf32>, %Y: memref<4096xf32>) grid(%b) = (1) threads(32) {
  %small = arith.constant 1.0e-6 : f32
  %large = arith.constant 1.0e+6 : f32
  tile.parallel (%i) in (4096) {
    %x = memref.load %X[%i] : memref<4096xf32>
    %s = arith.mulf %x, %small : f32
    %h = arith.truncf %s : f32 to f16
    %w = arith.extf %h : f16 to f32
    %y = arith.mulf %w, %large : f32
    memref.store %y, %Y[%i] : memref<4096xf32>
  }
}

tile.kernel @thirds(%X: memref<64xf32>, %Y: memref<64xf32>) grid(%b) = (1) threads(32) {
  %one = arith.constant 1.0 : f32
  %c49 = arith.constant 49.0 : f32
  %inverse = arith.divf %one, %c49 : f32
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf32>
    %u = arith.mulf %x, %inverse : f32
    %y = arith.mulf %u, %c49 : f32
    memref.store %y, %Y[%i] : memref<64xf32>
  }
}
