// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// copy-1
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-1] expected 2 offsets of the source, got 1}}
  tile.copy %A[%c0] to %f : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-1
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-1] expected 2 offsets of the target, got 3}}
  tile.copy %f to %A[%c0, %c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// copy-2: none, negative
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-2] expected positive extents of the source, got 0 in dimension 1}}
  tile.copy %A sizes [64, 0] to %f sizes [64, 0] : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-2
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-2] expected positive extents of the source, got -4 in dimension 0}}
  tile.copy %A sizes [-4, 64] to %f : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-2
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-2] expected positive extents of the source, got -9223372036854775808 in dimension 0}}
  tile.copy %A sizes [-9223372036854775808, 64] to %f : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-2: one per dimension
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-2] expected 2 extents of the source, got 1}}
  tile.copy %A sizes [64] to %f sizes [64, 1] : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-2: more than a block can hold
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[copy-2] expected extents of the source of product at most 16777216}}
  tile.copy %D sizes [4294967296, 4294967296] to %D : memref<?x?xf32> to memref<?x?xf32>
}

// -----

// copy-3
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-3] expected equal extents once ones are dropped, got [32, 64] from the source and [64, 64] to the target}}
  tile.copy %A sizes [32, 64] to %f sizes [64, 64] : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-4: overhang of a fragment
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-4] expected a region inside the source, got [0, 0+128) in dimension 0 of extent 64}}
  tile.copy %f sizes [128, 64] to %D[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

// copy-4: a constant offset
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %c32 = arith.constant 32 : index
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-4] expected a region inside the target, got [32, 32+64) in dimension 1 of extent 64}}
  tile.copy %A sizes [64, 64] to %f[%c0, %c32] : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-4: a negative offset
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %m1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-4] expected a region inside the target, got [-1, -1+8) in dimension 0 of extent 64}}
  tile.copy %A sizes [8, 64] to %f[%m1, %c0] : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<8xf32, #tile.fragment>
  %Z = "test.buffer"() : () -> memref<8xcomplex<f32>, #tile.local>
  // expected-error @+1 {{[copy-5] expected element types that convert, got 'complex<f32>' to 'f32'}}
  tile.copy %Z to %f : memref<8xcomplex<f32>, #tile.local> to memref<8xf32, #tile.fragment>
}

// -----

// copy-6
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %pad = arith.constant 0.0 : f16
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-6] expected `pad` of type 'f32', got 'f16'}}
  tile.copy %A to %f pad(%pad : f16) : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-7
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{[copy-7] expected `sizes` on one side: neither buffer's static shape gives the extents}}
  tile.copy %D[%c0, %c0] to %D : memref<?x?xf32> to memref<?x?xf32>
}

// -----

// copy-8: shape
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-8] expected a layout of shape [64, 64], got [32]}}
  tile.copy %A to %f decided {layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-8: one element has shape [1]
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[copy-8] expected a layout of shape [1], got [32]}}
  tile.copy %A sizes [1, 1] to %A sizes [1, 1] decided {layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>} : memref<64x64xf32> to memref<64x64xf32>
}

// -----

// copy-8: threads
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[copy-8] expected a layout over 32 threads, got 64}}
  tile.copy %A sizes [64, 1] to %A sizes [64, 1] decided {layout = #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32)]>} : memref<64x64xf32> to memref<64x64xf32>
}

// -----

// copy-9
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-9] expected `coalesced_width` to be a positive power of two, got -8}}
  tile.copy %A to %f {coalesced_width = -8 : i64} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// copy-9
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[copy-9] expected `coalesced_width` to be a positive power of two, got 0}}
  tile.copy %A to %f {coalesced_width = 0 : i64} : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
}

// -----

// a memory space that is none of ours
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %p = "test.buffer"() : () -> memref<64x64xf32, 3 : i32>
  // expected-error @+1 {{expected the source in global, shared, fragment, local or tensor memory, got 'memref<64x64xf32, 3 : i32>'}}
  tile.copy %p to %A : memref<64x64xf32, 3 : i32> to memref<64x64xf32>
}

// -----

// fill-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %v = arith.constant 0.0 : f16
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[fill-1] expected a value of type 'f32', got 'f16'}}
  tile.fill %f with %v : memref<64x64xf32, #tile.fragment>, f16
}

// -----

