// Copies that may run ahead fill a ring; the rest of the loop stays in order.
// RUN: tile-opt %s --tile-pipeline | FileCheck %s
// RUN: tile-opt %s --tile-pipeline --canonicalize --cse | tile-opt --verify-each -o /dev/null

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:32)] swizzle(2, 4, 3)>

// The pass's documented example: a dynamic trip count, three stages.
// CHECK-LABEL: tile.kernel @dynamic
// CHECK-NOT:     tile.alloc : memref<64x32xf16
// CHECK:         %[[RING:.*]] = tile.ring.create : !tile.ring<3 x [memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x64xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
// T = (max(ub - lb, 0) + step - 1) / step
// CHECK:         %[[DIST:.*]] = arith.maxsi
// CHECK:         %[[UP:.*]] = arith.addi %[[DIST]], %c31
// CHECK:         %[[T:.*]] = arith.divui %[[UP]], %c32
// Productions 0 and 1, each guarded, each committed whether guarded out or not.
// CHECK:         %[[P0:.*]]:2 = tile.ring.acquire %[[RING]][%c0
// CHECK-NEXT:    %[[IS0:.*]] = tile.iteration exists(0) in %c0{{.*}} to %[[T]] step %c1
// CHECK-NEXT:    scf.if %[[IS0]] {
// CHECK:           tile.copy %A[%{{.*}}] to %[[P0]]#0
// CHECK-NEXT:      tile.copy %B[%{{.*}}] to %[[P0]]#1
// CHECK-NEXT:    }
// CHECK-NEXT:    tile.ring.commit %[[RING]][%c0
// CHECK:         %[[P1:.*]]:2 = tile.ring.acquire %[[RING]][%c1
// CHECK-NEXT:    %[[IS1:.*]] = tile.iteration exists(1) in %c0{{.*}} to %[[T]] step %c1
// CHECK-NEXT:    scf.if %[[IS1]] {
// CHECK:           tile.copy %A[%{{.*}}, %c32{{.*}}] to %[[P1]]#0
// CHECK:         tile.ring.commit %[[RING]][%c1
// Wait, then produce two ahead, then compute.
// CHECK:         scf.for %[[I:.*]] = %c0{{.*}} to %[[T]] step
// CHECK-NEXT:      %[[V:.*]]:2 = tile.ring.wait %[[RING]][%[[I]]] {in_flight = 1 : i64}
// CHECK-NEXT:      %[[USE:.*]] = arith.addi %[[I]], %c2
// CHECK-NEXT:      %[[P:.*]]:2 = tile.ring.acquire %[[RING]][%[[USE]]]
// CHECK-NEXT:      %[[MORE:.*]] = tile.iteration ahead(2) of %[[I]] in %c0{{.*}} to %[[T]] step %c1
// CHECK-NEXT:      scf.if %[[MORE]] {
// CHECK-NEXT:        %[[K:.*]] = arith.muli %[[USE]], %c32
// CHECK-NEXT:        tile.copy %A[%{{.*}}, %[[K]]] to %[[P]]#0
// CHECK-NEXT:        tile.copy %B[%[[K]], %{{.*}}] to %[[P]]#1
// CHECK-NEXT:      }
// CHECK-NEXT:      tile.ring.commit %[[RING]][%[[USE]]]
// CHECK-NEXT:      tile.gemm %[[V]]#0, %[[V]]#1
// CHECK-NEXT:      tile.ring.release %[[RING]][%[[I]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    tile.ring.drain %[[RING]]
// CHECK-NOT:     tile.pipelined
tile.kernel @dynamic(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
}

// Lower bound and step that are not constants; the induction value is recomputed
// wherever it is needed.
// CHECK-LABEL: tile.kernel @bounds
// CHECK:         %[[SPAN:.*]] = arith.subi %ub, %lb
// CHECK:         arith.maxsi %[[SPAN]]
// CHECK:         %[[LESS:.*]] = arith.subi %st, %c1
// CHECK:         arith.addi %{{.*}}, %[[LESS]]
// CHECK:         %[[T:.*]] = arith.divui %{{.*}}, %st
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[T]]
// CHECK:           tile.ring.wait {{.*}} {in_flight = 0 : i64}
// CHECK:           %[[USE:.*]] = arith.addi %[[I]], %c1
// CHECK:           scf.if
// CHECK:             %[[FAR:.*]] = arith.muli %[[USE]], %st
// CHECK:             %[[NEXT:.*]] = arith.addi %lb, %[[FAR]]
// CHECK:             tile.copy %A[%[[NEXT]]]
// CHECK:           tile.ring.commit
// CHECK:           %[[NEAR:.*]] = arith.muli %[[I]], %st
// CHECK:           %[[NOW:.*]] = arith.addi %lb, %[[NEAR]]
// CHECK:           tile.copy %{{.*}} to %B[%[[NOW]]]
tile.kernel @bounds(%A: memref<?xf32>, %B: memref<?xf32>, %lb: index, %ub: index, %st: index)
    grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %lb to %ub step %st stages(2) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// A constant trip count of four and two stages: nothing to guard ahead of the loop.
