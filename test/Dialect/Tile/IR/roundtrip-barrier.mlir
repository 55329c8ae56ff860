// Barriers, fences and places in shared memory: custom and generic syntax, and bytecode.
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @meet
// CHECK-SAME:    tile.has_barriers, tile.shared_bytes = 5120 : i64
tile.kernel @meet() grid(%bx) = (1) threads(256) attributes {tile.has_barriers, tile.shared_bytes = 5120 : i64} {
  // CHECK: tile.alloc {tile.offset = 0 : i64}
  %s = tile.alloc {tile.offset = 0 : i64} : memref<32x32xf32, #shared>
  // CHECK: tile.barrier{{$}}
  tile.barrier
  // CHECK: tile.barrier groups(2)
  tile.barrier groups(2)
  // CHECK: tile.fence copies{{$}}
  tile.fence copies
  // CHECK: tile.fence proxy{{$}}
  tile.fence proxy
  // CHECK: tile.fence copies proxy{{$}}
  tile.fence copies proxy
  // CHECK: tile.commit_copies{{$}}
  tile.commit_copies
  // CHECK: tile.fence copies in_flight(2) proxy{{$}}
  tile.fence copies in_flight(2) proxy
}
