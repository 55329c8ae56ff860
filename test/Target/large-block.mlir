// A fragment of 240 elements a thread is written out: one block of some 10,000
// instructions, which LLVM's straight-line strength reduction would take half a
// minute for (LargeCodeGate in LargeFunctions.cpp leaves it out).
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// PTX-COUNT-240: st{{.*}}global
// RUN: tile-run %s --check --args=X=64x960,Y=64x960 | FileCheck %s --check-prefix=PASS
// PASS: PASS
tile.kernel @rows(%X: memref<?x960xf32>, %Y: memref<?x960xf32>) grid(%b) = (dim(%X, 0) ceildiv 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = arith.muli %b, %c32 : index
  %x = tile.alloc : memref<32x960xf32, #tile.fragment>
  %m = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %X[%r, %c0] to %x : memref<?x960xf32> to memref<32x960xf32, #tile.fragment>
  tile.reduce max %x to %m dim(1) : memref<32x960xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 960) {
    %v = memref.load %x[%i, %j] : memref<32x960xf32, #tile.fragment>
    %l = memref.load %m[%i] : memref<32xf32, #tile.fragment>
    %d = arith.subf %v, %l : f32
    %e = math.tanh %d : f32
    %s = math.sin %e : f32
    memref.store %s, %x[%i, %j] : memref<32x960xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%r, %c0] : memref<32x960xf32, #tile.fragment> to memref<?x960xf32>
}
