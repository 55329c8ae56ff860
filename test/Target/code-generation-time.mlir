// An extension that hundreds of addresses are made of costs code generation no
// time that grows with the square of their number: this took 25 s of CPU, and
// from column 0 on, where the addresses have another address in common, 19 s.
// RUN: bash -c 'ulimit -t 15; exec tile-translate %s --tile-to-ptx --arch=sm_80' | FileCheck %s

// RUN: sed 's/%n = arith.muli %bx, %c386/%n = arith.subi %c386, %c386/' %s > %t.first.mlir
// RUN: bash -c 'ulimit -t 15; exec tile-translate %t.first.mlir --tile-to-ptx --arch=sm_80' | FileCheck %s

// CHECK: .entry k(
tile.kernel @k(%A: memref<?x?xi8> {tile.alignment = 16}, %Y: memref<?x?xi8> {tile.alignment = 16}) grid(%bx, %by) = (dim(%A, 1) ceildiv 386, dim(%A, 0) ceildiv 128) threads(256) attributes {persistent = 1 : i64} {
  %c128 = arith.constant 128 : index
  %c386 = arith.constant 386 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c386 : index
  %f = tile.alloc : memref<128x386xi8, #tile.fragment>
  %s = tile.alloc : memref<128x386xi8, #gpu.address_space<workgroup>>
  tile.copy %A[%m, %n] to %f : memref<?x?xi8> to memref<128x386xi8, #tile.fragment>
  tile.copy %f to %s : memref<128x386xi8, #tile.fragment> to memref<128x386xi8, #gpu.address_space<workgroup>>
  tile.copy %s to %Y[%m, %n] : memref<128x386xi8, #gpu.address_space<workgroup>> to memref<?x?xi8>
}
