// What was not explored is never called right.
// RUN: tile-opt %s --tile-verify-rings="remarks budget=2000" -verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!global = memref<?x?xf16>
!tma = !tile.ring<2 x [!slot], tma -> wgmma>

// A product of three counts.
// expected-warning-re @below {{not proved: budget of 2000 steps used after {{[0-9]+}} of {{[0-9]+}} trip vectors or more}}
tile.kernel @budget(%A: !global, %l: index, %m: index, %n: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    %e = scf.for %i = %c0 to %l step %c1 iter_args(%a = %c0) -> (index) {
      %f = scf.for %j = %c0 to %m step %c1 iter_args(%b = %a) -> (index) {
        %g = scf.for %k = %c0 to %n step %c1 iter_args(%u = %b) -> (index) {
          %v = tile.ring.acquire %r[%u] : !tma
          tile.copy %A[%i, %k] to %v : !global to !slot
          tile.ring.commit %r[%u] : !tma
          %next = arith.addi %u, %c1 : index
          scf.yield %next : index
        }
        scf.yield %g : index
      }
      scf.yield %f : index
    }
  }
  role "mma" warps(4) {
    %lm = arith.muli %l, %m : index
    %lmn = arith.muli %lm, %n : index
    scf.for %u = %c0 to %lmn step %c1 {
      %v = tile.ring.wait %r[%u] : !tma
      tile.ring.release %r[%u] : !tma
    }
  }
}

// Each role draws a number of its own: they may be equal, but nothing says so.
tile.kernel @unrelated_counts(%A: !global, %counter: memref<1xi32>) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    %old = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
    %n = arith.index_cast %old : i32 to index
    scf.for %k = %c0 to %n step %c1 {
      %v = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %v : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    %old = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
    %n = arith.index_cast %old : i32 to index
    scf.for %k = %c0 to %n step %c1 {
      // expected-warning @below {{not proved: roles take counts from values that nothing says are equal [R19]; where they differ: deadlock: 'mma' waits at wait ring[0] for 'load' to commit ring[0]}}
      %v = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
    }
  }
}

// The loop cannot be entered with what is promised.
tile.kernel @never_entered(%A: !global, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.assume %n {min = 0, max = 0} : index
  %r = tile.ring.create : !tma
  // expected-warning @below {{not proved: no sizes were found that enter it}}
  scf.for %k = %c0 to %n step %c1 {
    %v = tile.ring.acquire %r[%k] : !tma
    tile.copy %A[%c0, %k] to %v : !global to !slot
    tile.ring.commit %r[%k] : !tma
    %w = tile.ring.wait %r[%k] : !tma
    tile.ring.release %r[%k] : !tma
  }
}

// A promise bounds what is explored, and the verdict says so.
// expected-remark @below {{rings are proved for 3 combinations of sizes}}
tile.kernel @promised(%A: !global, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.assume %n {min = 1, max = 3} : index
  %r = tile.ring.create : !tma
  // expected-note @below {{1 to 3 iterations}}
  scf.for %k = %c0 to %n step %c1 {
    %v = tile.ring.acquire %r[%k] : !tma
    tile.copy %A[%c0, %k] to %v : !global to !slot
    tile.ring.commit %r[%k] : !tma
    %w = tile.ring.wait %r[%k] : !tma
    tile.ring.release %r[%k] : !tma
  }
}

// Control flow that is not followed.
tile.kernel @switch(%A: !global, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %r = tile.ring.create : !tma
  // expected-warning @below {{not proved: 'scf.index_switch' contains ring operations, and it is not known how often it runs them}}
  scf.index_switch %n
  case 1 {
    %v = tile.ring.acquire %r[%c0] : !tma
    tile.copy %A[%c0, %c0] to %v : !global to !slot
    tile.ring.commit %r[%c0] : !tma
    %w = tile.ring.wait %r[%c0] : !tma
    tile.ring.release %r[%c0] : !tma
    scf.yield
  }
  default {
  }
}

// A kernel without rings has nothing to prove, and nothing is said.
tile.kernel @nothing(%A: !global) grid(%bx) = (1) threads(128) {
}
