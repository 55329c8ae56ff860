// Results that only guarded stores use stay in front of the guard, where what
// they are computed from is in registers. Rounding stays with the stores. The
// second row of each thread is stored in one place, for tiles inside the matrix
// and at its edge, so that LLVM would compute it there.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s

// CHECK-LABEL:   .entry stored
// CHECK:           cp.async
// CHECK-COUNT-16:  fma.rn.f32
// CHECK:           bra
// CHECK-NOT:       fma
// CHECK:           st.global.v4.b32
// CHECK-NOT:       fma
// CHECK:           cvt.rn.f16.f32
// CHECK-NOT:       fma
// CHECK:           ret;
#shared = #gpu.address_space<workgroup>
tile.kernel @stored(%X: memref<?x?xf16> {tile.alignment = 16}, %Y: memref<?x?xf16> {tile.alignment = 16}) grid(%bx, %by) = (dim(%X, 1) ceildiv 64, dim(%X, 0) ceildiv 32) threads(128) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %DX = memref.dim %X, %c1 : memref<?x?xf16>
  %DY = memref.dim %Y, %c1 : memref<?x?xf16>
  tile.assume %DX {divisible_by = 8 : i64} : index
  tile.assume %DY {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %xs = tile.alloc : memref<33x64xf16, #shared>
  %y = tile.alloc : memref<32x64xf16, #tile.fragment>
  tile.copy %X[%m, %n] to %xs : memref<?x?xf16> to memref<33x64xf16, #shared>
  tile.parallel (%i, %j) in (32, 64) {
    %i1 = arith.addi %i, %c1 : index
    %ah = memref.load %xs[%i, %j] : memref<33x64xf16, #shared>
    %bh = memref.load %xs[%i1, %j] : memref<33x64xf16, #shared>
    %a = arith.extf %ah : f16 to f32
    %b = arith.extf %bh : f16 to f32
    %z = math.fma %a, %b, %a : f32
    %h = arith.truncf %z : f32 to f16
    memref.store %h, %y[%i, %j] : memref<32x64xf16, #tile.fragment>
  }
  tile.copy %y to %Y[%m, %n] : memref<32x64xf16, #tile.fragment> to memref<?x?xf16>
}
