// Values of small floats that were computed, not loaded right before: LLVM 22
// lost the sign of a bf16 that was widened by parts. Scalar code and vectors:
// eight elements are less than a vector, 33 are vectors and a remainder.
// RUN: tile-run %s --kernel=bf16 --args=A=8:smallint,Y=8x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=bf16 --args=A=33:smallint,Y=33x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=f16 --args=A=8:smallint,Y=8x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=f16 --args=A=33:smallint,Y=33x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=e4m3 --args=A=8:smallint,Y=8x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=e4m3 --args=A=33:smallint,Y=33x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=e5m2 --args=A=8:smallint,Y=8x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=e5m2 --args=A=33:smallint,Y=33x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=e2m1 --args=A=8:smallint,Y=8x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=e2m1 --args=A=34:smallint,Y=34x4 --check | FileCheck %s
// CHECK: elements equal
// CHECK: PASS

tile.kernel @bf16(%A: memref<?xbf16>, %Y: memref<?x4xf32>) grid(%b) = (dim(%A, 0) ceildiv 64) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant -1.0 : bf16
  %n = memref.dim %A, %c0 : memref<?xbf16>
  tile.parallel (%i) in (64) {
    %m = arith.muli %b, %c64 : index
    %j = arith.addi %m, %i : index
    %inside = arith.cmpi ult, %j, %n : index
    scf.if %inside {
      %x = memref.load %A[%j] : memref<?xbf16>
      %odd = arith.remui %j, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      %minus = arith.negf %x : bf16
      %chosen = arith.select %even, %x, %minus : bf16
      %largest = arith.maximumf %x, %one : bf16
      %product = arith.mulf %x, %one : bf16
      %sum = math.fma %x, %one, %one : bf16
      %f0 = arith.extf %chosen : bf16 to f32
      memref.store %f0, %Y[%j, %c0] : memref<?x4xf32>
      %f1 = arith.extf %largest : bf16 to f32
      memref.store %f1, %Y[%j, %c1] : memref<?x4xf32>
      %f2 = arith.extf %product : bf16 to f32
      memref.store %f2, %Y[%j, %c2] : memref<?x4xf32>
      %f3 = arith.extf %sum : bf16 to f32
      memref.store %f3, %Y[%j, %c3] : memref<?x4xf32>
    }
  }
}

tile.kernel @f16(%A: memref<?xf16>, %Y: memref<?x4xf32>) grid(%b) = (dim(%A, 0) ceildiv 64) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant -1.0 : f16
  %n = memref.dim %A, %c0 : memref<?xf16>
  tile.parallel (%i) in (64) {
    %m = arith.muli %b, %c64 : index
    %j = arith.addi %m, %i : index
    %inside = arith.cmpi ult, %j, %n : index
    scf.if %inside {
      %x = memref.load %A[%j] : memref<?xf16>
      %odd = arith.remui %j, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      %minus = arith.negf %x : f16
      %chosen = arith.select %even, %x, %minus : f16
      %largest = arith.maximumf %x, %one : f16
      %product = arith.mulf %x, %one : f16
      %sum = math.fma %x, %one, %one : f16
      %f0 = arith.extf %chosen : f16 to f32
      memref.store %f0, %Y[%j, %c0] : memref<?x4xf32>
      %f1 = arith.extf %largest : f16 to f32
      memref.store %f1, %Y[%j, %c1] : memref<?x4xf32>
      %f2 = arith.extf %product : f16 to f32
      memref.store %f2, %Y[%j, %c2] : memref<?x4xf32>
      %f3 = arith.extf %sum : f16 to f32
      memref.store %f3, %Y[%j, %c3] : memref<?x4xf32>
    }
  }
}

