// Indices with quotients and remainders are computed from the digits of the thread's number, whose extents the layout knows:
// a thread's neighbouring elements are seen to lie in one word, at constant bits.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX
#word = affine_map<(d0) -> (((d0 mod 8) floordiv 2) * 4 + d0 floordiv 32)>
#shift = affine_map<(d0) -> (d0 * 16 + ((d0 mod 16) floordiv 8) * 4 - (d0 floordiv 2) * 32 + ((d0 mod 32) floordiv 16) * 8)>

#nested = affine_map<(d0)[s0] -> ((d0 + s0 * 4) floordiv 4)>
#shared = #tile.shared_layout<shape [64, 16] bits 32 modes [(16, 1:1), (64, 0:16)]>
#fragment = #tile.fragment_layout<shape [64, 32] reg [(2, 1:1), (2, 0:8), (2, 1:8), (2, 1:16)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#row = #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  // A thread's elements of a row lie in one word, which is loaded once; all shifts are constants.
  // PTX-LABEL: .entry codes(
  // PTX-COUNT-2: ld.shared.b32
  // PTX-NOT: ld.shared
  // PTX-NOT: shr.u32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r
  // PTX-LABEL: .entry block_value(
  tile.kernel @codes(%A: memref<64x16xi32>, %B: memref<64x32xi32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %mask = arith.constant 15 : i32
    %w = tile.alloc layout(#shared) : memref<64x16xi32, #gpu.address_space<workgroup>>
    %f = tile.alloc layout(#fragment) : memref<64x32xi32, #tile.fragment>
    tile.copy %A[%c0, %c0] to %w decided {layout = #tile.fragment_layout<shape [64, 16] reg [(8, 0:8)] lane [(16, 1:1), (2, 0:1)] warp [(4, 0:2)]>} : memref<64x16xi32> to memref<64x16xi32, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in (64, 32) layout(#fragment) {
      %p = affine.apply #word(%j)
      %s = affine.apply #shift(%j)
      %word = memref.load %w[%i, %p] : memref<64x16xi32, #gpu.address_space<workgroup>>
      %by = arith.index_cast %s : index to i32
      %code = arith.shrui %word, %by : i32
      %low = arith.andi %code, %mask : i32
      memref.store %low, %f[%i, %j] : memref<64x32xi32, #tile.fragment>
    }
    tile.copy %f to %B[%c0, %c0] : memref<64x32xi32, #tile.fragment> to memref<64x32xi32>
    tile.return
  }

  // An index of an index, and a value of the block, of which nothing is known: the quotient is the value.
  // CHECK-LABEL: llvm.func @block_value(
  // CHECK-NOT: llvm.ashr
  // CHECK-NOT: llvm.sdiv
  // CHECK: llvm.return
  tile.kernel @block_value(%A: memref<64xf32>, %B: memref<64xf32>, %n: index) grid(%bx) = (1) threads(64) {
    tile.parallel (%i) in (64) layout(#row) {
      %inner = affine.apply affine_map<(d0) -> (d0 mod 4)>(%i)
      %p = affine.apply #nested(%inner)[%n]
      %x = memref.load %A[%p] : memref<64xf32>
      memref.store %x, %B[%i] : memref<64xf32>
    }
    tile.return
  }
}
