// How long the L2 cache keeps what threads move: loads and stores take a policy
// as tensor copies do (PTX ISA, "createpolicy"). cp.async does by PTX, but ptxas
// of CUDA 13.0 to 13.3 forgets to load the policy: an illegal instruction.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 --remarks -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.ptx
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=TMA

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: .entry hinted
// CHECK:       cp.async.cg.shared.global [%rd{{[0-9]+}}], [%rd{{[0-9]+}}], 16;
// CHECK:       createpolicy.fractional.L2::evict_last.b64 [[LAST:%rd[0-9]+]], 1.0;
// CHECK:       st.global.L2::cache_hint.{{b32|b64|v2.b64}} {{.*}}, [[LAST]];
// CHECK-NOT:   st.global.b
// CHECK:       ret;
// TMA-LABEL:   .entry hinted
// TMA:         cp.async.bulk.tensor.{{.*}}L2::cache_hint
// TMA:         L2::cache_hint
tile.kernel @hinted(%A: memref<4096x4096xf16> {tile.alignment = 16}, %Y: memref<4096x4096xf16> {tile.alignment = 16}) grid(%b) = (64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %b, %c64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  // REMARK: eviction_policy` has no effect: ptxas (13.0 to 13.3) makes cp.async with a policy an illegal instruction
  tile.copy %A[%m, %c0] to %s {eviction_policy = #tile.eviction_policy<first>} : memref<4096x4096xf16> to memref<64x64xf16, #shared>
  // REMARK: eviction_policy` has no effect: nothing passes the L2 cache
  tile.copy %s to %f {eviction_policy = #tile.eviction_policy<first>} : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  tile.copy %f to %Y[%m, %c0] {eviction_policy = #tile.eviction_policy<last>} : memref<64x64xf16, #tile.fragment> to memref<4096x4096xf16>
}

// Every width, where rows overhang too.
// CHECK-LABEL: .entry widths
// CHECK:       ld.global.L2::cache_hint.b8
// CHECK:       st.global.L2::cache_hint.b8
// CHECK:       ld.global.L2::cache_hint.v2.b64
// CHECK:       st.global.L2::cache_hint.v2.b64
// CHECK-NOT:   cp.async.{{.*}}L2::cache_hint
// CHECK:       cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], {{4|8}}
tile.kernel @widths(%A: memref<?x?xi8>, %B: memref<?x?xi8>, %C: memref<128x64xf32> {tile.alignment = 16}, %D: memref<128x64xf32> {tile.alignment = 16}, %E: memref<?x62xf32> {tile.alignment = 8}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<32x64xi8, #tile.fragment>
  %g = tile.alloc : memref<128x64xf32, #tile.fragment>
  %s = tile.alloc : memref<32x64xf32, #shared>
  tile.copy %A[%c0, %c0] to %f {eviction_policy = #tile.eviction_policy<first>} : memref<?x?xi8> to memref<32x64xi8, #tile.fragment>
  tile.copy %f to %B[%c0, %c0] {eviction_policy = #tile.eviction_policy<last>} : memref<32x64xi8, #tile.fragment> to memref<?x?xi8>
  tile.copy %C to %g {eviction_policy = #tile.eviction_policy<first>} : memref<128x64xf32> to memref<128x64xf32, #tile.fragment>
  tile.copy %g to %D {eviction_policy = #tile.eviction_policy<first>} : memref<128x64xf32, #tile.fragment> to memref<128x64xf32>
  tile.copy %E[%c0, %c0] to %s {eviction_policy = #tile.eviction_policy<first>} : memref<?x62xf32> to memref<32x64xf32, #shared>
  tile.copy %s to %D[%c0, %c0] : memref<32x64xf32, #shared> to memref<128x64xf32>
}

// Rows that start anywhere: aligned pieces that are shifted into place.
// CHECK-LABEL: .entry realigned
// CHECK:       ld.global.L2::cache_hint.v4.b32
// CHECK-NOT:   ld.global.v4.b32
// CHECK:       ret;
tile.kernel @realigned(%A: memref<4096x4095xi8>, %Y: memref<4096x4096xi8> {tile.alignment = 16}) grid(%b) = (64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %b, %c64 : index
  %s = tile.alloc : memref<64x64xi8, #shared>
  tile.copy %A[%m, %c0] to %s {eviction_policy = #tile.eviction_policy<first>} : memref<4096x4095xi8> to memref<64x64xi8, #shared>
  tile.copy %s to %Y[%m, %c0] : memref<64x64xi8, #shared> to memref<4096x4096xi8>
}
