// Sorts and selections: one row and many, along either dimension, of every width, with payloads and without; networks and
// reductions. The CPU ranks elements, which is no network.
// RUN: tile-run %s --kernel=sorts --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=sorts --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=sorts --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=selects --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=selects --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=special | FileCheck %s --check-prefix=SPECIAL
// RUN: tile-run %s --kernel=special --stage=lowered --arch=sm_80 | FileCheck %s --check-prefix=SPECIAL
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

tile.kernel @sorts(%A: memref<3x200xf32>, %P: memref<3x200xi32>, %H: memref<1000xf16>, %C: memref<40x4xi8>, %L: memref<2x70xi64>, %D: memref<2x70xf64>,
    %OA: memref<3x200xf32>, %OP: memref<3x200xi32>, %OH: memref<1000xf16>, %OC: memref<40x4xi8>, %OL: memref<2x70xi64>, %OD: memref<2x70xf64>)
    grid(%b) = (1) threads(64) {
  %a = tile.alloc : memref<3x200xf32, #tile.fragment>
  %p = tile.alloc : memref<3x200xi32, #tile.fragment>
  %h = tile.alloc : memref<1000xf16, #shared>
  %c = tile.alloc : memref<40x4xi8, #tile.fragment>
  %l = tile.alloc : memref<2x70xi64, #shared>
  %d = tile.alloc : memref<2x70xf64, #tile.fragment>
  tile.copy %A to %a : memref<3x200xf32> to memref<3x200xf32, #tile.fragment>
  tile.copy %P to %p : memref<3x200xi32> to memref<3x200xi32, #tile.fragment>
  tile.copy %H to %h : memref<1000xf16> to memref<1000xf16, #shared>
  tile.copy %C to %c : memref<40x4xi8> to memref<40x4xi8, #tile.fragment>
  tile.copy %L to %l : memref<2x70xi64> to memref<2x70xi64, #shared>
  tile.copy %D to %d : memref<2x70xf64> to memref<2x70xf64, #tile.fragment>
  tile.sort %a, %p dim(1) descending : memref<3x200xf32, #tile.fragment>, memref<3x200xi32, #tile.fragment>
  tile.sort %h dim(0) : memref<1000xf16, #shared>
  tile.sort %c dim(0) {is_unsigned} : memref<40x4xi8, #tile.fragment>
  tile.sort %l, %d dim(1) : memref<2x70xi64, #shared>, memref<2x70xf64, #tile.fragment>
  tile.copy %a to %OA : memref<3x200xf32, #tile.fragment> to memref<3x200xf32>
  tile.copy %p to %OP : memref<3x200xi32, #tile.fragment> to memref<3x200xi32>
  tile.copy %h to %OH : memref<1000xf16, #shared> to memref<1000xf16>
  tile.copy %c to %OC : memref<40x4xi8, #tile.fragment> to memref<40x4xi8>
  tile.copy %l to %OL : memref<2x70xi64, #shared> to memref<2x70xi64>
  tile.copy %d to %OD : memref<2x70xf64, #tile.fragment> to memref<2x70xf64>
}

