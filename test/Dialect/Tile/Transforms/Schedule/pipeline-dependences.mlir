// Each reason for which a copy may not run ahead, with the operation that causes
// it; the loop stays correct, and copies beside it are still pipelined.
// RUN: tile-opt %s --tile-pipeline=remarks=true --split-input-file --verify-diagnostics
// RUN: tile-opt %s --tile-pipeline --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
// The source is written in the loop (RAW across iterations).
// CHECK-LABEL: tile.kernel @written
// CHECK-NOT:     tile.ring
// CHECK:         scf.for
// CHECK-NEXT:      tile.copy %A
tile.kernel @written(%A: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    // expected-remark @+1 {{not pipelined: 'A' is written in the loop}}
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    %next = arith.addi %k, %c32 : index
    // expected-note @+1 {{written here}}
    tile.copy %s to %A[%next] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// A write inside a nested region counts; the other copy still runs ahead.
// CHECK-LABEL: tile.kernel @written_inside
// CHECK:         tile.ring.create : !tile.ring<3 x [memref<32xf32, #gpu.address_space<workgroup>>]
// CHECK:         scf.for
// CHECK:           tile.ring.wait
// CHECK:             tile.copy %B
// CHECK:           tile.ring.commit
// CHECK:           tile.copy %A
// CHECK:           tile.ring.release
tile.kernel @written_inside(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  %t = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{pipelined: 1 of 2 copies runs 2 iterations ahead, filled by cp_async}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    // expected-remark @+1 {{not pipelined: 'A' is written in the loop}}
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %B[%k] to %t : memref<?xf32> to memref<32xf32, #shared>
    scf.for %j = %c0 to %K step %c1 {
      // expected-note @+1 {{written here}}
      tile.parallel (%i) in (32) {
        %x = memref.load %s[%i] : memref<32xf32, #shared>
        %y = memref.load %t[%i] : memref<32xf32, #shared>
        %z = arith.addf %x, %y : f32
        memref.store %z, %A[%i] : memref<?xf32>
      }
    }
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// Distinct arguments do not overlap unless both of them say so.
// CHECK-LABEL: tile.kernel @aliases
// CHECK-NOT:     tile.ring
// CHECK-LABEL: tile.kernel @no_alias
// CHECK:         tile.ring.create
tile.kernel @aliases(%A: memref<?xf32> {tile.may_alias}, %B: memref<?xf32> {tile.may_alias}, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    // expected-remark @+1 {{not pipelined: 'A' is written in the loop through 'B', which may alias it}}
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    // expected-note @+1 {{written here}}
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}
tile.kernel @no_alias(%A: memref<?xf32> {tile.may_alias}, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{pipelined: 1 of 1 copy runs}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// The buffer is read before it is overwritten: the value crosses iterations.
tile.kernel @carried(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<32xf32, #shared>
  tile.fill %s with %zero : memref<32xf32, #shared>, f32
  // expected-remark @+1 {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    // expected-note @+1 {{used here}}
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
    // expected-remark @+1 {{not pipelined: the shared buffer is used before it is overwritten, so its contents cross iterations}}
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// WAW: the second of two copies into one buffer stays behind the first.
// CHECK-LABEL: tile.kernel @twice
// CHECK:         scf.for
// CHECK:           %[[V:.*]] = tile.ring.wait
// CHECK:           tile.ring.commit
// CHECK-NEXT:      %[[K:.*]] = arith.muli
// CHECK-NEXT:      tile.copy %[[V]] to %C[%[[K]]]
// CHECK-NEXT:      tile.copy %B[%[[K]]] to %[[V]]
// CHECK-NEXT:      tile.copy %[[V]] to %C[%[[K]]]
// CHECK-NEXT:      tile.ring.release
tile.kernel @twice(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{pipelined: 1 of 2 copies}}
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    // expected-note @+1 {{used here}}
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %C[%k] : memref<32xf32, #shared> to memref<?xf32>
    // expected-remark @+1 {{not pipelined: the shared buffer is used before it is overwritten}}
    tile.copy %B[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %C[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// The last contents are seen after the loop, unless somebody overwrites them first.
tile.kernel @live_out(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    // expected-remark @+1 {{not pipelined: the shared buffer is used outside the loop}}
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
  // expected-note @+1 {{used here}}
  tile.copy %s to %B[%c0] : memref<32xf32, #shared> to memref<?xf32>
}
tile.kernel @live_around(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  scf.for %j = %c0 to %K step %c32 {
    // The previous iteration's last contents come round.
    // expected-note @+1 {{used here}}
    tile.copy %s to %B[%c0] : memref<32xf32, #shared> to memref<?xf32>
    // expected-remark @+1 {{not pipelined: no copy may run ahead}}
    tile.pipelined %k = %c0 to %K step %c32 stages(3) {
      // expected-remark @+1 {{not pipelined: the shared buffer is used outside the loop}}
      tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
      tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
    }
  }
}
// CHECK-LABEL: tile.kernel @dead_out
// CHECK:         tile.ring.create
tile.kernel @dead_out(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{pipelined: 1 of 1 copy runs}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
  tile.copy %A[%c0] to %s : memref<?xf32> to memref<32xf32, #shared>
  tile.copy %s to %B[%c0] : memref<32xf32, #shared> to memref<?xf32>
}

// -----
#shared = #gpu.address_space<workgroup>
// What a copy leaves untouched would have to survive.
tile.kernel @part(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  // expected-note @+1 {{buffer allocated here}}
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    // expected-remark @+1 {{not pipelined: it covers only a part of the shared buffer}}
    tile.copy %A[%k] to %s[%c8] sizes [16] : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// Where the copy starts depends on what the loop does.
tile.kernel @table_written(%A: memref<?xf32>, %B: memref<?xf32>, %table: memref<?xindex>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %K step %c1 stages(3) {
    %row = memref.load %table[%k] : memref<?xindex>
    // expected-remark @+1 {{not pipelined: its offset is read from 'table', which is written in the loop}}
    tile.copy %A[%row] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
    // expected-note @+1 {{written here}}
    memref.store %row, %table[%k] : memref<?xindex>
  }
}
tile.kernel @not_repeated(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %K step %c1 stages(3) {
    // expected-note @+1 {{computed here}}
    %row = scf.for %j = %c0 to %k step %c1 iter_args(%sum = %c0) -> (index) {
      %next = arith.addi %sum, %j : index
      scf.yield %next : index
    }
    // expected-remark @+1 {{not pipelined: its offset is computed by 'scf.for', which cannot be repeated earlier}}
    tile.copy %A[%row] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}
tile.kernel @taken(%A: memref<?xf32>, %B: memref<?xf32>, %tickets: memref<?xi32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %K step %c1 stages(3) {
    // expected-note @+1 {{computed here}}
    %ticket = memref.atomic_rmw addi %one, %tickets[%c0] : (i32, memref<?xi32>) -> i32
    %row = arith.index_cast %ticket : i32 to index
    // expected-remark @+1 {{not pipelined: its offset is computed by 'memref.atomic_rmw', which writes memory}}
    tile.copy %A[%row] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// Assertions, assumptions and prints order themselves but touch no buffer they
// do not name.
// CHECK-LABEL: tile.kernel @harmless
// CHECK:         tile.ring.create
// CHECK:         tile.ring.commit
// CHECK:         tile.assume
// CHECK:         tile.print
// CHECK:         tile.assert
// CHECK:         tile.ring.release
tile.kernel @harmless(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{pipelined: 1 of 1 copy runs}}
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.assume %k {divisible_by = 32 : i64} : index
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.print "k" %k : index
    tile.print "s" %s : memref<32xf32, #shared>
    %ok = arith.cmpi slt, %k, %K : index
    tile.assert %ok, "in range"
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// One stage is a request, not a failure.
tile.kernel @one_stage(%A: memref<?xf32>, %B: memref<?xf32>, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32xf32, #shared>
  // expected-remark @+1 {{not pipelined: one stage holds one iteration}}
  tile.pipelined %k = %c0 to %K step %c32 stages(1) {
    tile.copy %A[%k] to %s : memref<?xf32> to memref<32xf32, #shared>
    tile.copy %s to %B[%k] : memref<32xf32, #shared> to memref<?xf32>
  }
}
