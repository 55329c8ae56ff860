// Lanes of two rows would store to the same banks: every other one stores its
// registers in another order. The lowering turns the lane's place by an XOR and
// chooses between two registers; addresses stay what they are.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-select-copies=remarks=true --mlir-print-op-on-diagnostic=false -verify-diagnostics
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-select-copies | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-select-copies --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s --check-prefix=NVVM
#shared = #gpu.address_space<workgroup>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#panels = #tile.shared_layout<shape [64, 64] bits 32 modes [(32, 1:1), (64, 0:32), (2, 1:2048)] swizzle(3, 4, 3)>
#padded = #tile.shared_layout<shape [64, 64] bits 32 modes [(64, 1:1), (64, 0:72)]>

// CHECK-LABEL: tile.kernel @store
// CHECK: tile.copy {{.*}} plan = #tile.copy_plan<vector, bytes = 8, exchange = [2, 8]>}
// NVVM-LABEL: llvm.func @store
// NVVM:         %[[TURNS:.*]] = llvm.icmp "ne"
// NVVM:         llvm.xor
// NVVM:         llvm.select %[[TURNS]], %{{.*}}, %{{.*}} : i1, i32
// NVVM:         llvm.select %[[TURNS]], %{{.*}}, %{{.*}} : i1, f32
// NVVM:         llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>
tile.kernel @store(%C: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %f = tile.alloc layout(#frag) : memref<64x64xf32, #tile.fragment>
  %s = tile.alloc layout(#panels) : memref<64x64xf32, #shared>
  // expected-remark @below {{registers to shared copy: vector, 8 bytes, half of the lanes in another order, which meets fewer bank conflicts}}
  tile.copy %f to %s decided {layout = #frag} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #shared>
}
// Where nothing conflicts, lanes keep their order; loads do, too.
// CHECK-LABEL: tile.kernel @free
// CHECK-NOT: exchange
tile.kernel @free(%C: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %f = tile.alloc layout(#frag) : memref<64x64xf32, #tile.fragment>
  %s = tile.alloc layout(#padded) : memref<64x64xf32, #shared>
  %t = tile.alloc layout(#panels) : memref<64x64xf32, #shared>
  // expected-remark @below {{registers to shared copy: vector, 8 bytes}}
  tile.copy %f to %s decided {layout = #frag} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #shared>
  // expected-remark @below {{shared to registers copy: vector, 8 bytes}}
  tile.copy %t to %f decided {layout = #frag} : memref<64x64xf32, #shared> to memref<64x64xf32, #tile.fragment>
}
