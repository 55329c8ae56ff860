// What operations expand to has its indices inside of its tiles, and the guard sees it: a sorting network with a condition for each
// element ran at 0.7 of its speed.
// RUN: tile-opt %s --tile-expand-operations --tile-guard-accesses=remarks -o /dev/null 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: guarded

tile.kernel @sorts() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<4x4096xf32, #tile.fragment>
  %ap = tile.alloc : memref<4x4096xi32, #tile.fragment>
  %b = tile.alloc : memref<1000x2xf16, #tile.fragment>
  %c = tile.alloc : memref<2x64xf64, #tile.fragment>
  %d = tile.alloc : memref<2x4096xf32, #tile.fragment>
  %dv = tile.alloc : memref<2x64xf32, #tile.fragment>
  %dp = tile.alloc : memref<2x64xi32, #tile.fragment>
  tile.sort %a, %ap dim(1) : memref<4x4096xf32, #tile.fragment>, memref<4x4096xi32, #tile.fragment>
  tile.sort %b dim(0) : memref<1000x2xf16, #tile.fragment>
  tile.sort %c dim(1) : memref<2x64xf64, #tile.fragment>
  tile.topk %d to %dv, %dp dim(1) : memref<2x4096xf32, #tile.fragment> to memref<2x64xf32, #tile.fragment>, memref<2x64xi32, #tile.fragment>
}
