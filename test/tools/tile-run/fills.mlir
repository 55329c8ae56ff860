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
