// A barrier names an access that made it necessary.
// RUN: tile-opt %s --tile-place-shared-memory --tile-insert-barriers=remarks --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [64, 64] bits 32 modes [(64, 1:1), (64, 0:64)]>
#loop = #tile.fragment_layout<shape [64, 64] reg [(4, 1:1), (8, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
#plan = #tile.copy_plan<cp_async, bytes = 16>
module attributes {tile.target = #tile.target<"sm_90">} {
  tile.kernel @copies(%A: memref<64x64xf32> {tile.alignment = 16}, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    %zero = arith.constant 0.0 : f32
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // expected-note @below {{it may touch what this writes}}
    tile.copy %A to %s decided {layout = #loop, plan = #plan} : memref<64x64xf32> to memref<64x64xf32, #shared>
    // expected-remark @below {{all threads meet before this, once their own copies have landed}}
    // expected-note @below {{it may touch what this reads}}
    tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    // expected-remark @below {{all threads meet before this}}
    tile.fill %s with %zero {layout = #loop} : memref<64x64xf32, #shared>, f32
  }
}
