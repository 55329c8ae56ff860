// Rings that a role's threads fill: right schedules, then each with one change that a rule forbids; both explorations.
// RUN: tile-opt %s --tile-verify-rings=remarks --mlir-print-op-on-diagnostic=false -verify-diagnostics=only-expected -o /dev/null
// RUN: tile-opt %s --tile-verify-rings="exhaustive remarks" --mlir-print-op-on-diagnostic=false -verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!acc = memref<64x64xf32, #tile.fragment>
!global = memref<?x?xf16>
!async = !tile.ring<2 x [!slot], cp_async_mbarrier -> wgmma>
!stores = !tile.ring<3 x [!slot], threads_mbarrier -> threads>

// Rings of different depth and rhythm, phases carried across tiles.
// expected-remark @below {{rings are proved}}
tile.kernel @right(%A: !global, %n: index, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !async
  %s = tile.ring.create : !stores
  tile.warp_specialize
  role "load" warps(4) {
    %e = scf.for %t = %c0 to %n step %c1 iter_args(%base = %c0) -> index {
      %b = tile.ring.acquire %s[%t] : !stores
      tile.copy %A[%t, %c0] to %b decided {plan = #tile.copy_plan<vector, bytes = 16>} : !global to !slot
      tile.ring.commit %s[%t] : !stores
      %f = scf.for %k = %c0 to %K step %c1 iter_args(%u = %base) -> index {
        %a = tile.ring.acquire %r[%u] : !async
        tile.copy %A[%t, %k] to %a decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : !global to !slot
        tile.ring.commit %r[%u] : !async
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %f : index
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    %q = tile.alloc : memref<64x64xf16, #tile.fragment>
    %e = scf.for %t = %c0 to %n step %c1 iter_args(%base = %c0) -> index {
      %b = tile.ring.wait %s[%t] : !stores
      tile.copy %b to %q : !slot to memref<64x64xf16, #tile.fragment>
      tile.ring.release %s[%t] : !stores
      %f = scf.for %k = %c0 to %K step %c1 iter_args(%u = %base) -> index {
        %a = tile.ring.wait %r[%u] : !async
        tile.gemm %a, %a, %acc : !slot, !slot, !acc
        tile.ring.release %r[%u] : !async
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %f : index
    }
  }
}

// The arrivals of cp.async publish no stores.
tile.kernel @stores(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !async
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !async
      // expected-error @below {{[R4] ring[0] is written by something other than cp_async_mbarrier, which its ring expects}}
      tile.copy %A[%c0, %k] to %a decided {plan = #tile.copy_plan<vector, bytes = 16>} : !global to !slot
      tile.ring.commit %r[%k] : !async
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !async
      tile.gemm %a, %a, %acc : !slot, !slot, !acc
      tile.ring.release %r[%k] : !async
    }
  }
}

// Nor do arrivals behind stores say anything of cp.async.
tile.kernel @copies(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !stores
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !stores
      // expected-error @below {{[R4] ring[0] is written by something other than threads_mbarrier, which its ring expects}}
      tile.copy %A[%c0, %k] to %a decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : !global to !slot
      tile.ring.commit %r[%k] : !stores
    }
  }
  role "use" warps(4) {
    %q = tile.alloc : memref<64x64xf16, #tile.fragment>
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !stores
      tile.copy %a to %q : !slot to memref<64x64xf16, #tile.fragment>
      tile.ring.release %r[%k] : !stores
    }
  }
}

// The consumer keeps its slots: the producer waits for the third use for ever.
tile.kernel @kept(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = tile.ring.create : !async
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %c3 step %c1 {
      %a = tile.ring.acquire %r[%k] : !async
      tile.copy %A[%c0, %k] to %a decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : !global to !slot
      tile.ring.commit %r[%k] : !async
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %c3 step %c1 {
      // expected-error @below {{[R2] ring[0] is waited for and never released}}
      %a = tile.ring.wait %r[%k] : !async
      tile.gemm %a, %a, %acc : !slot, !slot, !acc
    }
  }
}

// Committed before it was filled.
tile.kernel @early(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !async
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !async
      tile.ring.commit %r[%k] : !async
      // expected-error @below {{[R4] ring[0] is written after it was committed}}
      tile.copy %A[%c0, %k] to %a decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : !global to !slot
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !async
      tile.gemm %a, %a, %acc : !slot, !slot, !acc
      tile.ring.release %r[%k] : !async
    }
  }
}

// The third slot ahead of two.
tile.kernel @order(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !async
  %s = tile.ring.create : !stores
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      // expected-error @below {{[R14] deadlock}}
      %a = tile.ring.acquire %r[%k] : !async
      tile.copy %A[%c0, %k] to %a decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : !global to !slot
      tile.ring.commit %r[%k] : !async
    }
    scf.for %k = %c0 to %K step %c1 {
      %b = tile.ring.acquire %s[%k] : !stores
      tile.copy %A[%c0, %k] to %b decided {plan = #tile.copy_plan<vector, bytes = 16>} : !global to !slot
      tile.ring.commit %s[%k] : !stores
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    %q = tile.alloc : memref<64x64xf16, #tile.fragment>
    scf.for %k = %c0 to %K step %c1 {
      %b = tile.ring.wait %s[%k] : !stores
      %a = tile.ring.wait %r[%k] : !async
      tile.copy %b to %q : !slot to memref<64x64xf16, #tile.fragment>
      tile.gemm %a, %a, %acc : !slot, !slot, !acc
      tile.ring.release %r[%k] : !async
      tile.ring.release %s[%k] : !stores
    }
  }
}
