// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-debuginfo | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @arguments(
// CHECK-SAME: %A: memref<?x4096xf16> {tile.alignment = 16 : i64}
// CHECK-SAME: %B: memref<8x?xf32, strided<[?, 1]>> {tile.may_alias}
// CHECK-SAME: %n: index, %s: f32, %flag: i1)
// CHECK-SAME: grid(%bx, %by, %bz) = (dim(%A, 0) ceildiv 128, %n, 4) threads(256) cluster(2, 1, 1)
// GENERIC: "tile.kernel"()
// GENERIC-SAME: arg_attrs = [{tile.alignment = 16 : i64}, {tile.may_alias}, {}, {}, {}]
// GENERIC-SAME: arg_names = ["A", "B", "n", "s", "flag"]
// GENERIC-SAME: cluster = array<i64: 2, 1, 1>
// GENERIC-SAME: grid_operands = array<i64: 0, 0, 2, -1>
// GENERIC-SAME: threads = 256 : i64
tile.kernel @arguments(%A: memref<?x4096xf16> {tile.alignment = 16}, %B: memref<8x?xf32, strided<[?, 1]>> {tile.may_alias}, %n: index, %s: f32, %flag: i1)
    grid(%bx, %by, %bz) = (dim(%A, 0) ceildiv 128, %n, 4) threads(256) cluster(2, 1, 1) {
  // CHECK: tile.return
  // GENERIC: "tile.return"() : () -> ()
}

// The grid's whole grammar; subtraction is one of its operators.
// CHECK-LABEL: tile.kernel @grid_expressions(
// CHECK-SAME: = (((dim(%A, 0) - 1) floordiv 8 + 1) * 4, %n - %m, (%n + dim(%A, 1) - 3) mod 7)
tile.kernel @grid_expressions(%A: memref<?x?xf16>, %n: i32, %m: i64)
    grid(%bx, %by, %bz) = (((dim(%A, 0) - 1) floordiv 8 + 1) * 4, %n - %m, (dim(%A, 1) + %n - 3) mod 7) threads(32) {
}

// Associativity survives: a - (b - c) is not a - b - c.
// CHECK-LABEL: tile.kernel @grid_subtraction(
// CHECK-SAME: = (%n - %m ceildiv 2, (%n - %m) floordiv 4 ceildiv 3, %m - (%n ceildiv 3 - %m) ceildiv 5)
tile.kernel @grid_subtraction(%n: index, %m: index)
    grid(%bx, %by, %bz) = (%n - %m ceildiv 2, (%n - %m) floordiv 4 ceildiv 3, %m - (%n ceildiv 3 - %m) ceildiv 5) threads(32) {
}

// CHECK-LABEL: tile.kernel @empty_grid() grid(%bx) = (0) threads(32) attributes {my.note = "kept"}
tile.kernel @empty_grid() grid(%bx) = (0) threads(32) attributes {my.note = "kept"} {
  tile.return
}

// CHECK-LABEL: tile.kernel @allocs
tile.kernel @allocs() grid(%bx) = (1) threads(64) {
  // CHECK: tile.alloc : memref<128x32xf16, #gpu.address_space<workgroup>>
  %0 = tile.alloc : memref<128x32xf16, #shared>
  // CHECK: tile.alloc : memref<16x8xf32, #tile.fragment>
  %1 = tile.alloc : memref<16x8xf32, #tile.fragment>
  // CHECK: tile.alloc : memref<4xi32, #tile.local>
  %2 = tile.alloc : memref<4xi32, #tile.local>
  // CHECK: tile.alloc : memref<128x64xf32, #tile.tmem>
  %3 = tile.alloc : memref<128x64xf32, #tile.tmem>
  // CHECK: tile.alloc layout(#tile.fragment_layout<shape [32, 8] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:16)]>) : memref<32x8xf32, #tile.fragment>
  %4 = tile.alloc layout(#tile.fragment_layout<shape [32, 8] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:16)]>) : memref<32x8xf32, #tile.fragment>
  // CHECK: tile.alloc layout(#tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>) : memref<64x64xf16, #gpu.address_space<workgroup>>
  %5 = tile.alloc layout(#tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>) : memref<64x64xf16, #shared>
  // CHECK: tile.alloc : memref<f32, #gpu.address_space<workgroup>>
  %6 = tile.alloc : memref<f32, #shared>
  // Every storage type.
  // CHECK-COUNT-14: tile.alloc : memref<32x{{[a-z0-9A-Z]+}}, #tile.fragment>
  %f64 = tile.alloc : memref<32xf64, #tile.fragment>
  %f32 = tile.alloc : memref<32xf32, #tile.fragment>
  %f16 = tile.alloc : memref<32xf16, #tile.fragment>
  %bf16 = tile.alloc : memref<32xbf16, #tile.fragment>
  %e4m3 = tile.alloc : memref<32xf8E4M3FN, #tile.fragment>
  %e5m2 = tile.alloc : memref<32xf8E5M2, #tile.fragment>
  %e8m0 = tile.alloc : memref<32xf8E8M0FNU, #tile.fragment>
  %e2m1 = tile.alloc : memref<32xf4E2M1FN, #tile.fragment>
  %i64 = tile.alloc : memref<32xi64, #tile.fragment>
  %i32 = tile.alloc : memref<32xi32, #tile.fragment>
  %i16 = tile.alloc : memref<32xi16, #tile.fragment>
  %i8 = tile.alloc : memref<32xi8, #tile.fragment>
  %i4 = tile.alloc : memref<32xi4, #tile.fragment>
  %i1 = tile.alloc : memref<32xi1, #tile.fragment>
}
