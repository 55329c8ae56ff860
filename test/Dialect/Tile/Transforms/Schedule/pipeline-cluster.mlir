// Copies of one region into every block of a cluster are made once, each block
// a part of it for all. Which copies are alike follows from the block's place
// in the cluster.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-make-persistent --tile-pipeline=remarks --canonicalize --cse --verify-diagnostics -split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>

// Two blocks above each other: the columns of B are the same for both, the rows
// of A are not. Blocks fill each other's slots, so the ring has peers.
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.ring.create {peers = 2 : i64} : !tile.ring<3 x
// CHECK: tile.copy %A[%{{.*}}] to %{{.*}}#0 decided {plan = #tile.copy_plan<tma, bytes = 2>} :
// CHECK-NEXT: tile.copy %B[%{{.*}}] to %{{.*}}#1 decided {multicast = 2 : i64, plan = #tile.copy_plan<tma, bytes = 2>} :
tile.kernel @rows(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(1, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    // expected-remark @below {{shared by the 2 blocks of a cluster}}
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Beside each other: A.
// CHECK-LABEL: tile.kernel @columns
// CHECK: tile.ring.create {peers = 2 : i64}
// CHECK: tile.copy %A[%{{.*}}] to %{{.*}}#0 decided {multicast = 2 : i64,
// CHECK-NEXT: tile.copy %B[%{{.*}}] to %{{.*}}#1 decided {plan =
tile.kernel @columns(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(2, 1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    // expected-remark @below {{shared by the 2 blocks of a cluster}}
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Two by two: A is the same for the blocks of a row of the cluster, B for those of
// a column. One ring, of all four.
// CHECK-LABEL: tile.kernel @square
// CHECK: tile.ring.create {peers = 4 : i64} : !tile.ring<3 x
// CHECK: tile.copy %A[%{{.*}}] to %{{.*}}#0 decided {multicast = 2 : i64, multicast_along = array<i64: 0>, plan = #tile.copy_plan<tma, bytes = 2>} :
// CHECK-NEXT: tile.copy %B[%{{.*}}] to %{{.*}}#1 decided {multicast = 2 : i64, multicast_along = array<i64: 1>, plan = #tile.copy_plan<tma, bytes = 2>} :
tile.kernel @square(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    // expected-remark @below {{shared by 2 of the 4 blocks of a cluster}}
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    // expected-remark @below {{shared by 2 of the 4 blocks of a cluster}}
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Four beside each other, two above.
// CHECK-LABEL: tile.kernel @wide
// CHECK: tile.ring.create {peers = 8 : i64} : !tile.ring<3 x
// CHECK: tile.copy %A[%{{.*}}] to %{{.*}}#0 decided {multicast = 4 : i64, multicast_along = array<i64: 0>, plan = #tile.copy_plan<tma, bytes = 2>} :
// CHECK-NEXT: tile.copy %B[%{{.*}}] to %{{.*}}#1 decided {multicast = 2 : i64, multicast_along = array<i64: 1>, plan = #tile.copy_plan<tma, bytes = 2>} :
tile.kernel @wide(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(4, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    // expected-remark @below {{shared by 4 of the 8 blocks of a cluster}}
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    // expected-remark @below {{shared by 2 of the 8 blocks of a cluster}}
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Rows of the cluster run the loop differently often, blocks of one row equally:
// what these share they still do, and nothing is shared along a column.
// CHECK-LABEL: tile.kernel @count_of_each_row
// CHECK: tile.ring.create {peers = 4 : i64} : !tile.ring<3 x
// CHECK: tile.copy %A[%{{.*}}] to %{{.*}}#0 decided {multicast = 2 : i64, multicast_along = array<i64: 0>,
// CHECK-NEXT: tile.copy %B[%{{.*}}] to %{{.*}}#1 decided {plan =
tile.kernel @count_of_each_row(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  %upto = arith.minsi %K, %m : index
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %upto step %c64 stages(3) {
    // expected-remark @below {{shared by 2 of the 4 blocks of a cluster}}
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Carried through the loop, a sum of the row's place and of the iterations is
// not the same in a column, though what it is compared with is.
// CHECK-LABEL: tile.kernel @along_carried
// CHECK: tile.copy %A[%{{.*}}] to %{{.*}}#0 decided {multicast = 2 : i64, multicast_along = array<i64: 0>,
// CHECK-NEXT: tile.copy %B[%{{.*}}] to %{{.*}}#1 decided {multicast = 2 : i64, multicast_along = array<i64: 1>,
tile.kernel @along_carried(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(2, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  %x, %m2 = scf.for %i = %c0 to %K step %c64 iter_args(%one = %c0, %other = %c0) -> (index, index) {
    %sum = arith.addi %one, %other : index
    scf.yield %sum, %m : index, index
  }
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    // expected-remark @below {{shared by 2 of the 4 blocks of a cluster}}
    tile.copy %A[%x, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    // expected-remark @below {{shared by 2 of the 4 blocks of a cluster}}
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Panels take whole clusters of an ordinary launch: its blocks stay neighbours.
// CHECK-LABEL: tile.kernel @panels
// CHECK: tile.ring.create {peers = 2 : i64}
// CHECK: tile.copy %A[%{{.*}}] to %{{.*}}#0 decided {plan
// CHECK: tile.copy %B[%{{.*}}] to %{{.*}}#1 decided {multicast = 2 : i64,
tile.kernel @panels(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(1, 2) attributes {panel = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    // expected-remark @below {{shared by the 2 blocks of a cluster}}
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// How often the loop runs depends on the block: a peer that has ended would be
// waited for.
// CHECK-LABEL: tile.kernel @own_count
// CHECK: tile.ring.create : !tile.ring<3 x
// CHECK-NOT: multicast
// CHECK: tile.return
tile.kernel @own_count(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(1, 2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  %upto = arith.minsi %K, %m : index
  // expected-remark @below {{not shared in the cluster: its blocks may run the loop a different number of times}}
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %upto step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// A persistent grid reorders whole clusters: its blocks stay neighbours.
// CHECK-LABEL: tile.kernel @persistent
// CHECK: tile.ring.create {peers = 2 : i64}
// CHECK: tile.copy %B[%{{.*}}] to %{{.*}}#1 decided {multicast = 2 : i64,
tile.kernel @persistent(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) cluster(1, 2) attributes {panel = 8 : i64, persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // expected-remark @below {{pipelined: 2 of 2 copies run 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<128x64xf16, #shared>
    // expected-remark @below {{shared by the 2 blocks of a cluster}}
    tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}
