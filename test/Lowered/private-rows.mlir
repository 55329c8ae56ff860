// Rows that a thread keeps in local memory, several iterations a thread, in a pipelined loop.
// RUN: tile-run %s --args=A=4096:smallint,C=256 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --args=A=4096:smallint,C=256 --check --stage=lowered --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --args=A=4096:smallint,C=256 --check --stage=scheduled --arch=sm_90a | FileCheck %s
// CHECK: PASS
tile.kernel @rows(%A: memref<4096xf16> {tile.alignment = 16}, %C: memref<256xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %s = tile.alloc : memref<1024xf16, #gpu.address_space<workgroup>>
  tile.pipelined %t = %c0 to %c4 step %c1 stages(2) {
    %from = arith.muli %t, %c1024 : index
    tile.copy %A[%from] to %s : memref<4096xf16> to memref<1024xf16, #gpu.address_space<workgroup>>
    %a = tile.alloc : memref<128x8xf16, #tile.fragment>
    tile.parallel (%i) in (128) {
      %first = arith.muli %i, %c8 : index
      scf.for %k = %c0 to %c8 step %c1 {
        %at = arith.addi %first, %k : index
        %v = memref.load %s[%at] : memref<1024xf16, #gpu.address_space<workgroup>>
        memref.store %v, %a[%i, %k] : memref<128x8xf16, #tile.fragment>
      }
      %odd = arith.remui %i, %c8 : index
      %x = memref.load %a[%i, %odd] : memref<128x8xf16, #tile.fragment>
      %w = arith.extf %x : f16 to f32
      %half = arith.remui %t, %c2 : index
      %base = arith.muli %half, %c128 : index
      %to = arith.addi %base, %i : index
      memref.store %w, %C[%to] : memref<256xf32>
    }
  }
}
