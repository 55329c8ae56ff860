// Views of arguments: parts that begin anywhere, of extents of their own.
// RUN: split-file %s %t
// RUN: tile-run %t/rows.mlir --stage=lowered --arch=sm_80 --check --args=X=40x64,OFF=2:range:7:8,Y=40x64 | FileCheck %s --check-prefix=PASS
// RUN: tile-run %t/ring.mlir --stage=lowered --arch=sm_90a --check --args=X=3x64x96,Y=64x32 | FileCheck %s --check-prefix=PASS
// RUN: tile-run %t/alias.mlir --stage=lowered --arch=sm_80 --check --args=X=256,Y=512 | FileCheck %s --check-prefix=PASS
// RUN: tile-translate %t/alias.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=ALIAS
// RUN: not tile-translate %t/packed.mlir --tile-to-ptx --arch=sm_80 2>&1 | FileCheck %s --check-prefix=PACKED
// PASS: PASS

//--- rows.mlir
// Rows beyond the view are left alone, though the argument has them.
tile.kernel @rows(%X: memref<?x?xf32>, %OFF: memref<?xi32>, %Y: memref<?x?xf32>) grid(%b) = (2) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c19 = arith.constant 19 : index
  %n = memref.dim %X, %c1 : memref<?x?xf32>
  %o32 = memref.load %OFF[%c1] : memref<?xi32>
  %o = arith.index_cast %o32 : i32 to index
  %m = arith.muli %b, %c16 : index
  %xs = memref.subview %X[%o, 0] [%c19, %n] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %ys = memref.subview %Y[%o, 0] [%c19, %n] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %t = tile.alloc : memref<16x64xf32, #gpu.address_space<workgroup>>
  tile.copy %xs[%m, %c0] to %t : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<16x64xf32, #gpu.address_space<workgroup>>
  tile.copy %t to %ys[%m, %c0] : memref<16x64xf32, #gpu.address_space<workgroup>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
}

//--- ring.mlir
// A view of fewer dimensions, made in the loop that runs ahead.
tile.kernel @ring(%X: memref<?x64x96xf16>, %Y: memref<64x32xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %X, %c0 : memref<?x64x96xf16>
  %s = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x32xf32, #tile.fragment>, f32
  tile.pipelined %i = %c0 to %n step %c1 stages(2) {
    %x = memref.subview %X[%i, 0, 32] [1, 64, 32] [1, 1, 2] : memref<?x64x96xf16> to memref<64x32xf16, strided<[96, 2], offset: ?>>
    tile.copy %x to %s : memref<64x32xf16, strided<[96, 2], offset: ?>> to memref<64x32xf16, #gpu.address_space<workgroup>>
    tile.parallel (%r, %c) in (64, 32) {
      %v = memref.load %s[%r, %c] : memref<64x32xf16, #gpu.address_space<workgroup>>
      %w = arith.extf %v : f16 to f32
      %a = memref.load %acc[%r, %c] : memref<64x32xf32, #tile.fragment>
      %sum = arith.addf %a, %w : f32
      memref.store %sum, %acc[%r, %c] : memref<64x32xf32, #tile.fragment>
    }
  }
  tile.copy %acc to %Y : memref<64x32xf32, #tile.fragment> to memref<64x32xf32>
}

//--- alias.mlir
// What one thread writes through the view, another reads through the argument.
// ALIAS: st.global
// ALIAS: bar.sync
// ALIAS: ld.global
tile.kernel @alias(%X: memref<256xf32>, %Y: memref<512xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %f = tile.alloc : memref<256xf32, #tile.fragment>
  %view = memref.subview %Y[1] [256] [1] : memref<512xf32> to memref<256xf32, strided<[1], offset: 1>>
  tile.copy %X to %f : memref<256xf32> to memref<256xf32, #tile.fragment>
  tile.copy %f to %view : memref<256xf32, #tile.fragment> to memref<256xf32, strided<[1], offset: 1>>
  %g = tile.alloc : memref<256xf32, #tile.fragment>
  tile.copy %Y[%c0] to %g : memref<512xf32> to memref<256xf32, #tile.fragment>
  tile.copy %g to %Y[%c256] : memref<256xf32, #tile.fragment> to memref<512xf32>
}

//--- packed.mlir
// PACKED: error: 'memref.subview' op expected elements of whole bytes, got 'i4'
tile.kernel @packed(%X: memref<64xi4>, %Y: memref<32xi4>) grid(%b) = (1) threads(32) {
  %view = memref.subview %X[1] [32] [1] : memref<64xi4> to memref<32xi4, strided<[1], offset: 1>>
  %f = tile.alloc : memref<32xi4, #tile.fragment>
  tile.copy %view to %f : memref<32xi4, strided<[1], offset: 1>> to memref<32xi4, #tile.fragment>
  tile.copy %f to %Y : memref<32xi4, #tile.fragment> to memref<32xi4>
}
