// What the question does not need disappears: the interesting module has a gemm.
// RUN: tile-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/has-gemm.sh' | FileCheck %s

// CHECK: tile.kernel @wanted
// CHECK: tile.gemm
// CHECK-NOT: tile.kernel @other
tile.kernel @wanted() grid(%bx) = (1) threads(32) {
  %a = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  tile.gemm %a, %a, %c : memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf32, #tile.fragment>
}

tile.kernel @other() grid(%bx) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  %c = tile.alloc : memref<16x16xf32, #tile.fragment>
  tile.fill %c with %zero : memref<16x16xf32, #tile.fragment>, f32
}
