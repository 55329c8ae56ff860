// A role's barrier says nothing of the other roles' threads: what the block
// wrote before the roles part is ordered before they do, and what they exchange
// through scratch memory lies apart.
// RUN: tile-opt %s --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s

#shared = #gpu.address_space<workgroup>
#loop = #tile.fragment_layout<shape [32, 32] reg [(4, 1:1)] lane [(8, 1:4), (4, 0:1)] warp [(8, 0:4)]>
#half = #tile.fragment_layout<shape [32, 32] reg [(4, 1:1), (2, 0:16)] lane [(8, 1:4), (4, 0:1)] warp [(4, 0:4)]>
#columns = #tile.fragment_layout<shape [32] reg [(4, 0:1)] lane [(8, 0:4), (4, *)] warp [(4, *)]>
#rows = #tile.shared_layout<shape [32, 32] bits 32 modes [(32, 1:1), (32, 0:32)]>
module attributes {tile.target = #tile.target<"sm_90">} {
  // CHECK-LABEL: llvm.func @before_roles
  // CHECK:         llvm.store {{.*}} !llvm.ptr<3>
  // CHECK:         nvvm.barrier0
  // CHECK:         llvm.cond_br
  // CHECK:         llvm.load {{.*}} !llvm.ptr<3>
  // CHECK-NOT:     nvvm.barrier
  // CHECK:         llvm.return
  tile.kernel @before_roles(%A: memref<32x32xf32>) grid(%bx) = (1) threads(256) {
    %zero = arith.constant 0.0 : f32
    %s = tile.alloc layout(#rows) : memref<32x32xf32, #shared>
    tile.parallel (%i, %j) in (32, 32) layout(#loop) {
      memref.store %zero, %s[%i, %j] : memref<32x32xf32, #shared>
    }
    tile.warp_specialize
    role "read" warps(4) {
      tile.parallel (%i, %j) in (32, 32) layout(#half) {
        %x = memref.load %s[%j, %i] : memref<32x32xf32, #shared>
        memref.store %x, %A[%i, %j] : memref<32x32xf32>
      }
    }
    role "other" warps(4) {
    }
  }

  // Four warps of eight lanes with four sums each: those of the second role begin behind.
  // CHECK-LABEL: llvm.func @scratch
  // CHECK-SAME:    tile.shared_bytes = 1024
  // CHECK:         %[[ARENA:.*]] = llvm.mlir.addressof @tile_shared_arena
  // CHECK:         llvm.getelementptr %[[ARENA]][0]
  // CHECK:         llvm.getelementptr %[[ARENA]][512]
  tile.kernel @scratch(%A: memref<32xf32>, %B: memref<32xf32>) grid(%bx) = (1) threads(256) {
    %zero = arith.constant 0.0 : f32
    tile.warp_specialize
    role "first" warps(4) {
      %x = tile.alloc layout(#half) : memref<32x32xf32, #tile.fragment>
      %y = tile.alloc layout(#columns) : memref<32xf32, #tile.fragment>
      tile.fill %x with %zero {layout = #half} : memref<32x32xf32, #tile.fragment>, f32
      tile.reduce sum %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
      tile.copy %y to %A decided {layout = #columns} : memref<32xf32, #tile.fragment> to memref<32xf32>
    }
    role "second" warps(4) {
      %x = tile.alloc layout(#half) : memref<32x32xf32, #tile.fragment>
      %y = tile.alloc layout(#columns) : memref<32xf32, #tile.fragment>
      tile.fill %x with %zero {layout = #half} : memref<32x32xf32, #tile.fragment>, f32
      tile.reduce max %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
      tile.copy %y to %B decided {layout = #columns} : memref<32xf32, #tile.fragment> to memref<32xf32>
    }
  }
}
