// How the test reads that a copied region lies inside a tensor.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 --split-input-file | FileCheck %s

// Of a dimension of which one index is copied, the index is compared with the
// size, as for each element: what stands outside has nothing left to ask.
// CHECK-LABEL: llvm.func @one_row
// CHECK-NOT:     llvm.icmp "sge"
// CHECK-NOT:     llvm.sub
// CHECK:         llvm.icmp "ult" %{{[0-9]+}}, %{{[a-z0-9]+}} : i64
// CHECK:         llvm.cond_br
// CHECK-NOT:     llvm.icmp "sge"
// CHECK:         llvm.return
tile.kernel @one_row(%X: memref<?x1024xf16> {tile.alignment = 16}, %Y: memref<?x1024xf16> {tile.alignment = 16}) grid(%b) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1024xf16, #tile.fragment>
  tile.copy %X[%b, %c0] to %x : memref<?x1024xf16> to memref<1024xf16, #tile.fragment>
  tile.copy %x to %Y[%b, %c0] : memref<1024xf16, #tile.fragment> to memref<?x1024xf16>
}

// -----

#shared = #gpu.address_space<workgroup>
// Several indices: the offset is compared with what the size leaves, once for
// all iterations.
// CHECK-LABEL: llvm.func @rows
// CHECK:         llvm.icmp "sge"
// CHECK:         llvm.sub
// CHECK:         llvm.icmp "ule"
tile.kernel @rows(%X: memref<?x64xf16> {tile.alignment = 16}, %Y: memref<?x64xf16> {tile.alignment = 16}) grid(%b) = (dim(%X, 0) ceildiv 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.muli %b, %c32 : index
  %x = tile.alloc : memref<32x64xf16, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x64xf16> to memref<32x64xf16, #tile.fragment>
  tile.copy %x to %Y[%m, %c0] : memref<32x64xf16, #tile.fragment> to memref<?x64xf16>
}

// -----

#shared = #gpu.address_space<workgroup>
// Accumulators leave few registers: the end is compared with the size, and
// nothing is kept.
// CHECK-LABEL: llvm.func @few_registers
// CHECK-NOT:     llvm.icmp "ule"
// CHECK:         llvm.icmp "sge" %{{[0-9]+}}, %{{[0-9]+}} : i64
// CHECK:         llvm.icmp "sle"
// CHECK-NOT:     llvm.icmp "ule"
// CHECK:         llvm.return
tile.kernel @few_registers(%A: memref<?x32xf16> {tile.alignment = 16}, %B: memref<?x192xf16> {tile.alignment = 16}, %C: memref<64x192xf32> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %B, %c0 : memref<?x192xf16>
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b0 = tile.alloc : memref<32x192xf16, #shared>
  %c = tile.alloc : memref<64x192xf32, #tile.fragment>
  tile.fill %c with %zero : memref<64x192xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %K step %c32 {
    tile.copy %A[%k, %c0] to %a : memref<?x32xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %c0] to %b0 : memref<?x192xf16> to memref<32x192xf16, #shared>
    tile.gemm %a, %b0, %c : memref<64x32xf16, #shared>, memref<32x192xf16, #shared>, memref<64x192xf32, #tile.fragment>
  }
  tile.copy %c to %C : memref<64x192xf32, #tile.fragment> to memref<64x192xf32>
}
