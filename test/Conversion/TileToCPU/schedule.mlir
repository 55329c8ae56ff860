// RUN: tile-opt %s --convert-tile-to-cpu --canonicalize | FileCheck %s
// RUN: tile-opt %s --convert-tile-to-cpu="lazy-async poison blocks=6" --canonicalize | FileCheck %s --check-prefix=LAZY
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

// Six blocks are launched: three clusters of two, each with a range of tiles.
// LAZY-LABEL: func.func @range.cpu(
// LAZY:         %[[ROWS:.*]] = arith.ceildivsi
// LAZY:         %[[TILES:.*]] = arith.muli %{{.*}}, %[[ROWS]]
// LAZY:         %[[CLUSTERS:.*]] = arith.minsi %[[TILES]], %c3
// LAZY:         %[[BLOCKS:.*]] = arith.muli %[[CLUSTERS]], %c2
// LAZY:         scf.for %[[BLOCK:.*]] = %{{.*}} to %[[BLOCKS]]
// LAZY:           %[[FIRST:.*]] = arith.divui %[[BLOCK]], %c2
// LAZY:           %[[RANK:.*]] = arith.remui %[[BLOCK]], %c2
// LAZY:           scf.for %[[T:.*]] = %[[FIRST]] to %[[TILES]] step %[[CLUSTERS]]
// Down a panel of four rows of blocks, which are two rows of clusters.
// LAZY:             arith.remui %[[T]]
// LAZY:             %[[LEFT:.*]] = arith.subi %[[ROWS]]
// LAZY:             %[[HEIGHT:.*]] = arith.minui %[[LEFT]], %c2
// LAZY:             %[[X:.*]] = arith.divui %{{.*}}, %[[HEIGHT]]
// LAZY:             %[[Y:.*]] = arith.addi
// LAZY:             %[[DIGIT:.*]] = arith.remui %[[RANK]], %c2
// LAZY:             %[[ROW:.*]] = arith.muli %[[Y]], %c2
// LAZY:             arith.addi %[[ROW]], %[[DIGIT]]
tile.kernel @range(%A: memref<?x?xf32>) grid(%bx, %by) = (dim(%A, 1) ceildiv 8, dim(%A, 0) ceildiv 8) threads(32)
    cluster(1, 2) attributes {persistent = 1, panel = 4} {
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %first, %end, %step = tile.block_range
  scf.for %t = %first to %end step %step {
    %x, %y = tile.block_coordinates %t : index, index
    %m = arith.muli %y, %c8 : index
    %n = arith.muli %x, %c8 : index
    tile.fill %A[%m, %n] sizes [8, 8] with %one : memref<?x?xf32>, f32
  }
}
