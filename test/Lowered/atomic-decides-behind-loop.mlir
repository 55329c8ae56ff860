// Where warps have roles, what a counter says decides behind the loop, for those that compute: the role that loads has no part in it.
// RUN: tile-run %s --args=A=64x256,C=4x64,Next=1:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROLES
// CHECK: PASS
// ROLES: warps specialized
#shared = #gpu.address_space<workgroup>
tile.kernel @ticket(%A: memref<64x256xf16> {tile.alignment = 16}, %C: memref<4x64xf32>, %Next: memref<1xi32>) grid(%b) = (1) threads(128) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %rows = tile.alloc : memref<64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c64 stages(3) {
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %As, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.reduce sum %acc to %rows dim(1) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  %old = memref.atomic_rmw addi %one, %Next[%c0] : (i32, memref<1xi32>) -> i32
  %first = arith.cmpi eq, %old, %none : i32
  scf.if %first {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %r = %c0 to %c4 step %c1 {
      tile.copy %rows to %C[%r, %c0] : memref<64xf32, #tile.fragment> to memref<4x64xf32>
    }
  }
}
