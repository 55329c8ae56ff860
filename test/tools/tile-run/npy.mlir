// Arguments from files of NumPy's format, and into them.
// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/npy.py make %t

// Values are where their indices say, in either order, in all versions.
// RUN: tile-run %s --kernel=f32 --args=X=@%t/c.npy --save=Y:%t/y.npy --check | FileCheck %s --check-prefix=FROM
// FROM: X: 3x4 f32, from '{{.*}}c.npy'
// FROM: PASS
// RUN: %python %S/Inputs/npy.py show %t/y.npy | FileCheck %s --check-prefix=VALUES
// VALUES: <f4 False (3, 4)
// VALUES-NEXT: 0.0 1.0 2.0 3.0 10.0 11.0 12.0 13.0 20.0 21.0 22.0 23.0
// RUN: tile-run %s --kernel=f32 --args=X=@%t/v2.npy --save=Y:%t/v2y.npy && cmp %t/y.npy %t/v2y.npy
// RUN: tile-run %s --kernel=f32 --args=X=@%t/v3.npy --save=Y:%t/v3y.npy && cmp %t/y.npy %t/v3y.npy
// RUN: tile-run %s --kernel=open --args=X=@%t/f.npy --save=Y:%t/fy.npy --json | FileCheck %s --check-prefix=FORTRAN
// FORTRAN: "shape":[3,4],"strides":[1,3]
// RUN: cmp %t/y.npy %t/fy.npy
// RUN: tile-run %s --kernel=open --args=X=@%t/c.npy --save=Y:%t/cy.npy --json | FileCheck %s --check-prefix=C
// C: "shape":[3,4],"strides":[4,1]
// RUN: cmp %t/y.npy %t/cy.npy

// What is saved can be read, whatever the strides were; types that NumPy lacks
// are bits.
// RUN: tile-run %s --kernel=open --args=X=3x4@2x9:iota,Y=3x4@9x2 --save=X:%t/sx.npy --save=Y:%t/sy.npy
// RUN: cmp %t/sx.npy %t/sy.npy
// RUN: %python %S/Inputs/npy.py show %t/sx.npy | FileCheck %s --check-prefix=STRIDED
// STRIDED: 0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0 11.0
// RUN: tile-run %s --kernel=bf16 --args=X=@%t/bf16.npy --save=Y:%t/by.npy --check | FileCheck %s --check-prefix=PASS
// RUN: cmp %t/bf16.npy %t/by.npy
// RUN: tile-run %s --kernel=bf16 --args=X=@%t/bf16_void.npy --save=Y:%t/by.npy && cmp %t/bf16.npy %t/by.npy
// RUN: tile-run %s --kernel=i4 --args=X=@%t/i4.npy --save=Y:%t/iy.npy && cmp %t/i4.npy %t/iy.npy
// RUN: tile-run %s --kernel=f8 --args=X=:ones --save=X:%t/f8.npy && %python %S/Inputs/npy.py show %t/f8.npy | FileCheck %s --check-prefix=F8
// F8: |u1 False (4,)
// F8-NEXT: 56 56 56 56
// RUN: tile-run %s --kernel=f8 --args=X=@%t/f8.npy
// PASS: PASS

