// Compiled kernels find every function that math's operations become calls of,
// in both precisions of libm, though no other symbol of the process.
// RUN: tile-run %s --kernel=f32 --args=X=:ones --check | FileCheck %s
// RUN: tile-run %s --kernel=f64 --args=X=:ones --check | FileCheck %s
// RUN: tile-run %s --kernel=f16 --args=X=:ones --check | FileCheck %s
// CHECK: PASS

tile.kernel @f32(%X: memref<8xf32>, %Y: memref<36x8xf32>) grid(%b) = (1) threads(32) {
  %exponent = arith.index_cast %b : index to i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %c18 = arith.constant 18 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %c21 = arith.constant 21 : index
  %c22 = arith.constant 22 : index
  %c23 = arith.constant 23 : index
  %c24 = arith.constant 24 : index
  %c25 = arith.constant 25 : index
  %c26 = arith.constant 26 : index
  %c27 = arith.constant 27 : index
  %c28 = arith.constant 28 : index
  %c29 = arith.constant 29 : index
  %c30 = arith.constant 30 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c34 = arith.constant 34 : index
  %c35 = arith.constant 35 : index
  tile.parallel (%i) in (8) {
    %x = memref.load %X[%i] : memref<8xf32>
    %r0 = math.acos %x : f32
    memref.store %r0, %Y[%c0, %i] : memref<36x8xf32>
    %r1 = math.acosh %x : f32
    memref.store %r1, %Y[%c1, %i] : memref<36x8xf32>
    %r2 = math.asin %x : f32
    memref.store %r2, %Y[%c2, %i] : memref<36x8xf32>
    %r3 = math.asinh %x : f32
    memref.store %r3, %Y[%c3, %i] : memref<36x8xf32>
    %r4 = math.atan %x : f32
    memref.store %r4, %Y[%c4, %i] : memref<36x8xf32>
    %r5 = math.atanh %x : f32
    memref.store %r5, %Y[%c5, %i] : memref<36x8xf32>
    %r6 = math.cbrt %x : f32
    memref.store %r6, %Y[%c6, %i] : memref<36x8xf32>
    %r7 = math.ceil %x : f32
    memref.store %r7, %Y[%c7, %i] : memref<36x8xf32>
    %r8 = math.cos %x : f32
    memref.store %r8, %Y[%c8, %i] : memref<36x8xf32>
    %r9 = math.cosh %x : f32
    memref.store %r9, %Y[%c9, %i] : memref<36x8xf32>
    %r10 = math.erf %x : f32
    memref.store %r10, %Y[%c10, %i] : memref<36x8xf32>
    %r11 = math.erfc %x : f32
    memref.store %r11, %Y[%c11, %i] : memref<36x8xf32>
    %r12 = math.exp %x : f32
    memref.store %r12, %Y[%c12, %i] : memref<36x8xf32>
    %r13 = math.exp2 %x : f32
    memref.store %r13, %Y[%c13, %i] : memref<36x8xf32>
    %r14 = math.expm1 %x : f32
    memref.store %r14, %Y[%c14, %i] : memref<36x8xf32>
    %r15 = math.floor %x : f32
    memref.store %r15, %Y[%c15, %i] : memref<36x8xf32>
    %r16 = math.log %x : f32
    memref.store %r16, %Y[%c16, %i] : memref<36x8xf32>
    %r17 = math.log10 %x : f32
    memref.store %r17, %Y[%c17, %i] : memref<36x8xf32>
    %r18 = math.log1p %x : f32
    memref.store %r18, %Y[%c18, %i] : memref<36x8xf32>
    %r19 = math.log2 %x : f32
    memref.store %r19, %Y[%c19, %i] : memref<36x8xf32>
    %r20 = math.round %x : f32
    memref.store %r20, %Y[%c20, %i] : memref<36x8xf32>
    %r21 = math.roundeven %x : f32
    memref.store %r21, %Y[%c21, %i] : memref<36x8xf32>
    %r22 = math.rsqrt %x : f32
    memref.store %r22, %Y[%c22, %i] : memref<36x8xf32>
    %r23 = math.sin %x : f32
    memref.store %r23, %Y[%c23, %i] : memref<36x8xf32>
    %r24 = math.sinh %x : f32
    memref.store %r24, %Y[%c24, %i] : memref<36x8xf32>
    %r25 = math.sqrt %x : f32
    memref.store %r25, %Y[%c25, %i] : memref<36x8xf32>
    %r26 = math.tan %x : f32
    memref.store %r26, %Y[%c26, %i] : memref<36x8xf32>
    %r27 = math.tanh %x : f32
    memref.store %r27, %Y[%c27, %i] : memref<36x8xf32>
    %r28 = math.trunc %x : f32
    memref.store %r28, %Y[%c28, %i] : memref<36x8xf32>
    %r29 = math.absf %x : f32
    memref.store %r29, %Y[%c29, %i] : memref<36x8xf32>
    %r30 = math.powf %x, %x : f32
    memref.store %r30, %Y[%c30, %i] : memref<36x8xf32>
    %r31 = math.atan2 %x, %x : f32
    memref.store %r31, %Y[%c31, %i] : memref<36x8xf32>
    %r32 = math.copysign %x, %x : f32
    memref.store %r32, %Y[%c32, %i] : memref<36x8xf32>
    %r33 = math.fma %x, %x, %x : f32
    memref.store %r33, %Y[%c33, %i] : memref<36x8xf32>
    %r34 = arith.remf %x, %x : f32
    memref.store %r34, %Y[%c34, %i] : memref<36x8xf32>
    %r35 = math.fpowi %x, %exponent : f32, i32
    memref.store %r35, %Y[%c35, %i] : memref<36x8xf32>
  }
}

