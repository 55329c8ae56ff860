// Every kind of reduction, along either dimension, with and without accumulation.
// RUN: tile-run %s --kernel=floats --args=A=16x24:smallint --check | FileCheck %s --check-prefix=FLOATS
// RUN: tile-run %s --kernel=floats --args=A=16x24:normal --check | FileCheck %s --check-prefix=RANDOM
// RUN: tile-run %s --kernel=integers --args=A=8x8:uniform --check | FileCheck %s --check-prefix=INTEGERS
// RUN: tile-run %s --kernel=nan | FileCheck %s --check-prefix=NAN
#shared = #gpu.address_space<workgroup>

// FLOATS: check S: 16 elements equal
// FLOATS: check X: 24 elements equal
// FLOATS: check N: 16 elements equal
// FLOATS: check AS: 24 elements equal
// FLOATS: check AX: 16 elements equal
// FLOATS: PASS
// RANDOM-COUNT-5: of the bound
// RANDOM: PASS
tile.kernel @floats(%A: memref<16x24xf16>, %S: memref<16xf16>, %X: memref<1x24xf16>, %N: memref<16xf16>,
                    %AS: memref<24xf16>, %AX: memref<16xf16>) grid(%b) = (1) threads(32) {
  %three = arith.constant 3.0 : f16
  %a = tile.alloc : memref<16x24xf16, #tile.fragment>
  %s = tile.alloc : memref<16xf16, #tile.fragment>
  %x = tile.alloc : memref<1x24xf16, #tile.fragment>
  %n = tile.alloc : memref<16xf16, #tile.fragment>
  %as = tile.alloc : memref<24xf16, #tile.fragment>
  %ax = tile.alloc : memref<16xf16, #tile.fragment>
  tile.copy %A to %a : memref<16x24xf16> to memref<16x24xf16, #tile.fragment>
  tile.fill %s with %three : memref<16xf16, #tile.fragment>, f16
  tile.reduce sum %a to %s dim(1) accumulate : memref<16x24xf16, #tile.fragment> to memref<16xf16, #tile.fragment>
  tile.reduce max %a to %x dim(0) : memref<16x24xf16, #tile.fragment> to memref<1x24xf16, #tile.fragment>
  tile.reduce min %a to %n dim(1) : memref<16x24xf16, #tile.fragment> to memref<16xf16, #tile.fragment>
  tile.reduce abssum %a to %as dim(0) : memref<16x24xf16, #tile.fragment> to memref<24xf16, #tile.fragment>
  tile.reduce absmax %a to %ax dim(1) : memref<16x24xf16, #tile.fragment> to memref<16xf16, #tile.fragment>
  tile.copy %s to %S : memref<16xf16, #tile.fragment> to memref<16xf16>
  tile.copy %x to %X : memref<1x24xf16, #tile.fragment> to memref<1x24xf16>
  tile.copy %n to %N : memref<16xf16, #tile.fragment> to memref<16xf16>
  tile.copy %as to %AS : memref<24xf16, #tile.fragment> to memref<24xf16>
  tile.copy %ax to %AX : memref<16xf16, #tile.fragment> to memref<16xf16>
}

// INTEGERS: check S: 8 elements equal
// INTEGERS: check U: 8 elements equal
// INTEGERS: PASS
tile.kernel @integers(%A: memref<8x8xi32>, %S: memref<8xi32>, %U: memref<8xi32>) grid(%b) = (1) threads(32) {
  %a = tile.alloc : memref<8x8xi32, #shared>
  %s = tile.alloc : memref<8xi32, #shared>
  %u = tile.alloc : memref<8xi32, #shared>
  tile.copy %A to %a : memref<8x8xi32> to memref<8x8xi32, #shared>
  tile.reduce abssum %a to %s dim(0) : memref<8x8xi32, #shared> to memref<8xi32, #shared>
  tile.reduce max %a to %u dim(0) {is_unsigned} : memref<8x8xi32, #shared> to memref<8xi32, #shared>
  tile.copy %s to %S : memref<8xi32, #shared> to memref<8xi32>
  tile.copy %u to %U : memref<8xi32, #shared> to memref<8xi32>
}

// NaN is ignored unless it is propagated.
// NAN: ignored[0]: 7
// NAN: propagated[0]: nan
tile.kernel @nan() grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %nan = arith.constant 0x7FC00000 : f32
  %seven = arith.constant 7.0 : f32
  %a = tile.alloc : memref<1x2xf32, #shared>
  %r = tile.alloc : memref<1xf32, #shared>
  memref.store %nan, %a[%c0, %c0] : memref<1x2xf32, #shared>
  memref.store %seven, %a[%c0, %c1] : memref<1x2xf32, #shared>
  tile.reduce max %a to %r dim(1) : memref<1x2xf32, #shared> to memref<1xf32, #shared>
  tile.print "ignored" %r : memref<1xf32, #shared>
  tile.reduce max %a to %r dim(1) {propagate_nan} : memref<1x2xf32, #shared> to memref<1xf32, #shared>
  tile.print "propagated" %r : memref<1xf32, #shared>
}
