// An f16 accumulator is rounded every 16 steps of k, as tensor cores do: 2048
// plus one is 2048 in f16, but 2048 plus sixteen is 2064; also where the last
// steps are fewer.
// RUN: tile-run %s --kernel=sums --args=A=16x16:ones,B=16x16:ones,C=16x16:zeros | FileCheck %s --check-prefix=SUMS
// SUMS-NOT: error
// RUN: tile-run %s --kernel=sums --args=A=16x16:ones,B=16x16:ones,C=16x16:zeros --stage=lowered --arch=sm_80
// RUN: tile-run %s --kernel=rest --args=A=8x40:ones,B=40x8:ones,C=8x8:zeros
#shared = #gpu.address_space<workgroup>

tile.kernel @sums(%A: memref<16x16xf16>, %B: memref<16x16xf16>, %C: memref<16x16xf16>) grid(%b) = (1) threads(32) {
  %start = arith.constant 2048.0 : f16
  %sum = arith.constant 2064.0 : f16
  %As = tile.alloc : memref<16x16xf16, #shared>
  %Bs = tile.alloc : memref<16x16xf16, #shared>
  %acc = tile.alloc : memref<16x16xf16, #tile.fragment>
  tile.copy %A to %As : memref<16x16xf16> to memref<16x16xf16, #shared>
  tile.copy %B to %Bs : memref<16x16xf16> to memref<16x16xf16, #shared>
  tile.fill %acc with %start : memref<16x16xf16, #tile.fragment>, f16
  tile.gemm %As, %Bs, %acc : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf16, #tile.fragment>
  tile.parallel (%i, %j) in (16, 16) {
    %x = memref.load %acc[%i, %j] : memref<16x16xf16, #tile.fragment>
    %same = arith.cmpf oeq, %x, %sum : f16
    tile.assert %same, "the sum is 2064"
  }
  tile.copy %acc to %C : memref<16x16xf16, #tile.fragment> to memref<16x16xf16>
}

tile.kernel @rest(%A: memref<8x40xf16>, %B: memref<40x8xf16>, %C: memref<8x8xf16>) grid(%b) = (1) threads(32) {
  %start = arith.constant 2048.0 : f16
  %sum = arith.constant 2088.0 : f16
  %As = tile.alloc : memref<8x40xf16, #shared>
  %Bs = tile.alloc : memref<40x8xf16, #shared>
  %acc = tile.alloc : memref<8x8xf16, #tile.fragment>
  tile.copy %A to %As : memref<8x40xf16> to memref<8x40xf16, #shared>
  tile.copy %B to %Bs : memref<40x8xf16> to memref<40x8xf16, #shared>
  tile.fill %acc with %start : memref<8x8xf16, #tile.fragment>, f16
  tile.gemm %As, %Bs, %acc : memref<8x40xf16, #shared>, memref<40x8xf16, #shared>, memref<8x8xf16, #tile.fragment>
  tile.parallel (%i, %j) in (8, 8) {
    %x = memref.load %acc[%i, %j] : memref<8x8xf16, #tile.fragment>
    %same = arith.cmpf oeq, %x, %sum : f16
    tile.assert %same, "the sum is 2088"
  }
  tile.copy %acc to %C : memref<8x8xf16, #tile.fragment> to memref<8x8xf16>
}
