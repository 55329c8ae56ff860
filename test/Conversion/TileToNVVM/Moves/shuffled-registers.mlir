// Conversions between layouts whose warps keep their elements: shuffles, neither shared memory nor a barrier. The lowered code is
// executed, too.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s
// RUN: tile-translate --tile-to-ptx --arch=sm_90a %s | FileCheck %s --check-prefix=PTX
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a -o %t.nvvm.mlir
// RUN: tile-run %t.nvvm.mlir --source=%s --kernel=weights --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=PASS
// RUN: tile-run %t.nvvm.mlir --source=%s --kernel=transposed --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=PASS
// RUN: tile-run %t.nvvm.mlir --source=%s --kernel=copies --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=PASS
// RUN: tile-run %t.nvvm.mlir --source=%s --kernel=warps --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=PASS
// PASS: PASS

// Sums of wgmma, as bytes, become its first operand: of each two words that a lane has it gives one to each of two lanes.
#sums = #tile.fragment_layout<shape [64, 32] reg [(2, 1:1), (2, 0:8), (4, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#bytes = #tile.fragment_layout<shape [64, 32] reg [(4, 1:1), (2, 0:8), (2, 1:16)] lane [(4, 1:4), (8, 0:1)] warp [(4, 0:16)]>
// CHECK-LABEL: llvm.func @weights
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.select
// CHECK-COUNT-4: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
// PTX-LABEL: .entry weights
// PTX-NOT: bar.sync
// PTX-NOT: barrier.sync
// PTX-COUNT-4: shfl.sync.idx.b32
// PTX-NOT: shfl.sync
// PTX: ret;
tile.kernel @weights(%A: memref<64x32xi8>, %B: memref<64x32xi8>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc layout(#sums) : memref<64x32xi8, #tile.fragment>
  %g = tile.alloc layout(#bytes) : memref<64x32xi8, #tile.fragment>
  tile.copy %A[%c0, %c0] to %f : memref<64x32xi8> to memref<64x32xi8, #tile.fragment>
  tile.convert_layout %f to %g : memref<64x32xi8, #tile.fragment> to memref<64x32xi8, #tile.fragment>
  tile.copy %g to %B[%c0, %c0] : memref<64x32xi8, #tile.fragment> to memref<64x32xi8>
}

// A row of eight elements of 64 bits a lane becomes a column: two shuffles an element.
#rows = #tile.fragment_layout<shape [32, 8] reg [(8, 1:1)] lane [(32, 0:1)] warp []>
#columns = #tile.fragment_layout<shape [32, 8] reg [(8, 0:4)] lane [(8, 1:1), (4, 0:1)] warp []>
// CHECK-LABEL: llvm.func @transposed
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK-COUNT-16: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tile.kernel @transposed(%A: memref<32x8xf64>, %B: memref<32x8xf64>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc layout(#rows) : memref<32x8xf64, #tile.fragment>
  %g = tile.alloc layout(#columns) : memref<32x8xf64, #tile.fragment>
  tile.copy %A[%c0, %c0] to %f : memref<32x8xf64> to memref<32x8xf64, #tile.fragment>
  tile.convert_layout %f to %g : memref<32x8xf64, #tile.fragment> to memref<32x8xf64, #tile.fragment>
  tile.copy %g to %B[%c0, %c0] : memref<32x8xf64, #tile.fragment> to memref<32x8xf64>
}

// Lanes that hold the same elements each keep another one: selects alone.
#all = #tile.fragment_layout<shape [4] reg [(4, 0:1)] lane [(32, *)] warp []>
#one = #tile.fragment_layout<shape [4] reg [] lane [(4, 0:1), (8, *)] warp []>
// CHECK-LABEL: llvm.func @copies
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tile.kernel @copies(%A: memref<4xf32>, %B: memref<4xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc layout(#all) : memref<4xf32, #tile.fragment>
  %g = tile.alloc layout(#one) : memref<4xf32, #tile.fragment>
  tile.copy %A[%c0] to %f : memref<4xf32> to memref<4xf32, #tile.fragment>
  tile.convert_layout %f to %g : memref<4xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.copy %g to %B[%c0] : memref<4xf32, #tile.fragment> to memref<4xf32>
}

// Elements that cross warps go through shared memory, as before.
#first = #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32)]>
#second = #tile.fragment_layout<shape [64] reg [] lane [(32, 0:2)] warp [(2, 0:1)]>
// CHECK-LABEL: llvm.func @warps
// CHECK-NOT: nvvm.shfl
// CHECK: nvvm.barrier
// CHECK: llvm.return
tile.kernel @warps(%A: memref<64xf32>, %B: memref<64xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc layout(#first) : memref<64xf32, #tile.fragment>
  %g = tile.alloc layout(#second) : memref<64xf32, #tile.fragment>
  tile.copy %A[%c0] to %f : memref<64xf32> to memref<64xf32, #tile.fragment>
  tile.convert_layout %f to %g : memref<64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  tile.copy %g to %B[%c0] : memref<64xf32, #tile.fragment> to memref<64xf32>
}
