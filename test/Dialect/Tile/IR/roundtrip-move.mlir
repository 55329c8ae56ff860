// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-debuginfo | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @copies
tile.kernel @copies(%A: memref<?x4096xf16>, %Q: memref<?x?x128xf16>, %C: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 1.0 : f16
  %As = tile.alloc : memref<128x32xf16, #shared>
  %Qs = tile.alloc : memref<64x128xf16, #shared>
  %frag = tile.alloc : memref<64x64xf32, #tile.fragment>
  %other = tile.alloc : memref<64x64xf32, #tile.fragment>
  // CHECK: tile.copy %A[%bx, %c0] to %{{.*}} : memref<?x4096xf16> to memref<128x32xf16, #gpu.address_space<workgroup>>
  // GENERIC: "tile.copy"({{.*}}) <{operandSegmentSizes = array<i32: 1, 2, 1, 0, 0, 0, 0>}>
  tile.copy %A[%bx, %c0] to %As : memref<?x4096xf16> to memref<128x32xf16, #shared>
  // CHECK: tile.copy %Q[%bx, %c0, %c0] sizes [1, 64, 128] to %{{.*}} : memref<?x?x128xf16> to memref<64x128xf16
  // GENERIC: "tile.copy"({{.*}}) <{operandSegmentSizes = array<i32: 1, 3, 1, 0, 0, 0, 0>, source_sizes = array<i64: 1, 64, 128>}>
  tile.copy %Q[%bx, %c0, %c0] sizes [1, 64, 128] to %Qs : memref<?x?x128xf16> to memref<64x128xf16, #shared>
  // CHECK: tile.copy %{{.*}} sizes [32, 16] to %A[%c0, %c0] sizes [32, 16] pad(%{{.*}} : f16) : memref<128x32xf16, #gpu.address_space<workgroup>> to memref<?x4096xf16>
  tile.copy %As sizes [32, 16] to %A[%c0, %c0] sizes [32, 16] pad(%pad : f16) : memref<128x32xf16, #shared> to memref<?x4096xf16>
  // CHECK: tile.copy %{{.*}} to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.copy %frag to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  // CHECK: tile.copy %A[%bx, %c0] to %{{.*}} {coalesced_width = 8 : i64, disable_tma, prefer = #tile.copy_instruction<tma>} decided {plan = #tile.copy_plan<cp_async, bytes = 16>}
  tile.copy %A[%bx, %c0] to %As {coalesced_width = 8 : i64, disable_tma, prefer = #tile.copy_instruction<tma>} decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : memref<?x4096xf16> to memref<128x32xf16, #shared>
  // CHECK: tile.copy %{{.*}} decided {layout = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (16, 0:4)] lane [(32, 1:2)] warp [(4, 0:1)]>}
  tile.copy %C to %frag decided {layout = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (16, 0:4)] lane [(32, 1:2)] warp [(4, 0:1)]>} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  // CHECK: tile.convert_layout %{{.*}} to %{{.*}} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
  // GENERIC: "tile.convert_layout"
  tile.convert_layout %frag to %other : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
}

// CHECK-LABEL: tile.kernel @fills
tile.kernel @fills(%C: memref<?x?xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %frag = tile.alloc : memref<64x64xf32, #tile.fragment>
  // CHECK: tile.fill %{{.*}} with %{{.*}} : memref<64x64xf32, #tile.fragment>, f32
  // GENERIC: "tile.fill"
  tile.fill %frag with %zero : memref<64x64xf32, #tile.fragment>, f32
  // CHECK: tile.fill %C[%bx, %c0] sizes [16, 8] with %{{.*}} : memref<?x?xf32>, f32
  tile.fill %C[%bx, %c0] sizes [16, 8] with %zero : memref<?x?xf32>, f32
}

// CHECK-LABEL: tile.kernel @atomics
tile.kernel @atomics(%C: memref<?x?xf32>, %D: memref<64xi32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %frag = tile.alloc : memref<64x64xf32, #tile.fragment>
  %counts = tile.alloc : memref<64xi32, #shared>
  // CHECK: tile.atomic add %{{.*}} to %C[%bx, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
  // GENERIC: "tile.atomic"({{.*}}) <{kind = #tile.atomic_kind<add>
  tile.atomic add %frag to %C[%bx, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
  // CHECK: tile.atomic max %{{.*}} sizes [32] to %D[%c0] {is_unsigned} :
  tile.atomic max %counts sizes [32] to %D[%c0] {is_unsigned} : memref<64xi32, #shared> to memref<64xi32>
  // CHECK: tile.atomic min
  tile.atomic min %counts to %D : memref<64xi32, #shared> to memref<64xi32>
}

// CHECK-LABEL: tile.kernel @completes
tile.kernel @completes(%A: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(128) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[READY:.*]] = tile.mbarrier.create
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  %s = tile.alloc : memref<64x64xf32, #shared>
  // CHECK: tile.copy %A[%bx, %n] to %{{.*}} completes(%[[READY]][%c1] : !tile.mbarrier<2>) : memref<?x?xf32> to memref<64x64xf32, #gpu.address_space<workgroup>>
  // GENERIC: "tile.copy"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 2, 1, 0, 0, 1, 1>}>
  tile.copy %A[%bx, %n] to %s completes(%ready[%c1] : !tile.mbarrier<2>) : memref<?x?xf32> to memref<64x64xf32, #shared>
  // CHECK: tile.copy %A[%bx, %n] to %{{.*}} pad(%{{.*}} : f32) completes(%[[READY]][%bx] : !tile.mbarrier<2>) {disable_tma} :
  tile.copy %A[%bx, %n] to %s pad(%zero : f32) completes(%ready[%bx] : !tile.mbarrier<2>) {disable_tma} : memref<?x?xf32> to memref<64x64xf32, #shared>
}
