// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @convolutions
tile.kernel @convolutions(%X: memref<?x?x?x64xf16>, %L: memref<2x30x8xf32>, %V: memref<?x?x?x?x16xbf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %f = tile.alloc : memref<32x8xf32, #tile.fragment>
  %Vs = tile.alloc : memref<64x16xbf16, #shared>
  // CHECK: tile.im2col %X pixel %bx filter[%c0, %c2] channel %c0 to %{{.*}} kernel [3, 3] strides [2, 1] dilations [1, 2] pad_lower [1, 2] pad_upper [0, 2] : memref<?x?x?x64xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
  tile.im2col %X pixel %bx filter [%c0, %c2] channel %c0 to %As kernel [3, 3] strides [2, 1] dilations [1, 2] pad_lower [1, 2] pad_upper [0, 2] : memref<?x?x?x64xf16> to memref<128x64xf16, #shared>
  // CHECK: tile.im2col %L pixel %bx filter[%c2] channel %c0 to %{{.*}} kernel [3] : memref<2x30x8xf32> to memref<32x8xf32, #tile.fragment>
  tile.im2col %L pixel %bx filter [%c2] channel %c0 to %f kernel [3] : memref<2x30x8xf32> to memref<32x8xf32, #tile.fragment>
  // CHECK: tile.im2col %V pixel %bx filter[%c0, %c0, %c0] channel %c0 to %{{.*}} kernel [1, 1, 1] {coalesced_width = 4 : i64, disable_tma, eviction_policy = #tile.eviction_policy<last>, prefer = #tile.copy_instruction<cp_async>} decided {plan = #tile.copy_plan<cp_async, bytes = 8>}
  tile.im2col %V pixel %bx filter [%c0, %c0, %c0] channel %c0 to %Vs kernel [1, 1, 1] {coalesced_width = 4 : i64, disable_tma, eviction_policy = #tile.eviction_policy<last>, prefer = #tile.copy_instruction<cp_async>} decided {plan = #tile.copy_plan<cp_async, bytes = 8>} : memref<?x?x?x?x16xbf16> to memref<64x16xbf16, #shared>
}

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%X: memref<?x?xf16>, %Y: memref<?x?xf32>, %I: memref<?xi64>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %s = tile.alloc : memref<128x64xf16, #shared>
  %f = tile.alloc : memref<128x64xf16, #tile.fragment>
  %is = tile.alloc : memref<136xi32, #shared>
  %if = tile.alloc : memref<128xi32, #tile.fragment>
  // CHECK: tile.gather %X[%c8] rows %I[%bx] to %{{.*}} : memref<?x?xf16>, memref<?xi64> to memref<128x64xf16, #gpu.address_space<workgroup>>
  tile.gather %X[%c8] rows %I[%bx] to %s : memref<?x?xf16>, memref<?xi64> to memref<128x64xf16, #shared>
  // CHECK: tile.gather %X[%c0] rows %{{.*}}[%c8] to
  tile.gather %X[%c0] rows %is[%c8] to %f : memref<?x?xf16>, memref<136xi32, #shared> to memref<128x64xf16, #tile.fragment>
  // CHECK: tile.scatter %{{.*}} to %Y[%c8] rows %{{.*}}[%c0] {prefer = #tile.copy_instruction<vector>} : memref<128x64xf16, #tile.fragment> to memref<?x?xf32>, memref<128xi32, #tile.fragment>
  tile.scatter %f to %Y[%c8] rows %if[%c0] {prefer = #tile.copy_instruction<vector>} : memref<128x64xf16, #tile.fragment> to memref<?x?xf32>, memref<128xi32, #tile.fragment>
}
