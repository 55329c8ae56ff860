// Rows that start at any element are stored in aligned pieces of 16 bytes, which lanes next to each other make of their runs by
// shuffles: of one, two and four bytes an element, converted or not, from registers and from shared memory, of several rows a warp.
// Elements at the ends of a warp's part and of a row are stored one by one; nothing beside the region is written, which the
// executor checks, and which blocks that store neighbouring columns would show.
// RUN: tile-opt %s --tile-to-copies="arch=sm_90a" | FileCheck %s --check-prefix=PLAN
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --remarks -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.ptx
// RUN: tile-run %s --kernel=halves --args=X=5x4001:normal,Y=5x4001 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=halves --args=X=7x2049:normal,Y=7x2049 --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=halves --args=X=4x1:normal,Y=4x1 --stage=lowered --arch=sm_100a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=halves --args=X=3x4096:normal,Y=3x4096 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=bytes --args=X=5x999:uniform,Y=5x999 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=bytes --args=X=3x2061:uniform,Y=3x2061 --stage=lowered --arch=sm_100a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=rows --args=X=40x101:normal,Y=40x101 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=rows --args=X=19x67:normal,Y=19x67 --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=shared --args=X=40x101:normal,Y=40x101 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=few --args=X=40x101:normal,Y=40x101 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=words --args=X=5x1001:normal,B=4:normal,Y=5x1001 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=words --args=X=3x2:normal,B=4:normal,Y=3x2 --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=words --args=X=9x1026:normal,B=4:normal,Y=9x1026 --stage=lowered --arch=sm_100a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS

// REMARK: note: registers to global copy: scalar, 2 bytes; {{.*}}; realign not taken: the loop layout has 2 lanes next to each other in a row, fewer than 4