// fill-2: offsets
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 0.0 : f32
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[fill-2] expected 2 offsets, got 1}}
  tile.fill %f[%c0] with %v : memref<64x64xf32, #tile.fragment>, f32
}

// -----

// fill-2: sizes
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %v = arith.constant 0.0 : f32
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[fill-2] expected 2 extents of the target, got 1}}
  tile.fill %f sizes [4] with %v : memref<64x64xf32, #tile.fragment>, f32
}

// -----

// fill-2: positive
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %v = arith.constant 0.0 : f32
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[fill-2] expected positive extents of the target, got 0 in dimension 0}}
  tile.fill %f sizes [0, 4] with %v : memref<64x64xf32, #tile.fragment>, f32
}

// -----

// fill-3
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %v = arith.constant 0.0 : f32
  // expected-error @+1 {{[fill-3] expected `sizes` for a buffer of dynamic shape 'memref<?x?xf32>'}}
  tile.fill %D with %v : memref<?x?xf32>, f32
}

// -----

// fill-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %c1 = arith.constant 1 : index
  %v = arith.constant 0.0 : f32
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[fill-4] expected a region inside the target, got [1, 1+64) in dimension 0 of extent 64}}
  tile.fill %f[%c1, %c1] with %v : memref<64x64xf32, #tile.fragment>, f32
}

// -----

// fill-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %v = arith.constant 0.0 : f32
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[fill-5] expected a layout of shape [64, 64], got [32]}}
  tile.fill %f with %v {layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>} : memref<64x64xf32, #tile.fragment>, f32
}

// -----

// atomic-1
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-1] expected 2 offsets of the target, got 1}}
  tile.atomic add %f to %A[%c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// atomic-2
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-2] expected positive extents of the source, got 0 in dimension 0}}
  tile.atomic add %f sizes [0, 1] to %A sizes [0, 1] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// atomic-3
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-3] expected equal extents once ones are dropped}}
  tile.atomic add %f sizes [8, 8] to %A sizes [8, 4] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// atomic-4
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-4] expected a region inside the source}}
  tile.atomic add %f sizes [65, 8] to %D : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

// atomic-5
tile.kernel @k(%H: memref<64x64xf16>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-5] expected equal element types, got 'f32' and 'f16'}}
  tile.atomic add %f to %H : memref<64x64xf32, #tile.fragment> to memref<64x64xf16>
}

// -----

// atomic-6
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  %g = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-6] expected a target in global or shared memory, got fragment memory}}
  tile.atomic add %f to %g : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
}

// -----

// atomic-7: no such atomic
tile.kernel @k(%H: memref<64x64xf16>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[atomic-7] expected an element type with atomic max, got 'f16'}}
  tile.atomic max %H to %H : memref<64x64xf16> to memref<64x64xf16>
}

// -----

// atomic-7: no such type
tile.kernel @k(%H: memref<64xi8>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[atomic-7] expected an element type with atomic add, got 'i8'}}
  tile.atomic add %H to %H : memref<64xi8> to memref<64xi8>
}

// -----

// atomic-7: signedness
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-7] expected integers under `is_unsigned`, got 'f32'}}
  tile.atomic add %f to %A {is_unsigned} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// atomic-8
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[atomic-8] expected `sizes` on one side: neither buffer's static shape gives the extents}}
  tile.atomic add %D to %D : memref<?x?xf32> to memref<?x?xf32>
}

// -----

// atomic-9
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-9] expected a layout of shape [64, 64], got [32]}}
  tile.atomic add %f to %A decided {layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// atomic-10: what the asynchronous proxy combines comes from shared memory
tile.kernel @k(%A: memref<64x64xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[atomic-10] expected an atomic from shared to global memory to return a token}}
  %t = tile.atomic add %f to %A : memref<64x64xf32, #tile.fragment> to memref<64x64xf32> -> !tile.token
}

// -----

// atomic-10: a copy, which combines nothing
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf32>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  // expected-error @+1 {{[atomic-10] expected `tma`, `vector` or `scalar` as the instruction of an atomic, got 'cp_async'}}
  tile.atomic add %s to %A {prefer = #tile.copy_instruction<cp_async>} : memref<64x64xf32, #shared> to memref<64x64xf32>
}

// -----

