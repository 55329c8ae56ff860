// im2col and rows by index: tensor copies of one thread, cp.async and loads of all.
// RUN: split-file %s %t
// RUN: tile-translate %t/im2col.mlir --tile-to-ptx --arch=sm_90a --versions=false | FileCheck %t/im2col.mlir
// RUN: tile-translate %t/im2col.mlir --tile-to-ptx --arch=sm_80 --versions=false | FileCheck %t/im2col.mlir --check-prefix=THREADS
// RUN: tile-translate %t/gather4.mlir --tile-to-ptx --arch=sm_100a --versions=false | FileCheck %t/gather4.mlir
// RUN: tile-translate %t/gather.mlir --tile-to-ptx --arch=sm_90a --versions=false | FileCheck %t/gather.mlir
// RUN: tile-translate %t/odd.mlir --tile-to-ptx --arch=sm_80 --versions=false | FileCheck %t/odd.mlir
// RUN: not tile-translate %t/packed.mlir --tile-to-ptx --arch=sm_80 --versions=false 2>&1 | FileCheck %t/packed.mlir

//--- im2col.mlir
// One copy for all pixels; the tap is an offset of 16 bits. By threads,
// pixels are divided once, zeros stand for the padding.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: .entry lines
// CHECK-NOT:   cp.async.cg
// CHECK:       mov.b32 %[[BYTES:r[0-9]+]], 16384;
// CHECK:       mbarrier.expect_tx.relaxed.cta.shared.b64 [{{.*}}], %[[BYTES]];
// CHECK:       cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}, {{{.*}}, {{.*}}, {{.*}}}], [{{.*}}], {{{%rs[0-9]+}}};
// CHECK-NOT:   im2col
// THREADS-LABEL: .entry lines
// THREADS:     cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %p{{[0-9]+}};
tile.kernel @lines(%X: memref<?x?x128xf16> {tile.alignment = 16}, %Y: memref<?x128xf16> {tile.alignment = 16}, %tap: index) grid(%b) = (dim(%Y, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %b, %c64 : index
  %s = tile.alloc : memref<64x128xf16, #shared>
  tile.im2col %X pixel %m filter [%tap] channel %c0 to %s kernel [5] strides [2] pad_lower [2] pad_upper [2] : memref<?x?x128xf16> to memref<64x128xf16, #shared>
  %f = tile.alloc : memref<64x128xf16, #tile.fragment>
  tile.copy %s to %f : memref<64x128xf16, #shared> to memref<64x128xf16, #tile.fragment>
  tile.copy %f to %Y[%m, %c0] : memref<64x128xf16, #tile.fragment> to memref<?x128xf16>
}

//--- gather4.mlir
// Sixteen times four rows to the tile, and from it.
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_instruction<tma>
// CHECK:       .target sm_100a
// CHECK-LABEL: .entry rows
// CHECK:       mov.b32 %[[BYTES:r[0-9]+]], 8192;
// CHECK:       mbarrier.expect_tx.relaxed.cta.shared.b64 [{{.*}}], %[[BYTES]];
// CHECK-COUNT-16: cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}, {{{(%r[0-9]+, ){4}%r[0-9]+}}}], [{{.*}}];
// CHECK-NOT:   gather4
// CHECK:       fence.proxy.async
// CHECK-COUNT-16: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [{{.*}}, {{{(%r[0-9]+, ){4}%r[0-9]+}}}], [{{.*}}];
// CHECK-NOT:   scatter4
// CHECK:       cp.async.bulk.commit_group
tile.kernel @rows(%X: memref<?x64xf16> {tile.alignment = 16}, %I: memref<?xi32>, %Y: memref<?x64xf16> {tile.alignment = 16}) grid(%b) = (dim(%I, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %b, %c64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<64x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.gather %X[%c0] rows %I[%m] to %s {prefer = #tma} : memref<?x64xf16>, memref<?xi32> to memref<64x64xf16, #shared>
  tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  tile.copy %f to %t : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
  tile.scatter %t to %Y[%c0] rows %I[%m] {prefer = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>, memref<?xi32>
}

//--- gather.mlir
// An index a row, then 16 bytes of it at a time.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: .entry rows
// CHECK-NOT:   tensor
// CHECK:       ld.global.nc.s32
// CHECK:       cp.async.cg.shared.global
// CHECK:       st.global.v4.b32
// CHECK-NOT:   st.global.b16
tile.kernel @rows(%X: memref<?x64xf16> {tile.alignment = 16}, %I: memref<?xi32>, %Y: memref<?x64xf16> {tile.alignment = 16}) grid(%b) = (dim(%I, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %b, %c64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  tile.gather %X[%c0] rows %I[%m] to %s : memref<?x64xf16>, memref<?xi32> to memref<64x64xf16, #shared>
  tile.scatter %s to %Y[%c0] rows %I[%m] : memref<64x64xf16, #shared> to memref<?x64xf16>, memref<?xi32>
}

//--- odd.mlir
// Nothing is promised of channels: element by element. Pixels are divided before
// the loop over channels.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: .entry odd
// CHECK-NOT:   cp.async
// CHECK:       div.u64
// CHECK:       ld.global.nc.b16
// CHECK-NOT:   div.u
tile.kernel @odd(%X: memref<?x?x?xf16>, %Y: memref<?x?xf32>) grid(%b) = (dim(%Y, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %b, %c64 : index
  %C = memref.dim %X, %c2 : memref<?x?x?xf16>
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  scf.for %c = %c0 to %C step %c64 {
    tile.im2col %X pixel %m filter [%c1] channel %c to %f kernel [3] : memref<?x?x?xf16> to memref<64x64xf32, #tile.fragment>
    tile.copy %f to %Y[%m, %c] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
  }
}

//--- packed.mlir
// Two elements to a byte have no addresses of their own.
#shared = #gpu.address_space<workgroup>
// CHECK: error: 'tile.gather' op expected elements of whole bytes in rows at places of their own, got 'i4'
tile.kernel @packed(%X: memref<?x64xi4>, %I: memref<?xi32>, %Y: memref<?x64xi8>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<64x64xi8, #tile.fragment>
  tile.gather %X[%c0] rows %I[%c0] to %f : memref<?x64xi4>, memref<?xi32> to memref<64x64xi8, #tile.fragment>
  tile.copy %f to %Y[%c0, %c0] : memref<64x64xi8, #tile.fragment> to memref<?x64xi8>
}
