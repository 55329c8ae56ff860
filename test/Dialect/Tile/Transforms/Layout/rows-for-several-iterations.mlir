// A product of small matrices written by elements, as DeepSeek's mHC has it: an iteration reads, in a loop of its own, a column of one fragment and rows of another, which others read, too. Threads hold whole columns of B and of C, each has all of A, and nothing goes through shared memory.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts=remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK --allow-empty
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check --args=A=4x4,B=4x4096,D=4x4096 | FileCheck %s --check-prefix=PASS
// RUN: tile-run %s --stage=lowered --arch=sm_80 --check --args=A=4x4,B=4x4096,D=4x4096 | FileCheck %s --check-prefix=PASS
// REMARK-NOT: through shared memory
// REMARK: written out: its index says which registers of a fragment are accessed
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [4, 4] reg [(4, 1:1), (4, 0:1)] lane [(32, *)] warp [(4, *)]>)
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [4, 512] reg [(4, 1:1), (4, 0:1)] lane [(32, 1:4)] warp [(4, 1:128)]>)
// CHECK-NOT: workgroup
// PASS: PASS
tile.kernel @products(%A: memref<4x4xf32> {tile.alignment = 16}, %B: memref<4x4096xf32> {tile.alignment = 16}, %D: memref<4x4096xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c512 = arith.constant 512 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<4x4xf32, #tile.fragment>
  %x = tile.alloc : memref<4x512xf32, #tile.fragment>
  %c = tile.alloc : memref<4x512xf32, #tile.fragment>
  tile.copy %A to %a : memref<4x4xf32> to memref<4x4xf32, #tile.fragment>
  scf.for %n = %c0 to %c4096 step %c512 {
    tile.copy %B[%c0, %n] to %x : memref<4x4096xf32> to memref<4x512xf32, #tile.fragment>
    tile.fill %c with %zero : memref<4x512xf32, #tile.fragment>, f32
    tile.parallel (%i, %j) in (4, 512) {
      scf.for %k = %c0 to %c4 step %c1 {
        %p = memref.load %a[%k, %i] : memref<4x4xf32, #tile.fragment>
        %q = memref.load %x[%k, %j] : memref<4x512xf32, #tile.fragment>
        %s = memref.load %c[%i, %j] : memref<4x512xf32, #tile.fragment>
        %m = arith.mulf %p, %q : f32
        %t = arith.addf %s, %m : f32
        memref.store %t, %c[%i, %j] : memref<4x512xf32, #tile.fragment>
      }
    }
    tile.copy %c to %D[%c0, %n] : memref<4x512xf32, #tile.fragment> to memref<4x4096xf32>
  }
}
