// Instructions that NVVM has no form for, and what takes their place where they
// are missing: f64 beyond m8n8k4, fp8 into f16, fp8 in steps of 16. Where ptxas
// would make f16 of fp8 (sm_90), we do.
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_120 | FileCheck %s --check-prefixes=CHECK,NEW,WARP
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_90 | FileCheck %s --check-prefixes=CHECK,NEW,UNPACKED
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_80 | FileCheck %s --check-prefixes=CHECK,OLD

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @f64
// NEW:           mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {$0,$1,$2,$3}, {$4,$5,$6,$7,$8,$9,$10,$11}, {$12,$13,$14,$15}, {$16,$17,$18,$19};
// NEW-SAME:      "=d,=d,=d,=d,d,d,d,d,d,d,d,d,d,d,d,d,d,d,d,d"
// NEW-NOT:       nvvm.mma.sync
// OLD:           nvvm.mma.sync {{.*}}#nvvm.shape<m = 8, n = 8, k = 4>
tile.kernel @f64(%A: memref<32x16xf64>, %B: memref<16x32xf64>, %C: memref<32x32xf64>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f64
  %a = tile.alloc : memref<32x16xf64, #shared>
  %b0 = tile.alloc : memref<16x32xf64, #shared>
  %c = tile.alloc : memref<32x32xf64, #tile.fragment>
  tile.copy %A to %a : memref<32x16xf64> to memref<32x16xf64, #shared>
  tile.copy %B to %b0 : memref<16x32xf64> to memref<16x32xf64, #shared>
  tile.fill %c with %zero : memref<32x32xf64, #tile.fragment>, f64
  tile.gemm %a, %b0, %c : memref<32x16xf64, #shared>, memref<16x32xf64, #shared>, memref<32x32xf64, #tile.fragment>
  tile.copy %c to %C : memref<32x32xf64, #tile.fragment> to memref<32x32xf64>
}

// -----
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @f64_k8
// NEW:           mma.sync.aligned.m16n8k8.row.col.f64
tile.kernel @f64_k8(%A: memref<32x8xf64>, %B: memref<8x32xf64>, %C: memref<32x32xf64>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f64
  %a = tile.alloc : memref<32x8xf64, #shared>
  %b0 = tile.alloc : memref<8x32xf64, #shared>
  %c = tile.alloc : memref<32x32xf64, #tile.fragment>
  tile.copy %A to %a : memref<32x8xf64> to memref<32x8xf64, #shared>
  tile.copy %B to %b0 : memref<8x32xf64> to memref<8x32xf64, #shared>
  tile.fill %c with %zero : memref<32x32xf64, #tile.fragment>, f64
  tile.gemm %a, %b0, %c : memref<32x8xf64, #shared>, memref<8x32xf64, #shared>, memref<32x32xf64, #tile.fragment>
  tile.copy %c to %C : memref<32x32xf64, #tile.fragment> to memref<32x32xf64>
}

// -----
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @fp8_f16
// WARP:          mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {$0,$1}, {$2,$3,$4,$5}, {$6,$7}, {$8,$9};
// UNPACKED:      llvm.extractelement %{{.*}} : vector<2xi16>
// UNPACKED:      nvvm.convert.f8x2.to.f16x2 {{.*}}(f8E4M3FN)
// UNPACKED:      nvvm.convert.f8x2.to.f16x2 {{.*}}(f8E5M2)
// UNPACKED:      nvvm.mma.sync {{.*}}#nvvm.shape<m = 16, n = 8, k = 16>{{.*}} -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
// UNPACKED-NOT:  e4m3
// OLD-NOT:       mma.sync
tile.kernel @fp8_f16(%A: memref<32x32xf8E4M3FN>, %B: memref<32x32xf8E5M2>, %C: memref<32x32xf16>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<32x32xf8E4M3FN, #shared>
  %b0 = tile.alloc : memref<32x32xf8E5M2, #shared>
  %c = tile.alloc : memref<32x32xf16, #tile.fragment>
  tile.copy %A to %a : memref<32x32xf8E4M3FN> to memref<32x32xf8E4M3FN, #shared>
  tile.copy %B to %b0 : memref<32x32xf8E5M2> to memref<32x32xf8E5M2, #shared>
  tile.fill %c with %zero : memref<32x32xf16, #tile.fragment>, f16
  tile.gemm %a, %b0, %c {transpose_b} : memref<32x32xf8E4M3FN, #shared>, memref<32x32xf8E5M2, #shared>, memref<32x32xf16, #tile.fragment>
  tile.copy %c to %C : memref<32x32xf16, #tile.fragment> to memref<32x32xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
// A K tile that is an odd multiple of 16.
// CHECK-LABEL: llvm.func @fp8_k48
// WARP-NOT:      m16n8k32
// WARP:          mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32 {$0,$1,$2,$3}, {$4,$5}, {$6}, {$7,$8,$9,$10};
// WARP-NOT:      m16n8k32
// UNPACKED:      nvvm.convert.f8x2.to.f16x2
// UNPACKED:      nvvm.mma.sync {{.*}}#nvvm.shape<m = 16, n = 8, k = 16>{{.*}} -> !llvm.struct<(f32, f32, f32, f32)>
// OLD-NOT:       mma.sync
tile.kernel @fp8_k48(%A: memref<32x48xf8E5M2>, %B: memref<32x48xf8E4M3FN>, %C: memref<32x32xf32>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<32x48xf8E5M2, #shared>
  %b0 = tile.alloc : memref<32x48xf8E4M3FN, #shared>
  %c = tile.alloc : memref<32x32xf32, #tile.fragment>
  tile.copy %A to %a : memref<32x48xf8E5M2> to memref<32x48xf8E5M2, #shared>
  tile.copy %B to %b0 : memref<32x48xf8E4M3FN> to memref<32x48xf8E4M3FN, #shared>
  tile.fill %c with %zero : memref<32x32xf32, #tile.fragment>, f32
  tile.gemm %a, %b0, %c {transpose_b} : memref<32x48xf8E5M2, #shared>, memref<32x48xf8E4M3FN, #shared>, memref<32x32xf32, #tile.fragment>
  tile.copy %c to %C : memref<32x32xf32, #tile.fragment> to memref<32x32xf32>
}

// -----
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @u8_k16
// CHECK-NOT:     shape<m = 16, n = 8, k = 32>
// CHECK:         nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<u8>{{.*}}#nvvm.shape<m = 16, n = 8, k = 16>
tile.kernel @u8_k16(%A: memref<32x16xi8>, %B: memref<32x16xi8>, %C: memref<32x32xi32>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0 : i32
  %a = tile.alloc : memref<32x16xi8, #shared>
  %b0 = tile.alloc : memref<32x16xi8, #shared>
  %c = tile.alloc : memref<32x32xi32, #tile.fragment>
  tile.copy %A to %a : memref<32x16xi8> to memref<32x16xi8, #shared>
  tile.copy %B to %b0 : memref<32x16xi8> to memref<32x16xi8, #shared>
  tile.fill %c with %zero : memref<32x32xi32, #tile.fragment>, i32
  tile.gemm %a, %b0, %c {transpose_b, unsigned_a, unsigned_b} : memref<32x16xi8, #shared>, memref<32x16xi8, #shared>, memref<32x32xi32, #tile.fragment>
  tile.copy %c to %C : memref<32x32xi32, #tile.fragment> to memref<32x32xi32>
}
