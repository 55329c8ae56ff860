// Copies that a role's threads make together: which copies, in which rings, with which layouts, and when.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-select-copies --tile-pipeline --tile-specialize-warps --canonicalize --cse | FileCheck %s
// For mma.sync, and without TMA, only when asked for.
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-infer-layouts --tile-select-copies --tile-pipeline --tile-specialize-warps | FileCheck %s --check-prefix=AUTO
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-infer-layouts --tile-select-copies --tile-pipeline=roles=on --tile-specialize-warps | FileCheck %s --check-prefix=ON
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-select-copies --tile-pipeline=roles=off --tile-specialize-warps | FileCheck %s --check-prefix=AUTO

#shared = #gpu.address_space<workgroup>
!matrix = memref<?x512xf16>
!As = memref<128x64xf16, #shared>
!Bs = memref<64x128xf16, #shared>
!acc = memref<128x128xf32, #tile.fragment>

// One copy by TMA, one by cp.async, one that converts: a ring each, of equal use.
// CHECK-LABEL: tile.kernel @mixed
// CHECK-SAME: threads(384) attributes {tile.roles}
// CHECK-DAG: %[[TMA:.*]] = tile.ring.create {{.*}} !tile.ring<3 x [memref<64x128xf16, #gpu.address_space<workgroup>>], tma -> wgmma>
// CHECK-DAG: %[[ASYNC:.*]] = tile.ring.create {{.*}} !tile.ring<3 x [memref<128x64xf16, #gpu.address_space<workgroup>>], cp_async_mbarrier -> wgmma>
// CHECK-DAG: %[[STORES:.*]] = tile.ring.create {{.*}} !tile.ring<3 x [memref<128x64xf16, #gpu.address_space<workgroup>>], threads_mbarrier -> wgmma>
// CHECK: role "load" warps(4) registers({{72|80|88|96|104|112|120}}) {
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[B:.*]] = tile.ring.acquire %[[TMA]][%[[I]]]
// One thread issues it: there is nothing to deal out.
// CHECK: tile.copy %B{{.*}} to %[[B]] decided {plan = #tile.copy_plan<tma,
// CHECK: tile.ring.commit %[[TMA]][%[[I]]]
// CHECK: %[[A:.*]] = tile.ring.acquire %[[ASYNC]][%[[I]]]
// Four warps, not the eight that multiply.
// CHECK: tile.copy %A{{.*}} to %[[A]] {prefer = #tile.copy_instruction<cp_async>} decided {layout = #tile.fragment_layout<shape [128, 64] reg [(8, 1:1), (8, 0:16)] lane [(8, 1:8), (4, 0:1)] warp [(4, 0:4)]>, plan = #tile.copy_plan<cp_async, bytes = 16>
// CHECK: tile.ring.commit %[[ASYNC]][%[[I]]]
// CHECK: %[[W:.*]] = tile.ring.acquire %[[STORES]][%[[I]]]
// CHECK: tile.copy %W{{.*}} to %[[W]] decided {layout = {{.*}} warp [(4, 0:{{[0-9]+}})]>, plan = #tile.copy_plan<vector
// CHECK: tile.ring.commit %[[STORES]][%[[I]]]
// CHECK-NOT: tile.ring.wait
// CHECK: role "mma" warps(8)
// CHECK-NOT: tile.ring.acquire
// CHECK: tile.ring.wait %[[TMA]]
// CHECK: tile.ring.wait %[[ASYNC]]
// CHECK: tile.ring.wait %[[STORES]]
// CHECK: tile.gemm
// CHECK: tile.ring.release %[[TMA]]
// CHECK: tile.ring.release %[[ASYNC]]
// CHECK: tile.ring.release %[[STORES]]

// AUTO-LABEL: tile.kernel @mixed
// AUTO-NOT: tile.warp_specialize
// AUTO-NOT: _mbarrier
// AUTO: tile.return

