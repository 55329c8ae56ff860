// A gemm by wgmma is awaited where its result or its operands are needed, and
// in a role that only multiplies, an iteration later.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-schedule-gemms=remarks --verify-diagnostics | FileCheck %s
// What comes out keeps the protocol of its rings.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-schedule-gemms=remarks --tile-verify-rings -o /dev/null

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [4, 1]>
!ring = !tile.ring<8 x [memref<64x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> wgmma>
!few = !tile.ring<4 x [memref<64x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> wgmma>
!lone = !tile.ring<1 x [memref<64x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> wgmma>
!acc = memref<64x128xf32, #tile.fragment>

// The release waits with the gemm: a group is in flight all the time, and the
// last ends behind the loop, before anything reads the result. A loop that does
// not run has nothing to wait for: no way leads around it to the wait.
// CHECK-LABEL: tile.kernel @rotated
// CHECK: role "mma"
// CHECK: tile.fill %[[ACC:.*]] with
// CHECK: %[[DONE:.*]] = tile.token.done
// CHECK: %[[RAN:.*]] = tile.iteration exists(0) in %[[LOW:.*]] to %[[T:.*]] step
// CHECK-NEXT: scf.if %[[RAN]] {
// CHECK-NEXT: %[[CARRIED:.*]]:2 = scf.for %[[I:.*]] = %[[LOW]] to %[[T]] step {{.*}} iter_args(%[[LAST:.*]] = %[[DONE]], %[[OLD:.*]] = %{{.*}}) -> (!tile.token, index) {
// CHECK-NEXT: tile.ring.wait %[[RING:.*]][%[[I]]]
// CHECK-NEXT: %[[TOKEN:.*]] = tile.gemm {{.*}}, %[[ACC]] {{.*}} -> !tile.token
// CHECK-NEXT: %[[NOT_FIRST:.*]] = tile.iteration past(1) of %[[I]] in %[[LOW]] to %[[T]]
// CHECK-NEXT: tile.await %[[LAST]]
// CHECK-NEXT: scf.if %[[NOT_FIRST]] {
// CHECK-NEXT: tile.ring.release %[[RING]][%[[OLD]]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[TOKEN]], %[[I]]
// CHECK-NEXT: }
// CHECK-NEXT: tile.await %[[CARRIED]]#0
// CHECK-NEXT: tile.ring.release %[[RING]][%[[CARRIED]]#1]
// CHECK-NEXT: }
// CHECK-NOT: tile.await
// CHECK: tile.copy %[[ACC]] to %C
tile.kernel @rotated(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %T: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !ring
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.acquire %ring[%i] : !ring
      tile.copy %A[%i, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.copy %B[%i, %c0] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
      tile.ring.commit %ring[%i] : !ring
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    tile.fill %acc with %zero : !acc, f32
    // expected-remark @below {{1 gemm stays in flight across iterations}}
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] : !ring
      tile.gemm %a, %b, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
      tile.ring.release %ring[%i] : !ring
    }
    tile.copy %acc to %C[%c0, %c0] : !acc to memref<?x?xf32>
  }
}

// A group in flight keeps a slot: of four, three are filled meanwhile, and loads
// take longer than three products. Then the release follows at once.
// CHECK-LABEL: tile.kernel @few_slots
// CHECK: role "mma"
// CHECK: scf.for
// CHECK-NEXT: tile.ring.wait
// CHECK-NEXT: %[[TOKEN:.*]] = tile.gemm
// CHECK-NEXT: tile.await %[[TOKEN]]
// CHECK-NEXT: tile.ring.release
tile.kernel @few_slots(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %T: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !few
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.acquire %ring[%i] : !few
      tile.copy %A[%i, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.copy %B[%i, %c0] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
      tile.ring.commit %ring[%i] : !few
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    tile.fill %acc with %zero : !acc, f32
    // expected-remark @below {{no gemm stays in flight across iterations: with these few slots, loads would start too late}}
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] : !few
      tile.gemm %a, %b, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
      tile.ring.release %ring[%i] : !few
    }
    tile.copy %acc to %C[%c0, %c0] : !acc to memref<?x?xf32>
  }
}

