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
