// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// What a tile leaves is stored during the next one, whose products are computed
// in its registers: the copies to others stand behind the wait, not in front of
// it, where LLVM makes those for what goes into an assembly statement
// (lib/Target/AssemblerFaults.h). ptxas would serialize the products (C7514).
// CHECK: wgmma.mma_async
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK-NOT: mov.b32 %r{{[0-9]+}}, %r{{[0-9]+}};
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: mov.b32 %r{{[0-9]+}}, %r{{[0-9]+}};
tile.kernel @k(%A1: memref<?x?xf32> {tile.alignment = 16 : i64}, %A3: memref<384x?xf16> {tile.alignment = 16 : i64}, %A4: memref<384x?xf16> {tile.alignment = 16 : i64}, %O9: memref<?x?xf32> {tile.alignment = 16 : i64}, %O12: memref<?x?x64x96xf32> {tile.alignment = 16 : i64})
    grid(%bx, %by) = (dim(%A1, 1) ceildiv 96, dim(%A1, 0) ceildiv 64) threads(128) attributes {persistent = 1 : i64} {
  %k_f32_1 = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c384 = arith.constant 384 : index
  %c128 = arith.constant 128 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c49 = arith.constant 49 : index
  %k_i32_1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : index
  %A1_d1 = memref.dim %A1, %c1 : memref<?x?xf32>
  tile.assume %A1_d1 {divisible_by = 16 : i64} : index
  %A4_d1 = memref.dim %A4, %c1 : memref<384x?xf16>
  tile.assume %A4_d1 {divisible_by = 16 : i64} : index
  %O9_d1 = memref.dim %O9, %c1 : memref<?x?xf32>
  tile.assume %O9_d1 {divisible_by = 16 : i64} : index
  %s5 = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %s6 = tile.alloc : memref<128x96xf16, #gpu.address_space<workgroup>>
  %f7 = tile.alloc : memref<64x96xf32, #tile.fragment>
  tile.fill %f7 with %k_f32_1 : memref<64x96xf32, #tile.fragment>, f32
  tile.pipelined %k8 = %c0 to %c384 step %c128 stages(5) {
    %v1 = arith.muli %by, %c64 : index
    tile.copy %A3[%k8, %v1] to %s5 : memref<384x?xf16> to memref<128x64xf16, #gpu.address_space<workgroup>>
    %v2 = arith.muli %bx, %c96 : index
    tile.copy %A4[%k8, %v2] to %s6 : memref<384x?xf16> to memref<128x96xf16, #gpu.address_space<workgroup>>
    tile.gemm %s5, %s6, %f7 {transpose_a} : memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x96xf16, #gpu.address_space<workgroup>>, memref<64x96xf32, #tile.fragment>
  }
  %v3 = arith.muli %by, %c64 : index
  %v4 = arith.muli %bx, %c96 : index
  tile.copy %f7[%c0, %c0] sizes [49, 96] to %O9[%v3, %v4] sizes [49, 96] : memref<64x96xf32, #tile.fragment> to memref<?x?xf32>
  %v5 = arith.muli %by, %c64 : index
  %v6 = arith.addi %v5, %c49 : index
  %v7 = arith.muli %bx, %c96 : index
  tile.parallel (%i10, %i11) in (64, 96) {
    %v8 = memref.load %f7[%i10, %i11] : memref<64x96xf32, #tile.fragment>
    %v9 = arith.sitofp %k_i32_1 : i32 to f32
    %v10 = arith.mulf %v8, %v9 : f32
    memref.store %v10, %f7[%i10, %i11] : memref<64x96xf32, #tile.fragment>
  }
  tile.copy %f7 to %O12[%by, %bx, %c0, %c0] : memref<64x96xf32, #tile.fragment> to memref<?x?x64x96xf32>
}

