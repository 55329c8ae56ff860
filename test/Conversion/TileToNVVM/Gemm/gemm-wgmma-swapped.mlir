// Gemms of few rows by wgmma with swapped operands, in PTX: the first descriptor
// is that of the gemm's B, 64 of its columns; the second that of A, all rows.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --roles=off | FileCheck %s
#shared = #gpu.address_space<workgroup>

// Both along k in rows of 128 bytes: a step of k is 32 bytes further.
// CHECK-LABEL: .entry rows(
// CHECK:       wgmma.fence.sync.aligned;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {{[{](%r[0-9]+, ){7}%r[0-9]+[}]}}, [[B:%rd[0-9]+]], [[A:%rd[0-9]+]], 0, 1, 1, 0, 0;
// CHECK-NEXT:  add.s64 da, [[B]], 2;
// CHECK-NEXT:  add.s64 db, [[A]], 2;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {{.*}}, da, db, 1, 1, 1, 0, 0;
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {{.*}}, da, db, 1, 1, 1, 0, 0;
// CHECK-NEXT:  wgmma.commit_group.sync.aligned;
// CHECK:       wgmma.wait_group.sync.aligned 0;
// CHECK-NOT:   {{[^a-z]}}mma.sync
tile.kernel @rows(%C: memref<16x128xf32>) grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<16x64xf16, #shared>
  %b = tile.alloc : memref<128x64xf16, #shared>
  %c = tile.alloc : memref<16x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c {transpose_b, clear} : memref<16x64xf16, #shared>, memref<128x64xf16, #shared>, memref<16x128xf32, #tile.fragment>
  tile.copy %c to %C : memref<16x128xf32, #tile.fragment> to memref<16x128xf32>
}

// A along m in rows of 32 bytes, B along n in rows of 128: a step of k is 16
// rows further. Both transposed.
// CHECK-LABEL: .entry columns(
// CHECK:       wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {{.*}}, [[B:%rd[0-9]+]], [[A:%rd[0-9]+]], 0, 1, 1, 1, 1;
// CHECK-NEXT:  add.s64 da, [[B]], 128;
// CHECK-NEXT:  add.s64 db, [[A]], 32;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {{.*}}, da, db, 1, 1, 1, 1, 1;
tile.kernel @columns(%C: memref<16x128xf32>) grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<64x16xbf16, #shared>
  %b = tile.alloc : memref<64x128xbf16, #shared>
  %c = tile.alloc : memref<16x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c {transpose_a, clear} : memref<64x16xbf16, #shared>, memref<64x128xbf16, #shared>, memref<16x128xf32, #tile.fragment>
  tile.copy %c to %C : memref<16x128xf32, #tile.fragment> to memref<16x128xf32>
}

// One of each way, and one warpgroup, which repeats the instruction over the
// columns: 64 of them are a panel of 32 rows.
// CHECK-LABEL: .entry repeats(
// CHECK:       wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {{[{]%r[0-9]+, %r[0-9]+[}]}}, [[B:%rd[0-9]+]], [[A:%rd[0-9]+]], 0, 1, 1, 1, 0;
// CHECK-NEXT:  add.s64 da, [[B]], 256;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {{.*}}, da, [[A]], 0, 1, 1, 1, 0;
// CHECK-NEXT:  add.s64 da, [[B]], 128;
// CHECK-NEXT:  add.s64 db, [[A]], 2;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {{.*}}, da, db, 1, 1, 1, 1, 0;
tile.kernel @repeats(%C: memref<8x128xf16>) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<8x32xf16, #shared>
  %b = tile.alloc : memref<32x128xf16, #shared>
  %c = tile.alloc : memref<8x128xf16, #tile.fragment>
  tile.gemm %a, %b, %c {clear} : memref<8x32xf16, #shared>, memref<32x128xf16, #shared>, memref<8x128xf16, #tile.fragment>
  tile.copy %c to %C : memref<8x128xf16, #tile.fragment> to memref<8x128xf16>
}

// The types of the instruction are exchanged with the operands.
// CHECK-LABEL: .entry types(
// CHECK: wgmma.mma_async.sync.aligned.m64n16k32.f32.e5m2.e4m3 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1;
// CHECK: wgmma.mma_async.sync.aligned.m64n24k32.s32.u8.s8 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0;
// CHECK: wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1;
tile.kernel @types(%C: memref<16x64xf32>, %D: memref<24x64xi32>, %E: memref<8x64xf32>) grid(%bx) = (1) threads(128) {
  %a0 = tile.alloc : memref<16x32xf8E4M3FN, #shared>
  %b0 = tile.alloc : memref<64x32xf8E5M2, #shared>
  %c0 = tile.alloc : memref<16x64xf32, #tile.fragment>
  tile.gemm %a0, %b0, %c0 {transpose_b, clear} : memref<16x32xf8E4M3FN, #shared>, memref<64x32xf8E5M2, #shared>, memref<16x64xf32, #tile.fragment>
  tile.copy %c0 to %C : memref<16x64xf32, #tile.fragment> to memref<16x64xf32>
  %a1 = tile.alloc : memref<24x32xi8, #shared>
  %b1 = tile.alloc : memref<64x32xi8, #shared>
  %c1 = tile.alloc : memref<24x64xi32, #tile.fragment>
  tile.gemm %a1, %b1, %c1 {transpose_b, clear, unsigned_b} : memref<24x32xi8, #shared>, memref<64x32xi8, #shared>, memref<24x64xi32, #tile.fragment>
  tile.copy %c1 to %D : memref<24x64xi32, #tile.fragment> to memref<24x64xi32>
  %a2 = tile.alloc : memref<8x8xf32, #shared>
  %b2 = tile.alloc : memref<64x8xf32, #shared>
  %c2 = tile.alloc : memref<8x64xf32, #tile.fragment>
  tile.gemm %a2, %b2, %c2 {transpose_b, clear} : memref<8x8xf32, #shared>, memref<64x8xf32, #shared>, memref<8x64xf32, #tile.fragment>
  tile.copy %c2 to %E : memref<8x64xf32, #tile.fragment> to memref<8x64xf32>
}
