// Copies by the asynchronous proxy: one thread issues boxes of a tensor map, or
// one run of bytes; a load completes on the mbarrier of its slot.
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-count-arrivals --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-count-arrivals --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | sed 's/\\0A *//g; s/\\22//g' | FileCheck %s --check-prefix=MAP
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-count-arrivals --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | tile-translate - --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=PTX
#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#panels = #tile.shared_layout<shape [64, 256] bits 16 modes [(64, 1:1), (64, 0:64), (4, 1:4096)] swizzle(3, 4, 3)>
#narrow = #tile.shared_layout<shape [64, 48] bits 16 modes [(16, 1:1), (64, 0:16), (3, 1:1024)] swizzle(1, 4, 3)>
#plain = #tile.shared_layout<shape [32, 24] bits 16 modes [(24, 1:1), (32, 0:24)]>
#fragment = #tile.fragment_layout<shape [128, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16), (2, 0:64)]>
#vector = #tile.shared_layout<shape [2048] bits 16 modes [(2048, 0:1)]>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x256xf16, #shared>], tma -> threads>
!one = !tile.ring<1 x [memref<128x64xf16, #shared>, memref<64x256xf16, #shared>], tma -> threads>

// All bytes of a slot are announced before its copies: 16384 of A, and 32768 of B
// in four panels. The maps are parameters behind the arguments, and prefetched.
// CHECK-LABEL: llvm.func @load
// CHECK-SAME:    %[[MAPA:arg[0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    %[[MAPB:arg[0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK:         nvvm.prefetch tensormap, %[[MAPA]]
// CHECK:         nvvm.prefetch tensormap, %[[MAPB]]
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(16384 : i32)
// CHECK-NEXT:    nvvm.mbarrier.expect_tx %{{.*}}, %[[BYTES]] : !llvm.ptr<3>, i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAPA]], %{{.*}}, box[%{{.*}}, %{{.*}}] : !llvm.ptr<7>, !llvm.ptr
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(32768 : i32)
// CHECK-NEXT:    nvvm.mbarrier.expect_tx %{{.*}}, %[[BYTES]]
// CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAPB]]
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// CHECK-NOT:     nvvm.cp.async.shared
//
// Static extents and strides are numbers; the box is what fills a swizzled row.
// MAP-LABEL: llvm.func @load
// MAP-SAME:    {kind: tensor_map,map: 0},{kind: tensor_map,map: 1}
// MAP-SAME:    dims: [4096,4096],strides: [8192],box: [64,128],{{[^}]*}}swizzle: 128B,l2_promotion: 128B
// MAP-SAME:    box: [64,64],
//
// PTX-LABEL: .entry load(
// PTX:         .param .align 64 .b8 load_param_2[128]
// PTX:         prefetch.tensormap
// PTX:         mbarrier.expect_tx.relaxed.cta.shared{{(::cta)?}}.b64
// PTX:         cp.async.bulk.tensor.2d.shared::cluster.global{{(.tile)?}}.mbarrier::complete_tx::bytes
// PTX-NOT:     .multicast
// PTX-NOT:     .L2::cache_hint
// PTX:         ret;
tile.kernel @load(%A: memref<4096x4096xf16> {tile.alignment = 16}, %B: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx, %by) = (4, 4) threads(128) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %ring = tile.ring.create layouts([#rows, #panels]) : !ring
  %a, %b = tile.ring.acquire %ring[%c0] : !ring
  tile.copy %A[%m, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<4096x4096xf16> to memref<128x64xf16, #shared>
  tile.copy %B[%c0, %m] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<4096x4096xf16> to memref<64x256xf16, #shared>
  tile.ring.commit %ring[%c0] : !ring
  %x, %y = tile.ring.wait %ring[%c0] : !ring
  tile.ring.release %ring[%c0] : !ring
}

// Two blocks share a copy: each moves two of the four boxes into both, and both
// expect all of it. The policy of the L2 cache is an operand.
// CHECK-LABEL: llvm.func @multicast
// CHECK:         mbarrier.try_wait
// CHECK:         llvm.cond_br {{.*}}
// CHECK-NEXT:    ^bb
// CHECK-NEXT:    %[[BYTES:.*]] = llvm.mlir.constant(32768 : i32)
// CHECK-NEXT:    nvvm.mbarrier.expect_tx %{{.*}}, %[[BYTES]]
// CHECK:         llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_last.b64 $0, 1.0;"
// CHECK:         %[[MASK:.*]] = llvm.mlir.constant(3 : i16)
// CHECK:         nvvm.read.ptx.sreg.cluster.ctarank
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}multicast_mask = %[[MASK]] l2_cache_hint = %{{.*}}
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// MAP-LABEL: llvm.func @multicast
// MAP-SAME:    box: [64,64],
// PTX-LABEL: .entry multicast(
// PTX:         cp.async.bulk.tensor.2d.shared::cluster.global{{(.tile)?}}.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint
tile.kernel @multicast(%B: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx, %by) = (4, 4) threads(128) cluster(2, 1) {
  %c0 = arith.constant 0 : index
  %ring = tile.ring.create layouts([#panels]) {peers = 2} : !tile.ring<1 x [memref<64x256xf16, #shared>], tma -> threads>
  %b = tile.ring.acquire %ring[%c0] : !tile.ring<1 x [memref<64x256xf16, #shared>], tma -> threads>
  tile.copy %B[%c0, %c0] to %b {eviction_policy = #tile.eviction_policy<last>} decided {plan = #tile.copy_plan<tma, bytes = 2>, multicast = 2} : memref<4096x4096xf16> to memref<64x256xf16, #shared>
  tile.ring.commit %ring[%c0] : !tile.ring<1 x [memref<64x256xf16, #shared>], tma -> threads>
}

// Four blocks, two by two: the blocks of a row of the cluster share A, those of a
// column B. A row's mask is moved by the rank of its first block, a column's by
// the place along x; each block expects all of both, and moves the half that its
// place along the other dimension says: 64 rows of A, two of the four panels of B.
// CHECK-LABEL: llvm.func @square
// CHECK-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}multicast_mask
// PTX-LABEL: .entry square(
// PTX:         mov.b32 %[[ABYTES:r[0-9]+]], 16384;
// PTX-NEXT:    mbarrier.expect_tx.relaxed.cta.shared.b64 [tile_shared_arena+49152], %[[ABYTES]];
// PTX:         mov.u32 %[[RANK:r[0-9]+]], %cluster_ctarank;
// PTX:         and.b32 %[[ROW:r[0-9]+]], %[[RANK]], -2;
// PTX:         mov.b32 %[[ROWBITS:r[0-9]+]], 3;
// PTX:         shl.b32 %[[ROWSHIFTED:r[0-9]+]], %[[ROWBITS]], %[[ROW]];
// PTX:         cvt.u16.u32 %[[ROWMASK:rs[0-9]+]], %[[ROWSHIFTED]];
// PTX:         and.b32 %[[X:r[0-9]+]], %[[RANK]], 1;
// PTX:         shl.b32 %[[XROWS:r[0-9]+]], %[[X]], 6;
// PTX:         mul.wide.u32 %{{rd[0-9]+}}, %[[X]], 8192;
// PTX:         .multicast::cluster {{.*}}, %[[ROWMASK]];
// PTX:         mov.b32 %[[BBYTES:r[0-9]+]], 32768;
// PTX-NEXT:    mbarrier.expect_tx.relaxed.cta.shared.b64 [tile_shared_arena+49152], %[[BBYTES]];
// PTX:         mov.b16 %[[COLUMNBITS:rs[0-9]+]], 5;
// PTX:         shl.b16 %[[COLUMNMASK:rs[0-9]+]], %[[COLUMNBITS]], %[[X]];
// PTX:         shr.u32 %[[Y:r[0-9]+]], %[[RANK]], 1;
// PTX:         shl.b32 %{{r[0-9]+}}, %[[Y]], 14;
// PTX-COUNT-2: .multicast::cluster {{.*}}, %[[COLUMNMASK]];
// PTX-NOT:     .multicast::cluster
// PTX:         ret;
tile.kernel @square(%A: memref<4096x4096xf16> {tile.alignment = 16}, %B: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx, %by) = (4, 4) threads(128) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %ring = tile.ring.create layouts([#rows, #panels]) {peers = 4} : !one
  %a, %b = tile.ring.acquire %ring[%c0] : !one
  tile.copy %A[%m, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>, multicast = 2, multicast_along = array<i64: 0>} : memref<4096x4096xf16> to memref<128x64xf16, #shared>
  tile.copy %B[%c0, %n] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>, multicast = 2, multicast_along = array<i64: 1>} : memref<4096x4096xf16> to memref<64x256xf16, #shared>
  tile.ring.commit %ring[%c0] : !one
}

// One run of bytes, dealt out among the four blocks of a row of the cluster: a
// block's place is the fast digit of its rank, its row's mask lies at the others.
// CHECK-LABEL: llvm.func @run_of_row
// PTX-LABEL: .entry run_of_row(
// PTX:         mov.b32 %[[BYTES:r[0-9]+]], 4096;
// PTX-NEXT:    mbarrier.expect_tx.relaxed.cta.shared.b64 [tile_shared_arena+4096], %[[BYTES]];
// PTX:         mov.u32 %[[RANK:r[0-9]+]], %cluster_ctarank;
// PTX:         shl.b32 %[[BYTE:r[0-9]+]], %[[RANK]], 10;
// PTX:         and.b32 %{{r[0-9]+}}, %[[BYTE]], 3072;
// PTX:         and.b32 %[[FIRST:r[0-9]+]], %[[RANK]], -4;
// PTX:         mov.b32 %[[BITS:r[0-9]+]], 15;
// PTX:         shl.b32 %[[MASK:r[0-9]+]], %[[BITS]], %[[FIRST]];
// PTX:         cvt.u16.u32 %[[MASK16:rs[0-9]+]], %[[MASK]];
// PTX:         mov.b32 %[[PART:r[0-9]+]], 1024;
// PTX:         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%{{.*}}], [%{{.*}}], %[[PART]], [tile_shared_arena+4096], %[[MASK16]];
tile.kernel @run_of_row(%V: memref<65536xf16> {tile.alignment = 16}) grid(%bx, %by) = (4, 4) threads(128) cluster(4, 2) {
  %c0 = arith.constant 0 : index
  %c2048 = arith.constant 2048 : index
  %m = arith.muli %by, %c2048 : index
  %ring = tile.ring.create layouts([#vector]) {peers = 8} : !tile.ring<1 x [memref<2048xf16, #shared>], tma -> threads>
  %v = tile.ring.acquire %ring[%c0] : !tile.ring<1 x [memref<2048xf16, #shared>], tma -> threads>
  tile.copy %V[%m] to %v decided {plan = #tile.copy_plan<bulk, bytes = 2>, multicast = 4, multicast_along = array<i64: 0>} : memref<65536xf16> to memref<2048xf16, #shared>
  tile.ring.commit %ring[%c0] : !tile.ring<1 x [memref<2048xf16, #shared>], tma -> threads>
}

// A store is one group of copies, complete for the block where it stands; with a
// token somebody else waits. Equal maps are one parameter.
// CHECK-LABEL: llvm.func @store
// CHECK-SAME:    llvm.byval
// CHECK-NOT:     llvm.byval
// CHECK-SAME:    attributes
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}]
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:    nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK:         nvvm.barrier
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
// CHECK-NOT:     nvvm.barrier
// CHECK:         nvvm.cp.async.bulk.wait_group 0
// PTX-LABEL: .entry store(
// PTX:         cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// PTX-NEXT:    cp.async.bulk.commit_group
// PTX-NEXT:    cp.async.bulk.wait_group 0;
tile.kernel @store(%C: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %bx, %c128 : index
  %s = tile.alloc layout(#rows) : memref<128x64xf16, #shared>
  tile.copy %s to %C[%m, %c0] decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<128x64xf16, #shared> to memref<4096x4096xf16>
  %t = tile.copy %s to %C[%m, %c128] decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<128x64xf16, #shared> to memref<4096x4096xf16> -> !tile.token
  tile.await %t
}

// Each of two warpgroups stores its own half of the rows: one thread of each, and
// each half meets on a barrier of its own.
// CHECK-LABEL: llvm.func @groups
// CHECK:         nvvm.shfl.sync
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK-NOT:     nvvm.barrier
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:         nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// MAP-LABEL: llvm.func @groups
// MAP-SAME:    box: [64,64],
// PTX-LABEL: .entry groups(
// PTX-NOT:     bar.sync 0
// PTX:         bar.sync %r{{[0-9]+}}, 128;
// PTX-NOT:     bar.sync
// PTX:         cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// PTX-NOT:     cp.async.bulk.tensor
// PTX:         cp.async.bulk.wait_group.read 0;
// PTX-NEXT:    bar.sync %r{{[0-9]+}}, 128;
tile.kernel @groups(%C: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx) = (4) threads(256) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %bx, %c128 : index
  %zero = arith.constant 0.0 : f16
  %f = tile.alloc layout(#fragment) : memref<128x64xf16, #tile.fragment>
  tile.fill %f with %zero {layout = #fragment} : memref<128x64xf16, #tile.fragment>, f16
  %s = tile.alloc layout(#rows) : memref<128x64xf16, #shared>
  tile.copy %f to %s decided {layout = #fragment, plan = #tile.copy_plan<stmatrix, bytes = 16>, groups = array<i64: 2, 1>} : memref<128x64xf16, #tile.fragment> to memref<128x64xf16, #shared>
  %t = tile.copy %s to %C[%m, %c0] decided {plan = #tile.copy_plan<tma, bytes = 2>, groups = array<i64: 2, 1>} : memref<128x64xf16, #shared> to memref<4096x4096xf16> -> !tile.token
  tile.await read %t {groups = 2}
  tile.copy %f to %s decided {layout = #fragment, plan = #tile.copy_plan<stmatrix, bytes = 16>, groups = array<i64: 2, 1>} : memref<128x64xf16, #tile.fragment> to memref<128x64xf16, #shared>
}

// Extents and strides of the launch: dense rows are products of extents, others
// are arguments. Buffers that turn out to be empty are left out by a coordinate.
// Panels of 32 bytes for rows of 48 elements; rows of 24 as they are.
// CHECK-LABEL: llvm.func @dynamic
// CHECK:         llvm.select
// CHECK-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// MAP-LABEL: llvm.func @dynamic
// MAP-SAME:    dims: {{\[\[}}dim,0,2],[dim,0,1],[dim,0,0]],strides: {{\[\[}}mul,2,[dim,0,2]],[mul,[mul,2,[dim,0,2]],[dim,0,1]]],box: [16,64,1],{{[^}]*}}swizzle: 32B
// MAP-SAME:    dims: {{\[\[}}dim,1,1],[dim,1,0]],strides: {{\[\[}}mul,[stride,1,0],2]],box: [24,32],{{[^}]*}}swizzle: none
tile.kernel @dynamic(%A: memref<?x?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16, strided<[?, 1]>> {tile.alignment = 16}) grid(%bx, %by) = (4, 4) threads(128) {
  %c0 = arith.constant 0 : index
  %ring = tile.ring.create layouts([#narrow, #plain]) : !tile.ring<1 x [memref<64x48xf16, #shared>, memref<32x24xf16, #shared>], tma -> threads>
  %a, %b = tile.ring.acquire %ring[%c0] : !tile.ring<1 x [memref<64x48xf16, #shared>, memref<32x24xf16, #shared>], tma -> threads>
  tile.copy %A[%bx, %by, %c0] sizes [1, 64, 48] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?x?xf16> to memref<64x48xf16, #shared>
  tile.copy %B[%by, %c0] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16, strided<[?, 1]>> to memref<32x24xf16, #shared>
  tile.ring.commit %ring[%c0] : !tile.ring<1 x [memref<64x48xf16, #shared>, memref<32x24xf16, #shared>], tma -> threads>
}

// One run of bytes needs no map. What threads write and the proxy reads is
// fenced.
// CHECK-LABEL: llvm.func @bulk
// CHECK-NOT:     llvm.byval
// CHECK:         llvm.inline_asm {{.*}}"fence.proxy.async.global;"
// CHECK:         nvvm.mbarrier.expect_tx
// CHECK:         nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr<7>, <1>
// CHECK:         nvvm.cp.async.bulk.global.shared.cta
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
// PTX-LABEL: .entry bulk(
// PTX:         fence.proxy.async.global;
// PTX:         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// PTX:         cp.async.bulk.global.shared::cta.bulk_group
tile.kernel @bulk(%X: memref<64x2048xf16> {tile.alignment = 16}, %Y: memref<64x2048xf16> {tile.alignment = 16}, %v: f16) grid(%bx) = (64) threads(128) {
  %c0 = arith.constant 0 : index
  memref.store %v, %X[%c0, %c0] : memref<64x2048xf16>
  %s = tile.alloc layout(#vector) : memref<2048xf16, #shared>
  %ring = tile.ring.create layouts([#vector]) : !tile.ring<1 x [memref<2048xf16, #shared>], tma -> threads>
  %x = tile.ring.acquire %ring[%c0] : !tile.ring<1 x [memref<2048xf16, #shared>], tma -> threads>
  tile.copy %X[%bx, %c0] sizes [1, 2048] to %x decided {plan = #tile.copy_plan<bulk, bytes = 2>} : memref<64x2048xf16> to memref<2048xf16, #shared>
  tile.ring.commit %ring[%c0] : !tile.ring<1 x [memref<2048xf16, #shared>], tma -> threads>
  tile.copy %s to %Y[%bx, %c0] sizes [1, 2048] decided {plan = #tile.copy_plan<bulk, bytes = 2>} : memref<2048xf16, #shared> to memref<64x2048xf16>
}
