// Threads that each walk a row of a shared tile, column by column: what the loop inside counts moves all lanes alike, so
// that a layout can keep their rows in different banks.
// RUN: tile-opt --tile-set-target=arch=sm_90a --tile-infer-layouts=remarks %s 2>&1 | FileCheck %s
#shared = #gpu.address_space<workgroup>

// CHECK: remark: shared memory: swizzled, bank conflicts of degree 4 in tile.parallel
tile.kernel @products(%x: memref<32x128xf32> {tile.alignment = 16}, %y: memref<32x128xf32> {tile.alignment = 16})
    grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1.0 : f32
  %s = tile.alloc : memref<32x128xf32, #shared>
  tile.copy %x to %s : memref<32x128xf32> to memref<32x128xf32, #shared>
  tile.parallel (%i) in (32) {
    %last = scf.for %k = %c0 to %c128 step %c1 iter_args(%so_far = %one) -> (f32) {
      %v = memref.load %s[%i, %k] : memref<32x128xf32, #shared>
      %p = arith.mulf %so_far, %v : f32
      memref.store %p, %s[%i, %k] : memref<32x128xf32, #shared>
      scf.yield %p : f32
    }
  }
  tile.copy %s to %y : memref<32x128xf32, #shared> to memref<32x128xf32>
}
