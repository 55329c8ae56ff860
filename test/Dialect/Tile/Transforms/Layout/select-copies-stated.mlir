// A plan that the program states stays, or is an error.
// RUN: split-file %s %t
// RUN: tile-opt %t/stated.mlir --tile-to-copies="arch=sm_80" | FileCheck %s
// RUN: tile-opt %t/stated.mlir --tile-to-copies="arch=sm_90a" | FileCheck %s
// RUN: not tile-opt %t/wide.mlir --tile-to-copies="arch=sm_80" 2>&1 | FileCheck %s --check-prefix=WIDE
// CHECK: tile.copy %X to %{{.*}} decided {{.*}}plan = #tile.copy_plan<scalar, bytes = 4>
// WIDE: error: 'tile.copy' op cannot be made by 'vector', which its `plan` states (16 bytes a thread)
// WIDE: note: rule '{{.*}}': 'X' is aligned to 4 bytes only
//--- stated.mlir
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%X: memref<16x32xf32> {tile.alignment = 16}, %Y: memref<16x32xf32>) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<16x32xf32, #shared>
  tile.copy %X to %s decided {plan = #tile.copy_plan<scalar, bytes = 4>} : memref<16x32xf32> to memref<16x32xf32, #shared>
  tile.copy %s to %Y : memref<16x32xf32, #shared> to memref<16x32xf32>
}

//--- wide.mlir
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%X: memref<16x32xf32>, %Y: memref<16x32xf32>) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<16x32xf32, #shared>
  tile.copy %X to %s decided {plan = #tile.copy_plan<vector, bytes = 16>} : memref<16x32xf32> to memref<16x32xf32, #shared>
  tile.copy %s to %Y : memref<16x32xf32, #shared> to memref<16x32xf32>
}
