// Two tiles one after the other, each stored by TMA: the second may not lie
// where the store of the first, which nobody has awaited yet, still reads.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o - | FileCheck %s
// CHECK: cp.async.bulk.tensor{{.*}} [tile_shared_arena];
// CHECK-NOT: cp.async.bulk.wait_group
// CHECK: cp.async.bulk.tensor{{.*}} [tile_shared_arena+4096];
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<32x64xf16>, %B: memref<32x64xf16>, %Y: memref<32x64xf16> {tile.alignment = 16}, %Z: memref<32x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<32x64xf16, #shared>
  %r = tile.alloc : memref<32x64xf16, #shared>
  tile.copy %A to %s : memref<32x64xf16> to memref<32x64xf16, #shared>
  tile.copy %s to %Y : memref<32x64xf16, #shared> to memref<32x64xf16>
  tile.copy %B to %r : memref<32x64xf16> to memref<32x64xf16, #shared>
  tile.copy %r to %Z : memref<32x64xf16, #shared> to memref<32x64xf16>
}
