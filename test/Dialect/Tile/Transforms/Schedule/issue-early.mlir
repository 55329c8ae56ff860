// Copies by TMA are issued before work that does not concern them: in a loop of one stage in front of their iteration's work,
// the first productions of a pipelined loop in front of the loads before it.
// RUN: tile-opt %s --split-input-file --tile-to-schedule="arch=sm_90a" | FileCheck %s

#shared = #gpu.address_space<workgroup>
// The second tile comes while threads multiply the first and compute.
// CHECK-LABEL: tile.kernel @two
// CHECK: scf.for
// CHECK: tile.copy %K[
// CHECK-NEXT: tile.ring.commit
// CHECK: tile.copy %V[
// CHECK-NEXT: tile.ring.commit
// CHECK: tile.gemm
// CHECK: tile.parallel
// CHECK: tile.gemm
tile.kernel @two(%Q: memref<64x64xf16> {tile.alignment = 16}, %K: memref<256x64xf16> {tile.alignment = 16}, %V: memref<256x64xf16> {tile.alignment = 16}, %O: memref<64x64xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) attributes {specialize = false} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %q = tile.alloc : memref<64x64xf16, #shared>
  %k = tile.alloc : memref<64x64xf16, #shared>
  %v = tile.alloc : memref<64x64xf16, #shared>
  %s = tile.alloc : memref<64x64xf32, #tile.fragment>
  %p = tile.alloc : memref<64x64xf16, #tile.fragment>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %Q to %q : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.fill %o with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %i = %c0 to %c256 step %c64 stages(1) {
    tile.copy %K[%i, %c0] sizes [64, 64] to %k : memref<256x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %q, %k, %s {clear, transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%x, %y) in (64, 64) {
      %a = memref.load %s[%x, %y] : memref<64x64xf32, #tile.fragment>
      %e = math.exp2 %a : f32
      %h = arith.truncf %e : f32 to f16
      memref.store %h, %p[%x, %y] : memref<64x64xf16, #tile.fragment>
    }
    tile.copy %V[%i, %c0] sizes [64, 64] to %v : memref<256x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %p, %v, %o : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %o to %O : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// What the iteration writes to memory that the copy reads it writes first.
// CHECK-LABEL: tile.kernel @stays
// CHECK: scf.for
// CHECK: tile.copy %K[
// CHECK: tile.parallel
// CHECK: tile.copy %V[
tile.kernel @stays(%K: memref<256x64xf16> {tile.alignment = 16}, %V: memref<256x64xf16> {tile.alignment = 16}, %O: memref<64x64xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) attributes {specialize = false} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %k = tile.alloc : memref<64x64xf16, #shared>
  %v = tile.alloc : memref<64x64xf16, #shared>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %o with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %i = %c0 to %c256 step %c64 stages(1) {
    tile.copy %K[%i, %c0] sizes [64, 64] to %k : memref<256x64xf16> to memref<64x64xf16, #shared>
    tile.parallel (%x, %y) in (64, 64) {
      memref.store %one, %V[%x, %y] : memref<256x64xf16>
    }
    tile.copy %V[%i, %c0] sizes [64, 64] to %v : memref<256x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %k, %v, %o {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %o to %O : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// The loop's first tiles are asked for before the scales.
// CHECK-LABEL: tile.kernel @scaled
// CHECK: tile.copy %X[
// CHECK: tile.ring.commit
// CHECK: tile.copy %scales[
// CHECK: scf.for
tile.kernel @scaled(%X: memref<64x512xf16> {tile.alignment = 16}, %scales: memref<64xf32>, %O: memref<64x64xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) attributes {specialize = false} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<64x64xf16, #shared>
  %scale = tile.alloc : memref<64xf32, #tile.fragment>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %o with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.copy %scales[%c0] sizes [64] to %scale : memref<64xf32> to memref<64xf32, #tile.fragment>
  tile.pipelined %i = %c0 to %c512 step %c64 stages(3) {
    tile.copy %X[%c0, %i] sizes [64, 64] to %x : memref<64x512xf16> to memref<64x64xf16, #shared>
    tile.parallel (%r, %c) in (64, 64) {
      %a = memref.load %x[%r, %c] : memref<64x64xf16, #shared>
      %w = arith.extf %a : f16 to f32
      %f = memref.load %scale[%r] : memref<64xf32, #tile.fragment>
      %m = arith.mulf %w, %f : f32
      %s = memref.load %o[%r, %c] : memref<64x64xf32, #tile.fragment>
      %t = arith.addf %s, %m : f32
      memref.store %t, %o[%r, %c] : memref<64x64xf32, #tile.fragment>
    }
  }
  tile.copy %o to %O : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
