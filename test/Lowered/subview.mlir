// Parts of tiles as operands: what addresses elements takes the tile at an
// offset, a gemm and a reduction a copy of the part; parts of parts, parts of
// fewer dimensions, offsets known at run time only, and parts that are written.
// RUN: tile-run %s --kernel=gemms --check | FileCheck %s
// RUN: tile-run %s --kernel=gemms --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=gemms --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=gemms --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=parts --args=at=5 --check | FileCheck %s
// RUN: tile-run %s --kernel=parts --args=at=5 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=parts --args=at=5 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

tile.kernel @gemms(%A: memref<2x64x64xf16>, %B: memref<2x32x128xf16>, %C: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<2x64x64xf16, #shared>
  %bs = tile.alloc : memref<2x32x128xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A to %a : memref<2x64x64xf16> to memref<2x64x64xf16, #shared>
  tile.copy %B to %bs : memref<2x32x128xf16> to memref<2x32x128xf16, #shared>
  tile.fill %c with %zero : memref<64x64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c2 step %c1 {
    %as = memref.subview %a[%k, 0, 32] [1, 64, 32] [1, 1, 1] : memref<2x64x64xf16, #shared> to memref<64x32xf16, strided<[64, 1], offset: ?>, #shared>
    %stage = memref.subview %bs[%k, 0, 0] [1, 32, 128] [1, 1, 1] : memref<2x32x128xf16, #shared> to memref<32x128xf16, strided<[128, 1], offset: ?>, #shared>
    %bk = memref.subview %stage[0, 64] [32, 64] [1, 1] : memref<32x128xf16, strided<[128, 1], offset: ?>, #shared> to memref<32x64xf16, strided<[128, 1], offset: ?>, #shared>
    tile.gemm %as, %bk, %c : memref<64x32xf16, strided<[64, 1], offset: ?>, #shared>, memref<32x64xf16, strided<[128, 1], offset: ?>, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %c to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

tile.kernel @parts(%A: memref<16x32xf32>, %at: index, %B: memref<16x32xf32>, %S: memref<32xf32>, %F: memref<4x8xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<16x32xf32, #shared>
  %sums = tile.alloc : memref<32xf32, #shared>
  %f = tile.alloc : memref<16x32xf32, #tile.fragment>
  tile.copy %A to %s : memref<16x32xf32> to memref<16x32xf32, #shared>
  tile.copy %A to %f : memref<16x32xf32> to memref<16x32xf32, #tile.fragment>
  tile.fill %sums with %zero : memref<32xf32, #shared>, f32
  %p = memref.subview %s[%at, 8] [8, 16] [1, 1] : memref<16x32xf32, #shared> to memref<8x16xf32, strided<[32, 1], offset: ?>, #shared>
  tile.parallel (%i, %j) in (8, 16) {
    %x = memref.load %p[%i, %j] : memref<8x16xf32, strided<[32, 1], offset: ?>, #shared>
    %y = arith.addf %x, %one : f32
    memref.store %y, %p[%i, %j] : memref<8x16xf32, strided<[32, 1], offset: ?>, #shared>
  }
  %q = memref.subview %p[1, 0] [4, 8] [1, 1] : memref<8x16xf32, strided<[32, 1], offset: ?>, #shared> to memref<4x8xf32, strided<[32, 1], offset: ?>, #shared>
  tile.fill %q[%c1, %c0] sizes [2, 8] with %one : memref<4x8xf32, strided<[32, 1], offset: ?>, #shared>, f32
  %part = memref.subview %sums[4] [8] [1] : memref<32xf32, #shared> to memref<8xf32, strided<[1], offset: 4>, #shared>
  tile.reduce sum %p to %part dim(1) : memref<8x16xf32, strided<[32, 1], offset: ?>, #shared> to memref<8xf32, strided<[1], offset: 4>, #shared>
  tile.scan sum %q to %q dim(0) : memref<4x8xf32, strided<[32, 1], offset: ?>, #shared> to memref<4x8xf32, strided<[32, 1], offset: ?>, #shared>
  %g = memref.subview %f[2, 16] [4, 8] [1, 1] : memref<16x32xf32, #tile.fragment> to memref<4x8xf32, strided<[32, 1], offset: 80>, #tile.fragment>
  tile.copy %g to %F : memref<4x8xf32, strided<[32, 1], offset: 80>, #tile.fragment> to memref<4x8xf32>
  tile.copy %s to %B : memref<16x32xf32, #shared> to memref<16x32xf32>
  tile.copy %sums to %S : memref<32xf32, #shared> to memref<32xf32>
}