tile.kernel @f64(%X: memref<8xf64>, %Y: memref<36x8xf64>) grid(%b) = (1) threads(32) {
  %exponent = arith.index_cast %b : index to i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %c18 = arith.constant 18 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %c21 = arith.constant 21 : index
  %c22 = arith.constant 22 : index
  %c23 = arith.constant 23 : index
  %c24 = arith.constant 24 : index
  %c25 = arith.constant 25 : index
  %c26 = arith.constant 26 : index
  %c27 = arith.constant 27 : index
  %c28 = arith.constant 28 : index
  %c29 = arith.constant 29 : index
  %c30 = arith.constant 30 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c34 = arith.constant 34 : index
  %c35 = arith.constant 35 : index
  tile.parallel (%i) in (8) {
    %x = memref.load %X[%i] : memref<8xf64>
    %r0 = math.acos %x : f64
    memref.store %r0, %Y[%c0, %i] : memref<36x8xf64>
    %r1 = math.acosh %x : f64
    memref.store %r1, %Y[%c1, %i] : memref<36x8xf64>
    %r2 = math.asin %x : f64
    memref.store %r2, %Y[%c2, %i] : memref<36x8xf64>
    %r3 = math.asinh %x : f64
    memref.store %r3, %Y[%c3, %i] : memref<36x8xf64>
    %r4 = math.atan %x : f64
    memref.store %r4, %Y[%c4, %i] : memref<36x8xf64>
    %r5 = math.atanh %x : f64
    memref.store %r5, %Y[%c5, %i] : memref<36x8xf64>
    %r6 = math.cbrt %x : f64
    memref.store %r6, %Y[%c6, %i] : memref<36x8xf64>
    %r7 = math.ceil %x : f64
    memref.store %r7, %Y[%c7, %i] : memref<36x8xf64>
    %r8 = math.cos %x : f64
    memref.store %r8, %Y[%c8, %i] : memref<36x8xf64>
    %r9 = math.cosh %x : f64
    memref.store %r9, %Y[%c9, %i] : memref<36x8xf64>
    %r10 = math.erf %x : f64
    memref.store %r10, %Y[%c10, %i] : memref<36x8xf64>
    %r11 = math.erfc %x : f64
    memref.store %r11, %Y[%c11, %i] : memref<36x8xf64>
    %r12 = math.exp %x : f64
    memref.store %r12, %Y[%c12, %i] : memref<36x8xf64>
    %r13 = math.exp2 %x : f64
    memref.store %r13, %Y[%c13, %i] : memref<36x8xf64>
    %r14 = math.expm1 %x : f64
    memref.store %r14, %Y[%c14, %i] : memref<36x8xf64>
    %r15 = math.floor %x : f64
    memref.store %r15, %Y[%c15, %i] : memref<36x8xf64>
    %r16 = math.log %x : f64
    memref.store %r16, %Y[%c16, %i] : memref<36x8xf64>
    %r17 = math.log10 %x : f64
    memref.store %r17, %Y[%c17, %i] : memref<36x8xf64>
    %r18 = math.log1p %x : f64
    memref.store %r18, %Y[%c18, %i] : memref<36x8xf64>
    %r19 = math.log2 %x : f64
    memref.store %r19, %Y[%c19, %i] : memref<36x8xf64>
    %r20 = math.round %x : f64
    memref.store %r20, %Y[%c20, %i] : memref<36x8xf64>
    %r21 = math.roundeven %x : f64
    memref.store %r21, %Y[%c21, %i] : memref<36x8xf64>
    %r22 = math.rsqrt %x : f64
    memref.store %r22, %Y[%c22, %i] : memref<36x8xf64>
    %r23 = math.sin %x : f64
    memref.store %r23, %Y[%c23, %i] : memref<36x8xf64>
    %r24 = math.sinh %x : f64
    memref.store %r24, %Y[%c24, %i] : memref<36x8xf64>
    %r25 = math.sqrt %x : f64
    memref.store %r25, %Y[%c25, %i] : memref<36x8xf64>
    %r26 = math.tan %x : f64
    memref.store %r26, %Y[%c26, %i] : memref<36x8xf64>
    %r27 = math.tanh %x : f64
    memref.store %r27, %Y[%c27, %i] : memref<36x8xf64>
    %r28 = math.trunc %x : f64
    memref.store %r28, %Y[%c28, %i] : memref<36x8xf64>
    %r29 = math.absf %x : f64
    memref.store %r29, %Y[%c29, %i] : memref<36x8xf64>
    %r30 = math.powf %x, %x : f64
    memref.store %r30, %Y[%c30, %i] : memref<36x8xf64>
    %r31 = math.atan2 %x, %x : f64
    memref.store %r31, %Y[%c31, %i] : memref<36x8xf64>
    %r32 = math.copysign %x, %x : f64
    memref.store %r32, %Y[%c32, %i] : memref<36x8xf64>
    %r33 = math.fma %x, %x, %x : f64
    memref.store %r33, %Y[%c33, %i] : memref<36x8xf64>
    %r34 = arith.remf %x, %x : f64
    memref.store %r34, %Y[%c34, %i] : memref<36x8xf64>
    %r35 = math.fpowi %x, %exponent : f64, i32
    memref.store %r35, %Y[%c35, %i] : memref<36x8xf64>
  }
}