// CHECK-LABEL: tile.kernel @four_trips
// CHECK:         tile.ring.create : !tile.ring<2 x
// CHECK:         tile.ring.acquire
// CHECK-NOT:     scf.if
// CHECK:         tile.copy %A
// CHECK:         tile.ring.commit
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c4
// CHECK:           {in_flight = 0 : i64}
// CHECK:           scf.if
// CHECK:         tile.ring.drain
tile.kernel @four_trips(%A: memref<128xf32>, %B: memref<128xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c0 to %c128 step %c32 stages(2) {
    tile.copy %A[%k] to %s : memref<128xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<128xf32>
  }
}

// One iteration, four stages: one copy ahead of the loop, but as many groups as
// stages - 1, so that the waits count right.
// CHECK-LABEL: tile.kernel @one_trip
// CHECK:         tile.copy %A
// CHECK-NEXT:    tile.ring.commit
// CHECK-NEXT:    tile.ring.acquire
// CHECK-NOT:     tile.copy
// CHECK:         tile.ring.commit
// CHECK-NEXT:    tile.ring.acquire
// CHECK-NOT:     tile.copy
// CHECK:         tile.ring.commit
// CHECK:         scf.for
// CHECK:           {in_flight = 2 : i64}
tile.kernel @one_trip(%A: memref<7xf32>, %B: memref<7xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c0 to %c7 step %c32 stages(4) {
    tile.copy %A[%k] to %s : memref<7xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<7xf32>
  }
}

// A constant range that is empty or negative: nothing is left, not even of the
// loops inside.
// CHECK-LABEL: tile.kernel @negative_range
// CHECK-NOT:     tile.copy
// CHECK-NOT:     tile.ring
// CHECK-NOT:     scf.for
// CHECK:         tile.return
// FOLDED-LABEL: tile.kernel @negative_range
// FOLDED-NOT:     tile.copy
// FOLDED:         tile.return
tile.kernel @negative_range(%A: memref<?xf32>, %B: memref<?xf32>) grid(%bx) = (1) threads(32) {
  %c5 = arith.constant 5 : index
  %c-3 = arith.constant -3 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c5 to %c-3 step %c32 stages(3) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.pipelined %j = %c32 to %k step %c32 stages(3) {
      tile.copy %s to %B[%j] : memref<32xf32, #shared> to memref<?xf32>
    }
  }
  tile.pipelined %k = %c5 to %c5 step %c32 stages(3) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
  }
}

// One stage is the plain loop.
// CHECK-LABEL: tile.kernel @one_stage
// CHECK-NOT:     tile.ring
// CHECK:         scf.for %[[K:.*]] = %c0 to %K step %c32 {
// CHECK-NEXT:      tile.copy %A[%[[K]]]
// CHECK-NEXT:      tile.copy %{{.*}} to %B[%[[K]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    tile.return
tile.kernel @one_stage(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c0 to %K step %c32 stages(1) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// Deep rings fill up in a loop.
// CHECK-LABEL: tile.kernel @deep
// CHECK:         tile.ring.create : !tile.ring<6 x
// CHECK:         scf.for %[[S:.*]] = %c0{{.*}} to %c5
// CHECK-NEXT:      tile.ring.acquire %{{.*}}[%[[S]]]
// CHECK:           scf.if
// CHECK:             tile.copy %A
// CHECK:           tile.ring.commit %{{.*}}[%[[S]]]
// CHECK:         scf.for
// CHECK:           tile.ring.wait {{.*}} {in_flight = 4 : i64}
tile.kernel @deep(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c0 to %K step %c32 stages(6) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// Layouts that were inferred go to the ring; a copy that converts is made by the
// threads, so there are no groups to count.
// CHECK-LABEL: tile.kernel @layouts
// CHECK:         tile.ring.create layouts([#{{.*}}]) : !tile.ring<2 x [memref<64x32xf16, #gpu.address_space<workgroup>>], threads -> threads>
// CHECK:         tile.ring.wait %{{.*}}[%{{.*}}] :
tile.kernel @layouts(%A: memref<?x?xf32>, %B: memref<?x?xf16>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc layout(#rows) : memref<64x32xf16, #shared>
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%k, %c0] to %s : memref<?x?xf32> to memref<64x32xf16, #shared>
    tile.copy %s to %B[%k, %c0] : memref<64x32xf16, #shared> to memref<?x?xf16>
  }
}

// The plan decides where it is stated; one cp.async copy makes the ring's groups
// count. What differs only in being planned otherwise shares the ring.
// CHECK-LABEL: tile.kernel @planned
// CHECK:         tile.ring.create : !tile.ring<2 x [{{.*}}, {{.*}}], cp_async -> threads>
tile.kernel @planned(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  %t = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%k] to %s decided {plan = #tile.copy_plan<cp_async, bytes = 4>} : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %A[%c0] to %t decided {plan = #tile.copy_plan<vector, bytes = 16>} : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
    tile.copy %t to %B[%c0] : memref<32xf32, #shared> to memref<?xf32>
  }
}
// CHECK-LABEL: tile.kernel @planned_vector
// CHECK:         tile.ring.create : !tile.ring<2 x [{{.*}}], threads -> threads>
tile.kernel @planned_vector(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%k] to %s decided {plan = #tile.copy_plan<vector, bytes = 4>} : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// Arithmetic that says where a copy starts goes with it, and so does a read of a
// table that the loop does not write (the pages of a key cache). What only the
// copy needed does not stay behind.
// CHECK-LABEL: tile.kernel @paged
// CHECK:         scf.for %[[I:.*]] = %c0{{.*}} to
// CHECK:           tile.ring.wait
// CHECK:           scf.if
// CHECK:             memref.load %table
// CHECK:             arith.index_cast
// CHECK:             arith.muli
// CHECK:             tile.copy %A
// CHECK:           tile.ring.commit
// CHECK-NOT:       memref.load
// CHECK:           tile.ring.release
tile.kernel @paged(%A: memref<?x64xf16>, %table: memref<?xi32>, %B: memref<?x64xf16>, %K: index)
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = tile.alloc : memref<16x64xf16, #shared>
  tile.pipelined %k = %c0 to %K step %c1 stages(3) {
    %page = memref.load %table[%k] : memref<?xi32>
    %p = arith.index_cast %page : i32 to index
    %row = arith.muli %p, %c16 : index
    tile.copy %A[%row, %c0] to %s : memref<?x64xf16> to memref<16x64xf16, #shared>
    tile.copy %s to %B[%k, %c0] : memref<16x64xf16, #shared> to memref<?x64xf16>
  }
}

