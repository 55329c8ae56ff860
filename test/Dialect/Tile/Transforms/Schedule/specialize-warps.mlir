// Copies by TMA of a loop in a loop, and one that stands alone, become rings
// whose uses are counted across both; two roles share them.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-pipeline --tile-specialize-warps --canonicalize --cse | FileCheck %s
// The same with gemms in flight.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-pipeline --tile-specialize-warps --tile-schedule-gemms --canonicalize --cse | FileCheck %s --check-prefix=FLIGHT
// Without roles the agent produces behind its own release.
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-pipeline --tile-specialize-warps --tile-schedule-gemms --canonicalize --cse | FileCheck %s --check-prefix=SINGLE

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: threads(384) attributes {tile.roles}
// CHECK-DAG: %[[LONE:.*]] = tile.ring.create : !tile.ring<1 x [memref<64x128xf16, #gpu.address_space<workgroup>>], tma -> threads>
// CHECK-DAG: %[[RING:.*]] = tile.ring.create : !tile.ring<4 x [memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x128xf16, #gpu.address_space<workgroup>>], tma -> wgmma>
// CHECK: tile.warp_specialize
// CHECK-NEXT: role "load" warps(4) registers(40) {
// CHECK-NOT: tile.alloc
// CHECK: scf.for {{.*}} iter_args(%[[BASE:.*]] = %c0, %[[LONE_USE:.*]] = %c0)
// CHECK-NEXT: %[[Q:.*]] = tile.ring.acquire %[[LONE]][%[[LONE_USE]]]
// CHECK-NEXT: tile.copy %B{{.*}} to %[[Q]]
// CHECK-NEXT: tile.ring.commit %[[LONE]][%[[LONE_USE]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[T:.*]] step %c1 {
// CHECK-NEXT: %[[USE:.*]] = arith.addi %[[BASE]], %[[I]]
// CHECK-NEXT: %[[V:.*]]:2 = tile.ring.acquire %[[RING]][%[[USE]]]
// CHECK: tile.copy %A{{.*}} to %[[V]]#0
// CHECK-NEXT: tile.copy %B{{.*}} to %[[V]]#1
// CHECK-NEXT: tile.ring.commit %[[RING]][%[[USE]]]
// CHECK-NOT: tile.ring.wait
// CHECK: role "mma" warps(8) registers(232) {
// CHECK-NOT: tile.ring.acquire
// CHECK: tile.fill
// CHECK: tile.ring.wait %[[LONE]]
// CHECK: tile.copy
// CHECK-NEXT: tile.ring.release %[[LONE]]
// CHECK: tile.ring.wait %[[RING]]
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: tile.ring.release %[[RING]]
// CHECK-NOT: tile.ring.commit
// CHECK: tile.return

// FLIGHT-LABEL: tile.kernel @gemm
// FLIGHT: role "mma"
// FLIGHT: %[[DONE:.*]] = tile.token.done
// Only a loop that runs is waited for.
// FLIGHT: %[[RAN:.*]] = tile.iteration exists(0) in %c0
// FLIGHT: scf.if %[[RAN]] {
// FLIGHT: %[[CARRIED:.*]]:2 = scf.for %[[I:.*]] = %c0 to {{.*}} iter_args(%[[LAST:.*]] = %[[DONE]], %[[OLD:.*]] = %c0) -> (!tile.token, index) {
// FLIGHT: tile.ring.wait
// FLIGHT-NEXT: %[[TOKEN:.*]] = tile.gemm {{.*}} -> !tile.token
// FLIGHT: %[[NOT_FIRST:.*]] = tile.iteration past(1) of %[[I]] in %c0
// FLIGHT: tile.await %[[LAST]]
// FLIGHT-NEXT: scf.if %[[NOT_FIRST]] {
// FLIGHT-NEXT: tile.ring.release %{{.*}}[%[[OLD]]]
// FLIGHT-NEXT: }
// FLIGHT-NEXT: scf.yield %[[TOKEN]], %{{.*}} : !tile.token, index
// FLIGHT: tile.await %[[CARRIED]]#0
// FLIGHT-NEXT: tile.ring.release %{{.*}}[%[[CARRIED]]#1]
// FLIGHT-NEXT: }
// The accumulator is not read before.
// FLIGHT: tile.copy {{.*}} to %C

// SINGLE-LABEL: tile.kernel @gemm
// SINGLE-SAME: threads(256) {
// SINGLE-NOT: tile.warp_specialize
// Four productions, then each iteration makes up for the slot it has released.
// SINGLE: scf.for %{{.*}} = %c0 to %c4
// SINGLE: tile.ring.acquire
// SINGLE: tile.ring.wait
// SINGLE: tile.gemm
// SINGLE: tile.await
// SINGLE-NEXT: tile.ring.release
// SINGLE: scf.if
// SINGLE: tile.ring.acquire
// SINGLE: tile.ring.commit
// SINGLE: tile.ring.drain
tile.kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %Q = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  %q = tile.alloc : memref<64x128xf16, #tile.fragment>
  scf.for %t = %c0 to %K step %c128 {
    tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
    tile.copy %B[%c0, %n] to %Q decided {plan = #tile.copy_plan<tma, bytes = 16>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.copy %Q to %q : memref<64x128xf16, #shared> to memref<64x128xf16, #tile.fragment>
    tile.pipelined %k = %c0 to %K step %c64 stages(4) {
      tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<tma, bytes = 16>} : memref<?x?xf16> to memref<128x64xf16, #shared>
      tile.copy %B[%k, %n] to %Bs decided {plan = #tile.copy_plan<tma, bytes = 16>} : memref<?x?xf16> to memref<64x128xf16, #shared>
      tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    }
    tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
  }
}

// A division may be undefined, and is needed by the role that copies all the same. A layout over the threads that
// compute says nothing there.
// CHECK-LABEL: tile.kernel @divided
// CHECK: arith.divui
// CHECK: role "load"
// CHECK: %[[PART:.*]] = arith.divui %{{.*}}, %{{.*}} : index
// CHECK: tile.copy %A[%[[PART]], %{{.*}}] to %{{.*}} decided {plan = #tile.copy_plan<tma, bytes = 16>}
// CHECK: role "mma"
tile.kernel @divided(%A: memref<?x?xf16>, %C: memref<?x?xf16>, %parts: i32) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %count = arith.index_cast %parts : i32 to index
  %length = arith.divui %K, %count : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  scf.for %t = %c0 to %K step %c64 {
    %part = arith.divui %t, %count : index
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %length step %c64 stages(3) {
      tile.copy %A[%part, %k] to %As decided {layout = #tile.fragment_layout<shape [64, 64] reg [(8, 1:1), (2, 0:32)] lane [(8, 1:8), (4, 0:1)] warp [(8, 0:4)]>, plan = #tile.copy_plan<tma, bytes = 16>} : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.gemm %As, %As, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 32, k = 16, warps = [4, 2]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc to %C[%t, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
  }
}
