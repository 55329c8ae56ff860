// What a loop answers, number by number, on the CPU and as lowered code; the proof of rings computes the same.
// RUN: tile-run %s --kernel=asks --args=lo=5,hi=18,by=4,out=16 --workers=1 | FileCheck %s --match-full-lines
// RUN: tile-run %s --kernel=asks --args=lo=5,hi=17,by=4,out=16 --workers=1 | FileCheck %s --check-prefix=THREE --match-full-lines
// RUN: tile-run %s --kernel=asks --args=lo=5,hi=5,by=4,out=16 --workers=1 | FileCheck %s --check-prefix=NONE --match-full-lines
// RUN: tile-run %s --kernel=asks --args=lo=5,hi=18,by=4,out=16 --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=PASS
// RUN: tile-run %s --kernel=asks --args=lo=-3,hi=2,by=1,out=16 --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=PASS
// RUN: tile-run %s --kernel=constants --workers=1 | FileCheck %s --check-prefix=CONSTANTS
// RUN: tile-opt %s --tile-verify-rings=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROVED
// PASS: PASS

// Iterations 5, 9, 13, 17: ahead(1) is 1, past(1) is 2, past(2) is 4, is(2) is 8, ahead(0) is 16, past(0) is 32.
// CHECK: exists(0): 1
// CHECK-NEXT: exists(3): 1
// CHECK-NEXT: exists(4): 0
// CHECK-NEXT: answers: 49
// CHECK-NEXT: answers: 51
// CHECK-NEXT: answers: 63
// CHECK-NEXT: answers: 54
// CHECK-NOT: answers
// THREE: exists(0): 1
// THREE-NEXT: exists(3): 0
// THREE-NEXT: exists(4): 0
// THREE-NEXT: answers: 49
// THREE-NEXT: answers: 51
// THREE-NEXT: answers: 62
// THREE-NOT: answers
// NONE: exists(0): 0
// NONE-NEXT: exists(3): 0
// NONE-NEXT: exists(4): 0
// NONE-NOT: answers
tile.kernel @asks(%lo: index, %hi: index, %by: index, %out: memref<?xi32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %n3 = arith.constant 3 : i32
  %n4 = arith.constant 4 : i32
  %n5 = arith.constant 5 : i32
  %some = tile.iteration exists(0) in %lo to %hi step %by
  %four = tile.iteration exists(3) in %lo to %hi step %by
  %five = tile.iteration exists(4) in %lo to %hi step %by
  tile.print "exists(0)" %some : i1
  tile.print "exists(3)" %four : i1
  tile.print "exists(4)" %five : i1
  %last = scf.for %i = %lo to %hi step %by iter_args(%at = %c0) -> (index) {
    %q0 = tile.iteration ahead(1) of %i in %lo to %hi step %by
    %q1 = tile.iteration past(1) of %i in %lo to %hi step %by
    %q2 = tile.iteration past(2) of %i in %lo to %hi step %by
    %q3 = tile.iteration is(2) of %i in %lo to %hi step %by
    %q4 = tile.iteration ahead(0) of %i in %lo to %hi step %by
    %q5 = tile.iteration past(0) of %i in %lo to %hi step %by
    %w0 = arith.extui %q0 : i1 to i32
    %w1 = arith.extui %q1 : i1 to i32
    %w2 = arith.extui %q2 : i1 to i32
    %w3 = arith.extui %q3 : i1 to i32
    %w4 = arith.extui %q4 : i1 to i32
    %w5 = arith.extui %q5 : i1 to i32
    %s1 = arith.shli %w1, %n1 : i32
    %s2 = arith.shli %w2, %n2 : i32
    %s3 = arith.shli %w3, %n3 : i32
    %s4 = arith.shli %w4, %n4 : i32
    %s5 = arith.shli %w5, %n5 : i32
    %a1 = arith.addi %w0, %s1 : i32
    %a2 = arith.addi %a1, %s2 : i32
    %a3 = arith.addi %a2, %s3 : i32
    %a4 = arith.addi %a3, %s4 : i32
    %a5 = arith.addi %a4, %s5 : i32
    tile.print "answers" %a5 : i32
    memref.store %a5, %out[%at] : memref<?xi32>
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  }
  %e0 = arith.extui %some : i1 to i32
  %e3 = arith.extui %four : i1 to i32
  %e4 = arith.extui %five : i1 to i32
  memref.store %e0, %out[%last] : memref<?xi32>
  %after = arith.addi %last, %c1 : index
  %second = arith.addi %after, %c1 : index
  memref.store %e3, %out[%after] : memref<?xi32>
  memref.store %e4, %out[%second] : memref<?xi32>
}

// Questions about known bounds are answered before anything runs.
// CONSTANTS: exists: 1
// CONSTANTS-NEXT: not: 0
tile.kernel @constants() grid(%b) = (1) threads(32) {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  %some = tile.iteration exists(1) in %c2 to %c8 step %c3
  %none = tile.iteration exists(2) in %c2 to %c8 step %c3
  tile.print "exists" %some : i1
  tile.print "not" %none : i1
}

// The producer stops one use before the consumer does, or with it: the proof computes each question.
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<2 x [memref<64xf32, #shared>], tma -> threads>
// PROVED-NOT: error
// PROVED: rings are proved for 7 combinations of sizes
tile.kernel @proved(%A: memref<64xf32>, %n: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !ring
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %is = tile.iteration past(1) of %k in %c0 to %n step %c1
      scf.if %is {
        %u = arith.subi %k, %c1 : index
        %a = tile.ring.acquire %r[%u] : !ring
        tile.copy %A to %a : memref<64xf32> to memref<64xf32, #shared>
        tile.ring.commit %r[%u] : !ring
      }
    }
  }
  role "use" warps(4) {
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    scf.for %k = %c0 to %n step %c1 {
      %is = tile.iteration ahead(1) of %k in %c0 to %n step %c1
      scf.if %is {
        %a = tile.ring.wait %r[%k] : !ring
        tile.copy %a to %f : memref<64xf32, #shared> to memref<64xf32, #tile.fragment>
        tile.ring.release %r[%k] : !ring
      }
    }
  }
}
