// Arguments of half a byte: filled and compared packed, by the CPU meaning.
// RUN: tile-run %s --kernel=copy --check --args=X=3x5:smallint,Y=3x5 | FileCheck %s
// RUN: tile-run %s --kernel=copy --check --args=X=3x5@7x1:uniform,Y=3x5@9x1 | FileCheck %s
// RUN: tile-run %s --kernel=halves --check --args=X=4x8:smallint,Y=4x8 | FileCheck %s
// RUN: tile-run %s --kernel=halves --check --stage=scheduled --arch=sm_80 --args=X=4x8:smallint,Y=4x8 | FileCheck %s
// RUN: tile-run %s --kernel=codes | FileCheck %s --check-prefix=CODES

// CHECK: PASS
tile.kernel @copy(%X: memref<?x?xi4, strided<[?, 1]>>, %Y: memref<?x?xi4, strided<[?, 1]>>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<4x8xi4, #tile.fragment>
  tile.copy %X[%c0, %c0] to %f : memref<?x?xi4, strided<[?, 1]>> to memref<4x8xi4, #tile.fragment>
  tile.copy %f to %Y[%c0, %c0] : memref<4x8xi4, #tile.fragment> to memref<?x?xi4, strided<[?, 1]>>
}

tile.kernel @halves(%X: memref<4x8xf4E2M1FN>, %Y: memref<4x8xf4E2M1FN>) grid(%b) = (1) threads(32) {
  %half = arith.constant 0.5 : f32
  tile.parallel (%i, %j) in (4, 8) {
    %x = memref.load %X[%i, %j] : memref<4x8xf4E2M1FN>
    %w = arith.extf %x : f4E2M1FN to f32
    %y = arith.mulf %w, %half : f32
    %z = arith.truncf %y : f32 to f4E2M1FN
    memref.store %z, %Y[%i, %j] : memref<4x8xf4E2M1FN>
  }
}

// The element with the even number is the low half of its byte; i4 is signed.
// CODES: first{{.*}}-2
// CODES: second{{.*}}-1
// CODES: third{{.*}}7
// CODES: fourth{{.*}}-8
tile.kernel @codes(%Y: memref<4xi4>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0 = arith.constant -2 : i4
  %1 = arith.constant -1 : i4
  %2 = arith.constant 7 : i4
  %3 = arith.constant -8 : i4
  memref.store %0, %Y[%c0] : memref<4xi4>
  memref.store %1, %Y[%c1] : memref<4xi4>
  memref.store %2, %Y[%c2] : memref<4xi4>
  memref.store %3, %Y[%c3] : memref<4xi4>
  %a = memref.load %Y[%c0] : memref<4xi4>
  %b0 = memref.load %Y[%c1] : memref<4xi4>
  %c = memref.load %Y[%c2] : memref<4xi4>
  %d = memref.load %Y[%c3] : memref<4xi4>
  %e = arith.extsi %a : i4 to i32
  %f = arith.extsi %b0 : i4 to i32
  %g = arith.extsi %c : i4 to i32
  %h = arith.extsi %d : i4 to i32
  tile.print "first" %e : i32
  tile.print "second" %f : i32
  tile.print "third" %g : i32
  tile.print "fourth" %h : i32
}
