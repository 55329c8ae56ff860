// Two gemms in flight into one accumulator, which is converted for each: the
// first has to end before the second starts.
// RUN: tile-run %s --stage=layouts --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=layouts --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=layouts --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
#rows = #tile.fragment_layout<shape [32, 32] reg [(8, 1:1)] lane [(4, 1:8), (8, 0:1)] warp [(4, 0:8)]>
tile.kernel @k(%A: memref<32x32xf16> {tile.alignment = 16}, %B: memref<32x32xf16> {tile.alignment = 16}, %C: memref<32x32xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %As = tile.alloc : memref<32x32xf16, #shared>
  %Bs = tile.alloc : memref<32x32xf16, #shared>
  %acc = tile.alloc layout(#rows) : memref<32x32xf32, #tile.fragment>
  tile.copy %A to %As : memref<32x32xf16> to memref<32x32xf16, #shared>
  tile.copy %B to %Bs : memref<32x32xf16> to memref<32x32xf16, #shared>
  %t = tile.gemm %As, %Bs, %acc {clear} : memref<32x32xf16, #shared>, memref<32x32xf16, #shared>, memref<32x32xf32, #tile.fragment> -> !tile.token
  %u = tile.gemm %As, %Bs, %acc : memref<32x32xf16, #shared>, memref<32x32xf16, #shared>, memref<32x32xf32, #tile.fragment> -> !tile.token
  tile.await %t
  tile.await %u
  tile.copy %acc to %C : memref<32x32xf32, #tile.fragment> to memref<32x32xf32>
}
