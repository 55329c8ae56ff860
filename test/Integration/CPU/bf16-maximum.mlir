// A maximum of bf16 under a condition: with AVX-512, LLVM 22 gave one of 40 elements another value.
// RUN: tile-run %s --args=A=6x40:smallint:341,O=3x3x40 --check | FileCheck %s
// CHECK: check O: 360 elements equal
tile.kernel @k(%A: memref<6x?xbf16> {tile.alignment = 16 : i64}, %O: memref<3x?x40xbf16>)
    grid(%bx, %by) = (3, 3) threads(128) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %cm1_bf16 = arith.constant -1.0 : bf16
  %c1_bf16 = arith.constant 1.0 : bf16
  %c15 = arith.constant 15 : index
  %f24 = tile.alloc : memref<40xbf16, #tile.fragment>
  %s21 = tile.alloc : memref<3x40xbf16, #gpu.address_space<workgroup>>
  %v12 = arith.muli %by, %c3 : index
  %v13 = arith.muli %bx, %c40 : index
  tile.copy %A[%v12, %v13] to %s21 pad(%cm1_bf16 : bf16) : memref<6x?xbf16> to memref<3x40xbf16, #gpu.address_space<workgroup>>
  tile.fill %f24 with %c1_bf16 : memref<40xbf16, #tile.fragment>, bf16
  tile.parallel (%i22, %i23) in (3, 40) {
    %v14 = arith.cmpi sge, %i23, %c15 : index
    scf.if %v14 {
      %v15 = memref.load %s21[%i22, %i23] : memref<3x40xbf16, #gpu.address_space<workgroup>>
      %v16 = memref.load %f24[%i23] : memref<40xbf16, #tile.fragment>
      %v17 = arith.maximumf %v16, %v15 : bf16
      memref.store %v17, %f24[%i23] : memref<40xbf16, #tile.fragment>
    }
  }
  tile.copy %f24 to %O[%by, %bx, %c0] sizes [1, 1, 40] : memref<40xbf16, #tile.fragment> to memref<3x?x40xbf16>
}
