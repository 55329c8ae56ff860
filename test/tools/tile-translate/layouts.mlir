// RUN: split-file %s %t
// RUN: tile-translate %t/fragment.txt --tile-layout-to-text | FileCheck %s --check-prefix=FRAGMENT
// RUN: tile-translate %t/cute.txt --tile-layout-to-text | FileCheck %s --check-prefix=FRAGMENT
// RUN: tile-translate %t/cute.txt --tile-layout-to-svg | FileCheck %s --check-prefix=SVG
// RUN: tile-translate %t/shared.txt --tile-layout-to-text | FileCheck %s --check-prefix=SHARED
// RUN: tile-translate %t/modes.txt --tile-layout-to-text | FileCheck %s --check-prefix=MODES
// RUN: not tile-translate %t/modes.txt --tile-layout-to-svg 2>&1 | FileCheck %s --check-prefix=NOSVG
// RUN: not tile-translate %t/broken.txt --tile-layout-to-text 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not tile-translate %t/empty.mlir --tile-layout-to-text 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: tile-translate %t/stated.mlir --tile-layout-to-text | FileCheck %s --check-prefix=STATED
// RUN: tile-translate %t/stated.mlir --tile-layout-to-svg | FileCheck %s --check-prefix=STATEDSVG
// The same accumulator of mma.sync m16n8, in our spelling and in CuTe's.

// FRAGMENT: shape [16, 8] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp []
// FRAGMENT: each thread holds 4
// FRAGMENT: CuTe: ((4,8),(2,2)):((2@1,1@0),(1@1,8@0))
// SVG: <svg xmlns=
// SVG: </svg>
// SHARED: shape [8, 64] bits 16 modes [(8, 0:64), (64, 1:1)] swizzle(3, 4, 3)
// SHARED: CuTe: Sw<3,3,3> o (8,64):(64,1)
// MODES: modes (4, 1:2) (8, 0:1)
// MODES: CuTe: (4,8):(2@1,1@0)
// MODES: not a fragment:
// NOSVG: error:
// BROKEN: error: {{.*}}column
// EMPTY: error: expected a layout to show, got none
// STATED: tile.alloc at line 3 : memref<16x8xf32, #tile.fragment>
// STATED: shape [16, 8] reg [(2, 1:1), (2, 0:8)]
// RUN: tile-translate %tile_src/examples/gemm.mlir --arch=sm_90 --tile-layout-to-svg | FileCheck %s --check-prefix=FIRST
// RUN: tile-translate %tile_src/examples/gemm.mlir --arch=sm_90 --tile-layout-to-svg --layout-line=23 | FileCheck %s --check-prefix=LINE
// RUN: tile-translate %tile_src/examples/gemm.mlir --arch=sm_90 --tile-layout-to-text --layout-line=22 | FileCheck %s --check-prefix=TEXT
// RUN: not tile-translate %tile_src/examples/gemm.mlir --arch=sm_90 --tile-layout-to-svg --layout-line=1 2>&1 | FileCheck %s --check-prefix=NOLINE
// A picture is of one buffer and one period of it.
// FIRST: <svg xmlns
// FIRST: tile.alloc at line 21
// FIRST: other layouts, by --layout-line: {{.*}}22, 
// FIRST: <svg y=
// FIRST: drawn: one period, 8 x 32 of 128 x 32 elements
// FIRST: >bank<
// FIRST-NOT: <svg
// LINE: tile.alloc at line 23
// LINE-NOT: other layouts
// LINE: drawn: one period, 8 x 8 of 128 x 128 elements
// LINE: >warp<
// TEXT: tile.alloc at line 22
// TEXT-NOT: at line
// NOLINE: gemm.mlir:1:1: error: expected a layout to show at line 1, got none
// STATEDSVG: <svg xmlns=
// STATEDSVG: tile.alloc at line 3 : memref&lt;16x8xf32, #tile.fragment&gt;
// STATEDSVG: <svg y=
// STATEDSVG: </svg>
// STATEDSVG: </svg>

//--- fragment.txt
#tile.fragment_layout<shape [16, 8] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp []>
//--- cute.txt
((4,8),(2,2)):((2@1,1@0),(1@1,8@0))
//--- shared.txt
Sw<3,3,3> o (8,64):(64,1)
//--- modes.txt
(4,8):(2@1,1@0)
//--- broken.txt
(4,8):(2@1,
//--- empty.mlir
module {}
//--- stated.mlir
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @k() grid(%bx) = (1) threads(32) {
    %a = tile.alloc layout(#tile.fragment_layout<shape [16, 8] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp []>) : memref<16x8xf32, #tile.fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %a with %zero : memref<16x8xf32, #tile.fragment>, f32
  }
}
