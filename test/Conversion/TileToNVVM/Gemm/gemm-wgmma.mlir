// Gemms by warpgroup instructions in PTX, after -O3.
// RUN: split-file %s %t
// RUN: tile-translate %t/sync.mlir --tile-to-ptx --arch=sm_90a --roles=off | FileCheck %t/sync.mlir
// RUN: tile-translate %t/flight.mlir --tile-to-ptx --arch=sm_90a | FileCheck %t/flight.mlir
// RUN: tile-translate %t/registers.mlir --tile-to-ptx --arch=sm_90a | FileCheck %t/registers.mlir
// RUN: tile-translate %t/types.mlir --tile-to-ptx --arch=sm_90a | FileCheck %t/types.mlir
// RUN: tile-translate %t/promote.mlir --tile-to-ptx --arch=sm_90a | FileCheck %t/promote.mlir
// RUN: tile-opt %t/groups.mlir --tile-to-nvvm=arch=sm_90a | FileCheck %t/groups.mlir
// RUN: tile-opt %t/promote-async.mlir --tile-to-nvvm=arch=sm_90a --verify-diagnostics -o /dev/null

//--- sync.mlir
// The ring of cp.async feeds wgmma. One base each of A and B: a k step is 32
// bytes further in A (rows along k) and 16 rows of 128 bytes in B; the second 64
// rows of A are 4 KiB on. Nothing but instructions between fence and wait.
// The loop's first product starts from zero: accumulators are filled nowhere.
// CHECK-LABEL: .entry sync(
// CHECK-NOT:   0f00000000
// CHECK:       setp.ne.b32 keep, %r{{[0-9]+}}, 0;
// CHECK-NEXT:  wgmma.fence.sync.aligned;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{.*}}, [[A:%rd[0-9]+]], [[B:%rd[0-9]+]], keep, 1, 1, 0, 1;
// CHECK-NEXT:  add.s64 da, [[A]], 256;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{.*}}, da, [[B]], keep, 1, 1, 0, 1;
// CHECK-NEXT:  add.s64 da, [[A]], 2;
// CHECK-NEXT:  add.s64 db, [[B]], 128;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{.*}}, da, db, 1, 1, 1, 0, 1;
// CHECK-NEXT:  add.s64 da, [[A]], 258;
// CHECK-NEXT:  add.s64 db, [[B]], 128;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{.*}}, da, db, 1, 1, 1, 0, 1;
// CHECK-NEXT:  wgmma.commit_group.sync.aligned;
// CHECK-NOT:   %
// CHECK:       wgmma.wait_group.sync.aligned 0;
// What was written through the generic proxy is fenced before the barrier.
// CHECK:       cp.async.wait_group 1;
// CHECK-NOT:   bar.sync
// CHECK:       fence.proxy.async.shared::cta;
// CHECK:       bar.sync
// CHECK-NOT:   {{[^a-z]}}mma.sync
#shared = #gpu.address_space<workgroup>
tile.kernel @sync(%A: memref<256x4096xf16> {tile.alignment = 16}, %B: memref<4096x128xf16> {tile.alignment = 16}, %C: memref<256x128xf32> {tile.alignment = 16})
    grid(%bx) = (2) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %K = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %bx, %c128 : index
  %As = tile.alloc layout(#tile.shared_layout<shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)>) : memref<128x32xf16, #shared>
  %Bs = tile.alloc : memref<32x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As {disable_tma} : memref<256x4096xf16> to memref<128x32xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs {disable_tma} : memref<4096x128xf16> to memref<32x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %c0] : memref<128x128xf32, #tile.fragment> to memref<256x128xf32>
}

