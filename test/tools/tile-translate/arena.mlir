// What lies where in shared memory as a picture: bytes to the right, program order down, one rectangle for each tile and ring.
// RUN: tile-translate %s --arch=sm_80 --tile-layout-to-svg --arena | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --arch=sm_90a --tile-layout-to-svg --arena | FileCheck %s --check-prefix=GEMM
// RUN: not tile-translate %s --arch=sm_80 --tile-to-ptx --arena 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: not tile-translate %s --arch=sm_80 --tile-layout-to-svg --arena --layout-line=1 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: echo 'module {}' > %t.mlir
// RUN: not tile-translate %t.mlir --arch=sm_80 --tile-layout-to-svg --arena 2>&1 | FileCheck %s --check-prefix=NONE
// PTX: --arena: expected --tile-layout-to-svg, without --layout-line
// NONE: error: expected a kernel to draw the shared memory of, got none

// CHECK: <svg xmlns=
// CHECK: shared memory of a block of twice: 16384 bytes
// Rows where a life begins or ends.
// CHECK: >[[#@LINE+14]]: tile.copy</text>
// CHECK: >[[#@LINE+14]]: tile.copy</text>
// Both have the whole width, one below the other.
// CHECK: <rect x="320" y="54" width="800" height="36"
// CHECK-SAME: [[#@LINE+7]]: tile.alloc, bytes 0 to 16383
// CHECK: <rect x="320" y="90" width="800" height="36"
// CHECK-SAME: [[#@LINE+6]]: tile.alloc, bytes 0 to 16383
// CHECK: </svg>

#shared = #gpu.address_space<workgroup>
tile.kernel @twice(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  %t = tile.alloc : memref<64x64xf32, #shared>
  tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %s to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
  tile.copy %A to %t : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %t to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
}

// GEMM: <svg xmlns=
// GEMM: tile.ring.create, bytes 0 to
// GEMM: mbarriers of {{.*}}tile.ring.create
// GEMM: </svg>
