// The persistent schedule of a GEMM in a cluster of 2x2, with A and B
// multicast, for ranges of sizes.
// RUN: tile-opt %s --tile-verify-rings=remarks -verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
!ab = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x256xf16, #shared>], tma -> wgmma>
// expected-remark @below {{rings are proved for 43 combinations of sizes}}
tile.kernel @square(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 256, dim(%C, 0) ceildiv 128) threads(384) cluster(2, 2) attributes {persistent = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %ab = tile.ring.create {peers = 4} : !ab
  %first, %end, %step = tile.block_range
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    // expected-note @below {{0 to 6 iterations}}
    %done = scf.for %t = %first to %end step %step iter_args(%i = %c0) -> (index) {
      %x, %y = tile.block_coordinates %t : index, index
      // expected-note @below {{0 to 6 iterations}}
      %j = scf.for %k = %c0 to %K step %c64 iter_args(%u = %i) -> (index) {
        %a, %b = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%y, %k] to %a decided {multicast = 2, multicast_along = array<i64: 0>} : memref<?x?xf16> to memref<128x64xf16, #shared>
        tile.copy %B[%k, %x] to %b decided {multicast = 2, multicast_along = array<i64: 1>} : memref<?x?xf16> to memref<64x256xf16, #shared>
        tile.ring.commit %ab[%u] : !ab
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %j : index
    }
  }
  role "mma" warps(8) registers(232) {
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    // expected-note @below {{0 to 6 iterations}}
    %done = scf.for %t = %first to %end step %step iter_args(%i = %c0) -> (index) {
      // expected-note @below {{0 to 6 iterations}}
      %e = scf.for %k = %c0 to %K step %c64 iter_args(%u = %i) -> (index) {
        %a, %b = tile.ring.wait %ab[%u] : !ab
        %tok = tile.gemm %a, %b, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment> -> !tile.token
        tile.await %tok
        tile.ring.release %ab[%u] : !ab
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %e : index
    }
  }
}
