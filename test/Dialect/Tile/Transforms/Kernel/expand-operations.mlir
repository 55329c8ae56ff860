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

// -----

// A cluster's gathers: copies to each block, and one wait for those that follow each other. The second one of them reads
// no target of the first one.
// REMARK: remark: gathered together with the last of 2 that follow each other
// REMARK: remark: each of 4 blocks stores 8 elements in the shared memory of all, and waits for the others once
// REMARK: remark: each of 4 blocks stores 32 elements in the shared memory of all, and waits for the others once
// CHECK-LABEL: tile.kernel @gathered
// CHECK-DAG: %[[OF_A:.*]] = tile.alloc : memref<4x1xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[OF_B:.*]] = tile.alloc : memref<4x8xi32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[OF_ALL:.*]] = tile.alloc : memref<4x4x8xi32, #gpu.address_space<workgroup>>
// CHECK: %[[X:.*]] = arith.remui %{{.*}}, %{{.*}} : index
// CHECK: %[[Y:.*]] = arith.remui %{{.*}}, %{{.*}} : index
// CHECK: %[[ROW:.*]] = arith.muli %[[Y]], %{{.*}} : index
// CHECK: %[[RANK:.*]] = arith.addi %{{.*}}, %[[ROW]] : index
// CHECK-NOT: cluster_barrier
// CHECK-COUNT-4: tile.cluster_copy %{{.*}} to %[[OF_A]][%[[RANK]], %{{.*}}] sizes [1, 1] block(
// CHECK-COUNT-4: tile.cluster_copy %{{.*}} to %[[OF_B]][%[[RANK]], %{{.*}}] sizes [1, 8] block(
// CHECK-NEXT: tile.cluster_barrier
// CHECK-NEXT: tile.copy %[[OF_A]] to %{{.*}} : memref<4x1xf32, #gpu.address_space<workgroup>> to memref<4x1xf32, #tile.fragment>
// CHECK-NEXT: tile.copy %[[OF_B]] to %{{.*}} : memref<4x8xi32, #gpu.address_space<workgroup>> to memref<4x8xi32, #tile.fragment>
// CHECK-COUNT-4: tile.cluster_copy %{{.*}} to %[[OF_ALL]]
// CHECK: tile.cluster_barrier
tile.kernel @gathered() grid(%x, %y) = (4, 4) threads(64) cluster(2, 2) {
  %a = tile.alloc : memref<1xf32, #tile.fragment>
  %all_a = tile.alloc : memref<4x1xf32, #tile.fragment>
  %b = tile.alloc : memref<8xi32, #tile.fragment>
  tile.cluster_gather %a to %all_a : memref<1xf32, #tile.fragment> to memref<4x1xf32, #tile.fragment>
  %all_b = tile.alloc : memref<4x8xi32, #tile.fragment>
  tile.cluster_gather %b to %all_b : memref<8xi32, #tile.fragment> to memref<4x8xi32, #tile.fragment>
  %all = tile.alloc : memref<4x4x8xi32, #tile.fragment>
  tile.cluster_gather %all_b to %all : memref<4x8xi32, #tile.fragment> to memref<4x4x8xi32, #tile.fragment>
}

// -----

// In a loop others may still read what they have got before.
// REMARK: remark: each of 2 blocks stores 1 element in the shared memory of all, between two barriers of the cluster: in a loop others may still read those of the iteration before
// CHECK-LABEL: tile.kernel @again
// CHECK: tile.alloc : memref<2x1xf32, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK: tile.cluster_barrier
// CHECK-COUNT-2: tile.cluster_copy
// CHECK-NEXT: tile.cluster_barrier
tile.kernel @again(%n: index) grid(%x) = (4) threads(64) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : memref<1xf32, #tile.fragment>
  %all = tile.alloc : memref<2x1xf32, #tile.fragment>
  scf.for %i = %c0 to %n step %c1 {
    tile.cluster_gather %a to %all : memref<1xf32, #tile.fragment> to memref<2x1xf32, #tile.fragment>
  }
}

// -----

// A block that is alone has all there is.
// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT: cluster
// CHECK: tile.copy %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] sizes [1, 8] : memref<8xf32, #tile.fragment> to memref<1x8xf32, #tile.fragment>
// CHECK-NOT: cluster
tile.kernel @alone() grid(%x) = (4) threads(64) {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  %all = tile.alloc : memref<1x8xf32, #tile.fragment>
  tile.cluster_gather %a to %all : memref<8xf32, #tile.fragment> to memref<1x8xf32, #tile.fragment>
}
