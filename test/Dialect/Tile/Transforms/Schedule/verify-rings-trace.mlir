// A fault comes with the operations that lead to it and the sizes.
// RUN: not tile-opt %s --tile-verify-rings --mlir-print-op-on-diagnostic=false -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!tma = !tile.ring<2 x [!slot], tma -> wgmma>

// CHECK: trace.mlir:[[@LINE+17]]:{{[0-9]+}}: error: [R14] deadlock: 'load' waits at acquire ring[2] for 'mma' to release ring[0]
// CHECK: note: 'mma' waits at wait ring[2] for 'load' to commit ring[2]
// CHECK: note: load: acquire ring[0]
// CHECK: note: load: commit ring[0]
// CHECK: note: mma: wait ring[1]
// CHECK: note: found with dim(A, 1) = 192
tile.kernel @last_two_kept(%A: memref<?x?xf16>) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %trips = arith.ceildivui %K, %c64 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %trips step %c1 {
      %v = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %v : memref<?x?xf16> to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %trips step %c1 {
      %v = tile.ring.wait %r[%k] : !tma
    }
    scf.for %k = %c0 to %trips step %c1 {
      tile.ring.release %r[%k] : !tma
    }
  }
}
