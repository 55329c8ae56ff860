// The end of a ring round-trips and is kept: nothing may move across it.
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --canonicalize --cse | FileCheck %s
#shared = #gpu.address_space<workgroup>
// CHECK:      tile.kernel @drain
// CHECK:        %[[RING:.*]] = tile.ring.create
// CHECK:        tile.ring.commit %[[RING]]
// CHECK-NEXT:   tile.ring.drain %[[RING]] : <2 x
// CHECK-NEXT:   tile.return
tile.kernel @drain() grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %ring = tile.ring.create : !tile.ring<2 x [memref<32xf32, #shared>], cp_async -> threads>
  tile.ring.commit %ring[%c0] : !tile.ring<2 x [memref<32xf32, #shared>], cp_async -> threads>
  tile.ring.drain %ring : !tile.ring<2 x [memref<32xf32, #shared>], cp_async -> threads>
}
