// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK: tile.kernel @k({{.*}} attributes {persistent = 2 : i64, stream_k = 16 : i64} {
tile.kernel @k(%n: i32) grid(%bx) = (4) threads(32) attributes {persistent = 2 : i64, stream_k = 16 : i64} {
  // CHECK: %[[W:.*]] = tile.workspace per_block(2) : memref<?x64x64xf32>
  %w = tile.workspace per_block(2) : memref<?x64x64xf32>
  // CHECK: %[[C:.*]] = tile.workspace per_block(1) zeroed : memref<?xi32>
  %c = tile.workspace per_block(1) zeroed : memref<?xi32>
  %one = arith.constant 1 : i32
  // CHECK: %[[LAST:.*]] = tile.last_arrival %[[C]][%bx], %{{.*}} of %n : memref<?xi32>
  %last = tile.last_arrival %c[%bx], %one of %n : memref<?xi32>
  // CHECK: scf.if %[[LAST]]
  scf.if %last {
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %w[%bx, %i, %j] : memref<?x64x64xf32>
      memref.store %x, %w[%bx, %i, %j] : memref<?x64x64xf32>
    }
  }
}
