// RUN: tile-opt --allow-unregistered-dialect %s | tile-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tile-opt --allow-unregistered-dialect %s --mlir-print-op-generic | tile-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tile-opt --allow-unregistered-dialect %s --emit-bytecode | tile-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tile-opt --allow-unregistered-dialect %s --mlir-print-debuginfo | tile-opt --allow-unregistered-dialect | FileCheck %s

// CHECK: module attributes {tile.target = #tile.target<"sm_90a">}
module attributes {tile.target = #tile.target<"sm_90a">} {
  // CHECK: fragments = [
  "test.attributes"() {fragments = [
    // Replication, no warps, a block axis, extents that are no powers of two.
    // CHECK-SAME: #tile.fragment_layout<shape [16] reg [(1, *)] lane [(16, 0:1), (2, *)] warp []>
    #tile.fragment_layout<shape [16] reg [(1, *)] lane [(16, 0:1), (2, *)] warp []>,
    // CHECK-SAME: #tile.fragment_layout<shape [576] reg [(9, 0:64)] lane [(32, 0:1)] warp [(2, 0:32)]>
    #tile.fragment_layout<shape [576] reg [(9, 0:64)] lane [(32, 0:1)] warp [(2, 0:32)]>,
    // CHECK-SAME: #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [] block [(2, 0:32)]>
    #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [] block [(2, 0:32)]>],
  // CHECK-SAME: shared = [
  shared = [
    // CHECK-SAME: #tile.shared_layout<shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)>
    #tile.shared_layout<shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)>,
    // CHECK-SAME: #tile.shared_layout<shape [8, 6] bits 4 modes [(6, 1:1), (8, 0:8)]>
    #tile.shared_layout<shape [8, 6] bits 4 modes [(6, 1:1), (8, 0:8)]>],
  // CHECK-SAME: spaces = [#tile.fragment, #tile.local, #tile.tmem]
  spaces = [#tile.fragment, #tile.local, #tile.tmem],
  // CHECK-SAME: x_policies = [#tile.warp_policy<square>, #tile.warp_policy<full_row>, #tile.warp_policy<full_col>]
  x_policies = [#tile.warp_policy<square>, #tile.warp_policy<full_row>, #tile.warp_policy<full_col>],
  // CHECK-SAME: y_copies = [#tile.copy_plan<tma, bytes = 4096>, #tile.copy_plan<bulk, bytes = 16>, #tile.copy_plan<cp_async, bytes = 4>, #tile.copy_plan<ldmatrix, bytes = 16>, #tile.copy_plan<stmatrix, bytes = 16>, #tile.copy_plan<vector, bytes = 8>, #tile.copy_plan<scalar, bytes = 1>]
  y_copies = [#tile.copy_plan<tma, bytes = 4096>, #tile.copy_plan<bulk, bytes = 16>, #tile.copy_plan<cp_async, bytes = 4>, #tile.copy_plan<ldmatrix, bytes = 16>, #tile.copy_plan<stmatrix, bytes = 16>, #tile.copy_plan<vector, bytes = 8>, #tile.copy_plan<scalar, bytes = 1>],
  // CHECK-SAME: z_mmas = [#tile.mma_plan<fma, m = 1, n = 1, k = 1, warps = [1, 4]>, #tile.mma_plan<wgmma, m = 64, n = 256, k = 16, warps = [4, 1]>, #tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 1]>, #tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 1], pair>, #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>, #tile.mma_instruction<mma_sync>]
  z_mmas = [#tile.mma_plan<fma, m = 1, n = 1, k = 1, warps = [1, 4]>, #tile.mma_plan<wgmma, m = 64, n = 256, k = 16, warps = [4, 1]>, #tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 1]>, #tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 1], pair>, #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>, #tile.mma_instruction<mma_sync>]
  } : () -> ()
}
