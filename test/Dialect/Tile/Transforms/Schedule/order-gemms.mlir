// A product whose result the block reads is issued before those whose results
// nothing reads there; one of these stays in front where threads meet.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-order-gemms=remarks --split-input-file --verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
!tile = memref<64x64xbf16, #shared>
!part = memref<64x64xbf16, #tile.fragment>
!sum = memref<64x64xf32, #tile.fragment>

// What %dK sums up runs while %dQ leaves; %dV is summed up while threads meet
// behind their stores to %dS.
// CHECK-LABEL: tile.kernel @backward
// CHECK: scf.for
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[DV:[0-9]+]] {
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[DQ:[0-9]+]] {clear
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[DK:[0-9]+]] {
// CHECK-NEXT: tile.copy %[[DQ]] to %C
tile.kernel @backward(%C: memref<?x64xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %dO = tile.alloc : !tile
  %Q = tile.alloc : !tile
  %K = tile.alloc : !tile
  %dS = tile.alloc : !tile
  %p = tile.alloc layout(#frag) : !part
  %ds = tile.alloc layout(#frag) : !part
  %dv = tile.alloc layout(#frag) : !sum
  %dk = tile.alloc layout(#frag) : !sum
  %dq = tile.alloc layout(#frag) : !sum
  scf.for %m = %c0 to %n step %c64 {
    tile.gemm %p, %dO, %dv {plan = #wgmma} : !part, !tile, !sum
    tile.gemm %ds, %Q, %dk {plan = #wgmma} : !part, !tile, !sum
    tile.copy %ds to %dS : !part to !tile
    // expected-remark @below {{issued before 1 product whose result nothing waits for here}}
    tile.gemm %dS, %K, %dq {clear, transpose_a, plan = #wgmma} : !tile, !tile, !sum
    tile.copy %dq to %C[%m, %c0] : !sum to memref<?x64xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
!tile = memref<64x64xbf16, #shared>
!sum = memref<64x64xf32, #tile.fragment>

// Nobody meets: both sums follow. What the result is an operand of stays, and
// so does what is read, or of one accumulator.
// CHECK-LABEL: tile.kernel @loaded
// CHECK: scf.for
// CHECK-NEXT: tile.gemm %[[A:[0-9]+]], %[[B:[0-9]+]], %[[S:[0-9]+]] {clear
// CHECK-NEXT: tile.gemm %[[A]], %[[B]], %[[T:[0-9]+]] {
// CHECK-NEXT: tile.gemm %[[A]], %[[B]], %[[U:[0-9]+]] {
// CHECK-NEXT: tile.copy %[[S]] to %C
// CHECK-LABEL: tile.kernel @same
// CHECK: scf.for
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[S:[0-9]+]] {clear
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[S]] {plan
// CHECK-NEXT: tile.copy %[[S]] to %C
tile.kernel @loaded(%C: memref<?x64xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %A = tile.alloc : !tile
  %B = tile.alloc : !tile
  %s = tile.alloc layout(#frag) : !sum
  %t = tile.alloc layout(#frag) : !sum
  %u = tile.alloc layout(#frag) : !sum
  scf.for %m = %c0 to %n step %c64 {
    tile.gemm %A, %B, %t {plan = #wgmma} : !tile, !tile, !sum
    tile.gemm %A, %B, %u {plan = #wgmma} : !tile, !tile, !sum
    // expected-remark @below {{issued before 2 products whose result nothing waits for here}}
    tile.gemm %A, %B, %s {clear, plan = #wgmma} : !tile, !tile, !sum
    tile.copy %s to %C[%m, %c0] : !sum to memref<?x64xf32>
  }
}
tile.kernel @same(%C: memref<?x64xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %A = tile.alloc : !tile
  %B = tile.alloc : !tile
  %s = tile.alloc layout(#frag) : !sum
  scf.for %m = %c0 to %n step %c64 {
    tile.gemm %A, %B, %s {clear, plan = #wgmma} : !tile, !tile, !sum
    tile.gemm %A, %B, %s {plan = #wgmma} : !tile, !tile, !sum
    tile.copy %s to %C[%m, %c0] : !sum to memref<?x64xf32>
  }
}
