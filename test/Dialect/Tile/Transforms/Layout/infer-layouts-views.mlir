// A fragment and its views have one layout; views stand in front of their
// users; parts of tiles become offsets, or copies in registers.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-infer-layouts | FileCheck %s
#shared = #gpu.address_space<workgroup>

// The accumulator decides: 8 columns are 2 registers and 4 lanes, and 4 of those
// a row of the view.
// CHECK-LABEL: tile.kernel @heads
// CHECK: %[[S:.*]] = tile.alloc layout(#[[ACC:.*]]) : memref<64x128xf32, #tile.fragment>
// CHECK: tile.gemm
// CHECK-NEXT: %[[V:.*]] = tile.view %[[S]]
// CHECK-NEXT: tile.parallel
// CHECK-NOT: tile.convert_layout
// CHECK: %[[W:.*]] = tile.view %[[S]]
// CHECK-NEXT: tile.reduce sum %[[W]]
// CHECK-NOT: tile.convert_layout
tile.kernel @heads(%L: memref<64x4xf32>) grid(%b) = (1) threads(128) {
  %one = arith.constant 1.0 : f32
  %h1 = arith.constant 1.0 : f16
  %a = tile.alloc : memref<64x64xf16, #shared>
  %bs = tile.alloc : memref<64x128xf16, #shared>
  %s = tile.alloc : memref<64x128xf32, #tile.fragment>
  %v = tile.view %s : memref<64x128xf32, #tile.fragment> to memref<64x4x32xf32, #tile.fragment>
  %l = tile.alloc : memref<64x4xf32, #tile.fragment>
  tile.fill %a with %h1 : memref<64x64xf16, #shared>, f16
  tile.fill %bs with %h1 : memref<64x128xf16, #shared>, f16
  tile.gemm %a, %bs, %s {clear} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
  tile.parallel (%i, %j, %k) in (64, 4, 32) {
    %x = memref.load %v[%i, %j, %k] : memref<64x4x32xf32, #tile.fragment>
    %y = arith.addf %x, %one : f32
    memref.store %y, %v[%i, %j, %k] : memref<64x4x32xf32, #tile.fragment>
  }
  tile.reduce sum %v to %l dim(2) : memref<64x4x32xf32, #tile.fragment> to memref<64x4xf32, #tile.fragment>
  tile.copy %l to %L : memref<64x4xf32, #tile.fragment> to memref<64x4xf32>
}

// CHECK-LABEL: tile.kernel @parts
// CHECK-NOT: memref.subview
// CHECK: memref.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<16x32xf32, #gpu.address_space<workgroup>>
// CHECK: tile.copy %{{.*}}[%{{.*}}, %{{.*}}] sizes [8, 16] to %{{.*}} sizes [8, 16] {{.*}}: memref<16x32xf32, #gpu.address_space<workgroup>> to memref<8x16xf32, #tile.fragment>
tile.kernel @parts(%R: memref<8xf32>, %at: index) grid(%b) = (1) threads(64) {
  %one = arith.constant 1.0 : f32
  %s = tile.alloc : memref<16x32xf32, #shared>
  %r = tile.alloc : memref<8xf32, #tile.fragment>
  tile.fill %s with %one : memref<16x32xf32, #shared>, f32
  %p = memref.subview %s[%at, 8] [8, 16] [1, 1] : memref<16x32xf32, #shared> to memref<8x16xf32, strided<[32, 1], offset: ?>, #shared>
  tile.parallel (%i, %j) in (8, 16) {
    %x = memref.load %p[%i, %j] : memref<8x16xf32, strided<[32, 1], offset: ?>, #shared>
    %y = arith.addf %x, %one : f32
    memref.store %y, %p[%i, %j] : memref<8x16xf32, strided<[32, 1], offset: ?>, #shared>
  }
  tile.reduce sum %p to %r dim(1) : memref<8x16xf32, strided<[32, 1], offset: ?>, #shared> to memref<8xf32, #tile.fragment>
  tile.copy %r to %R : memref<8xf32, #tile.fragment> to memref<8xf32>
}

// Five warps divide neither the rows nor the elements: what overshoots the tile has no form for the view. The elements are
// dealt out to the lanes in row-major order, and each warp has copies; not every thread all of them.
// CHECK-LABEL: tile.kernel @five_warps
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [128, 32] reg [(4, 1:1), (32, 0:4)] lane [(8, 1:4), (4, 0:1)] warp [(5, *)]>)
tile.kernel @five_warps(%A: memref<128x32xi32>, %C: memref<4096xi32>) grid(%bx) = (1) threads(160) {
  %tile = tile.alloc : memref<128x32xi32, #tile.fragment>
  %row = tile.alloc : memref<4096xi32, #gpu.address_space<workgroup>>
  tile.copy %A to %tile : memref<128x32xi32> to memref<128x32xi32, #tile.fragment>
  %seen = tile.view %tile : memref<128x32xi32, #tile.fragment> to memref<4096xi32, #tile.fragment>
  tile.copy %seen to %row : memref<4096xi32, #tile.fragment> to memref<4096xi32, #gpu.address_space<workgroup>>
  tile.copy %row to %C : memref<4096xi32, #gpu.address_space<workgroup>> to memref<4096xi32>
}