//--- flight.mlir
// A gemm in flight across iterations: between its fence and the wait that ends
// it no instruction but wgmma names an accumulator, packed halves included.
// CHECK-LABEL: .entry flight(
// CHECK:       wgmma.fence.sync.aligned;
// CHECK:       wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK:       wgmma.commit_group.sync.aligned;
// CHECK-NOT:   {{(mov|cvt|shr|prmt)\.}}
// CHECK:       wgmma.wait_group.sync.aligned 1;
// CHECK-NOT:   {{(mov|cvt|shr|prmt)\.}}
// CHECK:       bra
// CHECK:       wgmma.wait_group.sync.aligned 0;
// CHECK:       wgmma.fence.sync.aligned;
// CHECK:       wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16
// CHECK:       wgmma.commit_group.sync.aligned;
// CHECK-NOT:   {{(mov|cvt|shr|prmt)\.}}
// CHECK:       wgmma.wait_group.sync.aligned 1;
// CHECK-NOT:   {{(mov|cvt|shr|prmt)\.}}
// CHECK:       bra
// CHECK:       wgmma.wait_group.sync.aligned 0;
#shared = #gpu.address_space<workgroup>
tile.kernel @flight(%C: memref<64x64xf32>, %D: memref<64x64xf16>, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zh = arith.constant 0.0 : f16
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %h = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.fill %a with %zh : memref<64x32xf16, #shared>, f16
  tile.fill %b with %zh : memref<32x64xf16, #shared>, f16
  tile.fill %c with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.fill %h with %zh : memref<64x64xf16, #tile.fragment>, f16
  %done = tile.token.done
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %done) -> (!tile.token) {
    %t = tile.gemm %a, %b, %c : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
    tile.await %before
    scf.yield %t : !tile.token
  }
  tile.await %last
  %last2 = scf.for %i = %c0 to %n step %c1 iter_args(%before = %done) -> (!tile.token) {
    %t = tile.gemm %a, %b, %h : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf16, #tile.fragment> -> !tile.token
    tile.await %before
    scf.yield %t : !tile.token
  }
  tile.await %last2
  tile.copy %c to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.copy %h to %D : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
}

//--- registers.mlir
// The accumulator of one gemm is operand A of the next: cast in registers, no
// shared memory between them.
// CHECK-LABEL: .entry registers(
// CHECK:       wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1, 0, 0;
// CHECK:       wgmma.wait_group.sync.aligned 0;
// CHECK-NOT:   {{(st|ld)}}.shared
// CHECK-NOT:   shfl
// CHECK-NOT:   bar.sync
// CHECK:       wgmma.fence.sync.aligned;
// CHECK-NEXT:  wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, 0, 1, 1, 1;
// CHECK-COUNT-3: wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {{.*}}}, db, 1, 1, 1, 1;
// CHECK-NEXT:  wgmma.commit_group.sync.aligned;
#shared = #gpu.address_space<workgroup>
tile.kernel @registers(%Q: memref<64x32xf16>, %K: memref<64x32xf16>, %V: memref<64x32xf16>, %O: memref<64x32xf32>) grid(%bx) = (1) threads(128) {
  %q = tile.alloc : memref<64x32xf16, #shared>
  %k = tile.alloc : memref<64x32xf16, #shared>
  %v = tile.alloc : memref<64x32xf16, #shared>
  %s = tile.alloc : memref<64x64xf32, #tile.fragment>
  %p = tile.alloc : memref<64x64xf16, #tile.fragment>
  %o = tile.alloc : memref<64x32xf32, #tile.fragment>
  tile.copy %Q to %q {disable_tma} : memref<64x32xf16> to memref<64x32xf16, #shared>
  tile.copy %K to %k {disable_tma} : memref<64x32xf16> to memref<64x32xf16, #shared>
  tile.copy %V to %v {disable_tma} : memref<64x32xf16> to memref<64x32xf16, #shared>
  tile.gemm %q, %k, %s {transpose_b, clear} : memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %s to %p : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #tile.fragment>
  tile.gemm %p, %v, %o {clear} : memref<64x64xf16, #tile.fragment>, memref<64x32xf16, #shared>, memref<64x32xf32, #tile.fragment>
  tile.copy %o to %O : memref<64x32xf32, #tile.fragment> to memref<64x32xf32>
}

