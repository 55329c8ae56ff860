// Fragments leave through a swizzled tile in shared memory and TMA, in as many
// pieces as the memory left needs; or directly, and why.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-stage-stores=remarks --mlir-print-op-on-diagnostic=false --verify-diagnostics -split-input-file | FileCheck %s
// Without TMA nothing changes.
// RUN: sed 's/expected-remark//' %s | tile-opt --tile-set-target=arch=sm_80 --tile-stage-stores=remarks -split-input-file | FileCheck %s --check-prefix=OLD
// OLD-LABEL: tile.kernel @whole
// OLD-NOT: memref<128x128xf16
// OLD: tile.copy %{{.*}} to %C[%{{.*}}] decided {layout = {{.*}}} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf16>

#shared = #gpu.address_space<workgroup>
#acc = #tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(8, 0:16)]>
#half = #tile.shared_layout<shape [256, 256] bits 16 modes [(256, 1:1), (256, 0:256)]>

// One block fits a multiprocessor either way: the whole tile at once, converted
// in registers first, and swizzled so that a warp's rows meet no bank twice.
// CHECK-LABEL: tile.kernel @whole
// CHECK: %[[STAGING:.*]] = tile.alloc layout(#tile.shared_layout<shape [128, 128] bits 16 modes [(64, 1:1), (128, 0:64), (2, 1:8192)] swizzle(3, 4, 3)>) : memref<128x128xf16, #gpu.address_space<workgroup>>
// CHECK: %[[ACC:.*]] = tile.alloc layout({{.*}}) : memref<128x128xf32, #tile.fragment>
// CHECK: %[[HALF:.*]] = tile.alloc layout(#tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8)] {{.*}}) : memref<128x128xf16, #tile.fragment>
// CHECK-NEXT: tile.copy %[[ACC]] to %[[HALF]] decided {layout = {{.*}} : memref<128x128xf32, #tile.fragment> to memref<128x128xf16, #tile.fragment>
// CHECK-NEXT: tile.copy %[[HALF]] to %[[STAGING]] decided {layout = {{.*}} : memref<128x128xf16, #tile.fragment> to memref<128x128xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[STAGING]] to %C[%[[M:.*]], %[[N:.*]]] sizes [128, 128] {eviction_policy = #tile.eviction_policy<first>} : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<?x4096xf16>
// CHECK-NOT: tile.copy
// CHECK: tile.return
tile.kernel @whole(%C: memref<?x4096xf16> {tile.alignment = 16}) grid(%bx, %by) = (32, dim(%C, 0) ceildiv 128) threads(256) {
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %slots = tile.alloc layout(#half) : memref<256x256xf16, #shared>
  %acc = tile.alloc layout(#acc) : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{stored through 128 x 128 elements of shared memory, in 1 part}}
  tile.copy %acc to %C[%m, %n] {eviction_policy = #tile.eviction_policy<first>} decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
#acc = #tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(8, 0:16)]>
#much = #tile.shared_layout<shape [200, 512] bits 16 modes [(512, 1:1), (200, 0:512)]>

// Less is left: in two halves, through the same tile.
// CHECK-LABEL: tile.kernel @halves
// CHECK: %[[STAGING:.*]] = tile.alloc layout({{.*}}) : memref<128x64xf16, #gpu.address_space<workgroup>>
// CHECK: %[[ACC:.*]] = tile.alloc layout({{.*}}) : memref<128x128xf32, #tile.fragment>
// CHECK: tile.copy %[[ACC]][%{{.*}}, %{{.*}}] sizes [128, 64] to %[[FIRST:[0-9]+]] decided {
// CHECK: tile.copy %[[FIRST]] to %[[STAGING]]
// CHECK: tile.copy %[[STAGING]] to %C[%[[M:.*]], %[[N:[0-9]+]]] sizes [128, 64]
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: tile.copy %[[ACC]][%{{.*}}, %[[C64]]] sizes [128, 64] to %[[SECOND:[0-9]+]] decided {
// CHECK: tile.copy %[[SECOND]] to %[[STAGING]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[N]], %{{.*}} : index
// CHECK: tile.copy %[[STAGING]] to %C[%[[M]], %[[NEXT]]] sizes [128, 64]
// CHECK-NOT: tile.copy
// CHECK: tile.return
tile.kernel @halves(%C: memref<?x4096xf16> {tile.alignment = 16}) grid(%bx, %by) = (32, dim(%C, 0) ceildiv 128) threads(256) {
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %slots = tile.alloc layout(#much) : memref<200x512xf16, #shared>
  %acc = tile.alloc layout(#acc) : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{stored through 128 x 64 elements of shared memory, in 2 parts}}
  tile.copy %acc to %C[%m, %n] decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
#acc = #tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(8, 0:16)]>
#small = #tile.fragment_layout<shape [64, 16] reg [(2, 1:1), (2, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(8, 0:8)]>
#wide = #tile.fragment_layout<shape [128, 128] reg [(8, 1:1), (8, 0:16)] lane [(16, 1:8), (2, 0:1)] warp [(8, 0:2)]>

// Whatever is in the way is said, and the store stays what it is.
// CHECK-LABEL: tile.kernel @direct
// CHECK-NOT: tile.alloc {{.*}}workgroup
// CHECK-COUNT-6: tile.copy %{{.*}} to %{{[CU]}}[%{{.*}}#tile.fragment> to memref<
// CHECK-NOT: tile.copy
// CHECK: tile.return
tile.kernel @direct(%C: memref<?x4096xf16> {tile.alignment = 16}, %U: memref<?x4096xf16>, %D: memref<?x?xf16> {tile.alignment = 16}) grid(%bx, %by) = (32, dim(%C, 0) ceildiv 128) threads(256) {
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %acc = tile.alloc layout(#acc) : memref<128x128xf32, #tile.fragment>
  %s = tile.alloc layout(#small) : memref<64x16xf32, #tile.fragment>
  %w = tile.alloc layout(#wide) : memref<128x128xf16, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.fill %s with %zero : memref<64x16xf32, #tile.fragment>, f32
  tile.fill %w with %half : memref<128x128xf16, #tile.fragment>, f16
  // expected-remark @below {{stored directly: the program states how to copy}}
  tile.copy %acc to %C[%m, %n] {disable_tma} decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf16>
  // expected-remark @below {{stored directly: the program states how to copy}}
  tile.copy %acc to %C[%m, %n] {prefer = #tile.copy_instruction<vector>} decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf16>
  // expected-remark @below {{stored directly: the tile has less than 4096 bytes}}
  tile.copy %s to %C[%m, %n] decided {layout = #small} : memref<64x16xf32, #tile.fragment> to memref<?x4096xf16>
  // expected-remark @below {{stored directly: threads hold whole pieces of 16 bytes of its rows}}
  tile.copy %w to %C[%m, %n] decided {layout = #wide} : memref<128x128xf16, #tile.fragment> to memref<?x4096xf16>
  // expected-remark @below {{stored directly: the source is not a whole fragment of rank two}}
  tile.copy %acc[%c0, %c64] sizes [128, 64] to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x4096xf16>
  // expected-remark @below {{stored directly: 'U' is aligned to 2 bytes only, not to 16; `tile.alignment = 16` promises it}}
  tile.copy %acc to %U[%m, %n] decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
#acc = #tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(8, 0:16)]>
#all = #tile.shared_layout<shape [226, 512] bits 16 modes [(512, 1:1), (226, 0:512)]>

// No memory is left.
// CHECK-LABEL: tile.kernel @full
// CHECK: tile.copy %{{.*}} to %C[{{.*}}#tile.fragment> to memref<?x4096xf16>
// CHECK-NOT: tile.copy
tile.kernel @full(%C: memref<?x4096xf16> {tile.alignment = 16}) grid(%bx, %by) = (32, dim(%C, 0) ceildiv 128) threads(256) {
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %slots = tile.alloc layout(#all) : memref<226x512xf16, #shared>
  %acc = tile.alloc layout(#acc) : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{stored directly: no piece of it fits the shared memory that is left, 0 bytes}}
  tile.copy %acc to %C[%m, %c128] decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
#acc = #tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(8, 0:16)]>
#half = #tile.shared_layout<shape [256, 256] bits 16 modes [(256, 1:1), (256, 0:256)]>

// Atomics of registers become one instruction for the tile: as it is, there is
// nothing to convert.
// CHECK-LABEL: tile.kernel @added
// CHECK: %[[STAGING:.*]] = tile.alloc layout({{.*}}) : memref<128x128xf32, #gpu.address_space<workgroup>>
// CHECK: %[[ACC:.*]] = tile.alloc layout({{.*}}) : memref<128x128xf32, #tile.fragment>
// CHECK: tile.copy %[[ACC]] to %[[STAGING]] decided {layout = {{.*}}} : memref<128x128xf32, #tile.fragment> to memref<128x128xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.atomic add %[[STAGING]] to %C[%{{.*}}] sizes [128, 128] : memref<128x128xf32, #gpu.address_space<workgroup>> to memref<?x4096xf32>
// What refuses TMA adds an element at a time.
// CHECK-NEXT: tile.atomic add %[[ACC]] to %C[{{.*}} {disable_tma
// There is no such extremum.
// CHECK-NEXT: tile.atomic max %[[ACC]] to %C[
// CHECK-NEXT: tile.return
tile.kernel @added(%C: memref<?x4096xf32> {tile.alignment = 16}) grid(%bx, %by) = (32, dim(%C, 0) ceildiv 128) threads(256) {
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %slots = tile.alloc layout(#half) : memref<256x256xf16, #shared>
  %acc = tile.alloc layout(#acc) : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{added through 128 x 128 elements of shared memory, in 1 part}}
  tile.atomic add %acc to %C[%m, %n] decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf32>
  // expected-remark @below {{added directly: the program states how to copy}}
  tile.atomic add %acc to %C[%m, %n] {disable_tma} decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf32>
  // expected-remark @below {{added directly: cp.reduce.async.bulk has no 'max' of f32}}
  tile.atomic max %acc to %C[%m, %n] decided {layout = #acc} : memref<128x128xf32, #tile.fragment> to memref<?x4096xf32>
}

// -----
#shared = #gpu.address_space<workgroup>
#acc = #tile.fragment_layout<shape [120, 128] reg [(2, 0:1), (2, 1:8), (15, 0:8)] lane [(4, 0:2), (8, 1:1)] warp [(8, 1:16)]>
#much = #tile.shared_layout<shape [208, 512] bits 16 modes [(512, 1:1), (208, 0:512)]>

// By the layout of a product with swapped operands warps divide the columns, and
// a thread's registers go down the rows: in pieces of rows, the largest that
// fit what is left, 19,456 bytes.
// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[STAGING:.*]] = tile.alloc layout({{.*}}) : memref<40x128xf16, #gpu.address_space<workgroup>>
// CHECK: tile.copy %{{.*}}[%{{.*}}, %{{.*}}] sizes [40, 128] to %[[FIRST:[0-9]+]] decided {
// CHECK: tile.copy %[[FIRST]] to %[[STAGING]]
// CHECK: tile.copy %[[STAGING]] to %C[%[[M:.*]], %[[N:[0-9]+]]] sizes [40, 128]
// CHECK: %[[C40:.*]] = arith.constant 40 : index
// CHECK: tile.copy %{{.*}}[%[[C40]], %{{.*}}] sizes [40, 128] to %[[SECOND:[0-9]+]] decided {
// CHECK: tile.copy %[[SECOND]] to %[[STAGING]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[M]], %{{.*}} : index
// CHECK: tile.copy %[[STAGING]] to %C[%[[NEXT]], %[[N]]] sizes [40, 128]
// CHECK: arith.constant 80 : index
// CHECK: tile.copy %[[STAGING]] to %C
// CHECK-NOT: tile.copy
// CHECK: tile.return
tile.kernel @rows(%C: memref<?x4096xf16> {tile.alignment = 16}) grid(%bx, %by) = (32, dim(%C, 0) ceildiv 120) threads(256) {
  %c120 = arith.constant 120 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c120 : index
  %n = arith.muli %bx, %c128 : index
  %slots = tile.alloc layout(#much) : memref<208x512xf16, #shared>
  %acc = tile.alloc layout(#acc) : memref<120x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<120x128xf32, #tile.fragment>, f32
  // expected-remark @below {{stored through 40 x 128 elements of shared memory, in 3 parts}}
  tile.copy %acc to %C[%m, %n] decided {layout = #acc} : memref<120x128xf32, #tile.fragment> to memref<?x4096xf16>
}
