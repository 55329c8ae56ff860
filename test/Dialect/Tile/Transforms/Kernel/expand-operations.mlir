// RUN: tile-opt %s --tile-expand-operations --split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-expand-operations=remarks --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A carry: the piece is copied, for the target may be the source, and every result is rounded once.
// REMARK: remark: combines the carry with the piece's results, and then with the piece's total
// CHECK-LABEL: tile.kernel @carried
// CHECK: %[[PIECE:.*]] = tile.alloc : memref<8x64xf32, #tile.fragment>
// CHECK: %[[TOTAL:.*]] = tile.alloc : memref<8xf32, #tile.fragment>
// CHECK: tile.copy %{{.*}} to %[[PIECE]] : memref<8x64xf16, #tile.fragment> to memref<8x64xf32, #tile.fragment>
// CHECK: tile.reduce sum %[[PIECE]] to %[[TOTAL]] dim(1)
// CHECK: tile.scan sum %[[PIECE]] to %[[PIECE]] dim(1) reverse exclusive :
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (8, 64) {
// CHECK:   memref.load %{{.*}}[%[[I]]] : memref<8xf16, #tile.fragment>
// CHECK:   memref.load %[[PIECE]][%[[I]], %[[J]]]
// CHECK:   arith.addf
// CHECK: tile.parallel (%{{.*}}) in (8) {
tile.kernel @carried() grid(%b) = (1) threads(64) {
  %x = tile.alloc : memref<8x64xf16, #tile.fragment>
  %sofar = tile.alloc : memref<8xf16, #tile.fragment>
  tile.scan sum %x to %x dim(1) reverse exclusive carry(%sofar : memref<8xf16, #tile.fragment>)
      : memref<8x64xf16, #tile.fragment> to memref<8x64xf16, #tile.fragment>
}

// -----

// Keys alone: integers as wide as a word, extended to a power of two; no place is kept. 1,000 elements are ten bits:
// three groups of three and one bit above them.
// REMARK: remark: sorts rows by 22 trips through registers and 4096 bytes of shared memory
// CHECK-LABEL: tile.kernel @sorted
// CHECK: %[[KEYS:.*]] = tile.alloc : memref<1024xi32, #gpu.address_space<workgroup>>
// CHECK: tile.parallel (%{{.*}}) in (1000) {
// CHECK: tile.parallel (%{{.*}}) in (24) {
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:     tile.parallel (%{{.*}}) in (128) {
// CHECK-COUNT-8: memref.load %[[KEYS]]
// CHECK-COUNT-8: memref.store %{{.*}}, %[[KEYS]]
// CHECK: scf.for
// CHECK:   tile.parallel (%{{.*}}) in (512) {
// CHECK:   scf.for
// CHECK:     tile.parallel (%{{.*}}) in (128) {
// CHECK: tile.parallel (%{{.*}}) in (1000) {
tile.kernel @sorted() grid(%b) = (1) threads(64) {
  %x = tile.alloc : memref<1000xf16, #tile.fragment>
  tile.sort %x dim(0) : memref<1000xf16, #tile.fragment>
}

// -----

// With a payload places are kept: beside keys of 64 bits in a tile of their own.
// REMARK: remark: sorts rows by 9 trips through registers and 1536 bytes of shared memory
// CHECK-LABEL: tile.kernel @payload
// CHECK: %[[BEFORE:.*]] = tile.alloc : memref<2x64xf16, #gpu.address_space<workgroup>>
// CHECK: tile.copy %{{.*}} to %[[BEFORE]]
// CHECK: tile.alloc : memref<2x64xi64, #gpu.address_space<workgroup>>
// CHECK: tile.alloc : memref<2x64xi32, #gpu.address_space<workgroup>>
// CHECK: memref.load %[[BEFORE]]
tile.kernel @payload() grid(%b) = (1) threads(64) {
  %x = tile.alloc : memref<2x64xf64, #tile.fragment>
  %p = tile.alloc : memref<2x64xf16, #tile.fragment>
  tile.sort %x, %p dim(1) : memref<2x64xf64, #tile.fragment>, memref<2x64xf16, #tile.fragment>
}

// -----

// Few elements: a reduction for each, of keys that have their places in them.
// REMARK: remark: selects by 2 reductions of keys of 64 bits
// CHECK-LABEL: tile.kernel @few
// CHECK: %[[KEYS:.*]] = tile.alloc : memref<4x64xi64, #tile.fragment>
// CHECK: tile.reduce min %[[KEYS]] to %[[BEST:.*]] dim(1) {is_unsigned} : memref<4x64xi64, #tile.fragment> to memref<4x1xi64, #tile.fragment>
// CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (4, 64) {
// CHECK: tile.reduce min %[[KEYS]]
// CHECK-NOT: tile.reduce
tile.kernel @few() grid(%b) = (1) threads(64) {
  %x = tile.alloc : memref<4x64xf32, #tile.fragment>
  %v = tile.alloc : memref<4x2xf32, #tile.fragment>
  %p = tile.alloc : memref<4x2xi32, #tile.fragment>
  tile.topk %x to %v, %p dim(1) : memref<4x64xf32, #tile.fragment> to memref<4x2xf32, #tile.fragment>, memref<4x2xi32, #tile.fragment>
}

// -----

// More of them: runs of 16 elements are sorted, and merged in two rounds that keep 16 of 32 each.
// REMARK: remark: sorts rows by 11 trips through registers and 2048 bytes of shared memory
// CHECK-LABEL: tile.kernel @many
// CHECK-NOT: tile.reduce
// CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (4, 9) {
tile.kernel @many() grid(%b) = (1) threads(64) {
  %x = tile.alloc : memref<4x64xf32, #tile.fragment>
  %v = tile.alloc : memref<4x9xf32, #tile.fragment>
  %p = tile.alloc : memref<4x9xi32, #tile.fragment>
  tile.topk %x to %v, %p dim(1) : memref<4x64xf32, #tile.fragment> to memref<4x9xf32, #tile.fragment>, memref<4x9xi32, #tile.fragment>
}
