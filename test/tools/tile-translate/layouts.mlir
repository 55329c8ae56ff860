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
