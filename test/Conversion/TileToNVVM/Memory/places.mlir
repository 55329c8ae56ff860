// Places that loops have no registers for are computed again where they are
// used: the thread's number passes through a move that LLVM does not see
// through, so that nothing of it is moved in front of the loop.
// RUN: split-file %s %t
// RUN: tile-translate %t/epilogue.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=EPILOGUE
// RUN: tile-translate %t/elements.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=ELEMENTS
// RUN: tile-translate %t/rows.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=ROWS
// RUN: tile-translate %t/products.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PRODUCTS
// RUN: tile-translate %t/products.mlir --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=DESCRIPTORS

//--- products.mlir
// 128 accumulators, 64 numbers that a loop keeps and 32 operands leave no registers for the places of
// operands, tiles and rows; wgmma reads its operands by descriptors.
// PRODUCTS: $L__BB0
// PRODUCTS: mov.u32 %r{{[0-9]+}}, %r{{[0-9]+}};
// PRODUCTS: ldmatrix
// PRODUCTS: mma.sync
// DESCRIPTORS-NOT: mov.u32 %r{{[0-9]+}}, %r{{[0-9]+}};
tile.kernel @products(%A: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %t = tile.alloc : memref<64x128xf16, #gpu.address_space<workgroup>>
  %u = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  %part = tile.alloc : memref<64x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.fill %part with %zero : memref<64x128xf32, #tile.fragment>, f32
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %A[%i, %c0] to %s : memref<?x?xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
    tile.copy %A[%c0, %i] to %t : memref<?x?xf16> to memref<64x128xf16, #gpu.address_space<workgroup>>
    tile.copy %A[%i, %i] to %u : memref<?x?xf16> to memref<64x64xf16, #gpu.address_space<workgroup>>
    tile.gemm %s, %t, %acc : memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>
    tile.gemm %u, %t, %part : memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x128xf16, #gpu.address_space<workgroup>>, memref<64x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
  tile.copy %part to %C[%c0, %c0] : memref<64x128xf32, #tile.fragment> to memref<?x?xf32>
}

//--- epilogue.mlir
// A swizzle makes each of the 128 addresses of the epilogue a register of its
// own. They were kept across the loop over k: 316 bytes of spills in a GEMM.
// EPILOGUE: mma.sync
// EPILOGUE: mov.u32 %r{{[0-9]+}}, %r{{[0-9]+}};
// EPILOGUE: st.shared
tile.kernel @epilogue(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 0) ceildiv 128, dim(%C, 1) ceildiv 128) threads(128) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x32xf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<32x128xf16, #gpu.address_space<workgroup>>
  %Cs = tile.alloc : memref<128x128xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x32xf16, #gpu.address_space<workgroup>>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32x128xf16, #gpu.address_space<workgroup>>
    tile.gemm %As, %Bs, %acc : memref<128x32xf16, #gpu.address_space<workgroup>>, memref<32x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %h = arith.truncf %x : f32 to f16
    memref.store %h, %Cs[%j, %i] : memref<128x128xf16, #gpu.address_space<workgroup>>
  }
  tile.copy %Cs to %C[%n, %m] : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<?x?xf16>
}

//--- elements.mlir
// 64 addresses along strides that are not known: 128 registers.
// ELEMENTS: mov.u32 %r{{[0-9]+}}, %r{{[0-9]+}};
// ELEMENTS: ld.global.b16
tile.kernel @elements(%A: memref<?x?xf16, strided<[?, ?]>>, %Y: memref<?x?xf16>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %A, %c0 : memref<?x?xf16, strided<[?, ?]>>
  %s = tile.alloc : memref<64x128xf16, #gpu.address_space<workgroup>>
  scf.for %i = %c0 to %n step %c64 {
    tile.copy %A[%i, %c0] to %s : memref<?x?xf16, strided<[?, ?]>> to memref<64x128xf16, #gpu.address_space<workgroup>>
    tile.copy %s to %Y[%i, %c0] : memref<64x128xf16, #gpu.address_space<workgroup>> to memref<?x?xf16>
  }
}

//--- rows.mlir
// Few accesses, each of 16 bytes, keep their places.
// ROWS-NOT: mov.u32 %r{{[0-9]+}}, %r{{[0-9]+}};
// ROWS: ld.global{{.*}}v4
tile.kernel @rows(%A: memref<?x128xf16> {tile.alignment = 16}, %Y: memref<?x128xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %A, %c0 : memref<?x128xf16>
  %f = tile.alloc : memref<64x128xf16, #tile.fragment>
  scf.for %i = %c0 to %n step %c64 {
    tile.copy %A[%i, %c0] to %f : memref<?x128xf16> to memref<64x128xf16, #tile.fragment>
    tile.copy %f to %Y[%i, %c0] : memref<64x128xf16, #tile.fragment> to memref<?x128xf16>
  }
}