// Errors say what the argument is and what the file has.
// RUN: not tile-run %s --kernel=f32 --args=X=@%t/half.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: tile-run: error: '{{.*}}half.npy': expected elements '<f4' for argument 'X' of f32, got '<f2'
// RUN: not tile-run %s --kernel=bf16 --args=X=@%t/one.npy 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: expected elements '<u2' or '<V2' for argument 'X' of bf16 (its bits), got '<f4'
// RUN: not tile-run %s --kernel=f32 --args=X=@%t/big.npy 2>&1 | FileCheck %s --check-prefix=ENDIAN
// ENDIAN: expected little-endian elements, got '>f4'
// RUN: not tile-run %s --kernel=f32 --args=X=@%t/one.npy 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: tile-run: error: expected 2 extents of argument 'X', got 1
// RUN: not tile-run %s --kernel=f32 --args=X=@%t/f.npy 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: tile-run: error: expected stride 4 in dimension 0 of argument 'X' of type memref<?x4xf32>, got 1 of a file in Fortran order; numpy.ascontiguousarray(array) is in C order
// RUN: not tile-run %s --kernel=i4 --args=X=@%t/i4_large.npy 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: expected bytes below 16 for argument 'X' of i4
// RUN: not tile-run %s --kernel=f32 --args=X=@%t/none.npy 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: none.npy': cannot read: No such file or directory
// RUN: not tile-run %s --kernel=f32 --args=X=@/dev/zero 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not tile-run %s --kernel=f32 --args=X=@%t 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: expected a file
// RUN: not tile-run %s --kernel=f32 --args=X=@%t/c.npy --save=Z:%t/z.npy 2>&1 | FileCheck %s --check-prefix=UNNAMED
// UNNAMED: tile-run: error: expected a buffer argument of kernel 'f32' in --save, got 'Z'
// RUN: not tile-run %s --kernel=f32 --args=X=@%t/c.npy --save=Y 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: tile-run: error: expected --save=NAME:FILE.npy, got 'Y'
// RUN: not tile-run %s --kernel=f32 --args=X=@%t/c.npy --save=Y:%t/none/y.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: tile-run: error: --save: cannot write '{{.*}}': No such file or directory

// RUN: %python %S/Inputs/npy.py refused tile-run %s %t | FileCheck %s --check-prefix=BAD
// BAD: empty tile-run: error: 'FILE': expected a file of NumPy's format, which begins with the byte 0x93 and NUMPY
// BAD: cut_elements {{.*}} expected 48 bytes of elements, got 47
// BAD: more_elements {{.*}} expected 48 bytes of elements, got 49
// BAD: version {{.*}} expected version 1 to 3 of NumPy's format, got 9
// BAD: long_header {{.*}} expected a header of 65535 bytes, got a file of
// BAD: longest_header {{.*}} expected a header of 4294967295 bytes, got a file of
// BAD: no_descr {{.*}} expected a header with a descr of one type, fortran_order and shape
// BAD: huge {{.*}} expected at most 2^30 elements
// BAD: many {{.*}} expected at most 2^30 elements
// BAD: string {{.*}} expected elements of one boolean, integer or floating-point type, got '<U5'

tile.kernel @f32(%X: memref<?x4xf32>, %Y: memref<3x4xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<4x4xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %x : memref<?x4xf32> to memref<4x4xf32, #tile.fragment>
  tile.copy %x to %Y[%c0, %c0] : memref<4x4xf32, #tile.fragment> to memref<3x4xf32>
}
tile.kernel @open(%X: memref<?x?xf32, strided<[?, ?]>>, %Y: memref<3x4xf32, strided<[?, ?]>>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<4x4xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %x : memref<?x?xf32, strided<[?, ?]>> to memref<4x4xf32, #tile.fragment>
  tile.copy %x to %Y[%c0, %c0] : memref<4x4xf32, #tile.fragment> to memref<3x4xf32, strided<[?, ?]>>
}
tile.kernel @bf16(%X: memref<?xbf16>, %Y: memref<4xbf16>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<4xbf16, #tile.fragment>
  tile.copy %X[%c0] to %x : memref<?xbf16> to memref<4xbf16, #tile.fragment>
  tile.copy %x to %Y[%c0] : memref<4xbf16, #tile.fragment> to memref<4xbf16>
}
tile.kernel @i4(%X: memref<4xi4>, %Y: memref<4xi4>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<4xi4, #tile.fragment>
  tile.copy %X[%c0] to %x : memref<4xi4> to memref<4xi4, #tile.fragment>
  tile.copy %x to %Y[%c0] : memref<4xi4, #tile.fragment> to memref<4xi4>
}
tile.kernel @f8(%X: memref<4xf8E4M3FN>) grid(%b) = (1) threads(32) {
}