// A slot may be changed by its own iteration once it is full, and used inside
// nested control flow.
// CHECK-LABEL: tile.kernel @in_place
// CHECK:         %[[V:.*]] = tile.ring.wait
// CHECK:         tile.parallel
// CHECK:           memref.load %[[V]]
// CHECK:           memref.store %{{.*}}, %[[V]]
// CHECK:         scf.if %flag
// CHECK:           tile.copy %[[V]] to %B
// CHECK:         tile.ring.release
tile.kernel @in_place(%A: memref<?xf32>, %B: memref<?xf32>, %K: index, %flag: i1) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.parallel (%i) in (32) {
      %x = memref.load %s[%i] : memref<32xf32, #shared>
      %y = arith.addf %x, %x : f32
      memref.store %y, %s[%i] : memref<32xf32, #shared>
    }
    scf.if %flag {
      tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
    }
  }
}

// Two loops one after the other through the same buffer, in a loop: each has a
// ring of its own, ended before the next begins.
// CHECK-LABEL: tile.kernel @sequential
// CHECK-NOT:     tile.alloc
// CHECK:         scf.for
// CHECK:           %[[R0:.*]] = tile.ring.create : !tile.ring<2 x
// CHECK:           scf.for
// CHECK:             tile.ring.wait %[[R0]]
// CHECK:           tile.ring.drain %[[R0]]
// CHECK:           %[[R1:.*]] = tile.ring.create : !tile.ring<3 x
// CHECK:           scf.for
// CHECK:             tile.ring.wait %[[R1]]
// CHECK:           tile.ring.drain %[[R1]]
// CHECK-NEXT:    }
tile.kernel @sequential(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  scf.for %j = %c0 to %K step %c1 {
    tile.pipelined %k = %c0 to %K step %c32 stages(2) {
      tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
      tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
    }
    tile.pipelined %k = %c0 to %K step %c32 stages(3) {
      tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
      tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
    }
  }
}

// A pipelined loop in a pipelined loop. The inner ring lives in one iteration of
// the outer one.
// CHECK-LABEL: tile.kernel @nested
// CHECK:         %[[OUTER:.*]] = tile.ring.create : !tile.ring<2 x
// CHECK:         scf.for
// CHECK:           %[[Q:.*]] = tile.ring.wait %[[OUTER]]
// CHECK:           tile.copy %A
// CHECK:           tile.ring.commit %[[OUTER]]
// CHECK:           %[[INNER:.*]] = tile.ring.create : !tile.ring<3 x
// CHECK:           scf.for
// CHECK:             %[[KV:.*]] = tile.ring.wait %[[INNER]]
// CHECK:             tile.copy %[[Q]] to %C
// CHECK:             tile.copy %[[KV]] to %C
// CHECK:             tile.ring.release %[[INNER]]
// CHECK:           tile.ring.drain %[[INNER]]
// CHECK:           tile.ring.release %[[OUTER]]
// CHECK:         tile.ring.drain %[[OUTER]]
tile.kernel @nested(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %q = tile.alloc : memref<32xf32, #shared>
  %kv = tile.alloc : memref<32xf32, #shared>
  tile.pipelined %j = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%j] to %q : memref<?xf32> to memref<32xf32, #shared>
    tile.pipelined %k = %c0 to %K step %c32 stages(3) {
      tile.copy %B[%k] to %kv : memref<?xf32> to memref<32xf32, #shared>
      tile.copy %q to %C[%j] : memref<32xf32, #shared> to memref<?xf32>
      tile.copy %kv to %C[%k] : memref<32xf32, #shared> to memref<?xf32>
    }
  }
}
