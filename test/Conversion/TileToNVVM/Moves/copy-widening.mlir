// Elements that are wider on the other side: no more of them go at a time than
// an access has bytes, which is also all that a swizzle keeps together.
// RUN: tile-run %s --args=A=16x64:smallint,B=16x64 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s --check-prefix=NVVM
// CHECK: PASS
// NVVM-NOT: llvm.store {{.*}} vector<16xf16>
tile.kernel @widening(%A: memref<16x64xf8E5M2> {tile.alignment = 16}, %B: memref<16x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(32) {
  %s = tile.alloc : memref<16x64xf8E5M2, #gpu.address_space<workgroup>>
  %w = tile.alloc : memref<16x64xf16, #gpu.address_space<workgroup>>
  %f = tile.alloc : memref<16x64xf16, #tile.fragment>
  tile.copy %A to %s : memref<16x64xf8E5M2> to memref<16x64xf8E5M2, #gpu.address_space<workgroup>>
  tile.copy %s to %w : memref<16x64xf8E5M2, #gpu.address_space<workgroup>> to memref<16x64xf16, #gpu.address_space<workgroup>>
  tile.parallel (%i, %j) in (16, 64) {
    %x = memref.load %w[%i, %j] : memref<16x64xf16, #gpu.address_space<workgroup>>
    memref.store %x, %f[%i, %j] : memref<16x64xf16, #tile.fragment>
  }
  tile.copy %f to %B : memref<16x64xf16, #tile.fragment> to memref<16x64xf16>
}