tile.kernel @e4m3(%A: memref<?xf8E4M3FN>, %Y: memref<?x4xf32>) grid(%b) = (dim(%A, 0) ceildiv 64) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant -1.0 : f8E4M3FN
  %n = memref.dim %A, %c0 : memref<?xf8E4M3FN>
  tile.parallel (%i) in (64) {
    %m = arith.muli %b, %c64 : index
    %j = arith.addi %m, %i : index
    %inside = arith.cmpi ult, %j, %n : index
    scf.if %inside {
      %x = memref.load %A[%j] : memref<?xf8E4M3FN>
      %odd = arith.remui %j, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      %minus = arith.negf %x : f8E4M3FN
      %chosen = arith.select %even, %x, %minus : f8E4M3FN
      %largest = arith.maximumf %x, %one : f8E4M3FN
      %product = arith.mulf %x, %one : f8E4M3FN
      %sum = arith.addf %product, %one : f8E4M3FN
      %f0 = arith.extf %chosen : f8E4M3FN to f32
      memref.store %f0, %Y[%j, %c0] : memref<?x4xf32>
      %f1 = arith.extf %largest : f8E4M3FN to f32
      memref.store %f1, %Y[%j, %c1] : memref<?x4xf32>
      %f2 = arith.extf %product : f8E4M3FN to f32
      memref.store %f2, %Y[%j, %c2] : memref<?x4xf32>
      %f3 = arith.extf %sum : f8E4M3FN to f32
      memref.store %f3, %Y[%j, %c3] : memref<?x4xf32>
    }
  }
}

tile.kernel @e5m2(%A: memref<?xf8E5M2>, %Y: memref<?x4xf32>) grid(%b) = (dim(%A, 0) ceildiv 64) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant -1.0 : f8E5M2
  %n = memref.dim %A, %c0 : memref<?xf8E5M2>
  tile.parallel (%i) in (64) {
    %m = arith.muli %b, %c64 : index
    %j = arith.addi %m, %i : index
    %inside = arith.cmpi ult, %j, %n : index
    scf.if %inside {
      %x = memref.load %A[%j] : memref<?xf8E5M2>
      %odd = arith.remui %j, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      %minus = arith.negf %x : f8E5M2
      %chosen = arith.select %even, %x, %minus : f8E5M2
      %largest = arith.maximumf %x, %one : f8E5M2
      %product = arith.mulf %x, %one : f8E5M2
      %sum = arith.addf %product, %one : f8E5M2
      %f0 = arith.extf %chosen : f8E5M2 to f32
      memref.store %f0, %Y[%j, %c0] : memref<?x4xf32>
      %f1 = arith.extf %largest : f8E5M2 to f32
      memref.store %f1, %Y[%j, %c1] : memref<?x4xf32>
      %f2 = arith.extf %product : f8E5M2 to f32
      memref.store %f2, %Y[%j, %c2] : memref<?x4xf32>
      %f3 = arith.extf %sum : f8E5M2 to f32
      memref.store %f3, %Y[%j, %c3] : memref<?x4xf32>
    }
  }
}

tile.kernel @e2m1(%A: memref<?xf4E2M1FN>, %Y: memref<?x4xf32>) grid(%b) = (dim(%A, 0) ceildiv 64) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant -1.0 : f4E2M1FN
  %n = memref.dim %A, %c0 : memref<?xf4E2M1FN>
  tile.parallel (%i) in (64) {
    %m = arith.muli %b, %c64 : index
    %j = arith.addi %m, %i : index
    %inside = arith.cmpi ult, %j, %n : index
    scf.if %inside {
      %x = memref.load %A[%j] : memref<?xf4E2M1FN>
      %odd = arith.remui %j, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      %minus = arith.negf %x : f4E2M1FN
      %chosen = arith.select %even, %x, %minus : f4E2M1FN
      %largest = arith.maximumf %x, %one : f4E2M1FN
      %product = arith.mulf %x, %one : f4E2M1FN
      %sum = arith.addf %product, %one : f4E2M1FN
      %f0 = arith.extf %chosen : f4E2M1FN to f32
      memref.store %f0, %Y[%j, %c0] : memref<?x4xf32>
      %f1 = arith.extf %largest : f4E2M1FN to f32
      memref.store %f1, %Y[%j, %c1] : memref<?x4xf32>
      %f2 = arith.extf %product : f4E2M1FN to f32
      memref.store %f2, %Y[%j, %c2] : memref<?x4xf32>
      %f3 = arith.extf %sum : f4E2M1FN to f32
      memref.store %f3, %Y[%j, %c3] : memref<?x4xf32>
    }
  }
}