// ON-LABEL: tile.kernel @mixed
// ON-SAME: threads(384)
// ON-DAG: cp_async_mbarrier -> threads>
// ON-DAG: threads_mbarrier -> threads>
// No registers to give away.
// ON: role "load" warps(4) {
// ON: role "mma" warps(8) {
tile.kernel @mixed(%A: !matrix {tile.alignment = 16}, %W: memref<?x512xf32> {tile.alignment = 16}, %B: memref<512x512xf16> {tile.alignment = 16}, %C: !matrix)
    grid(%bx, %by) = (4, dim(%C, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : !As
  %Ws = tile.alloc : !As
  %Bs = tile.alloc : !Bs
  %acc = tile.alloc : !acc
  tile.fill %acc with %zero : !acc, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As {prefer = #tile.copy_instruction<cp_async>} : !matrix to !As
    tile.copy %W[%m, %k] to %Ws : memref<?x512xf32> to !As
    tile.copy %B[%k, %n] to %Bs : memref<512x512xf16> to !Bs
    tile.gemm %As, %Bs, %acc : !As, !Bs, !acc
    tile.gemm %Ws, %Bs, %acc : !As, !Bs, !acc
  }
  tile.copy %acc to %C[%m, %n] : !acc to !matrix
}

// A table that the kernel writes says where A begins: its copy stays with those who compute, B's is the producer's.
// CHECK-LABEL: tile.kernel @dependent
// CHECK-DAG: %[[TMA:.*]] = tile.ring.create {{.*}} tma -> wgmma>
// CHECK-DAG: %[[OWN:.*]] = tile.ring.create {{.*}} cp_async -> wgmma>
// CHECK: role "load" warps(4) registers(40) {
// CHECK-NOT: tile.copy %A
// CHECK: tile.copy %B
// CHECK: role "mma"
// CHECK: tile.ring.acquire %[[OWN]]
// CHECK: tile.copy %A
tile.kernel @dependent(%A: !matrix {tile.alignment = 16}, %T: memref<64xindex>, %B: memref<512x512xf16> {tile.alignment = 16}, %C: !matrix)
    grid(%bx, %by) = (4, dim(%C, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.muli %bx, %c128 : index
  memref.store %by, %T[%by] : memref<64xindex>
  %m = memref.load %T[%by] : memref<64xindex>
  %As = tile.alloc : !As
  %Bs = tile.alloc : !Bs
  %acc = tile.alloc : !acc
  tile.fill %acc with %zero : !acc, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As {prefer = #tile.copy_instruction<cp_async>} : !matrix to !As
    tile.copy %B[%k, %n] to %Bs : memref<512x512xf16> to !Bs
    tile.gemm %As, %Bs, %acc : !As, !Bs, !acc
  }
  %row = arith.muli %by, %c128 : index
  tile.copy %acc to %C[%row, %n] : !acc to !matrix
}

// Loads and stores, too, are made by warps of their own where wgmma reads.
// CHECK-LABEL: tile.kernel @stores
// CHECK-SAME: threads(384) attributes {tile.roles} {
// CHECK: threads_mbarrier -> wgmma>
// CHECK: role "load"
// CHECK: tile.return
tile.kernel @stores(%A: memref<?x512xf32> {tile.alignment = 16}, %C: !matrix) grid(%bx, %by) = (4, dim(%C, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %As = tile.alloc : !As
  %acc = tile.alloc : !acc
  tile.fill %acc with %zero : !acc, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x512xf32> to !As
    tile.gemm %As, %As, %acc {transpose_b} : !As, !As, !acc
  }
  tile.copy %acc to %C[%m, %c0] : !acc to !matrix
}

// 192 accumulators of a thread and 32 registers more: what copies gets the rest.
// CHECK-LABEL: tile.kernel @accumulators
// CHECK: role "load" warps(4) registers(56) {
// CHECK: role "mma" warps(8) registers(224) {
// CHECK: tile.return
tile.kernel @accumulators(%A: memref<?x512xf32> {tile.alignment = 16}, %W: memref<512x?xf32>, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 192, dim(%C, 0) ceildiv 256) threads(256) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c192 = arith.constant 192 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c256 : index
  %n = arith.muli %bx, %c192 : index
  %As = tile.alloc : memref<256x32xf16, #shared>
  %Ws = tile.alloc : memref<32x192xf16, #shared>
  %acc = tile.alloc : memref<256x192xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<256x192xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x512xf32> to memref<256x32xf16, #shared>
    tile.copy %W[%k, %n] to %Ws : memref<512x?xf32> to memref<32x192xf16, #shared>
    tile.gemm %As, %Ws, %acc : memref<256x32xf16, #shared>, memref<32x192xf16, #shared>, memref<256x192xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<256x192xf32, #tile.fragment> to memref<?x?xf32>
}

// Two blocks on a multiprocessor would leave 80 registers a thread to 128 accumulators: the roles are for one.
// CHECK-LABEL: tile.kernel @two_blocks
// CHECK: role "load" warps(4) registers(40) {
// CHECK: role "mma" warps(8) registers(232) {
// CHECK: tile.return
tile.kernel @two_blocks(%A: memref<1024x512xf16> {tile.alignment = 16}, %B: memref<512x1024xf16> {tile.alignment = 16}, %C: memref<1024x1024xf32>)
    grid(%bx, %by) = (4, 8) threads(256) attributes {persistent = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c256 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Ws = tile.alloc : memref<64x256xf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(2) {
    tile.copy %A[%m, %k] to %As : memref<1024x512xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Ws : memref<512x1024xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Ws, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<1024x1024xf32>
}

// They have registers for 64.
// CHECK-LABEL: tile.kernel @two_blocks_fit
// CHECK: role "load" warps(4) registers(24) {
// CHECK: role "mma" warps(8) registers(104) {
// CHECK: tile.return
tile.kernel @two_blocks_fit(%A: memref<1024x512xf16> {tile.alignment = 16}, %B: memref<512x1024xf16> {tile.alignment = 16}, %C: memref<1024x1024xf32>)
    grid(%bx, %by) = (8, 8) threads(256) attributes {persistent = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(2) {
    tile.copy %A[%m, %k] to %As : memref<1024x512xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<512x1024xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<1024x1024xf32>
}
