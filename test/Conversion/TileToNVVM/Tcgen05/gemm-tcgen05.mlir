// Gemms into tensor memory in PTX, after -O3.
// RUN: split-file %s %t
// RUN: sed 's/, persistent = 1 : i64//' %tile_src/examples/gemm_hopper.mlir | tile-translate --tile-to-ptx --arch=sm_100a | FileCheck %t/roles.mlir
// RUN: tile-translate %tile_src/examples/gemm_hopper.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/turns.mlir
// RUN: tile-translate %t/sync.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/sync.mlir
// RUN: tile-translate %t/half.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/half.mlir
// RUN: tile-translate %t/store.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/store.mlir
// RUN: tile-translate %t/chained.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/chained.mlir
// RUN: tile-translate %t/kinds.mlir --tile-to-ptx --arch=sm_100a | FileCheck %t/kinds.mlir

//--- roles.mlir
// The plain program of examples/gemm_hopper.mlir, not persistent: the blocks of
// a cluster share one operand, and release its slots to both. One warp allocates, another
// role's one thread loads, one thread multiplies and commits to the ring, and
// everybody reads the result behind the loop.
// CHECK-LABEL: .entry gemm_hopper(
// CHECK-NOT:   mma.sync
// CHECK:       tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{{.*}}], %r{{[0-9]+}};
// CHECK-SAME:  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
// CHECK:       tcgen05.fence::before_thread_sync;
// CHECK:       {{bar|barrier}}.sync
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       setmaxnreg.dec
// CHECK:       mbarrier.try_wait.parity
// CHECK:       cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK:       setmaxnreg.inc
// CHECK:       mbarrier.try_wait.parity
// CHECK:       mov.b32 id, [[ID:[0-9]+]];
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, old;
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, yes;
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, yes;
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, yes;
// CHECK-NOT:   tcgen05.mma
// CHECK:       tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
// CHECK:       tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
// CHECK:       mbarrier.try_wait.parity
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       tcgen05.ld.sync.aligned.32x32b.x64.b32
// CHECK:       tcgen05.wait::ld.sync.aligned;
// CHECK:       tcgen05.fence::before_thread_sync;
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       tcgen05.fence::before_thread_sync;
// The first warp's number is read again: it would take a register all the time.
// CHECK:       {{bar|barrier}}.sync
// CHECK:       shfl.sync.idx
// CHECK:       tcgen05.dealloc.cta_group::1.sync.aligned.b32

//--- turns.mlir
// Persistent as it is: a third role. Who multiplies waits for operands and for one
// of two accumulators, by its parity, and for no result.
// CHECK-LABEL: .entry gemm_hopper(
// CHECK:       mov.b32 %r{{[0-9]+}}, 512;
// CHECK:       tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32
// CHECK:       setmaxnreg.dec
// CHECK:       cp.async.bulk.tensor.2d.shared::cluster.global
// The epilogue gives the accumulator back before it stores.
// CHECK:       setmaxnreg.inc
// CHECK:       mbarrier.try_wait.parity
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       tcgen05.ld.sync.aligned.32x32b.x64.b32
// CHECK:       tcgen05.wait::ld.sync.aligned;
// CHECK:       tcgen05.fence::before_thread_sync;
// CHECK:       bar.warp.sync
// CHECK:       mbarrier.arrive.shared::cta.b64 _
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, old;
// CHECK-COUNT-3: tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, yes;
// Blocks share what they load: a slot is empty when the gemms of both have read it.
// CHECK:       tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
// CHECK:       tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
// CHECK-NOT:   tcgen05.ld
// CHECK:       tcgen05.dealloc.cta_group::1.sync.aligned.b32

