// Bits of integers, combined along rows and into what the target holds.
// RUN: tile-run %s --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_100a --check | FileCheck %s
// CHECK: PASS
tile.kernel @bits(%A: memref<32x96xi32>, %S: memref<32x96xi8>, %AND: memref<32xi32>, %OR: memref<32xi8>, %XOR: memref<96xi32>)
    grid(%b) = (1) threads(128) {
  %a = tile.alloc : memref<32x96xi32, #tile.fragment>
  %s = tile.alloc : memref<32x96xi8, #tile.fragment>
  %and = tile.alloc : memref<32xi32, #tile.fragment>
  %or = tile.alloc : memref<32xi8, #tile.fragment>
  %xor = tile.alloc : memref<96xi32, #tile.fragment>
  %c = arith.constant 23 : i32
  tile.copy %A to %a : memref<32x96xi32> to memref<32x96xi32, #tile.fragment>
  tile.copy %S to %s : memref<32x96xi8> to memref<32x96xi8, #tile.fragment>
  tile.fill %xor with %c : memref<96xi32, #tile.fragment>, i32
  tile.reduce bitand %a to %and dim(1) : memref<32x96xi32, #tile.fragment> to memref<32xi32, #tile.fragment>
  tile.reduce bitor %s to %or dim(1) : memref<32x96xi8, #tile.fragment> to memref<32xi8, #tile.fragment>
  tile.reduce bitxor %a to %xor dim(0) accumulate : memref<32x96xi32, #tile.fragment> to memref<96xi32, #tile.fragment>
  tile.copy %and to %AND : memref<32xi32, #tile.fragment> to memref<32xi32>
  tile.copy %or to %OR : memref<32xi8, #tile.fragment> to memref<32xi8>
  tile.copy %xor to %XOR : memref<96xi32, #tile.fragment> to memref<96xi32>
}
