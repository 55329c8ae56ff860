// Threads store to what a tensor copy loads: they wait until the copy has landed, although its tile is used later only.
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @again(%A: memref<64x64xf32> {tile.alignment = 16}, %O: memref<64x64xf32> {tile.alignment = 16}, %P: memref<64x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %one = arith.constant 1.0 : f32
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  %s = tile.alloc : memref<64x64xf32, #shared>
  tile.copy %A to %f : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  tile.copy %f to %O {disable_tma} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.copy %O to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %f[%i, %j] : memref<64x64xf32, #tile.fragment>
    %y = arith.addf %x, %one : f32
    memref.store %y, %f[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.copy %f to %O {disable_tma} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.copy %s to %P {disable_tma} : memref<64x64xf32, #shared> to memref<64x64xf32>
}
