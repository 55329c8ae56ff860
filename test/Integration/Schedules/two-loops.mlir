// Two loops fill tiles of the same kind: the second goes on with the first one's
// ring, and where even one is too large, both have fewer stages.
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check --args=A=100x72,B=72x264,C=100x264 | FileCheck %s
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a --tile-verify-rings=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROVED
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEWER
// CHECK: PASS
// ONE: tile.ring.create
// ONE-NOT: tile.ring.create
// PROVED: rings are proved
// FEWER: remark: 3 stages instead of 4: rings, tiles and scratch memory take 196608 bytes of shared memory, of which a block has 166912
// FEWER: remark: 3 stages instead of 4
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm_hopper(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 512) * 2, dim(%C, 0) ceildiv 128) threads(256) cluster(2, 1) attributes {panel = 8 : i64, persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  // Rows of whole 16-byte pieces, which the launcher checks: what the tensor memory
  // accelerator asks of strides.
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x256xf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.pipelined %k2 = %c0 to %K step %bk stages(4) {
    tile.copy %A[%m, %k2] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k2, %n] to %Bs : memref<?x?xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
}