// atomic-10
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf32>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  // expected-error @+1 {{[atomic-10] expected `tma`, `vector` or `scalar` as the instruction of an atomic, got 'bulk'}}
  tile.atomic add %s to %A decided {plan = #tile.copy_plan<bulk, bytes = 4>} : memref<64x64xf32, #shared> to memref<64x64xf32>
}

// -----

// not a way to combine elements
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{expected how to combine elements, got 'xor'}}
  tile.atomic xor %f to %A : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// convert-1: shape
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  %g = tile.alloc : memref<64x32xf32, #tile.fragment>
  // expected-error @+1 {{[convert-1] expected fragments of one shape and element type}}
  tile.convert_layout %f to %g : memref<64x64xf32, #tile.fragment> to memref<64x32xf32, #tile.fragment>
}

// -----

// convert-1: element type
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  %g = tile.alloc : memref<64x64xf16, #tile.fragment>
  // expected-error @+1 {{[convert-1] expected fragments of one shape and element type}}
  tile.convert_layout %f to %g : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #tile.fragment>
}

// -----

// convert-1: space
tile.kernel @k(%A: memref<64x64xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{[convert-1] expected fragments of one shape and element type}}
  tile.convert_layout %f to %A : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// copy-10: how many blocks
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-10] expected `multicast` to 2 to 16 blocks, got 1}}
  tile.copy %A to %s decided {multicast = 1} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// copy-10: a group of how many
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<1 x [memref<64x64xf16, #shared>], tma -> threads>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx, %by) = (2, 4) threads(32) cluster(2, 4) {
  %c0 = arith.constant 0 : index
  %r = tile.ring.create {peers = 8} : !ring
  %s = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A to %s decided {multicast = 4, multicast_along = array<i64: 1>} : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %A to %s decided {multicast = 8} : memref<64x64xf16> to memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-10] expected `multicast` to the 4 blocks that `multicast_along` names, got 2}}
  tile.copy %A to %s decided {multicast = 2, multicast_along = array<i64: 1>} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// copy-10: without a group the whole cluster
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<1 x [memref<64x64xf16, #shared>], tma -> threads>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx, %by) = (2, 4) threads(32) cluster(2, 4) {
  %c0 = arith.constant 0 : index
  %r = tile.ring.create {peers = 8} : !ring
  %s = tile.ring.acquire %r[%c0] : !ring
  // expected-error @+1 {{[copy-10] expected `multicast` to the 8 blocks of the cluster, got 2}}
  tile.copy %A to %s decided {multicast = 2} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// copy-10: dimensions that a cluster has
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<1 x [memref<64x64xf16, #shared>], tma -> threads>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx, %by) = (2, 4) threads(32) cluster(2, 4) {
  %c0 = arith.constant 0 : index
  %r = tile.ring.create {peers = 8} : !ring
  %s = tile.ring.acquire %r[%c0] : !ring
  // expected-error @+1 {{[copy-10] expected `multicast_along` to name dimensions of the cluster with several blocks in increasing order, got array<i64: 2>}}
  tile.copy %A to %s decided {multicast = 2, multicast_along = array<i64: 2>} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// copy-10: each once, in order
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<1 x [memref<64x64xf16, #shared>], tma -> threads>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx, %by) = (2, 4) threads(32) cluster(2, 4) {
  %c0 = arith.constant 0 : index
  %r = tile.ring.create {peers = 8} : !ring
  %s = tile.ring.acquire %r[%c0] : !ring
  // expected-error @+1 {{[copy-10] expected `multicast_along` to name dimensions of the cluster with several blocks in increasing order, got array<i64: 1, 0>}}
  tile.copy %A to %s decided {multicast = 8, multicast_along = array<i64: 1, 0>} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// copy-10: along which one block is alone
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<1 x [memref<64x64xf16, #shared>], tma -> threads>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx, %by) = (2, 4) threads(32) cluster(2, 1) {
  %c0 = arith.constant 0 : index
  %r = tile.ring.create {peers = 2} : !ring
  %s = tile.ring.acquire %r[%c0] : !ring
  // expected-error @+1 {{[copy-10] expected `multicast_along` to name dimensions of the cluster with several blocks in increasing order, got array<i64: 0, 1>}}
  tile.copy %A to %s decided {multicast = 2, multicast_along = array<i64: 0, 1>} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// copy-10: a group of a copy that nobody shares
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (2) threads(32) cluster(2) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-10] expected `multicast` beside `multicast_along`}}
  tile.copy %A to %s decided {multicast_along = array<i64: 0>} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// copy-10: only slots
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-10] expected a slot of a ring as target of `multicast`}}
  tile.copy %A to %s decided {multicast = 2} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// copy-11: loads are tracked by rings
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-11] expected a copy from shared to global memory to return a token}}
  %t = tile.copy %A to %s : memref<64x64xf16> to memref<64x64xf16, #shared> -> !tile.token
}

