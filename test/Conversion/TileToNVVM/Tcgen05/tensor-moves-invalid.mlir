// Products start from zeros in a slot of tensor memory; nothing orders other numbers, which threads would store, and products.
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: {{.*}}expected zero in a slot of a ring in tensor memory, which the first product then starts from: add other numbers where the result is read
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<?x128x?xf16> {tile.alignment = 16}, %B: memref<?x32xf16> {tile.alignment = 16}, %C: memref<?x128x32xf32>, %n: index) grid(%b) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 3.0 : f32
  %T = memref.dim %A, %c0 : memref<?x128x?xf16>
  %K = memref.dim %A, %c2 : memref<?x128x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %r = tile.ring.create layouts([#tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>, #tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:32)] swizzle(2, 4, 3)>]) : !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x32xf16, #shared>], tma -> tcgen05>
  %q = tile.ring.create layouts([#tile.shared_layout<shape [128, 32] bits 32 modes [(32, 1:1), (128, 0:32)]>]) : !tile.ring<3 x [memref<128x32xf32, #tile.tmem>], mma -> threads>
  tile.warp_specialize
  role "p" warps(4) {
   %e = scf.for %t = %c0 to %T step %c1 iter_args(%base = %c0) -> (index) {
   %f = scf.for %i = %c0 to %n step %c1 iter_args(%u = %base) -> (index) {
    %x, %y = tile.ring.acquire %r[%u] : !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x32xf16, #shared>], tma -> tcgen05>
    %k = arith.muli %i, %c64 : index
    tile.copy %A[%t, %c0, %k] sizes [1, 128, 64] to %x : memref<?x128x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %c0] to %y : memref<?x32xf16> to memref<64x32xf16, #shared>
    tile.ring.commit %r[%u] : !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x32xf16, #shared>], tma -> tcgen05>
    %un = arith.addi %u, %c1 : index
    scf.yield %un : index
   }
   scf.yield %f : index
   }
  }
  role "m" warps(4) {
   %e = scf.for %t = %c0 to %T step %c1 iter_args(%base = %c0) -> (index) {
   %d = tile.ring.acquire %q[%t] : !tile.ring<3 x [memref<128x32xf32, #tile.tmem>], mma -> threads>
   tile.fill %d with %z : memref<128x32xf32, #tile.tmem>, f32
   %f = scf.for %i = %c0 to %n step %c1 iter_args(%u = %base) -> (index) {
    %x, %y = tile.ring.wait %r[%u] : !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x32xf16, #shared>], tma -> tcgen05>
    tile.gemm %x, %y, %d {plan = #tile.mma_plan<tcgen05, m = 128, n = 32, k = 16, warps = [4, 1]>} : memref<128x64xf16, #shared>, memref<64x32xf16, #shared>, memref<128x32xf32, #tile.tmem>
    tile.ring.release %r[%u] : !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x32xf16, #shared>], tma -> tcgen05>
    %un = arith.addi %u, %c1 : index
    scf.yield %un : index
   }
   tile.ring.commit %q[%t] : !tile.ring<3 x [memref<128x32xf32, #tile.tmem>], mma -> threads>
   scf.yield %f : index
   }
  }
  role "e" warps(4) {
   %f = tile.alloc layout(#tile.fragment_layout<shape [128, 32] reg [(32, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>) : memref<128x32xf32, #tile.fragment>
   scf.for %t = %c0 to %T step %c1 {
    %w = tile.ring.wait %q[%t] : !tile.ring<3 x [memref<128x32xf32, #tile.tmem>], mma -> threads>
    tile.copy %w to %f : memref<128x32xf32, #tile.tmem> to memref<128x32xf32, #tile.fragment>
    tile.ring.release %q[%t] : !tile.ring<3 x [memref<128x32xf32, #tile.tmem>], mma -> threads>
    tile.copy %f to %C[%t, %c0, %c0] sizes [1, 128, 32] : memref<128x32xf32, #tile.fragment> to memref<?x128x32xf32>
   }
  }
}
