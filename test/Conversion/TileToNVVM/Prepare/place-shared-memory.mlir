// Tiles that are never alive together share bytes; mbarriers follow tiles, scratch follows mbarriers, and roles have scratch of their own. An agent's small users of scratch have two places by turns.
// RUN: tile-opt %s --tile-place-shared-memory --split-input-file | FileCheck %s
// Placing once more gives the same places.
// RUN: tile-opt %s --tile-place-shared-memory --tile-place-shared-memory --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [64, 64] bits 32 modes [(64, 1:1), (64, 0:64)]>
#loop = #tile.fragment_layout<shape [64, 64] reg [(4, 1:1), (8, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
module attributes {tile.target = #tile.target<"sm_80">} {
  // CHECK-LABEL: tile.kernel @one_after_the_other
  // CHECK-SAME:    tile.shared_bytes = 16384 : i64
  tile.kernel @one_after_the_other(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // What nobody uses has no place.
    // CHECK: tile.alloc {{.*}}>) : memref
    %unused = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }
  // CHECK-LABEL: tile.kernel @together
  // CHECK-SAME:    tile.shared_bytes = 32768 : i64
  tile.kernel @together(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }
}

// -----

// A reduction across warps, behind the tile: four values of each of four warps' eight lanes that hold the same rows' columns.
#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [32, 32] bits 32 modes [(32, 1:1), (32, 0:32)]>
#loop = #tile.fragment_layout<shape [32, 32] reg [(4, 1:1), (2, 0:16)] lane [(8, 1:4), (4, 0:1)] warp [(4, 0:4)]>
#sums = #tile.fragment_layout<shape [32] reg [(4, 0:1)] lane [(8, 0:4), (4, *)] warp [(4, *)]>
#large = #tile.shared_layout<shape [57984] bits 32 modes [(57984, 0:1)]>
#long = #tile.fragment_layout<shape [57984] reg [(453, 0:128)] lane [(32, 0:1)] warp [(4, 0:32)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  // CHECK-LABEL: tile.kernel @scratch
  // CHECK-SAME:    tile.shared_bytes = 4608 : i64
  tile.kernel @scratch(%A: memref<32x32xf32>) grid(%bx) = (1) threads(128) {
    %s = tile.alloc layout(#rows) : memref<32x32xf32, #shared>
    %x = tile.alloc layout(#loop) : memref<32x32xf32, #tile.fragment>
    %y = tile.alloc layout(#sums) : memref<32xf32, #tile.fragment>
    tile.copy %A to %s decided {layout = #loop} : memref<32x32xf32> to memref<32x32xf32, #shared>
    tile.copy %s to %x decided {layout = #loop} : memref<32x32xf32, #shared> to memref<32x32xf32, #tile.fragment>
    // CHECK: tile.reduce {{.*}} {tile.offset = 4096 : i64}
    tile.reduce sum %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  }
  // By turns, so that no user has the place of the one before, around a loop neither.
  // CHECK-LABEL: tile.kernel @turns
  // CHECK-SAME:    tile.shared_bytes = 1536 : i64
  tile.kernel @turns(%A: memref<32x32xf32>) grid(%bx) = (1) threads(128) {
    %x = tile.alloc layout(#loop) : memref<32x32xf32, #tile.fragment>
    %y = tile.alloc layout(#sums) : memref<32xf32, #tile.fragment>
    tile.copy %A to %x decided {layout = #loop} : memref<32x32xf32> to memref<32x32xf32, #tile.fragment>
    // CHECK: tile.reduce sum {{.*}} {tile.offset = 0 : i64}
    tile.reduce sum %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    // CHECK: tile.reduce max {{.*}} {tile.offset = 512 : i64}
    tile.reduce max %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    // CHECK: tile.reduce min {{.*}} {tile.offset = 1024 : i64}
    tile.reduce min %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  }
  // Where that does not fit, all have one place.
  // CHECK-LABEL: tile.kernel @no_room
  // CHECK-SAME:    tile.shared_bytes = 232448 : i64
  tile.kernel @no_room(%A: memref<32x32xf32>, %B: memref<57984xf32>) grid(%bx) = (1) threads(128) {
    %s = tile.alloc layout(#large) : memref<57984xf32, #shared>
    %x = tile.alloc layout(#loop) : memref<32x32xf32, #tile.fragment>
    %y = tile.alloc layout(#sums) : memref<32xf32, #tile.fragment>
    tile.copy %A to %x decided {layout = #loop} : memref<32x32xf32> to memref<32x32xf32, #tile.fragment>
    // CHECK: tile.reduce sum {{.*}} {tile.offset = 231936 : i64}
    tile.reduce sum %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    // CHECK: tile.reduce max {{.*}} {tile.offset = 231936 : i64}
    tile.reduce max %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    tile.copy %s to %B decided {layout = #long} : memref<57984xf32, #shared> to memref<57984xf32>
  }
  // Roles run side by side: each has its own.
  // CHECK-LABEL: tile.kernel @roles
  // CHECK-SAME:    tile.shared_bytes = 1024 : i64
  tile.kernel @roles(%A: memref<32x32xf32>, %B: memref<32x32xf32>) grid(%bx) = (1) threads(256) {
    tile.warp_specialize
    role "first" warps(4) {
      %x = tile.alloc layout(#loop) : memref<32x32xf32, #tile.fragment>
      %y = tile.alloc layout(#sums) : memref<32xf32, #tile.fragment>
      tile.copy %A to %x decided {layout = #loop} : memref<32x32xf32> to memref<32x32xf32, #tile.fragment>
      // CHECK: tile.reduce {{.*}} {tile.offset = 0 : i64}
      tile.reduce sum %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    }
    role "second" warps(4) {
      %x = tile.alloc layout(#loop) : memref<32x32xf32, #tile.fragment>
      %y = tile.alloc layout(#sums) : memref<32xf32, #tile.fragment>
      tile.copy %B to %x decided {layout = #loop} : memref<32x32xf32> to memref<32x32xf32, #tile.fragment>
      // CHECK: tile.reduce {{.*}} {tile.offset = 512 : i64}
      tile.reduce sum %x to %y dim(0) : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    }
  }
}
