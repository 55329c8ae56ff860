// Roles, tokens and barriers of a program become calls of whoever runs it; what threads of one agent meet at is nothing.
// RUN: tile-opt %s --convert-tile-to-cpu --canonicalize | FileCheck %s
// RUN: tile-opt %s --convert-tile-to-cpu="lazy-async poison" --canonicalize | FileCheck %s --check-prefix=LAZY
// RUN: tile-opt %s --tile-to-cpu="lazy-async poison" | FileCheck %s --check-prefix=LLVM
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<2 x [memref<16x16xf16, #shared>], tma -> wgmma>

// A role is a function of a pointer to what it captures. A token is a number: 0
// where gemms execute when they are issued.
// CHECK-LABEL: func.func private @roles.cpu.role.load(%{{.*}}: !llvm.ptr)
// CHECK:         call @tile_cpu_ring_acquire
// CHECK:         memref.store
// CHECK:         call @tile_cpu_ring_commit
// CHECK-LABEL: func.func private @roles.cpu.role.mma(
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %{{.*}}[0, 0]
// CHECK:         llvm.load %[[FIELD]]
// The accumulator and the packed operands are the role's own.
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<16x16xf32>
// CHECK:         scf.for {{.*}} iter_args(%[[USE:.*]] = %c0) -> (index)
// CHECK:           call @tile_cpu_ring_wait(%{{.*}}, %{{.*}}, %[[USE]], %{{.*}})
// CHECK:           vector.fma
// CHECK-NOT:     tile_cpu_defer
// CHECK-NOT:     tile_cpu_await
// CHECK:           call @tile_cpu_ring_release
// CHECK:         memref.dealloc
// CHECK:         return
// CHECK-LABEL: func.func @roles.cpu(
// CHECK-NOT:     !tile
// CHECK-DAG:     %[[LOAD:.*]] = {{.*}}constant @roles.cpu.role.load : (!llvm.ptr) -> ()
// CHECK-DAG:     %[[MMA:.*]] = {{.*}}constant @roles.cpu.role.mma : (!llvm.ptr) -> ()
// CHECK:         call @tile_cpu_block_begin
// Role 0 fills (bit 1), role 1 reads (bit 2), by mbarriers.
// CHECK:         call @tile_cpu_ring_create(%{{.*}}, %c0, %c2, %c2, %c4, %c2, %{{.*}})
// CHECK-NOT:     tile_cpu_ring_buffer
// CHECK:         call @tile_cpu_role(%{{.*}}, %{{.*}}, %[[LOAD]], %{{.*}})
// CHECK:         call @tile_cpu_role(%{{.*}}, %{{.*}}, %[[MMA]], %{{.*}})
// CHECK:         call @tile_cpu_run_roles
// CHECK:         call @tile_cpu_block_end

// Lazily, the gemm is a function too, and runs when its token is awaited. Its
// scratch is its own, its accumulator the role's.
// LAZY-LABEL: func.func private @roles.cpu.deferred.0(%{{.*}}: !llvm.ptr)
// LAZY:         memref.alloc() {alignment = 64 : i64} : memref<16x16xf32>
// LAZY:         vector.fma
// LAZY:         return
// LAZY-LABEL: func.func private @roles.cpu.role.mma(
// LAZY:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[BEFORE:.*]] = %{{.*}}) -> (index, index)
// LAZY-NOT:       vector.fma
// LAZY:           %[[TOKEN:.*]] = func.call @tile_cpu_defer
// LAZY:           call @tile_cpu_await(%{{.*}}, %[[BEFORE]])
// LAZY:           scf.yield %{{.*}}, %[[TOKEN]] : index, index
// LAZY-LABEL: func.func @roles.cpu(
// LAZY:         call @tile_cpu_ring_create
// LAZY:         memref.extract_aligned_pointer_as_index
// LAZY:         call @tile_cpu_ring_buffer(%{{.*}}, %c0, %{{.*}}, %c512, %c255)

// LLVM-NOT:   builtin.unrealized_conversion_cast
// LLVM:       llvm.func @roles.cpu.role.mma(%{{.*}}: !llvm.ptr)
// LLVM-NOT:   builtin.unrealized_conversion_cast
tile.kernel @roles(%A: memref<?x16xf16>, %C: memref<16x16xf32>, %n: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !ring
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %u = %c0 to %n step %c1 {
      %a = tile.ring.acquire %ring[%u] : !ring
      tile.copy %A[%u, %c0] to %a : memref<?x16xf16> to memref<16x16xf16, #shared>
      tile.ring.commit %ring[%u] : !ring
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.fill %acc with %zero : memref<16x16xf32, #tile.fragment>, f32
    %done = tile.token.done
    %u, %t = scf.for %i = %c0 to %n step %c1 iter_args(%u = %c0, %before = %done) -> (index, !tile.token) {
      %a = tile.ring.wait %ring[%u] : !ring
      %tok = tile.gemm %a, %a, %acc : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #tile.fragment> -> !tile.token
      tile.await %before
      tile.ring.release %ring[%u] : !ring
      %v = arith.addi %u, %c1 : index
      scf.yield %v, %tok : index, !tile.token
    }
    tile.await %t
    tile.copy %acc to %C : memref<16x16xf32, #tile.fragment> to memref<16x16xf32>
  }
}

// Where a program has none of them, nobody is told that a block begins.
// CHECK-LABEL: func.func @plain.cpu(
// CHECK-NOT:     tile.barrier
// CHECK-NOT:     call @tile_cpu
// CHECK:         return
tile.kernel @plain(%A: memref<16x16xf32>) grid(%bx) = (4) threads(32) {
  %zero = arith.constant 0.0 : f32
  tile.fill %A with %zero : memref<16x16xf32>, f32
  tile.barrier
}

// Barriers of the program are counted by number and index: an arrival counts for all threads of its agent, a wait asks for
// a parity, and a copy that completes at one is done before its thread arrives.
// CHECK-LABEL: func.func @mbarriers.cpu(
// CHECK:         call @tile_cpu_block_begin
// CHECK:         call @tile_cpu_mbarrier_create(%{{.*}}, %c0, %c0, %c128, %{{.*}})
// CHECK:         call @tile_cpu_mbarrier_create(%{{.*}}, %c0, %c1, %c64, %{{.*}})
// CHECK-NOT:     completes
// CHECK:         memref.store
// CHECK:         call @tile_cpu_mbarrier_arrive(%{{.*}}, %c0, %c1, %c128)
// CHECK:         call @tile_cpu_mbarrier_wait(%{{.*}}, %c0, %c1, %c0)
// CHECK:         call @tile_cpu_block_end
// LAZY-LABEL: func.func @mbarriers.cpu(
// LAZY-NOT:     tile_cpu_defer
// LAZY:         call @tile_cpu_mbarrier_arrive
tile.kernel @mbarriers(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ready = tile.mbarrier.create arrivals [128, 64] : !tile.mbarrier<2>
  %s = tile.alloc : memref<64x64xf16, #shared>
  tile.copy %A to %s completes(%ready[%c1] : !tile.mbarrier<2>) : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.mbarrier.arrive %ready[%c1] : !tile.mbarrier<2>
  tile.mbarrier.wait %ready[%c1] parity %c0 : !tile.mbarrier<2>
  tile.copy %s to %B : memref<64x64xf16, #shared> to memref<64x64xf16>
}

// A store is put off like a product; a token of nothing is the number 0.
// CHECK-LABEL: func.func @stored.cpu(
// CHECK-NOT:     tile_cpu
// CHECK:         return
// LAZY-LABEL: func.func private @stored.cpu.deferred.0(
// LAZY-LABEL: func.func @stored.cpu(
// LAZY:         call @tile_cpu_await(%{{.*}}, %c0)
// LAZY:         %[[TOKEN:.*]] = {{.*}}call @tile_cpu_defer
// LAZY:         call @tile_cpu_await(%{{.*}}, %[[TOKEN]])
tile.kernel @stored(%A: memref<64x64xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f16
  %s = tile.alloc : memref<64x64xf16, #shared>
  tile.fill %s with %zero : memref<64x64xf16, #shared>, f16
  %done = tile.token.done
  tile.await %done
  %token = tile.copy %s to %A : memref<64x64xf16, #shared> to memref<64x64xf16> -> !tile.token
  tile.await %token
}
