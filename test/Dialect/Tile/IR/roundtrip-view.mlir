// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @views
tile.kernel @views(%A: memref<?x64xf16>, %B: memref<128xf32>) grid(%bx) = (1) threads(128) {
  %f = tile.alloc : memref<64x32xf32, #tile.fragment>
  %s = tile.alloc : memref<64x32xf32, #shared>
  // CHECK: tile.view %{{.*}} : memref<64x32xf32, #tile.fragment> to memref<64x4x8xf32, #tile.fragment>
  %0 = tile.view %f : memref<64x32xf32, #tile.fragment> to memref<64x4x8xf32, #tile.fragment>
  // CHECK: tile.view %{{.*}} : memref<64x32xf32, #gpu.address_space<workgroup>> to memref<4096xbf16, #gpu.address_space<workgroup>>
  %1 = tile.view %s : memref<64x32xf32, #shared> to memref<4096xbf16, #shared>
  // CHECK: tile.view %{{.*}} : memref<?x64xf16> to memref<?x8x8xf16>
  %2 = tile.view %A : memref<?x64xf16> to memref<?x8x8xf16>
  // CHECK: tile.view %{{.*}} : memref<128xf32> to memref<2x64xf32>
  %3 = tile.view %B : memref<128xf32> to memref<2x64xf32>
  // CHECK: tile.view %{{.*}} : memref<128xf32> to memref<?xi8>
  %4 = tile.view %B : memref<128xf32> to memref<?xi8>
}
