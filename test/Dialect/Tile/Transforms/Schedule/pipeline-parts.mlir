// The pipeline up to four places: layouts, copies, schedule, all of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: tile-opt %s --tile-to-layouts=arch=sm_90a | FileCheck %s --check-prefixes=CHECK,LAYOUTS
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a | FileCheck %s --check-prefixes=CHECK,COPIES
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a | FileCheck %s --check-prefixes=CHECK,SCHEDULE
// RUN: tile-opt %s --tile-to-layouts=arch=sm_90a --tile-to-copies=arch=sm_90a | FileCheck %s --check-prefixes=CHECK,COPIES
#shared = #gpu.address_space<workgroup>
// CHECK: tile.target = #tile.target<"sm_90a">
// CHECK: tile.kernel @parts
tile.kernel @parts(%A: memref<64x1024xf16> {tile.alignment = 16}, %B: memref<1024x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 1024 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %zero = arith.constant 0.0 : f32
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  // LAYOUTS: tile.alloc layout(#tile.shared_layout
  // LAYOUTS: tile.pipelined
  // LAYOUTS-NOT: copy_plan
  // LAYOUTS: tile.gemm
  // COPIES: tile.alloc layout(#tile.shared_layout
  // COPIES: tile.pipelined
  // COPIES: tile.copy %A{{.*}} plan = #tile.copy_plan<tma
  // SCHEDULE: tile.ring.create
  // SCHEDULE-NOT: tile.pipelined
  // SCHEDULE: tile.ring.acquire
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%c0, %k] to %As : memref<64x1024xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<1024x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
