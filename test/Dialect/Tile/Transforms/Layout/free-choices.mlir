// A free layout is chosen by what follows from it, too.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts | FileCheck %s --check-prefix=IR
// RUN: tile-run %s --kernel=transpose --args=X=72x136:normal --args=Y=136x72 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=groups --args=X=3x2048:normal --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS

// The loop that reads the tile across runs where the copy stores 16 bytes a thread, not where it reads 16 bytes itself; the
// shared tile's layout adapts.
// CHECK-LABEL: layouts of kernel @transpose, 256 threads
// CHECK:         shared {{.*}} : memref<64x64xf16
// CHECK:           why: swizzled, no bank conflicts
// CHECK:         tile.copy of line
// CHECK-NEXT:      layout: shape [64, 64] reg [(8, 1:1), (2, 0:32)] lane [(8, 1:8), (4, 0:1)] warp [(8, 0:4)]
// CHECK:           why: cheapest of the free choices, with all that follows from it
// CHECK:         tile.parallel of line
// CHECK-NEXT:      layout: shape [64, 64] reg [(8, 1:1), (2, 0:32)] lane [(8, 1:8), (4, 0:1)] warp [(8, 0:4)]
#shared = #gpu.address_space<workgroup>
tile.kernel @transpose(%X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 72, 136>}, %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 136, 72>})
    grid(%bx, %by) = (dim(%X, 1) ceildiv 64, dim(%X, 0) ceildiv 64) threads(256) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %N = memref.dim %X, %c1 : memref<?x?xf16>
  %M = memref.dim %Y, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %M {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.copy %X[%m, %n] to %s : memref<?x?xf16> to memref<64x64xf16, #shared>
  tile.parallel (%i, %j) in (64, 64) {
    %v = memref.load %s[%j, %i] : memref<64x64xf16, #shared>
    memref.store %v, %t[%i, %j] : memref<64x64xf16, #tile.fragment>
  }
  tile.copy %t to %Y[%n, %m] : memref<64x64xf16, #tile.fragment> to memref<?x?xf16>
}

// Maxima of groups of 128 columns: a group stays within 16 lanes, and nothing is exchanged between warps. The loop of three
// dimensions alone would be dealt out row by row.
// CHECK-LABEL: layouts of kernel @groups, 256 threads
// CHECK:         fragment {{.*}} : memref<1x16x128xf32
// CHECK-NEXT:      layout: shape [1, 16, 128] reg [(8, 2:1)] lane [(16, 2:8), (2, 1:1)] warp [(8, 1:2)]
// CHECK-NOT:     conversion of
tile.kernel @groups(%X: memref<?x2048xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 2048>}, %S: memref<?x16xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 16>}, %Y: memref<?x2048xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 2048>})
    grid(%m) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x2048xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x2048xf16> to memref<1x2048xf32, #tile.fragment>
  %g = tile.view %x : memref<1x2048xf32, #tile.fragment> to memref<1x16x128xf32, #tile.fragment>
  %top = tile.alloc : memref<1x16xf32, #tile.fragment>
  tile.reduce absmax %g to %top dim(2) : memref<1x16x128xf32, #tile.fragment> to memref<1x16xf32, #tile.fragment>
  tile.parallel (%i, %j, %k) in (1, 16, 128) {
    %v = memref.load %g[%i, %j, %k] : memref<1x16x128xf32, #tile.fragment>
    %t = memref.load %top[%i, %j] : memref<1x16xf32, #tile.fragment>
    %q = arith.divf %v, %t : f32
    memref.store %q, %g[%i, %j, %k] : memref<1x16x128xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %c0] : memref<1x2048xf32, #tile.fragment> to memref<?x2048xf16>
  tile.copy %top to %S[%m, %c0] : memref<1x16xf32, #tile.fragment> to memref<?x16xf32>
}

// A row of weights that two halves of the block use: both load it. A conversion would move it through shared memory.
// IR-LABEL: tile.kernel @weights
// IR-NOT:     tile.convert_layout
tile.kernel @weights(%X: memref<?x4096xf16> {tile.alignment = 16}, %W: memref<4096xf16> {tile.alignment = 16}, %Y: memref<?x4096xf16> {tile.alignment = 16}) grid(%b) = (dim(%X, 0) ceildiv 2) threads(512) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = arith.muli %b, %c2 : index
  %x = tile.alloc : memref<2x4096xf32, #tile.fragment>
  %w = tile.alloc : memref<4096xf32, #tile.fragment>
  %sum = tile.alloc : memref<2xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x4096xf16> to memref<2x4096xf32, #tile.fragment>
  tile.copy %W to %w : memref<4096xf16> to memref<4096xf32, #tile.fragment>
  tile.reduce sum %x to %sum dim(1) : memref<2x4096xf32, #tile.fragment> to memref<2xf32, #tile.fragment>
  tile.parallel (%i, %j) in (2, 4096) {
    %v = memref.load %x[%i, %j] : memref<2x4096xf32, #tile.fragment>
    %s = memref.load %sum[%i] : memref<2xf32, #tile.fragment>
    %f = memref.load %w[%j] : memref<4096xf32, #tile.fragment>
    %a = arith.mulf %v, %s : f32
    %y = arith.mulf %a, %f : f32
    memref.store %y, %x[%i, %j] : memref<2x4096xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %c0] : memref<2x4096xf32, #tile.fragment> to memref<?x4096xf16>
}

// A loop that only fills memory deals it out as the loop does that stores there later: no thread waits for another.
// IR-LABEL: tile.kernel @filled_and_stored
// IR: tile.parallel ({{.*}}) in (576) layout([[LAYOUT:#tile.fragment_layout<.*>]]) {
// IR:   memref.store %cst
// IR: tile.parallel ({{.*}}) in (576) layout([[LAYOUT]]) {
// IR:   memref.store
tile.kernel @filled_and_stored(%x: memref<64x576xbf16> {tile.alignment = 16 : i64}, %y: memref<64x576xbf16> {tile.alignment = 16 : i64}, %to: memref<64xindex>) grid(%b) = (64) threads(64) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %row = tile.alloc : memref<576xbf16, #tile.fragment>
  tile.parallel (%i) in (576) {
    memref.store %zero, %y[%b, %i] : memref<64x576xbf16>
  }
  tile.copy %x[%b, %c0] sizes [1, 576] to %row : memref<64x576xbf16> to memref<576xbf16, #tile.fragment>
  %place = memref.load %to[%b] : memref<64xindex>
  tile.parallel (%i) in (576) {
    %v = memref.load %row[%i] : memref<576xbf16, #tile.fragment>
    memref.store %v, %y[%place, %i] : memref<64x576xbf16>
  }
}