// -----

// copy-12: there is no outside of shared memory
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  // expected-error @+1 {{[copy-12] expected a global buffer on a side of a copy with `inside`}}
  tile.copy %s to %f decided {inside} : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
}

// -----

// copy-13: parts of a tile in shared memory
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(256) {
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  // expected-error @+1 {{[copy-13] expected one side of a copy with `groups` in shared memory}}
  tile.copy %f to %A decided {groups = array<i64: 2, 1>} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
}

// -----

// copy-13: one entry per dimension
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(256) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-13] expected `groups` with one entry per dimension of the shared buffer, 2, got 1}}
  tile.copy %s to %A decided {groups = array<i64: 2>} : memref<64x64xf16, #shared> to memref<64x64xf16>
}

// -----

// copy-13: equal parts
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(256) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-13] expected `groups` that divide an extent of 64, got 3}}
  tile.copy %s to %A decided {groups = array<i64: 3, 1>} : memref<64x64xf16, #shared> to memref<64x64xf16>
}

// -----

// copy-13: along one dimension
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(256) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-13] expected `groups` along exactly one dimension, got 2}}
  tile.copy %s to %A decided {groups = array<i64: 2, 2>} : memref<64x64xf16, #shared> to memref<64x64xf16>
}

// -----

// copy-14: only loads of shared memory
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-14] expected a copy from global to shared memory to complete at a barrier, got 'memref<64x64xf16, #gpu.address_space<workgroup>>' to 'memref<64x64xf16>'}}
  tile.copy %s to %A completes(%ready[%c0] : !tile.mbarrier<1>) : memref<64x64xf16, #shared> to memref<64x64xf16>
}

// -----

// copy-14: a barrier that there is
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16>) grid(%bx) = (1) threads(128) {
  %c2 = arith.constant 2 : index
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{[copy-14] expected an index from 0 to 1, got 2}}
  tile.copy %A to %s completes(%ready[%c2] : !tile.mbarrier<2>) : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

// atomic-11: parts of a tile, one entry per dimension
#shared = #gpu.address_space<workgroup>
tile.kernel @atomic_groups(%A: memref<64x64xf32>) grid(%bx) = (1) threads(256) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  // expected-error @+1 {{[atomic-11] expected `groups` with one entry per dimension of the shared buffer, 2, got 1}}
  tile.atomic add %s to %A decided {groups = array<i64: 2>} : memref<64x64xf32, #shared> to memref<64x64xf32>
}

// -----

tile.kernel @in_front_of_a_tile(%A: memref<64x32xf16>) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[copy-15] expected a global buffer as the target of a move with `in_front`}}
  tile.copy %A to %s decided {in_front} : memref<64x32xf16> to memref<64x32xf16, #gpu.address_space<workgroup>>
}

// -----

tile.kernel @sum_in_front_of_a_tile() grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x32xf32, #gpu.address_space<workgroup>>
  %t = tile.alloc : memref<64x32xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[atomic-12] expected a global buffer as the target of a move with `in_front`}}
  tile.atomic add %s to %t decided {in_front} : memref<64x32xf32, #gpu.address_space<workgroup>> to memref<64x32xf32, #gpu.address_space<workgroup>>
}

// -----

// copy-16: regions of one buffer
tile.kernel @shifted() grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %s = tile.alloc : memref<8x8xf32, #gpu.address_space<workgroup>>
  tile.copy %s[%c0, %c0] sizes [2, 8] to %s[%c2, %c0] sizes [2, 8] : memref<8x8xf32, #gpu.address_space<workgroup>> to memref<8x8xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[copy-16] expected regions that do not overlap: both lie in one buffer and have elements in common}}
  tile.copy %s[%c0, %c0] sizes [4, 8] to %s[%c2, %c0] sizes [4, 8] : memref<8x8xf32, #gpu.address_space<workgroup>> to memref<8x8xf32, #gpu.address_space<workgroup>>
}
