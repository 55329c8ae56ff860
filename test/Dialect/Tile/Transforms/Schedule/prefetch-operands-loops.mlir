// What rings of a program say is asked as what --tile-pipeline writes: which production a loop has, how far it runs ahead, which number its use has.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-prefetch-operands=remarks --verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:32)] swizzle(2, 4, 3)>
#b = #tile.shared_layout<shape [32, 64] bits 16 modes [(64, 1:1), (32, 0:64)] swizzle(3, 4, 3)>
#c = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (4, 1:8), (2, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:32)]>
#copy_a = #tile.fragment_layout<shape [64, 32] reg [(8, 1:1), (2, 0:32)] lane [(4, 1:8), (8, 0:1)] warp [(4, 0:8)]>
#copy_b = #tile.fragment_layout<shape [32, 64] reg [(8, 1:1), (2, 0:16)] lane [(8, 1:8), (4, 0:1)] warp [(4, 0:4)]>
#cp_async = #tile.copy_plan<cp_async, bytes = 16>
#mma = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>
!A = memref<64x32xf16, #shared>
!B = memref<32x64xf16, #shared>
!C = memref<64x64xf32, #tile.fragment>
!ring = !tile.ring<3 x [!A, !B], cp_async -> threads>

// The production of use i + 2 runs two iterations ahead.
// CHECK-LABEL: tile.kernel @right
// CHECK: decided {inside
tile.kernel @right(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index, %m: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    %use = arith.addi %i, %c2 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = arith.muli %use, %c32 : index
    %is = tile.iteration ahead(2) of %i in %c0 to %n step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands loaded a k step ahead}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// The same number, computed in another way.
// CHECK-LABEL: tile.kernel @computed
// CHECK: decided {inside
tile.kernel @computed(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index, %m: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    %next = arith.addi %c1, %i : index
    %use = arith.addi %next, %c1 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = arith.muli %use, %c32 : index
    %is = tile.iteration ahead(2) of %i in %c0 to %n step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands loaded a k step ahead}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// A use that is a difference, and an offset that is an affine expression: what an index is of another is asked of the
// analysis of indices, however it is written.
// CHECK-LABEL: tile.kernel @other_terms
// CHECK: decided {inside
tile.kernel @other_terms(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    %past = arith.addi %i, %c3 : index
    %use = arith.subi %past, %c1 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = affine.apply affine_map<(d0) -> (d0 * 32)>(%use)
    %is = tile.iteration ahead(2) of %i in %c0 to %n step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands loaded a k step ahead}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// An offset that is a remainder is not linear in the number of the iteration.
// CHECK-LABEL: tile.kernel @remainder
// CHECK-NOT: inside
tile.kernel @remainder(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    %use = arith.addi %i, %c2 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %r2 = arith.remui %use, %c3 : index
    %k = arith.muli %r2, %c32 : index
    %is = tile.iteration ahead(2) of %i in %c0 to %n step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands loaded a k step ahead; copies keep their checks: an offset is not linear in the iteration's number}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// The branch asks a loop with another bound.
// CHECK-LABEL: tile.kernel @other_bound
// CHECK-NOT: inside
tile.kernel @other_bound(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index, %m: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    %use = arith.addi %i, %c2 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = arith.muli %use, %c32 : index
    %is = tile.iteration ahead(2) of %i in %c0 to %m step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands loaded a k step ahead; copies keep their checks: its production has an unknown guard}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// The branch asks for this iteration.
// CHECK-LABEL: tile.kernel @not_ahead
// CHECK-NOT: inside
tile.kernel @not_ahead(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index, %m: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    %use = arith.addi %i, %c2 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = arith.muli %use, %c32 : index
    %is = tile.iteration ahead(0) of %i in %c0 to %n step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands loaded a k step ahead; copies keep their checks: its production has an unknown guard}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// Productions past the end bring something, too.
// CHECK-LABEL: tile.kernel @no_guard
// CHECK-NOT: inside
tile.kernel @no_guard(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index, %m: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    %use = arith.addi %i, %c2 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = arith.muli %use, %c32 : index
    tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
    tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands loaded a k step ahead; copies keep their checks: its production has an unknown form}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// Use i + 1 is that of iteration i.
// CHECK-LABEL: tile.kernel @numbered_from_one
// CHECK-NOT: inside
tile.kernel @numbered_from_one(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index, %m: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %one = arith.addi %i, %c1 : index
    %v:2 = tile.ring.wait %r[%one] {in_flight = 1} : !ring
    %use = arith.addi %i, %c3 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = arith.muli %use, %c32 : index
    %is = tile.iteration ahead(2) of %i in %c0 to %n step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands loaded a k step ahead; copies keep their checks: its uses are not numbered as its iterations}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%one] : !ring
  }
  tile.ring.drain %r : !ring
}

// The next wait counts on the group of this iteration, which is committed after the gemm: it stays there.
// CHECK-LABEL: tile.kernel @filled_after
// CHECK-NOT: again
tile.kernel @filled_after(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index, %m: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    // expected-remark @below {{operands not loaded ahead: the ring is filled after it}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    %use = arith.addi %i, %c2 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = arith.muli %use, %c32 : index
    %is = tile.iteration ahead(2) of %i in %c0 to %n step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    tile.ring.release %r[%i] : !ring
  }
  tile.ring.drain %r : !ring
}

// An inner loop reads the ring, too: no wait may come before its own.
// CHECK-LABEL: tile.kernel @read_twice
// CHECK-NOT: ldmatrix
tile.kernel @read_twice(%A: memref<64x?xf16> {tile.alignment = 16 : i64}, %B: memref<?x64xf16> {tile.alignment = 16 : i64}, %n: index, %m: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %acc = tile.alloc layout(#c) : !C
  %r = tile.ring.create layouts([#a, #b]) : !ring
  scf.for %i = %c0 to %n step %c1 {
    %v:2 = tile.ring.wait %r[%i] {in_flight = 1} : !ring
    %use = arith.addi %i, %c2 : index
    %p:2 = tile.ring.acquire %r[%use] : !ring
    %k = arith.muli %use, %c32 : index
    %is = tile.iteration ahead(2) of %i in %c0 to %n step %c1
    scf.if %is {
      tile.copy %A[%c0, %k] to %p#0 decided {layout = #copy_a, plan = #cp_async} : memref<64x?xf16> to !A
      tile.copy %B[%k, %c0] to %p#1 decided {layout = #copy_b, plan = #cp_async} : memref<?x64xf16> to !B
    }
    tile.ring.commit %r[%use] : !ring
    // expected-remark @below {{operands not loaded ahead: its loop is not a plain ring loop}}
    tile.gemm %v#0, %v#1, %acc {plan = #mma} : !A, !B, !C
    tile.ring.release %r[%i] : !ring
    scf.for %j = %c0 to %m step %c1 {
      %w:2 = tile.ring.wait %r[%i] {again} : !ring
      tile.ring.release %r[%i] : !ring
    }
  }
  tile.ring.drain %r : !ring
}