tile.kernel @f16(%X: memref<8xf16>, %Y: memref<35x8xf16>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %c18 = arith.constant 18 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %c21 = arith.constant 21 : index
  %c22 = arith.constant 22 : index
  %c23 = arith.constant 23 : index
  %c24 = arith.constant 24 : index
  %c25 = arith.constant 25 : index
  %c26 = arith.constant 26 : index
  %c27 = arith.constant 27 : index
  %c28 = arith.constant 28 : index
  %c29 = arith.constant 29 : index
  %c30 = arith.constant 30 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c34 = arith.constant 34 : index
  tile.parallel (%i) in (8) {
    %x = memref.load %X[%i] : memref<8xf16>
    %r0 = math.acos %x : f16
    memref.store %r0, %Y[%c0, %i] : memref<35x8xf16>
    %r1 = math.acosh %x : f16
    memref.store %r1, %Y[%c1, %i] : memref<35x8xf16>
    %r2 = math.asin %x : f16
    memref.store %r2, %Y[%c2, %i] : memref<35x8xf16>
    %r3 = math.asinh %x : f16
    memref.store %r3, %Y[%c3, %i] : memref<35x8xf16>
    %r4 = math.atan %x : f16
    memref.store %r4, %Y[%c4, %i] : memref<35x8xf16>
    %r5 = math.atanh %x : f16
    memref.store %r5, %Y[%c5, %i] : memref<35x8xf16>
    %r6 = math.cbrt %x : f16
    memref.store %r6, %Y[%c6, %i] : memref<35x8xf16>
    %r7 = math.ceil %x : f16
    memref.store %r7, %Y[%c7, %i] : memref<35x8xf16>
    %r8 = math.cos %x : f16
    memref.store %r8, %Y[%c8, %i] : memref<35x8xf16>
    %r9 = math.cosh %x : f16
    memref.store %r9, %Y[%c9, %i] : memref<35x8xf16>
    %r10 = math.erf %x : f16
    memref.store %r10, %Y[%c10, %i] : memref<35x8xf16>
    %r11 = math.erfc %x : f16
    memref.store %r11, %Y[%c11, %i] : memref<35x8xf16>
    %r12 = math.exp %x : f16
    memref.store %r12, %Y[%c12, %i] : memref<35x8xf16>
    %r13 = math.exp2 %x : f16
    memref.store %r13, %Y[%c13, %i] : memref<35x8xf16>
    %r14 = math.expm1 %x : f16
    memref.store %r14, %Y[%c14, %i] : memref<35x8xf16>
    %r15 = math.floor %x : f16
    memref.store %r15, %Y[%c15, %i] : memref<35x8xf16>
    %r16 = math.log %x : f16
    memref.store %r16, %Y[%c16, %i] : memref<35x8xf16>
    %r17 = math.log10 %x : f16
    memref.store %r17, %Y[%c17, %i] : memref<35x8xf16>
    %r18 = math.log1p %x : f16
    memref.store %r18, %Y[%c18, %i] : memref<35x8xf16>
    %r19 = math.log2 %x : f16
    memref.store %r19, %Y[%c19, %i] : memref<35x8xf16>
    %r20 = math.round %x : f16
    memref.store %r20, %Y[%c20, %i] : memref<35x8xf16>
    %r21 = math.roundeven %x : f16
    memref.store %r21, %Y[%c21, %i] : memref<35x8xf16>
    %r22 = math.rsqrt %x : f16
    memref.store %r22, %Y[%c22, %i] : memref<35x8xf16>
    %r23 = math.sin %x : f16
    memref.store %r23, %Y[%c23, %i] : memref<35x8xf16>
    %r24 = math.sinh %x : f16
    memref.store %r24, %Y[%c24, %i] : memref<35x8xf16>
    %r25 = math.sqrt %x : f16
    memref.store %r25, %Y[%c25, %i] : memref<35x8xf16>
    %r26 = math.tan %x : f16
    memref.store %r26, %Y[%c26, %i] : memref<35x8xf16>
    %r27 = math.tanh %x : f16
    memref.store %r27, %Y[%c27, %i] : memref<35x8xf16>
    %r28 = math.trunc %x : f16
    memref.store %r28, %Y[%c28, %i] : memref<35x8xf16>
    %r29 = math.absf %x : f16
    memref.store %r29, %Y[%c29, %i] : memref<35x8xf16>
    %r30 = math.powf %x, %x : f16
    memref.store %r30, %Y[%c30, %i] : memref<35x8xf16>
    %r31 = math.atan2 %x, %x : f16
    memref.store %r31, %Y[%c31, %i] : memref<35x8xf16>
    %r32 = math.copysign %x, %x : f16
    memref.store %r32, %Y[%c32, %i] : memref<35x8xf16>
    %r33 = math.fma %x, %x, %x : f16
    memref.store %r33, %Y[%c33, %i] : memref<35x8xf16>
    %r34 = arith.remf %x, %x : f16
    memref.store %r34, %Y[%c34, %i] : memref<35x8xf16>
  }
}
