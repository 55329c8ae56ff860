// Moves by rows run ahead like copies, and for the same reasons do not.
// RUN: tile-opt %s --tile-pipeline=remarks=true --mlir-print-op-on-diagnostic=false -split-input-file -verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
// The tap and the channel are computed again in each production.
// CHECK-LABEL: tile.kernel @convolution
// CHECK:         %[[RING:.*]] = tile.ring.create : !tile.ring<3 x [memref<64x32xf16, #gpu.address_space<workgroup>>, memref<64x32xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
// CHECK:         %[[VIEW:.*]]:2 = tile.ring.acquire %[[RING]][
// CHECK:         tile.im2col %X pixel %bx filter[%{{.*}}] channel %{{.*}} to %[[VIEW]]#0 kernel [3]
// CHECK:         tile.copy %W{{.*}} to %[[VIEW]]#1
// CHECK:         scf.for
// CHECK:           %[[READ:.*]]:2 = tile.ring.wait
// CHECK:           arith.remui
// CHECK:           tile.im2col
// CHECK:           tile.gemm %[[READ]]#0, %[[READ]]#1
tile.kernel @convolution(%X: memref<?x?x64xf16>, %W: memref<?x3x64xf16>, %Y: memref<?x?xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c6 = arith.constant 6 : index
  %Xs = tile.alloc : memref<64x32xf16, #shared>
  %Ws = tile.alloc : memref<64x32xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{pipelined: 2 of 2 copies run 2 iterations ahead, filled by cp_async}}
  tile.pipelined %i = %c0 to %c6 step %c1 stages(3) {
    %tap = arith.remui %i, %c3 : index
    %chunk = arith.divui %i, %c3 : index
    %c = arith.muli %chunk, %c32 : index
    tile.im2col %X pixel %b filter [%tap] channel %c to %Xs kernel [3] : memref<?x?x64xf16> to memref<64x32xf16, #shared>
    tile.copy %W[%b, %tap, %c] sizes [64, 1, 32] to %Ws : memref<?x3x64xf16> to memref<64x32xf16, #shared>
    tile.gemm %Xs, %Ws, %acc {transpose_b} : memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %Y[%b, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
}

// -----
#shared = #gpu.address_space<workgroup>
// Indices that the loop itself loads are not there ahead of time.
// CHECK-LABEL: tile.kernel @indices
// CHECK:         scf.for
// CHECK:           tile.ring.wait
// CHECK:           tile.gather
tile.kernel @indices(%X: memref<?x64xf16>, %I: memref<?xi32>, %Y: memref<?x64xf16>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %I, %c0 : memref<?xi32>
  %is = tile.alloc : memref<64xi32, #shared>
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-remark @+1 {{pipelined: 1 of 2 copies runs 1 iteration ahead, filled by cp_async}}
  tile.pipelined %m = %c0 to %n step %c64 stages(2) {
    // expected-note @+1 {{written here}}
    tile.copy %I[%m] to %is : memref<?xi32> to memref<64xi32, #shared>
    // expected-remark @+1 {{not pipelined: the shared buffer is written in the loop}}
    tile.gather %X[%c0] rows %is[%c0] to %s : memref<?x64xf16>, memref<64xi32, #shared> to memref<64x64xf16, #shared>
    tile.copy %s to %Y[%m, %c0] : memref<64x64xf16, #shared> to memref<?x64xf16>
  }
}
