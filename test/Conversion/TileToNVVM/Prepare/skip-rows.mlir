// Warpgroups skip what is left of an iteration where they hold none of the rows that it matters for.
// RUN: tile-opt %s '--tile-to-barriers=arch=sm_90a remarks=true' --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a --split-input-file | FileCheck %s --check-prefix=NVVM

#shared = #gpu.address_space<workgroup>

// Where the rows begin later with each iteration, the loop ends for a warpgroup, and one follows in which it waits and releases.
// CHECK-LABEL: @products
// CHECK: %[[LAST:.*]] = tile.row_iterations %{{.*}} step 64 to %{{.*}} of 128 groups 2 in %[[LOWER:.*]] to %[[UPPER:.*]]
// CHECK: scf.for %{{.*}} = %[[LOWER]] to %[[LAST]] step
// CHECK: tile.ring.wait
// CHECK-NOT: scf.if
// CHECK: tile.gemm
// CHECK: tile.await
// CHECK: tile.parallel
// CHECK: tile.ring.release
// CHECK: scf.for %{{.*}} = %[[LAST]] to %[[UPPER]] step
// CHECK-NOT: tile.gemm
// CHECK: tile.ring.wait
// CHECK-NOT: tile.gemm
// CHECK: tile.ring.release
// CHECK-NOT: tile.gemm
// CHECK: tile.return
// REMARK: remark: a warpgroup leaves the loop once it has none of the rows any more, and only releases what the others go on with
// NVVM-LABEL: @products
// NVVM: %[[GROUP:.*]] = llvm.udiv %{{.*}}, %{{.*}} : i32
// NVVM: %[[FIRST:.*]] = llvm.mul %[[GROUP]], %{{.*}} : i32
// NVVM-NEXT: %[[OWN:.*]] = llvm.zext %[[FIRST]] : i32 to i64
// NVVM: %[[END:.*]] = llvm.add %[[OWN]], %{{.*}} : i64
// NVVM: %[[LEFT:.*]] = llvm.sub %[[END]], %{{.*}} : i64
// NVVM: llvm.intr.smax(%[[LEFT]]
// NVVM: llvm.udiv
// NVVM: llvm.intr.smax
// NVVM: llvm.intr.smin
// NVVM: llvm.icmp "slt" %[[OWN]], %{{.*}} : i64
// NVVM: llvm.select
// NVVM: mbarrier.try_wait
// NVVM: wgmma.mma_async
tile.kernel @products(%A: memref<?x64xf16> {tile.alignment = 16}, %B: memref<?x64xf16> {tile.alignment = 16}, %Y: memref<?x64xf32>)
    grid(%b) = (dim(%A, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %b, %c128 : index
  %end = arith.addi %m, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %sums = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<?x64xf16> to memref<128x64xf16, #shared>
  tile.fill %sums with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %end step %c64 stages(2) {
    tile.copy %B[%n, %c0] to %Bs : memref<?x64xf16> to memref<64x64xf16, #shared>
    %seen = arith.subi %n, %m : index
    tile.assume_rows %seen to %c128 of 128
    tile.gemm %As, %Bs, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 64) {
      %row = arith.addi %m, %i : index
      %column = arith.addi %n, %j : index
      %is = arith.cmpi sle, %column, %row : index
      %x = memref.load %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %s = memref.load %sums[%i, %j] : memref<128x64xf32, #tile.fragment>
      %own = arith.select %is, %x, %zero : f32
      %sum = arith.addf %s, %own : f32
      memref.store %sum, %sums[%i, %j] : memref<128x64xf32, #tile.fragment>
    }
  }
  tile.copy %sums to %Y[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<?x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Where they end later, too, each iteration asks, in front of the wait; all warps wait and release.
// CHECK-LABEL: @window
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[N:.*]] = arith.muli %[[I]]
// CHECK: %[[ANY:.*]] = tile.any_row %{{.*}} to %{{.*}} of 128 groups 2
// CHECK: tile.ring.wait
// CHECK: scf.if %[[ANY]] {
// CHECK: tile.gemm
// CHECK: tile.await
// CHECK: tile.parallel
// CHECK: }
// CHECK: tile.ring.release
// CHECK-NOT: tile.assume_rows
// REMARK: remark: a warpgroup skips what is left of the iteration where it has none of the rows
// NVVM-LABEL: @window
// NVVM: %[[GROUP:.*]] = llvm.udiv %{{.*}}, %{{.*}} : i32
// NVVM: %[[FIRST:.*]] = llvm.mul %[[GROUP]], %{{.*}} : i32
// NVVM-NEXT: %[[OWN:.*]] = llvm.zext %[[FIRST]] : i32 to i64
// NVVM: %[[NEXT:.*]] = llvm.add %[[OWN]], %{{.*}} : i64
// NVVM: %[[FRONT:.*]] = llvm.icmp "slt" %[[OWN]], %{{.*}} : i64
// NVVM: %[[BEHIND:.*]] = llvm.icmp "slt" %{{.*}}, %[[NEXT]] : i64
// NVVM: %[[ANY:.*]] = llvm.and %[[FRONT]], %[[BEHIND]] : i1
// NVVM: mbarrier.try_wait
// NVVM: llvm.cond_br %[[ANY]]
// NVVM: wgmma.mma_async
tile.kernel @window(%A: memref<?x64xf16> {tile.alignment = 16}, %B: memref<?x64xf16> {tile.alignment = 16}, %Y: memref<?x64xf32>)
    grid(%b) = (dim(%A, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %b, %c128 : index
  %end = arith.addi %m, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %sums = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<?x64xf16> to memref<128x64xf16, #shared>
  tile.fill %sums with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %end step %c64 stages(2) {
    tile.copy %B[%n, %c0] to %Bs : memref<?x64xf16> to memref<64x64xf16, #shared>
    %seen = arith.subi %n, %m : index
    %unseen = arith.addi %seen, %c128 : index
    tile.assume_rows %seen to %unseen of 128
    tile.gemm %As, %Bs, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 64) {
      %row = arith.addi %m, %i : index
      %column = arith.addi %n, %j : index
      %is = arith.cmpi sle, %column, %row : index
      %x = memref.load %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %s = memref.load %sums[%i, %j] : memref<128x64xf32, #tile.fragment>
      %own = arith.select %is, %x, %zero : f32
      %sum = arith.addf %s, %own : f32
      memref.store %sum, %sums[%i, %j] : memref<128x64xf32, #tile.fragment>
    }
  }
  tile.copy %sums to %Y[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<?x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Columns are summed up over all rows: the warpgroups meet.
// CHECK-LABEL: @columns
// CHECK-NOT: tile.any_row
// CHECK-NOT: tile.assume_rows
// REMARK: remark: no warps skip what is left of the iteration: a reduction needs other warps; tiles whose rows several warpgroups divide among themselves, and products by wgmma, let them
tile.kernel @columns(%A: memref<?x64xf16> {tile.alignment = 16}, %B: memref<?x64xf16> {tile.alignment = 16}, %Y: memref<?x64xf32>)
    grid(%b) = (dim(%A, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %b, %c128 : index
  %end = arith.addi %m, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %sums = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<?x64xf16> to memref<128x64xf16, #shared>
  tile.fill %sums with %zero : memref<64xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %end step %c64 stages(2) {
    tile.copy %B[%n, %c0] to %Bs : memref<?x64xf16> to memref<64x64xf16, #shared>
    %seen = arith.subi %n, %m : index
    tile.assume_rows %seen to %c128 of 128
    tile.gemm %As, %Bs, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.reduce sum %S to %sums dim(0) accumulate : memref<128x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  }
  tile.copy %sums to %Y[%b, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<?x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// One warpgroup has all rows.
// CHECK-LABEL: @one
// CHECK-NOT: tile.any_row
// REMARK: remark: no warps skip what is left of the iteration: there is one warpgroup, which has all rows;
tile.kernel @one(%A: memref<?x64xf16> {tile.alignment = 16}, %B: memref<?x64xf16> {tile.alignment = 16}, %Y: memref<?x64xf32>)
    grid(%b) = (dim(%A, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %b, %c64 : index
  %end = arith.addi %m, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<?x64xf16> to memref<64x64xf16, #shared>
  tile.pipelined %n = %c0 to %end step %c64 stages(2) {
    tile.copy %B[%n, %c0] to %Bs : memref<?x64xf16> to memref<64x64xf16, #shared>
    %seen = arith.subi %n, %m : index
    tile.assume_rows %seen to %c64 of 64
    tile.gemm %As, %Bs, %S {clear, transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %S to %Y[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x64xf32>
}