//--- sync.mlir
// Without a loop: the first product ignores what is there, the result is waited
// for; m128n64k16 of f16, both along k: 1 << 4 | 64 / 8 << 17 | 128 / 16 << 24.
// CHECK-LABEL: .entry sync(
// CHECK:       mov.b32 id, 135266320;
// CHECK:       setp.eq.b32 old, id, 0;
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, old;
// CHECK:       add.s64 da, %rd{{[0-9]+}}, 2;
// CHECK-NEXT:  add.s64 db, %rd{{[0-9]+}}, 2;
// CHECK-NEXT:  tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, yes;
// CHECK-NOT:   tcgen05.mma
// CHECK:       tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
// CHECK:       mbarrier.try_wait.parity
// CHECK:       tcgen05.ld.sync.aligned.32x32b.x64.b32
#shared = #gpu.address_space<workgroup>
tile.kernel @sync(%A: memref<128x32xf16> {tile.alignment = 16}, %B: memref<64x32xf16> {tile.alignment = 16}, %C: memref<128x64xf32> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) {
  %As = tile.alloc : memref<128x32xf16, #shared>
  %Bs = tile.alloc : memref<64x32xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A to %As : memref<128x32xf16> to memref<128x32xf16, #shared>
  tile.copy %B to %Bs : memref<64x32xf16> to memref<64x32xf16, #shared>
  tile.gemm %As, %Bs, %acc {clear, transpose_b} : memref<128x32xf16, #shared>, memref<64x32xf16, #shared>, memref<128x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<128x64xf32, #tile.fragment> to memref<128x64xf32>
}

//--- half.mlir
// 64 rows, read 16 lanes a warp.
// CHECK-LABEL: .entry half(
// CHECK:       tcgen05.ld.sync.aligned.16x256b.x8.b32
// CHECK-NOT:   tcgen05.ld.sync.aligned.32x32b
#shared = #gpu.address_space<workgroup>
tile.kernel @half(%A: memref<64x32xf16> {tile.alignment = 16}, %B: memref<64x32xf16> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) {
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<64x32xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A to %As : memref<64x32xf16> to memref<64x32xf16, #shared>
  tile.copy %B to %Bs : memref<64x32xf16> to memref<64x32xf16, #shared>
  tile.gemm %As, %Bs, %acc {clear, transpose_b} : memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

//--- store.mlir
// The accumulator starts from a residual: it is stored, fenced and met for.
// CHECK-LABEL: .entry store(
// CHECK:       tcgen05.st.sync.aligned.32x32b.x64.b32
// CHECK:       tcgen05.wait::st.sync.aligned;
// CHECK:       tcgen05.fence::before_thread_sync;
// CHECK:       {{bar|barrier}}.sync
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       setp.ne.b32 old, id, 0;
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, old;
#shared = #gpu.address_space<workgroup>
tile.kernel @store(%A: memref<128x16xf16> {tile.alignment = 16}, %B: memref<64x16xf16> {tile.alignment = 16}, %C: memref<128x64xf32> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) {
  %As = tile.alloc : memref<128x16xf16, #shared>
  %Bs = tile.alloc : memref<64x16xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A to %As : memref<128x16xf16> to memref<128x16xf16, #shared>
  tile.copy %B to %Bs : memref<64x16xf16> to memref<64x16xf16, #shared>
  tile.copy %C to %acc : memref<128x64xf32> to memref<128x64xf32, #tile.fragment>
  tile.gemm %As, %Bs, %acc {transpose_b} : memref<128x16xf16, #shared>, memref<64x16xf16, #shared>, memref<128x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<128x64xf32, #tile.fragment> to memref<128x64xf32>
}

//--- chained.mlir
// The second of two gemms reads A from tensor memory: what threads computed from
// the first result goes there, two elements a column, without leaving its row.
// CHECK-LABEL: .entry chained(
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], da, db, id, old;
// CHECK:       tcgen05.ld.sync.aligned.32x32b.x64.b32
// CHECK-NOT:   st.shared
// CHECK-NOT:   mma.sync
// CHECK:       tcgen05.st.sync.aligned.32x32b.x32.b32 [ta], {
// CHECK:       tcgen05.wait::st.sync.aligned;
// CHECK:       tcgen05.fence::before_thread_sync;
// CHECK:       {{bar|barrier}}.sync
// CHECK:       tcgen05.fence::after_thread_sync;
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], [da], db, id, old;
// CHECK:       add.u32 da, %r{{[0-9]+}}, [[C:[0-9]+]];
// CHECK:       tcgen05.mma.cta_group::1.kind::f16 [d], [da], db, id, yes;
#shared = #gpu.address_space<workgroup>
tile.kernel @chained(%A: memref<128x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %D: memref<64x64xf16> {tile.alignment = 16}, %C: memref<128x64xf32> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) {
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %Ds = tile.alloc : memref<64x64xf16, #shared>
  %s = tile.alloc : memref<128x64xf32, #tile.fragment>
  %p = tile.alloc : memref<128x64xf16, #tile.fragment>
  %o = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A to %As : memref<128x64xf16> to memref<128x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %D to %Ds : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.gemm %As, %Bs, %s {clear} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  tile.copy %s to %p : memref<128x64xf32, #tile.fragment> to memref<128x64xf16, #tile.fragment>
  tile.gemm %p, %Ds, %o {clear} : memref<128x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  tile.copy %o to %C : memref<128x64xf32, #tile.fragment> to memref<128x64xf32>
}

