// What tile-run refuses of values and files: integers that fit no type, a file for two buffers, tunables of a kernel
// without; flags in batches that would end them; and a disk that is full.
// RUN: tile-run %s --args=a=-128,b=65535,n=9007199254740992,O=3:zeros --save=O:%t.npy
// RUN: %python -c 'import numpy; print(numpy.load("%t.npy"))' | FileCheck %s
// CHECK: [ -128 65535 9007199254740992]
// RUN: not tile-run %s --args=a=256,b=1,n=1,O=3:zeros 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: expected an integer that fits type i8 for argument 'a', got 256
// RUN: not tile-run %s --args=a=1,b=65536,n=1,O=3:zeros 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: expected an integer that fits type i16 for argument 'b', got 65536
// RUN: not tile-run %s --args=a=1,b=1,n=9223372036854775807,O=3:zeros 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: expected an integer for argument 'n', of at most 2^53 in magnitude, got 9.223372e+18
// RUN: not tile-run %s --args=a=1,b=1,n=1,O=3:zeros --save=O:- 2>&1 | FileCheck %s --check-prefix=DASH
// DASH: error: --save: expected a file, got '-': the report goes to the standard output
// RUN: not tile-run %s --args=a=1,b=1,n=1,O=3:zeros --save=O:%t.npy --save=O:%t.npy 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --save: expected a file for each buffer, got '{{.*}}.npy' twice
// RUN: not tile-run %s --args=a=1,b=1,n=1,O=3:zeros --tunables=bm=64 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: error: expected a kernel with tunables for --tunables, got 'values'
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_90 --tunables=garbage -o %t.ptx 2>&1 | FileCheck %s --check-prefix=GARBAGE
// GARBAGE: error: {{.*}}garbage
// RUN: echo '%s --args=a=1,b=1,n=1,O=3:zeros' > %t.batch && echo '%s --version' >> %t.batch
// RUN: not tile-run --batch=%t.batch 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: error: expected command lines that run a kernel, got '--version' in '{{.*}} --version'
// RUN: not tile-run %s --args=a=1,b=1,n=1,O=3:zeros --save=O:/dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: --save: cannot write '/dev/full': No space left on device
tile.kernel @values(%O: memref<3xi64>, %a: i8, %b: i16, %n: i64) grid(%x) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %wide = arith.extsi %a : i8 to i64
  %more = arith.extui %b : i16 to i64
  memref.store %wide, %O[%c0] : memref<3xi64>
  memref.store %more, %O[%c1] : memref<3xi64>
  memref.store %n, %O[%c2] : memref<3xi64>
}