// PLAN-LABEL: tile.kernel @halves
// PLAN:         tile.copy %{{.*}} to %Y{{.*}}plan = #tile.copy_plan<realign, bytes = 16>
// CHECK-LABEL: .entry halves(
// CHECK:         shfl.sync.idx.b32
// CHECK:         shf.l.wrap.b32
// CHECK:         st.global.v4.b32
// CHECK:         st.global.b16
tile.kernel @halves(%X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 4001>}, %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 4001>}) grid(%n, %m) = (dim(%X, 1) ceildiv 2048, dim(%X, 0)) threads(128) {
  %c2048 = arith.constant 2048 : index
  %begin = arith.muli %n, %c2048 : index
  %x = tile.alloc : memref<1x2048xf32, #tile.fragment>
  tile.copy %X[%m, %begin] to %x : memref<?x?xf16> to memref<1x2048xf32, #tile.fragment>
  tile.copy %x to %Y[%m, %begin] : memref<1x2048xf32, #tile.fragment> to memref<?x?xf16>
}
// PLAN-LABEL: tile.kernel @bytes
// PLAN:         tile.copy %{{.*}} to %Y{{.*}}plan = #tile.copy_plan<realign, bytes = 16>
// CHECK-LABEL: .entry bytes(
// CHECK:         shfl.sync.idx.b32
// CHECK:         st.global.v4.b32
// CHECK:         st.global.b8
tile.kernel @bytes(%X: memref<?x?xi8> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 999>}, %Y: memref<?x?xi8> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 999>}) grid(%n, %m) = (dim(%X, 1) ceildiv 2048, dim(%X, 0)) threads(128) {
  %c2048 = arith.constant 2048 : index
  %begin = arith.muli %n, %c2048 : index
  %x = tile.alloc : memref<1x2048xi8, #tile.fragment>
  tile.copy %X[%m, %begin] to %x : memref<?x?xi8> to memref<1x2048xi8, #tile.fragment>
  tile.copy %x to %Y[%m, %begin] : memref<1x2048xi8, #tile.fragment> to memref<?x?xi8>
}
// Four rows to a warp, each at a place of its own.
// PLAN-LABEL: tile.kernel @rows
// PLAN:         tile.copy %{{.*}} to %Y{{.*}}plan = #tile.copy_plan<realign, bytes = 16>
tile.kernel @rows(%X: memref<?x?xbf16> {tile.shape_hint = array<i64: 40, 101>}, %Y: memref<?x?xbf16> {tile.shape_hint = array<i64: 40, 101>}) grid(%n, %m) = (dim(%X, 1) ceildiv 64, dim(%X, 0) ceildiv 32) threads(64) {
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %column = arith.muli %n, %c64 : index
  %row = arith.muli %m, %c32 : index
  %x = tile.alloc : memref<32x64xf32, #tile.fragment>
  tile.copy %X[%row, %column] to %x : memref<?x?xbf16> to memref<32x64xf32, #tile.fragment>
  tile.copy %x to %Y[%row, %column] {layout = #tile.fragment_layout<shape [32, 64] reg [(8, 1:1), (4, 0:8)] lane [(8, 1:8), (4, 0:1)] warp [(2, 0:4)]>} : memref<32x64xf32, #tile.fragment> to memref<?x?xbf16>
}
// PLAN-LABEL: tile.kernel @shared
// PLAN:         tile.copy %{{.*}} to %Y{{.*}}plan = #tile.copy_plan<realign, bytes = 16>
tile.kernel @shared(%X: memref<?x?xf16> {tile.shape_hint = array<i64: 40, 101>}, %Y: memref<?x?xf16> {tile.shape_hint = array<i64: 40, 101>}) grid(%n, %m) = (dim(%X, 1) ceildiv 64, dim(%X, 0) ceildiv 30) threads(64) {
  %c64 = arith.constant 64 : index
  %c30 = arith.constant 30 : index
  %column = arith.muli %n, %c64 : index
  %row = arith.muli %m, %c30 : index
  %x = tile.alloc : memref<30x64xf16, #gpu.address_space<workgroup>>
  tile.copy %X[%row, %column] to %x : memref<?x?xf16> to memref<30x64xf16, #gpu.address_space<workgroup>>
  tile.copy %x to %Y[%row, %column] {layout = #tile.fragment_layout<shape [30, 64] reg [(8, 1:1), (4, 0:8)] lane [(8, 1:8), (4, 0:1)] warp [(2, 0:4)]>} : memref<30x64xf16, #gpu.address_space<workgroup>> to memref<?x?xf16>
}
// PLAN-LABEL: tile.kernel @few
// PLAN:         tile.copy %{{.*}} to %Y{{.*}}plan = #tile.copy_plan<scalar, bytes = 2>
tile.kernel @few(%X: memref<?x?xf16> {tile.shape_hint = array<i64: 40, 101>}, %Y: memref<?x?xf16> {tile.shape_hint = array<i64: 40, 101>}) grid(%n, %m) = (dim(%X, 1) ceildiv 16, dim(%X, 0) ceildiv 32) threads(64) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %column = arith.muli %n, %c16 : index
  %row = arith.muli %m, %c32 : index
  %x = tile.alloc : memref<32x16xf32, #tile.fragment>
  tile.copy %X[%row, %column] to %x : memref<?x?xf16> to memref<32x16xf32, #tile.fragment>
  tile.copy %x to %Y[%row, %column] {layout = #tile.fragment_layout<shape [32, 16] reg [(8, 1:1)] lane [(2, 1:8), (16, 0:1)] warp [(2, 0:16)]>} : memref<32x16xf32, #tile.fragment> to memref<?x?xf16>
}
// Of words whole ones are left out, no bits are shifted. Words that lanes do not have next to each other are loaded one by one.
// PLAN-LABEL: tile.kernel @words
// PLAN:         tile.copy %X{{.*}}plan = #tile.copy_plan<realign, bytes = 16>
// PLAN:         tile.copy %B{{.*}}plan = #tile.copy_plan<scalar, bytes = 4>
// PLAN:         tile.copy %{{.*}} to %Y{{.*}}plan = #tile.copy_plan<realign, bytes = 16>
// CHECK-LABEL: .entry words(
// CHECK-NOT:     shf.l.wrap
// CHECK:         st.global.v4.b32
tile.kernel @words(%X: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 1001>}, %B: memref<4xf32> {tile.alignment = 4, tile.shape_hint = array<i64: 4>}, %Y: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 5, 1001>}) grid(%n, %m) = (dim(%X, 1) ceildiv 512, dim(%X, 0)) threads(128) {
  %c512 = arith.constant 512 : index
  %c0 = arith.constant 0 : index
  %begin = arith.muli %n, %c512 : index
  %x = tile.alloc : memref<1x512xf32, #tile.fragment>
  %b = tile.alloc : memref<4xf32, #tile.fragment>
  tile.copy %X[%m, %begin] to %x : memref<?x?xf32> to memref<1x512xf32, #tile.fragment>
  tile.copy %B to %b {layout = #tile.fragment_layout<shape [4] reg [(4, 0:1)] lane [(32, *)] warp [(4, *)]>} : memref<4xf32> to memref<4xf32, #tile.fragment>
  tile.parallel (%i, %j) in (1, 512) {
    %v = memref.load %x[%i, %j] : memref<1x512xf32, #tile.fragment>
    %w = memref.load %b[%c0] : memref<4xf32, #tile.fragment>
    %s = arith.addf %v, %w : f32
    memref.store %s, %x[%i, %j] : memref<1x512xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %begin] : memref<1x512xf32, #tile.fragment> to memref<?x?xf32>
}
