// An i1 takes a byte, in a ring, too: found where the schedule of a random program was verified again.
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-to-schedule{arch=sm_90a})" | FileCheck %s
// CHECK: tile.ring.create layouts([#tile.shared_layout<shape [64, 64] bits 8 {{.*}}: !tile.ring<1 x [memref<64x64xi1
tile.kernel @bits(%A: memref<64x64xi1> {tile.alignment = 16}, %C: memref<64x64xi1> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xi1, #gpu.address_space<workgroup>>
  %f = tile.alloc : memref<64x64xi1, #tile.fragment>
  tile.copy %A to %s : memref<64x64xi1> to memref<64x64xi1, #gpu.address_space<workgroup>>
  tile.copy %s to %f : memref<64x64xi1, #gpu.address_space<workgroup>> to memref<64x64xi1, #tile.fragment>
  tile.copy %f to %C : memref<64x64xi1, #tile.fragment> to memref<64x64xi1>
}