// Groups end in order: the second accumulates without a wait for the first,
// and one wait is enough for both.
// CHECK-LABEL: tile.kernel @two_in_a_row
// CHECK: role "mma"
// CHECK: scf.for
// CHECK: %[[T0:.*]] = tile.gemm
// CHECK-NEXT: %[[T1:.*]] = tile.gemm
// CHECK: tile.await %{{.*}}, %{{.*}}
// CHECK: scf.yield %[[T0]], %[[T1]],
tile.kernel @two_in_a_row(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %T: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !ring
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.acquire %ring[%i] : !ring
      tile.copy %A[%i, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.copy %B[%i, %c0] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
      tile.ring.commit %ring[%i] : !ring
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    tile.fill %acc with %zero : !acc, f32
    // expected-remark @below {{2 gemms stay in flight across iterations}}
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] : !ring
      tile.gemm %a, %b, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
      tile.gemm %a, %b, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
      tile.ring.release %ring[%i] : !ring
    }
    tile.copy %acc to %C[%c0, %c0] : !acc to memref<?x?xf32>
  }
}

// The result is scaled in each iteration: the wait stands in front of that, and
// the slot is free before it.
// CHECK-LABEL: tile.kernel @used_at_once
// CHECK: role "mma"
// CHECK: scf.for %{{.*}} {
// CHECK: %[[T:.*]] = tile.gemm
// CHECK-NEXT: tile.await %[[T]]
// CHECK-NEXT: tile.parallel
// CHECK: tile.ring.release
// CHECK-NEXT: }
// CHECK-NOT: tile.await
tile.kernel @used_at_once(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %T: index, %s: f32) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !ring
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.acquire %ring[%i] : !ring
      tile.copy %A[%i, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.copy %B[%i, %c0] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
      tile.ring.commit %ring[%i] : !ring
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    tile.fill %acc with %zero : !acc, f32
    // expected-remark @below {{no gemm stays in flight across iterations: 'tile.parallel' needs a result in the same iteration}}
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] : !ring
      tile.gemm %a, %b, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
      tile.parallel (%x, %y) in (64, 128) {
        %v = memref.load %acc[%x, %y] : !acc
        %w = arith.mulf %v, %s : f32
        memref.store %w, %acc[%x, %y] : !acc
      }
      tile.ring.release %ring[%i] : !ring
    }
    tile.copy %acc to %C[%c0, %c0] : !acc to memref<?x?xf32>
  }
}

// An operand in registers ends where they are written again: not across the
// back edge, though nothing here writes them.
// CHECK-LABEL: tile.kernel @registers
// CHECK: role "mma"
// CHECK: scf.for %{{.*}} {
// CHECK: %[[T:.*]] = tile.gemm
// CHECK-NEXT: tile.await %[[T]]
// CHECK-NEXT: tile.ring.release
// CHECK-NEXT: }
tile.kernel @registers(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %T: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f16
  %ring = tile.ring.create : !ring
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.acquire %ring[%i] : !ring
      tile.copy %A[%i, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.copy %B[%i, %c0] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
      tile.ring.commit %ring[%i] : !ring
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    %p = tile.alloc : memref<64x64xf16, #tile.fragment>
    tile.fill %acc with %zero : !acc, f32
    tile.fill %p with %half : memref<64x64xf16, #tile.fragment>, f16
    // expected-remark @below {{no gemm stays in flight across iterations: an operand is in registers, and would be in flight across the back edge}}
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] : !ring
      tile.gemm %p, %b, %acc {plan = #wgmma} : memref<64x64xf16, #tile.fragment>, memref<64x128xf16, #shared>, !acc
      tile.ring.release %ring[%i] : !ring
    }
    tile.copy %acc to %C[%c0, %c0] : !acc to memref<?x?xf32>
  }
}