tile.kernel @selects(%A: memref<6x96xf32>, %H: memref<33x3xi16>, %V: memref<6x4xf32>, %I: memref<6x4xi32>, %W: memref<6x20xf32>, %J: memref<6x20xi64>, %X: memref<5x3xi16>, %K: memref<5x3xi32>)
    grid(%b) = (1) threads(96) {
  %a = tile.alloc : memref<6x96xf32, #tile.fragment>
  %h = tile.alloc : memref<33x3xi16, #shared>
  %v = tile.alloc : memref<6x4xf32, #tile.fragment>
  %i = tile.alloc : memref<6x4xi32, #tile.fragment>
  %w = tile.alloc : memref<6x20xf32, #tile.fragment>
  %j = tile.alloc : memref<6x20xi64, #shared>
  %x = tile.alloc : memref<5x3xi16, #shared>
  %k = tile.alloc : memref<5x3xi32, #tile.fragment>
  tile.copy %A to %a : memref<6x96xf32> to memref<6x96xf32, #tile.fragment>
  tile.copy %H to %h : memref<33x3xi16> to memref<33x3xi16, #shared>
  tile.topk %a to %v, %i dim(1) : memref<6x96xf32, #tile.fragment> to memref<6x4xf32, #tile.fragment>, memref<6x4xi32, #tile.fragment>
  tile.topk %a to %w, %j dim(1) smallest : memref<6x96xf32, #tile.fragment> to memref<6x20xf32, #tile.fragment>, memref<6x20xi64, #shared>
  tile.topk %h to %x, %k dim(0) smallest : memref<33x3xi16, #shared> to memref<5x3xi16, #shared>, memref<5x3xi32, #tile.fragment>
  tile.copy %v to %V : memref<6x4xf32, #tile.fragment> to memref<6x4xf32>
  tile.copy %i to %I : memref<6x4xi32, #tile.fragment> to memref<6x4xi32>
  tile.copy %w to %W : memref<6x20xf32, #tile.fragment> to memref<6x20xf32>
  tile.copy %j to %J : memref<6x20xi64, #shared> to memref<6x20xi64>
  tile.copy %x to %X : memref<5x3xi16, #shared> to memref<5x3xi16>
  tile.copy %k to %K : memref<5x3xi32, #tile.fragment> to memref<5x3xi32>
}

// -0 before +0, NaNs of either sign last, equal ones in their order; the greatest of them are NaNs.
// SPECIAL-DAG: keys[0]: -inf
// SPECIAL-DAG: keys[1]: -1
// SPECIAL-DAG: keys[2]: -0
// SPECIAL-DAG: keys[3]: 0
// SPECIAL-DAG: keys[4]: inf
// SPECIAL-DAG: keys[5]: {{-?}}nan
// SPECIAL-DAG: keys[6]: {{-?}}nan
// SPECIAL-DAG: at[0]: 3
// SPECIAL-DAG: at[1]: 6
// SPECIAL-DAG: at[2]: 2
// SPECIAL-DAG: at[3]: 1
// SPECIAL-DAG: at[4]: 4
// SPECIAL-DAG: at[5]: 0
// SPECIAL-DAG: at[6]: 5
// SPECIAL-DAG: best[0]: 5
// SPECIAL-DAG: best[1]: 6
// SPECIAL-DAG: best[2]: 4
tile.kernel @special() grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %nan = arith.constant 0x7FC00000 : f32
  %negative = arith.constant 0xFFC00001 : f32
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %one = arith.constant -1.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %low = arith.constant 0xFF800000 : f32
  %x = tile.alloc : memref<7xf32, #shared>
  %at = tile.alloc : memref<7xi32, #shared>
  %v = tile.alloc : memref<3xf32, #tile.fragment>
  %p = tile.alloc : memref<3xi32, #tile.fragment>
  tile.parallel (%i) in (7) {
    %is1 = arith.cmpi eq, %i, %c1 : index
    %is2 = arith.cmpi eq, %i, %c2 : index
    %is3 = arith.cmpi eq, %i, %c3 : index
    %is4 = arith.cmpi eq, %i, %c4 : index
    %is5 = arith.cmpi eq, %i, %c5 : index
    %is6 = arith.cmpi eq, %i, %c6 : index
    %a = arith.select %is1, %zero, %negative : f32
    %b1 = arith.select %is2, %minus, %a : f32
    %d = arith.select %is3, %low, %b1 : f32
    %e = arith.select %is4, %inf, %d : f32
    %f = arith.select %is5, %nan, %e : f32
    %g = arith.select %is6, %one, %f : f32
    memref.store %g, %x[%i] : memref<7xf32, #shared>
    %n = arith.index_cast %i : index to i32
    memref.store %n, %at[%i] : memref<7xi32, #shared>
  }
  tile.sort %x, %at dim(0) : memref<7xf32, #shared>, memref<7xi32, #shared>
  tile.print "keys" %x : memref<7xf32, #shared>
  tile.print "at" %at : memref<7xi32, #shared>
  tile.topk %x to %v, %p dim(0) : memref<7xf32, #shared> to memref<3xf32, #tile.fragment>, memref<3xi32, #tile.fragment>
  tile.print "best" %p : memref<3xi32, #tile.fragment>
}