//--- types.mlir
// Each type's operands: scales for floats, transposes for 16 bits only.
// CHECK: .version 8.4
// CHECK-LABEL: .entry types(
// CHECK: wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1;
// CHECK: wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2 {%r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1;
// CHECK: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0;
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1, 1, 1;
#shared = #gpu.address_space<workgroup>
tile.kernel @types(%C: memref<64x8xf32>, %D: memref<64x8xf16>, %E: memref<64x8xi32>, %F: memref<64x8xf32>) grid(%bx) = (1) threads(128) {
  %a0 = tile.alloc : memref<64x8xf32, #shared>
  %b0 = tile.alloc : memref<8x8xf32, #shared>
  %c0 = tile.alloc : memref<64x8xf32, #tile.fragment>
  tile.gemm %a0, %b0, %c0 {transpose_b, clear} : memref<64x8xf32, #shared>, memref<8x8xf32, #shared>, memref<64x8xf32, #tile.fragment>
  tile.copy %c0 to %C : memref<64x8xf32, #tile.fragment> to memref<64x8xf32>
  %a1 = tile.alloc : memref<64x32xf8E4M3FN, #shared>
  %b1 = tile.alloc : memref<8x32xf8E5M2, #shared>
  %c1 = tile.alloc : memref<64x8xf16, #tile.fragment>
  tile.gemm %a1, %b1, %c1 {transpose_b, clear} : memref<64x32xf8E4M3FN, #shared>, memref<8x32xf8E5M2, #shared>, memref<64x8xf16, #tile.fragment>
  tile.copy %c1 to %D : memref<64x8xf16, #tile.fragment> to memref<64x8xf16>
  %a2 = tile.alloc : memref<64x32xi8, #shared>
  %b2 = tile.alloc : memref<8x32xi8, #shared>
  %c2 = tile.alloc : memref<64x8xi32, #tile.fragment>
  tile.gemm %a2, %b2, %c2 {transpose_b, clear, unsigned_b} : memref<64x32xi8, #shared>, memref<8x32xi8, #shared>, memref<64x8xi32, #tile.fragment>
  tile.copy %c2 to %E : memref<64x8xi32, #tile.fragment> to memref<64x8xi32>
  %a3 = tile.alloc : memref<16x64xbf16, #shared>
  %b3 = tile.alloc : memref<16x8xbf16, #shared>
  %c3 = tile.alloc : memref<64x8xf32, #tile.fragment>
  tile.gemm %a3, %b3, %c3 {transpose_a, clear} : memref<16x64xbf16, #shared>, memref<16x8xbf16, #shared>, memref<64x8xf32, #tile.fragment>
  tile.copy %c3 to %F : memref<64x8xf32, #tile.fragment> to memref<64x8xf32>
}

//--- promote.mlir
// Partial sums of 64 elements of K start from zero and are added by FADD.
// CHECK-LABEL: .entry promote(
// CHECK:      wgmma.fence.sync.aligned;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {{.*}}, 0, 1, 1;
// CHECK-NEXT: add.s64
// CHECK-NEXT: add.s64
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {{.*}}, 1, 1, 1;
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK-NEXT: wgmma.wait_group.sync.aligned 0;
// CHECK:      wgmma.fence.sync.aligned;
// CHECK:      wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {{.*}}, 0, 1, 1;
// CHECK:      wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {{.*}}, 1, 1, 1;
// CHECK-NOT:  wgmma.mma_async
// CHECK-COUNT-4: add.rn.f32
#shared = #gpu.address_space<workgroup>
tile.kernel @promote(%C: memref<64x8xf32>) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x128xf8E4M3FN, #shared>
  %b = tile.alloc : memref<8x128xf8E4M3FN, #shared>
  %c = tile.alloc : memref<64x8xf32, #tile.fragment>
  tile.gemm %a, %b, %c {transpose_b, clear, promote_every = 64 : i64} : memref<64x128xf8E4M3FN, #shared>, memref<8x128xf8E4M3FN, #shared>, memref<64x8xf32, #tile.fragment>
  tile.copy %c to %C : memref<64x8xf32, #tile.fragment> to memref<64x8xf32>
}

//--- promote-async.mlir
#shared = #gpu.address_space<workgroup>
tile.kernel @promote(%C: memref<64x8xf32>) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x128xf8E4M3FN, #shared>
  %b = tile.alloc : memref<8x128xf8E4M3FN, #shared>
  %c = tile.alloc : memref<64x8xf32, #tile.fragment>
  // expected-error @below {{expected a gemm without token with `promote_every`: each partial sum is waited for}}
  %t = tile.gemm %a, %b, %c {transpose_b, clear, promote_every = 64 : i64} : memref<64x128xf8E4M3FN, #shared>, memref<8x128xf8E4M3FN, #shared>, memref<64x8xf32, #tile.fragment> -> !tile.token
  tile.await %t
  tile.copy %c to %C : memref<64x8xf32, #tile.fragment> to memref<64x8xf32>
}

//--- groups.mlir
// 2 x 2 warpgroups: which one is asked of lane 0, so that descriptors are the
// same in all lanes, and once: no shuffle in the loop.
// CHECK-LABEL: llvm.func @groups
// CHECK:     %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK:     llvm.cond_br
// CHECK-NOT: nvvm.shfl
// CHECK:     llvm.udiv %[[WARP]]
// CHECK:     llvm.inline_asm has_side_effects {{.*}}wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK-SAME: ~{memory}
// CHECK-NOT: nvvm.shfl
#shared = #gpu.address_space<workgroup>
tile.kernel @groups(%C: memref<128x128xf32>, %n: index) grid(%bx) = (1) threads(512) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %c with %zero : memref<128x128xf32, #tile.fragment>, f32
  scf.for %i = %c0 to %n step %c1 {
    tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 2]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %c to %C : memref<128x128xf32, #tile.fragment> to memref<128x128xf32>
}