// One slot: a release put off would never come.
// CHECK-LABEL: tile.kernel @one_slot
// CHECK: role "mma"
// CHECK: %[[T:.*]] = tile.gemm
// CHECK-NEXT: tile.await %[[T]]
// CHECK-NEXT: tile.ring.release
tile.kernel @one_slot(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %T: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !lone
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.acquire %ring[%i] : !lone
      tile.copy %A[%i, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.copy %B[%i, %c0] to %b decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
      tile.ring.commit %ring[%i] : !lone
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    tile.fill %acc with %zero : !acc, f32
    // expected-remark @below {{no gemm stays in flight across iterations: its ring has one slot, which would never be empty}}
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] : !lone
      tile.gemm %a, %b, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
      tile.ring.release %ring[%i] : !lone
    }
    tile.copy %acc to %C[%c0, %c0] : !acc to memref<?x?xf32>
  }
}

// Who fills the slots itself cannot keep one back.
// CHECK-LABEL: tile.kernel @one_agent
// CHECK: %[[T:.*]] = tile.gemm
// CHECK-NEXT: tile.await %[[T]]
// CHECK-NEXT: tile.ring.release
tile.kernel @one_agent(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %T: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !ring
  %acc = tile.alloc : !acc
  tile.fill %acc with %zero : !acc, f32
  // expected-remark @below {{no gemm stays in flight across iterations: the agent that multiplies also fills the ring}}
  scf.for %i = %c0 to %T step %c1 {
    %x, %y = tile.ring.acquire %ring[%i] : !ring
    tile.copy %A[%i, %c0] to %x decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%i, %c0] to %y decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.ring.commit %ring[%i] : !ring
    %a, %b = tile.ring.wait %ring[%i] : !ring
    tile.gemm %a, %b, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
    tile.ring.release %ring[%i] : !ring
  }
  tile.copy %acc to %C[%c0, %c0] : !acc to memref<?x?xf32>
}

// Instructions that end where they stand, and sums that are promoted on the
// way, return no token.
// CHECK-LABEL: tile.kernel @synchronous
// CHECK-NOT: !tile.token
// CHECK-NOT: tile.await
// CHECK: tile.return
tile.kernel @synchronous() grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %e = tile.alloc : memref<64x64xf8E4M3FN, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.gemm %s, %s, %acc {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.gemm %e, %e, %acc {transpose_b, promote_every = 32 : i64, plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 32, warps = [4, 1]>} : memref<64x64xf8E4M3FN, #shared>, memref<64x64xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
}

// Groups end in order: where the result of a later one is needed first, its wait
// is one for those before it, too.
// CHECK-LABEL: tile.kernel @later_needed_first
// CHECK: %[[FIRST:.*]] = tile.gemm
// CHECK-NEXT: %[[SECOND:.*]] = tile.gemm
// CHECK-NEXT: tile.await %[[SECOND]], %[[FIRST]]
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.return
tile.kernel @later_needed_first(%C: memref<?x?xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<64x128xf16, #shared>
  %first = tile.alloc : !acc
  %second = tile.alloc : !acc
  tile.gemm %s, %t, %first {clear, plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
  tile.gemm %s, %t, %second {clear, plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
  tile.copy %second to %C[%c0, %c0] : !acc to memref<?x?xf32>
  tile.copy %first to %D[%c0, %c0] : !acc to memref<?x?xf32>
}

// The other way round each has its own.
// CHECK-LABEL: tile.kernel @earlier_needed_first
// CHECK: %[[FIRST:.*]] = tile.gemm
// CHECK-NEXT: %[[SECOND:.*]] = tile.gemm
// CHECK-NEXT: tile.await %[[FIRST]]
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.await %[[SECOND]]
// CHECK-NEXT: tile.copy
tile.kernel @earlier_needed_first(%C: memref<?x?xf32>, %D: memref<?x?xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<64x128xf16, #shared>
  %first = tile.alloc : !acc
  %second = tile.alloc : !acc
  tile.gemm %s, %t, %first {clear, plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
  tile.gemm %s, %t, %second {clear, plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, !acc
  tile.copy %first to %C[%c0, %c0] : !acc to memref<?x?xf32>
  tile.copy %second to %D[%c0, %c0] : !acc to memref<?x?xf32>
}
