// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tile-opt %s --allow-unregistered-dialect --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tile-opt %s --allow-unregistered-dialect --mlir-print-op-generic | tile-opt --allow-unregistered-dialect | FileCheck %s
// What a program asks of a move, and what is decided.

#shared = #gpu.address_space<workgroup>
#layout = #tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>

// CHECK-LABEL: tile.kernel @asked_and_decided
// GENERIC-LABEL: sym_name = "asked_and_decided"
tile.kernel @asked_and_decided(%A: memref<64x64xf32>, %I: memref<64xi32>, %X: memref<?x?x?x64xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64xf32, #shared>
  %f = tile.alloc : memref<64xf32, #tile.fragment>
  %t = tile.alloc : memref<64x64xf32, #shared>
  // A request alone: one attribute, written in the dictionary.
  // CHECK: tile.copy %A[%bx, %c0] to %[[S:.*]] {coalesced_width = 4 : i64, disable_tma, eviction_policy = #tile.eviction_policy<first>, prefer = #tile.copy_instruction<vector>} : memref
  // GENERIC: "tile.copy"({{.*}}) <{operandSegmentSizes = array<i32: 1, 2, 1, 0, 0, 0, 0>, request = #tile.move_request<{coalesced_width = 4 : i64, disable_tma, eviction_policy = #tile.eviction_policy<first>, prefer = #tile.copy_instruction<vector>}>}>
  tile.copy %A[%bx, %c0] to %s {prefer = #tile.copy_instruction<vector>, eviction_policy = #tile.eviction_policy<first>, disable_tma, coalesced_width = 4} : memref<64x64xf32> to memref<64xf32, #shared>
  // A decision alone.
  // CHECK: tile.copy %A[%bx, %c0] to %[[F:.*]] decided {inside, layout = #tile.fragment_layout<shape [64]{{.*}}, plan = #tile.copy_plan<vector, bytes = 8>} : memref
  // GENERIC: "tile.copy"({{.*}}) <{decision = #tile.move_decision<{inside, layout = #tile.fragment_layout<shape [64]{{.*}}, plan = #tile.copy_plan<vector, bytes = 8>}>, operandSegmentSizes
  tile.copy %A[%bx, %c0] to %f decided {layout = #layout, inside, plan = #tile.copy_plan<vector, bytes = 8>} : memref<64x64xf32> to memref<64xf32, #tile.fragment>
  // Both, and an attribute of another dialect.
  // CHECK: tile.copy %[[F]] to %[[S]] {disable_tma, test.note = 1 : i64} decided {layout = #tile.fragment_layout<shape [64]{{.*}}} : memref
  // GENERIC: "tile.copy"({{.*}}) <{decision = #tile.move_decision<{layout = #tile.fragment_layout<shape [64]{{.*}}}>, operandSegmentSizes = array<i32: 1, 0, 1, 0, 0, 0, 0>, request = #tile.move_request<{disable_tma}>}> {test.note = 1 : i64}
  tile.copy %f to %s {test.note = 1, disable_tma} decided {layout = #layout} : memref<64xf32, #tile.fragment> to memref<64xf32, #shared>
  // A program may write its own decision in the dictionary.
  // CHECK: tile.copy %[[F]] to %[[S]] {disable_tma} decided {layout = #tile.fragment_layout<shape [64]{{.*}}} : memref
  tile.copy %f to %s {layout = #layout, disable_tma} : memref<64xf32, #tile.fragment> to memref<64xf32, #shared>
  // Neither.
  // CHECK: tile.copy %[[F]] to %[[S]] : memref
  // GENERIC: "tile.copy"({{.*}}) <{operandSegmentSizes = array<i32: 1, 0, 1, 0, 0, 0, 0>}> :
  tile.copy %f to %s : memref<64xf32, #tile.fragment> to memref<64xf32, #shared>
  // The other moves have them, too.
  // CHECK: tile.im2col {{.*}} kernel [1, 1] {disable_tma} decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : memref
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %t kernel [1, 1] {disable_tma} decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : memref<?x?x?x64xf32> to memref<64x64xf32, #shared>
  // CHECK: tile.gather %A{{.*}} {coalesced_width = 2 : i64} decided {plan = #tile.copy_plan<cp_async, bytes = 8>} : memref
  tile.gather %A[%c0] rows %I[%c0] to %t {coalesced_width = 2} decided {plan = #tile.copy_plan<cp_async, bytes = 8>} : memref<64x64xf32>, memref<64xi32> to memref<64x64xf32, #shared>
  // CHECK: tile.scatter {{.*}} {prefer = #tile.copy_instruction<scalar>} decided {plan = #tile.copy_plan<scalar, bytes = 4>} : memref
  tile.scatter %t to %A[%c0] rows %I[%c0] {prefer = #tile.copy_instruction<scalar>} decided {plan = #tile.copy_plan<scalar, bytes = 4>} : memref<64x64xf32, #shared> to memref<64x64xf32>, memref<64xi32>
}

// CHECK-LABEL: tile.kernel @integers
tile.kernel @integers(%A: memref<64xi32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64xi32, #tile.fragment>
  // CHECK: tile.atomic max %{{.*}} to %A {disable_tma, is_unsigned} decided {layout = #tile.fragment_layout<shape [64]{{.*}}} : memref
  tile.atomic max %f to %A {is_unsigned, disable_tma} decided {layout = #layout} : memref<64xi32, #tile.fragment> to memref<64xi32>
}
