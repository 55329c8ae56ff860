// Gemms with a sparse A in PTX, and what the executor makes of them.
// RUN: split-file %s %t
// RUN: tile-translate %t/steps.mlir --tile-to-ptx --arch=sm_90a | FileCheck %t/steps.mlir --check-prefix=WGMMA
// RUN: tile-translate %t/steps.mlir --tile-to-ptx --arch=sm_80 | FileCheck %t/steps.mlir --check-prefix=MMA
// RUN: tile-translate %t/steps.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/steps.mlir --check-prefix=NONE
// RUN: tile-translate %t/bytes.mlir --tile-to-ptx --arch=sm_90a | FileCheck %t/bytes.mlir --check-prefix=WGMMA
// RUN: tile-translate %t/bytes.mlir --tile-to-ptx --arch=sm_80 | FileCheck %t/bytes.mlir --check-prefix=MMA
// RUN: tile-run %t/steps.mlir --stage=lowered --arch=sm_90a --args=A=smallint,B=smallint --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/steps.mlir --stage=lowered --arch=sm_80 --args=A=smallint,B=smallint --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/bytes.mlir --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/bytes.mlir --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/halves.mlir --stage=lowered --arch=sm_90a --args=A=smallint,B=smallint --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/halves.mlir --stage=lowered --arch=sm_80 --args=A=smallint,B=smallint --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/halves.mlir --args=A=smallint,B=smallint --check | FileCheck %s --check-prefix=RIGHT
// Metadata that says nothing of the kind is a finding.
// RUN: not tile-run %t/steps.mlir --stage=lowered --arch=sm_90a --args=E=ones 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tile-run %t/steps.mlir --stage=lowered --arch=sm_80 --args=E=ones 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tile-run %t/halves.mlir --stage=lowered --arch=sm_90a --args=E=places 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tile-opt %t/unprepared.mlir --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm -o /dev/null 2>&1 | FileCheck %t/unprepared.mlir

// RIGHT: check C: 4096 elements equal
// ORDER: expected metadata with the places of a group in increasing order

//--- steps.mlir
// Two steps of k: the words of both are one register, two threads of each four
// give those of the first, the other two those of the second. B is 32 columns,
// 64 bytes, further in the second step, A 32 bytes.
// WGMMA: .version 8.2
// WGMMA:       wgmma.fence.sync.aligned;
// WGMMA-NEXT:  wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16 {{.*}}, [[A:%rd[0-9]+]], [[B:%rd[0-9]+]], [[E:%r[0-9]+]], 0, 0, 1, 1, 0, 0;
// WGMMA-NEXT:  add.s64 da, [[A]], 2;
// WGMMA-NEXT:  add.s64 db, [[B]], 4;
// WGMMA-NEXT:  wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16 {{.*}}, da, db, [[E]], 1, 1, 1, 1, 0, 0;
// WGMMA-NEXT:  wgmma.commit_group.sync.aligned;
// MMA: .version 8.5
// MMA-DAG: mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {{{.*}}}, {{{.*}}}, {{{.*}}}, {{{.*}}}, %r{{[0-9]+}}, 0;
// MMA-DAG: mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {{{.*}}}, {{{.*}}}, {{{.*}}}, {{{.*}}}, %r{{[0-9]+}}, 1;
// NONE: tcgen05.mma
// NONE-NOT: .sp
#shared = #gpu.address_space<workgroup>
tile.kernel @steps(%A: memref<64x32xf16>, %E: memref<64x4xi16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<64x32xf16, #shared>
  %e = tile.alloc : memref<64x4xi16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %a : memref<64x32xf16> to memref<64x32xf16, #shared>
  tile.copy %E[%c0, %c0] to %e : memref<64x4xi16> to memref<64x4xi16, #shared>
  tile.copy %B[%c0, %c0] to %b : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) {clear, transpose_b} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

//--- bytes.mlir
// Bytes: every thread gives a word of its own in each step; metadata is copied to
// registers from global memory.
// WGMMA: wgmma.mma_async.sp.sync.aligned.m64n64k64.s32.s8.u8 {{.*}}, %r[[E0:[0-9]+]], 0, 0;
// WGMMA-NOT: %r[[E0]], 0, 1;
// WGMMA: wgmma.mma_async.sp.sync.aligned.m64n64k64.s32.s8.u8 {{.*}}, 0, 1;
// MMA: mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32
#shared = #gpu.address_space<workgroup>
tile.kernel @bytes(%A: memref<64x64xi8>, %E: memref<64x4xi32>, %B: memref<64x128xi8>, %C: memref<64x64xi32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<64x64xi8, #shared>
  %e = tile.alloc : memref<64x4xi32, #tile.fragment>
  %b = tile.alloc : memref<64x128xi8, #shared>
  %c = tile.alloc : memref<64x64xi32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %a : memref<64x64xi8> to memref<64x64xi8, #shared>
  tile.copy %E[%c0, %c0] to %e : memref<64x4xi32> to memref<64x4xi32, #tile.fragment>
  tile.copy %B[%c0, %c0] to %b : memref<64x128xi8> to memref<64x128xi8, #shared>
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi32, #tile.fragment>) {clear, transpose_b, unsigned_b} : memref<64x64xi8, #shared>, memref<64x128xi8, #shared>, memref<64x64xi32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<64x64xi32, #tile.fragment> to memref<64x64xi32>
}

//--- halves.mlir
// f32: one of two; A comes from registers, and metadata is stored transposed.
#shared = #gpu.address_space<workgroup>
tile.kernel @halves(%A: memref<64x16xf32>, %E: memref<8x64xi8>, %B: memref<64x32xf32>, %C: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<64x16xf32, #tile.fragment>
  %e = tile.alloc : memref<8x64xi8, #shared>
  %b = tile.alloc : memref<64x32xf32, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %a : memref<64x16xf32> to memref<64x16xf32, #tile.fragment>
  tile.copy %E[%c0, %c0] to %e : memref<8x64xi8> to memref<8x64xi8, #shared>
  tile.copy %B[%c0, %c0] to %b : memref<64x32xf32> to memref<64x32xf32, #shared>
  tile.gemm %a, %b, %c metadata(%e : memref<8x64xi8, #shared>) {clear, transpose_b, transpose_metadata} : memref<64x16xf32, #tile.fragment>, memref<64x32xf32, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

//--- unprepared.mlir
// CHECK: expected `metadata` in a fragment, got {{.*}}: run --tile-infer-layouts
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
tile.kernel @unprepared() grid(%bx) = (1) threads(32) {
  %a = tile.alloc layout(#tile.shared_layout<shape [16, 16] bits 16 modes [(16, 1:1), (16, 0:16)]>) : memref<16x16xf16, #shared>
  %e = tile.alloc layout(#tile.shared_layout<shape [16, 2] bits 16 modes [(2, 1:1), (16, 0:2)]>) : memref<16x2xi16, #shared>
  %b = tile.alloc layout(#tile.shared_layout<shape [32, 8] bits 16 modes [(8, 1:1), (32, 0:8)]>) : memref<32x8xf16, #shared>
  %c = tile.alloc layout(#tile.fragment_layout<shape [16, 8] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp []>) : memref<16x8xf32, #tile.fragment>
  tile.gemm %a, %b, %c metadata(%e : memref<16x2xi16, #shared>) {clear, plan = #tile.mma_plan<mma_sp, m = 16, n = 8, k = 32, warps = [1, 1]>} : memref<16x16xf16, #shared>, memref<32x8xf16, #shared>, memref<16x8xf32, #tile.fragment>
}
}