//--- kinds.mlir
// CHECK-LABEL: .entry fp8(
// CHECK:       tcgen05.mma.cta_group::1.kind::f8f6f4 [d], da, db, id, old;
// CHECK-LABEL: .entry bytes(
// CHECK:       tcgen05.mma.cta_group::1.kind::i8 [d], da, db, id, old;
// CHECK-LABEL: .entry tf32(
// CHECK:       tcgen05.mma.cta_group::1.kind::tf32 [d], da, db, id, old;
#shared = #gpu.address_space<workgroup>
tile.kernel @fp8(%A: memref<128x32xf8E4M3FN> {tile.alignment = 16}, %B: memref<64x32xf8E5M2> {tile.alignment = 16}, %C: memref<128x64xf32> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) {
  %As = tile.alloc : memref<128x32xf8E4M3FN, #shared>
  %Bs = tile.alloc : memref<64x32xf8E5M2, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A to %As : memref<128x32xf8E4M3FN> to memref<128x32xf8E4M3FN, #shared>
  tile.copy %B to %Bs : memref<64x32xf8E5M2> to memref<64x32xf8E5M2, #shared>
  tile.gemm %As, %Bs, %acc {clear, transpose_b} : memref<128x32xf8E4M3FN, #shared>, memref<64x32xf8E5M2, #shared>, memref<128x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<128x64xf32, #tile.fragment> to memref<128x64xf32>
}
tile.kernel @bytes(%A: memref<128x32xi8> {tile.alignment = 16}, %B: memref<64x32xi8> {tile.alignment = 16}, %C: memref<128x64xi32> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) {
  %As = tile.alloc : memref<128x32xi8, #shared>
  %Bs = tile.alloc : memref<64x32xi8, #shared>
  %acc = tile.alloc : memref<128x64xi32, #tile.fragment>
  tile.copy %A to %As : memref<128x32xi8> to memref<128x32xi8, #shared>
  tile.copy %B to %Bs : memref<64x32xi8> to memref<64x32xi8, #shared>
  tile.gemm %As, %Bs, %acc {clear, transpose_b} : memref<128x32xi8, #shared>, memref<64x32xi8, #shared>, memref<128x64xi32, #tile.fragment>
  tile.copy %acc to %C : memref<128x64xi32, #tile.fragment> to memref<128x64xi32>
}
tile.kernel @tf32(%A: memref<128x32xf32> {tile.alignment = 16}, %B: memref<64x32xf32> {tile.alignment = 16}, %C: memref<128x64xf32> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) {
  %As = tile.alloc : memref<128x32xf32, #shared>
  %Bs = tile.alloc : memref<64x32xf32, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A to %As : memref<128x32xf32> to memref<128x32xf32, #shared>
  tile.copy %B to %Bs : memref<64x32xf32> to memref<64x32xf32, #shared>
  tile.gemm %As, %Bs, %acc {clear, transpose_b} : memref<128x32xf32, #shared>, memref<64x32xf32, #shared>, memref<128x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<128x64xf32, #tile.fragment> to memref<128x64xf32>
}
