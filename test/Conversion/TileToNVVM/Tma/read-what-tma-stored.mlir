// A kernel that stores a tile by TMA and reads it again through the argument's pointer: LLVM sees no store at that pointer. It must not take
// the memory for constant: loads through the read-only cache (`ld.global.nc`) are moved in front of the store, and see what was there before.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group 0
// CHECK-NOT: ld.global.nc
// CHECK: ld.global.v4
// CHECK-NOT: ld.global.nc
tile.kernel @round_trip(%A: memref<64x48xf32> {tile.alignment = 16}, %O: memref<64x48xf32> {tile.alignment = 16}, %P: memref<64x48xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x48xf32, #gpu.address_space<workgroup>>
  %f = tile.alloc : memref<64x48xf32, #tile.fragment>
  tile.copy %A to %s {disable_tma} : memref<64x48xf32> to memref<64x48xf32, #gpu.address_space<workgroup>>
  tile.copy %s to %O : memref<64x48xf32, #gpu.address_space<workgroup>> to memref<64x48xf32>
  tile.copy %O to %f : memref<64x48xf32> to memref<64x48xf32, #tile.fragment>
  tile.copy %f to %P : memref<64x48xf32, #tile.fragment> to memref<64x48xf32>
}
