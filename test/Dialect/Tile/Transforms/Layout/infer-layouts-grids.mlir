// Each warp that needs an operand in a fragment makes all of it: weights of bytes made from halves of bytes are made twice by two
// times two warps, where four side by side would make them four times.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-choose-tunables --tile-infer-layouts | FileCheck %s
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @computed
// CHECK: tile.gemm {{.*}}warps = [2, 2]
tile.kernel @computed(%A: memref<32x128xi8> {tile.alignment = 16}, %B: memref<32x128xi8> {tile.alignment = 16}, %C: memref<32x32xi32>)
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i8
  %As = tile.alloc : memref<32x128xi8, #shared>
  %Bs = tile.alloc : memref<32x128xi8, #shared>
  %Af = tile.alloc : memref<32x128xi8, #tile.fragment>
  %acc = tile.alloc : memref<32x32xi32, #tile.fragment>
  tile.copy %A to %As : memref<32x128xi8> to memref<32x128xi8, #shared>
  tile.copy %B to %Bs : memref<32x128xi8> to memref<32x128xi8, #shared>
  tile.fill %acc with %zero : memref<32x32xi32, #tile.fragment>, i32
  tile.parallel (%i, %j) in (32, 128) {
    %x = memref.load %As[%i, %j] : memref<32x128xi8, #shared>
    %y = arith.shrsi %x, %four : i8
    memref.store %y, %Af[%i, %j] : memref<32x128xi8, #tile.fragment>
  }
  tile.gemm %Af, %Bs, %acc {transpose_b} : memref<32x128xi8, #tile.fragment>, memref<32x128xi8, #shared>, memref<32x32xi32, #tile.fragment>
  tile.copy %acc to %C : memref<32x32xi32, #tile.fragment> to memref<32x32xi32>
}
