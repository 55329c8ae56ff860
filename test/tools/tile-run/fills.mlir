// Fills for indices: in a range, in order, each once; the same in every run.
// RUN: rm -rf %t && mkdir %t
// RUN: tile-run %s --kernel=ints --args=X=100:range:-3:5 --save=X:%t/range.npy | FileCheck %s --check-prefix=RANGE
// RANGE: X: 100 i32, range -3 to 5, seed 1
// RUN: %python %S/Inputs/npy.py holds %t/range.npy range -3 5
// RUN: tile-run %s --kernel=ints --args=X=100:range:-3:5:1 --save=X:%t/same.npy
// RUN: cmp %t/range.npy %t/same.npy
// RUN: tile-run %s --kernel=ints --args=X=100:range:-3:5:2 --save=X:%t/other.npy
// RUN: not cmp -s %t/range.npy %t/other.npy
// RUN: tile-run %s --kernel=ints --args=X=100:sorted:-9:50:7 --save=X:%t/sorted.npy | FileCheck %s --check-prefix=SORTED
// SORTED: X: 100 i32, sorted -9 to 50, seed 7
// RUN: %python %S/Inputs/npy.py holds %t/sorted.npy sorted -9 50
// RUN: tile-run %s --kernel=ints --args=X=1000:permutation --save=X:%t/permutation.npy | FileCheck %s --check-prefix=PERMUTATION
// PERMUTATION: X: 1000 i32, permutation, seed 1
// RUN: %python %S/Inputs/npy.py holds %t/permutation.npy permutation 0 1000
// RUN: tile-run %s --kernel=bytes --args=X=128:permutation:3 --save=X:%t/bytes.npy
// RUN: %python %S/Inputs/npy.py holds %t/bytes.npy permutation 0 128

// Metadata of a sparse A: in each four bits two places in increasing order, all
// six pairs, or one of two halves.
// RUN: tile-run %s --kernel=bytes --args=X=512:places --save=X:%t/places.npy | FileCheck %s --check-prefix=PLACES
// PLACES: X: 512 i8, places, seed 1
// RUN: %python %S/Inputs/npy.py holds %t/places.npy places -128 128
// RUN: tile-run %s --kernel=ints --args=X=512:halves:3 --save=X:%t/halves.npy
// RUN: %python %S/Inputs/npy.py holds %t/halves.npy halves -2147483648 2147483648
// RUN: not tile-run %s --kernel=floats --args=X=8:places 2>&1 | FileCheck %s --check-prefix=FLOATS
// FLOATS: tile-run: error: expected integers of 4 to 32 bits for the places of argument 'X', got f32
// What is metadata of a gemm is filled so by itself.
// RUN: tile-run %s --kernel=metadata --no-launch | FileCheck %s --check-prefix=METADATA
// METADATA: E: 16x2 i16, places, seed 2
// METADATA: H: 16x2 i16, halves, seed 5

// RUN: not tile-run %s --kernel=ints --args=X=8:range 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not tile-run %s --kernel=ints --args=X=8:range:5:5 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not tile-run %s --kernel=ints --args=X=8:range:0:9007199254740993 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not tile-run %s --kernel=ints --args=X=8:range:0:5:x 2>&1 | FileCheck %s --check-prefix=SEED
// RUN: not tile-run %s --kernel=bytes --args=X=8:range:0:129 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not tile-run %s --kernel=bytes --args=X=129:permutation 2>&1 | FileCheck %s --check-prefix=TYPE
// BOUNDS: tile-run: error: expected range:LO:HI, with LO below HI, for argument 'X'
// SEED: tile-run: error: expected a seed for argument 'X', got 'x'
// TYPE: tile-run: error: expected numbers of argument 'X' to fit its type i8, got 0 to 128

tile.kernel @ints(%X: memref<?xi32>) grid(%b) = (1) threads(32) {
}
tile.kernel @bytes(%X: memref<?xi8>) grid(%b) = (1) threads(32) {
}
tile.kernel @floats(%X: memref<?xf32>) grid(%b) = (1) threads(32) {
}
#shared = #gpu.address_space<workgroup>
tile.kernel @metadata(%A: memref<16x16xf16>, %E: memref<16x2xi16>, %B: memref<32x8xf16>, %F: memref<16x8xf32>, %H: memref<16x2xi16>, %G: memref<16x8xf32>, %C: memref<16x8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<16x16xf16, #shared>
  %e = tile.alloc : memref<16x2xi16, #shared>
  %er = tile.alloc : memref<16x2xi16, #tile.fragment>
  %bs = tile.alloc : memref<32x8xf16, #shared>
  %f = tile.alloc : memref<16x8xf32, #shared>
  %h = tile.alloc : memref<16x2xi16, #shared>
  %g = tile.alloc : memref<16x8xf32, #shared>
  %c = tile.alloc : memref<16x8xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %a : memref<16x16xf16> to memref<16x16xf16, #shared>
  tile.copy %E[%c0, %c0] to %e : memref<16x2xi16> to memref<16x2xi16, #shared>
  tile.copy %e to %er : memref<16x2xi16, #shared> to memref<16x2xi16, #tile.fragment>
  tile.copy %B[%c0, %c0] to %bs : memref<32x8xf16> to memref<32x8xf16, #shared>
  tile.copy %F[%c0, %c0] to %f : memref<16x8xf32> to memref<16x8xf32, #shared>
  tile.copy %H[%c0, %c0] to %h : memref<16x2xi16> to memref<16x2xi16, #shared>
  tile.copy %G[%c0, %c0] to %g : memref<16x8xf32> to memref<16x8xf32, #shared>
  tile.gemm %a, %bs, %c metadata(%er : memref<16x2xi16, #tile.fragment>) {clear} : memref<16x16xf16, #shared>, memref<32x8xf16, #shared>, memref<16x8xf32, #tile.fragment>
  tile.gemm %f, %g, %c metadata(%h : memref<16x2xi16, #shared>) : memref<16x8xf32, #shared>, memref<16x8xf32, #shared>, memref<16x8xf32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<16x8xf32, #tile.fragment> to memref<16x8xf32>
}
