// Tuples that a region combines: by registers, lanes and warps, of fragments and shared tiles, along either dimension,
// where threads have more places than the tile has elements, and where combining is not commutative.
// RUN: tile-run %s --kernel=best --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=best --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=best --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=moments --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=chain --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=chain --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=kinds --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

tile.kernel @best(%A: memref<5x700xf16>, %C: memref<5x700xi32>, %V: memref<5xf16>, %W: memref<5xi32>, %X: memref<700xf16>, %Y: memref<700xi32>) grid(%b) = (1) threads(256) {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 100000 : i32
  %a = tile.alloc : memref<5x700xf16, #tile.fragment>
  %c = tile.alloc : memref<5x700xi32, #shared>
  %v = tile.alloc : memref<5xf16, #tile.fragment>
  %w = tile.alloc : memref<5xi32, #shared>
  %x = tile.alloc : memref<700xf16, #shared>
  %y = tile.alloc : memref<700xi32, #tile.fragment>
  tile.copy %A to %a : memref<5x700xf16> to memref<5x700xf16, #tile.fragment>
  tile.copy %C to %c : memref<5x700xi32> to memref<5x700xi32, #shared>
  tile.copy %V to %v : memref<5xf16> to memref<5xf16, #tile.fragment>
  tile.copy %W to %w : memref<5xi32> to memref<5xi32, #shared>
  tile.reduce_with (%a, %c) to (%v, %w) dim(1) neutral(%lowest, %none : f32, i32) accumulate
      : (memref<5x700xf16, #tile.fragment>, memref<5x700xi32, #shared>) to (memref<5xf16, #tile.fragment>, memref<5xi32, #shared>) {
  ^bb0(%p: f32, %i: i32, %q: f32, %j: i32):
    %greater = arith.cmpf ogt, %p, %q : f32
    %equal = arith.cmpf oeq, %p, %q : f32
    %before = arith.cmpi slt, %i, %j : i32
    %first = arith.andi %equal, %before : i1
    %take = arith.ori %greater, %first : i1
    %value = arith.select %take, %p, %q : f32
    %place = arith.select %take, %i, %j : i32
    tile.yield %value, %place : f32, i32
  }
  tile.reduce_with (%a, %c) to (%x, %y) dim(0) neutral(%lowest, %none : f32, i32)
      : (memref<5x700xf16, #tile.fragment>, memref<5x700xi32, #shared>) to (memref<700xf16, #shared>, memref<700xi32, #tile.fragment>) {
  ^bb0(%p: f32, %i: i32, %q: f32, %j: i32):
    %value = arith.maximumf %p, %q : f32
    %place = arith.minsi %i, %j : i32
    tile.yield %value, %place : f32, i32
  }
  tile.copy %v to %V : memref<5xf16, #tile.fragment> to memref<5xf16>
  tile.copy %w to %W : memref<5xi32, #shared> to memref<5xi32>
  tile.copy %x to %X : memref<700xf16, #shared> to memref<700xf16>
  tile.copy %y to %Y : memref<700xi32, #tile.fragment> to memref<700xi32>
}

