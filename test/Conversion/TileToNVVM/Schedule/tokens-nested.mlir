// The source of a store in an inner loop is written again in its next
// iteration, and in the first of the outer loop's next one, behind two other
// stores: the wait in front of it lets as many groups run as the shorter of
// these ways has.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>
!tile = memref<64x64xf16, #shared>

// CHECK-LABEL: llvm.func @inner
// CHECK-NOT:     nvvm.cp.async.bulk.wait_group
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK:         nvvm.cp.async.bulk.wait_group 2{{$}}
tile.kernel @inner(%C: memref<?x64xf16> {tile.alignment = 16}, %D: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %g = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %one = arith.constant 1.0 : f16
  tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
  tile.fill %g with %one : memref<64x64xf16, #tile.fragment>, f16
  %s = tile.alloc layout(#rows) : !tile
  %t = tile.alloc layout(#rows) : !tile
  %none = tile.token.done
  %last:2 = scf.for %i = %c0 to %n step %c128 iter_args(%x = %none, %y = %none) -> (!tile.token, !tile.token) {
    %inner = scf.for %j = %c0 to %n step %c64 iter_args(%z = %x) -> (!tile.token) {
      tile.await read %z
      tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to !tile
      %token = tile.copy %s to %C[%j, %c0] decided {plan = #tma} : !tile to memref<?x64xf16> -> !tile.token
      scf.yield %token : !tile.token
    }
    tile.await read %y
    tile.copy %g to %t decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to !tile
    %first = tile.copy %t to %D[%i, %c0] decided {plan = #tma} : !tile to memref<?x64xf16> -> !tile.token
    %i64 = arith.addi %i, %c64 : index
    %second = tile.copy %t to %D[%i64, %c0] decided {plan = #tma} : !tile to memref<?x64xf16> -> !tile.token
    scf.yield %inner, %second : !tile.token, !tile.token
  }
  tile.await %last#0
  tile.await %last#1
}
