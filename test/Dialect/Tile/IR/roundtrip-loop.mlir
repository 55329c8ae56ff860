// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-debuginfo | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: tile.kernel @parallels
tile.kernel @parallels(%A: memref<?xf32>, %counts: memref<16xi32>) grid(%bx) = (1) threads(64) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %frag = tile.alloc : memref<64x4xf32, #tile.fragment>
  // CHECK: tile.parallel (%i, %j) in (64, 4) {
  // CHECK-NOT: tile.yield
  // CHECK: }
  // GENERIC: "tile.parallel"() <{extents = array<i64: 64, 4>}> ({
  // GENERIC: ^bb0(%{{.*}}: index, %{{.*}}: index):
  // GENERIC: "tile.yield"() : () -> ()
  tile.parallel (%i, %j) in (64, 4) {
    %x = memref.load %frag[%i, %j] : memref<64x4xf32, #tile.fragment>
    %y = arith.maximumf %x, %zero : f32
    memref.store %y, %frag[%i, %j] : memref<64x4xf32, #tile.fragment>
  }
  // CHECK: tile.parallel (%i) in (128) layout(#tile.fragment_layout<shape [128] reg [(2, 0:1)] lane [(32, 0:2)] warp [(2, 0:64)]>) attributes {coalesced_width = 2 : i64} {
  tile.parallel (%i) in (128) layout(#tile.fragment_layout<shape [128] reg [(2, 0:1)] lane [(32, 0:2)] warp [(2, 0:64)]>) attributes {coalesced_width = 2 : i64} {
    %x = affine.load %A[%i * 2] : memref<?xf32>
    affine.store %x, %A[%i * 2 + 1] : memref<?xf32>
  }
  // An atomic may meet others in one element; five dimensions; an empty one.
  // CHECK: tile.parallel (%i, %j, %k, %l, %[[M:.*]]) in (2, 2, 2, 2, 2) {
  tile.parallel (%a, %b, %c, %d, %e) in (2, 2, 2, 2, 2) {
    %old = memref.atomic_rmw addi %one, %counts[%a] : (i32, memref<16xi32>) -> i32
  }
  // CHECK: tile.parallel (%i, %j) in (0, 3) {
  tile.parallel (%i, %j) in (0, 3) {
    memref.store %zero, %A[%i] : memref<?xf32>
  }
  // Only one iteration of each row stores; a row of extent one needs no index.
  // CHECK: tile.parallel (%i, %j, %k) in (64, 4, 1) {
  tile.parallel (%i, %j, %k) in (64, 4, 1) {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %j, %c0 : index
    scf.if %first {
      memref.store %zero, %A[%i] : memref<?xf32>
    }
    tile.print "i" %i : index
    tile.assert %first, "only j = 0"
  }
}

// CHECK-LABEL: tile.kernel @loops
tile.kernel @loops(%n: index) grid(%bx) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  // CHECK: tile.pipelined %k = %c0 to %n step %c32 stages(3) {
  // CHECK-NEXT: }
  // GENERIC: "tile.pipelined"({{.*}}) <{stages = 3 : i64}> ({
  tile.pipelined %k = %c0 to %n step %c32 stages(3) {
  }
  // CHECK: tile.pipelined %k = %bx to %n step %n stages(1) attributes {my.note = 1 : i64} {
  tile.pipelined %k = %bx to %n step %n stages(1) attributes {my.note = 1} {
    // CHECK: tile.pipelined %[[INNER:.*]] = %c0 to %k step %c32 stages(64) {
    tile.pipelined %q = %c0 to %k step %c32 stages(64) {
      tile.yield
    }
  }
}
