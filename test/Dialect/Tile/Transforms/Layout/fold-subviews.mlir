// Parts of tiles as operands: a copy addresses the tile at an offset, a
// reduction reads a copy of the part in registers.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-infer-layouts | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-infer-layouts=remarks=true 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
#shared = #gpu.address_space<workgroup>
tile.kernel @parts(%A: memref<64x64xf32>, %B: memref<32xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64x64xf32, #shared>
  %r = tile.alloc : memref<32xf32, #tile.fragment>
  %v = memref.subview %s[16, 32] [32, 32] [1, 1] : memref<64x64xf32, #shared> to memref<32x32xf32, strided<[64, 1], offset: 1056>, #shared>
  tile.copy %A[%c0, %c0] to %v : memref<64x64xf32> to memref<32x32xf32, strided<[64, 1], offset: 1056>, #shared>
  tile.reduce sum %v to %r dim(1) : memref<32x32xf32, strided<[64, 1], offset: 1056>, #shared> to memref<32xf32, #tile.fragment>
  tile.copy %r to %B : memref<32xf32, #tile.fragment> to memref<32xf32>
}

// CHECK-LABEL: tile.kernel @parts
// CHECK-DAG:     %[[TILE:.*]] = tile.alloc {{.*}}: memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK-DAG:     %[[PART:.*]] = tile.alloc {{.*}}: memref<32x32xf32, #tile.fragment>
// CHECK-DAG:     %[[ROW:.*]] = arith.constant 16
// CHECK-DAG:     %[[COLUMN:.*]] = arith.constant 32
// CHECK:         tile.copy %A[%{{.*}}, %{{.*}}] sizes [32, 32] to %[[TILE]][%[[ROW]], %[[COLUMN]]] sizes [32, 32]
// CHECK:         tile.copy %[[TILE]][%{{.*}}, %{{.*}}] sizes [32, 32] to %[[PART]]
// CHECK-NEXT:    tile.reduce sum %[[PART]]
// REMARK: works on a copy of a part of a tile

// A slice is a gemm's operand where it is. Where a stated layout lets slices
// begin within what its swizzle repeats after, the gemm takes a copy.
#swizzled = #tile.shared_layout<shape [16, 4, 64] bits 16 modes [(64, 2:1), (4, 1:64), (16, 0:256)] swizzle(3, 4, 3)>
tile.kernel @slices(%A: memref<16x4x64xf16>) grid(%b) = (1) threads(32) {
  %c1 = arith.constant 1 : index
  %free = tile.alloc : memref<16x4x64xf16, #shared>
  %stated = tile.alloc layout(#swizzled) : memref<16x4x64xf16, #shared>
  %w = tile.alloc : memref<64x8xf16, #shared>
  %c = tile.alloc : memref<4x8xf32, #tile.fragment>
  tile.copy %A to %free : memref<16x4x64xf16> to memref<16x4x64xf16, #shared>
  tile.copy %A to %stated : memref<16x4x64xf16> to memref<16x4x64xf16, #shared>
  %x = memref.subview %free[%c1, 0, 0] [1, 4, 64] [1, 1, 1] : memref<16x4x64xf16, #shared> to memref<4x64xf16, strided<[64, 1], offset: ?>, #shared>
  %y = memref.subview %stated[%c1, 0, 0] [1, 4, 64] [1, 1, 1] : memref<16x4x64xf16, #shared> to memref<4x64xf16, strided<[64, 1], offset: ?>, #shared>
  tile.gemm %x, %w, %c : memref<4x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x8xf16, #shared>, memref<4x8xf32, #tile.fragment>
  tile.gemm %y, %w, %c : memref<4x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x8xf16, #shared>, memref<4x8xf32, #tile.fragment>
}
// What canonicalization leaves where an offset became a constant: a cast.
tile.kernel @cast(%A: memref<16x4x64xf16>) grid(%b) = (1) threads(32) {
  %s = tile.alloc : memref<16x4x64xf16, #shared>
  %w = tile.alloc : memref<64x8xf16, #shared>
  %c = tile.alloc : memref<4x8xf32, #tile.fragment>
  tile.copy %A to %s : memref<16x4x64xf16> to memref<16x4x64xf16, #shared>
  %x = memref.subview %s[2, 0, 0] [1, 4, 64] [1, 1, 1] : memref<16x4x64xf16, #shared> to memref<4x64xf16, strided<[64, 1], offset: 512>, #shared>
  %y = memref.cast %x : memref<4x64xf16, strided<[64, 1], offset: 512>, #shared> to memref<4x64xf16, strided<[64, 1], offset: ?>, #shared>
  tile.gemm %y, %w, %c : memref<4x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x8xf16, #shared>, memref<4x8xf32, #tile.fragment>
}
// CHECK-LABEL: tile.kernel @slices
// CHECK:         %[[SLICE:.*]] = memref.subview
// CHECK-NEXT:    tile.gemm %[[SLICE]],
// CHECK-NOT:     memref.subview
// CHECK:         tile.copy %{{.*}} sizes [1, 4, 64] to %[[COPY:[0-9]+]] sizes [4, 64]
// CHECK-NEXT:    tile.gemm %[[COPY]],
// CHECK-LABEL: tile.kernel @cast
// CHECK:         %[[CONSTANT:.*]] = memref.subview
// CHECK-NEXT:    tile.gemm %[[CONSTANT]],