// Count, mean and squares around the mean (Chan, Golub, LeVeque 1979). Both lanes of a pair get the same bits.
tile.kernel @moments(%A: memref<3x1000xf32>, %M: memref<3xf32>, %S: memref<3xf32>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tile.alloc : memref<3x1000xf32, #tile.fragment>
  %a = tile.alloc : memref<3x1000xf32, #tile.fragment>
  %s = tile.alloc : memref<3x1000xf32, #tile.fragment>
  %count = tile.alloc : memref<3xf32, #tile.fragment>
  %mean = tile.alloc : memref<3xf32, #tile.fragment>
  %squares = tile.alloc : memref<3xf32, #tile.fragment>
  tile.copy %A to %a : memref<3x1000xf32> to memref<3x1000xf32, #tile.fragment>
  tile.fill %n with %one : memref<3x1000xf32, #tile.fragment>, f32
  tile.fill %s with %zero : memref<3x1000xf32, #tile.fragment>, f32
  tile.reduce_with (%n, %a, %s) to (%count, %mean, %squares) dim(1) neutral(%zero, %zero, %zero : f32, f32, f32)
      : (memref<3x1000xf32, #tile.fragment>, memref<3x1000xf32, #tile.fragment>, memref<3x1000xf32, #tile.fragment>)
      to (memref<3xf32, #tile.fragment>, memref<3xf32, #tile.fragment>, memref<3xf32, #tile.fragment>) {
  ^bb0(%n0: f32, %m0: f32, %s0: f32, %n1: f32, %m1: f32, %s1: f32):
    %total = arith.addf %n0, %n1 : f32
    %least = arith.maximumf %total, %one : f32
    %delta = arith.subf %m1, %m0 : f32
    %share = arith.divf %n1, %least : f32
    %step = arith.mulf %delta, %share : f32
    %m = arith.addf %m0, %step : f32
    %both = arith.addf %s0, %s1 : f32
    %cross = arith.mulf %n0, %step : f32
    %more = arith.mulf %cross, %delta : f32
    %s2 = arith.addf %both, %more : f32
    tile.yield %total, %m, %s2 : f32, f32, f32
  }
  tile.copy %mean to %M : memref<3xf32, #tile.fragment> to memref<3xf32>
  tile.copy %squares to %S : memref<3xf32, #tile.fragment> to memref<3xf32>
}

// Words that are appended: the order of the elements is part of the result (integers that wrap).
tile.kernel @chain(%A: memref<4x300xi32>, %B: memref<4x300xi32>, %OA: memref<4x300xi32>, %OB: memref<4x300xi32>, %X: memref<4x300xi32>, %Y: memref<4x300xi32>) grid(%b) = (1) threads(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.alloc : memref<4x300xi32, #tile.fragment>
  %s = tile.alloc : memref<4x300xi32, #shared>
  %x = tile.alloc : memref<4x300xi32, #tile.fragment>
  %y = tile.alloc : memref<4x300xi32, #shared>
  tile.copy %A to %a : memref<4x300xi32> to memref<4x300xi32, #tile.fragment>
  tile.copy %B to %s : memref<4x300xi32> to memref<4x300xi32, #shared>
  tile.scan_with (%a, %s) to (%x, %y) dim(0) neutral(%one, %zero : i32, i32) reverse exclusive
      : (memref<4x300xi32, #tile.fragment>, memref<4x300xi32, #shared>) to (memref<4x300xi32, #tile.fragment>, memref<4x300xi32, #shared>) {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %p = arith.muli %a0, %a1 : i32
    %m = arith.muli %a1, %b0 : i32
    %q = arith.addi %m, %b1 : i32
    tile.yield %p, %q : i32, i32
  }
  tile.scan_with (%a, %s) to (%a, %s) dim(1) neutral(%one, %zero : i32, i32)
      : (memref<4x300xi32, #tile.fragment>, memref<4x300xi32, #shared>) to (memref<4x300xi32, #tile.fragment>, memref<4x300xi32, #shared>) {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %p = arith.muli %a0, %a1 : i32
    %m = arith.muli %a1, %b0 : i32
    %q = arith.addi %m, %b1 : i32
    tile.yield %p, %q : i32, i32
  }
  tile.copy %a to %OA : memref<4x300xi32, #tile.fragment> to memref<4x300xi32>
  tile.copy %s to %OB : memref<4x300xi32, #shared> to memref<4x300xi32>
  tile.copy %x to %X : memref<4x300xi32, #tile.fragment> to memref<4x300xi32>
  tile.copy %y to %Y : memref<4x300xi32, #shared> to memref<4x300xi32>
}

// Products, exclusive scans, a carry, and whether all or any are true.
tile.kernel @kinds(%A: memref<4x200xi32>, %P: memref<4xi32>, %X: memref<4x200xi32>, %Y: memref<4x200xi32>, %C: memref<4xi32>, %T: memref<4xi32>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0 : i32
  %a = tile.alloc : memref<4x200xi32, #tile.fragment>
  %x = tile.alloc : memref<4x200xi32, #tile.fragment>
  %t = tile.alloc : memref<4x200xi1, #tile.fragment>
  %p = tile.alloc : memref<4xi32, #tile.fragment>
  %c = tile.alloc : memref<4xi32, #shared>
  %all = tile.alloc : memref<4xi1, #tile.fragment>
  %any = tile.alloc : memref<4xi1, #tile.fragment>
  tile.copy %A to %a : memref<4x200xi32> to memref<4x200xi32, #tile.fragment>
  tile.reduce prod %a to %p dim(1) : memref<4x200xi32, #tile.fragment> to memref<4xi32, #tile.fragment>
  tile.copy %p to %P : memref<4xi32, #tile.fragment> to memref<4xi32>
  tile.scan sum %a to %x dim(1) exclusive : memref<4x200xi32, #tile.fragment> to memref<4x200xi32, #tile.fragment>
  tile.copy %x to %X : memref<4x200xi32, #tile.fragment> to memref<4x200xi32>
  tile.copy %C to %c : memref<4xi32> to memref<4xi32, #shared>
  tile.scan max %a to %x dim(1) reverse exclusive carry(%c : memref<4xi32, #shared>) : memref<4x200xi32, #tile.fragment> to memref<4x200xi32, #tile.fragment>
  tile.copy %x to %Y : memref<4x200xi32, #tile.fragment> to memref<4x200xi32>
  tile.copy %c to %C : memref<4xi32, #shared> to memref<4xi32>
  tile.parallel (%i, %j) in (4, 200) {
    %v = memref.load %a[%i, %j] : memref<4x200xi32, #tile.fragment>
    %is = arith.cmpi sgt, %v, %zero : i32
    memref.store %is, %t[%i, %j] : memref<4x200xi1, #tile.fragment>
  }
  tile.reduce bitand %t to %all dim(1) : memref<4x200xi1, #tile.fragment> to memref<4xi1, #tile.fragment>
  tile.reduce bitor %t to %any dim(1) : memref<4x200xi1, #tile.fragment> to memref<4xi1, #tile.fragment>
  tile.parallel (%i) in (4) {
    %both = memref.load %all[%i] : memref<4xi1, #tile.fragment>
    %one = memref.load %any[%i] : memref<4xi1, #tile.fragment>
    %k = arith.extui %both : i1 to i32
    %l = arith.extui %one : i1 to i32
    %m = arith.addi %k, %l : i32
    memref.store %m, %T[%i] : memref<4xi32>
  }
}
