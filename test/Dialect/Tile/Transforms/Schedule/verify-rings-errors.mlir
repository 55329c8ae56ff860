// Seeded faults: each kernel is a right schedule with one change, found by the
// rule of docs/Rings.md that forbids it, by both explorations.
// RUN: tile-opt %s --tile-verify-rings -verify-diagnostics=only-expected -o /dev/null
// RUN: tile-opt %s --tile-verify-rings=exhaustive -verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!acc = memref<64x64xf32, #tile.fragment>
!global = memref<?x?xf16>
!async = !tile.ring<3 x [!slot], cp_async -> threads>
!tma = !tile.ring<2 x [!slot], tma -> wgmma>
!read = !tile.ring<2 x [!slot], tma -> threads>

//===----------------------------------------------------------------------===//
// R1, R2: numbers and pairs
//===----------------------------------------------------------------------===//

// The use restarts with each tile.
tile.kernel @restarted_index(%A: !global, %n: index, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %t = %c0 to %n step %c1 {
      scf.for %k = %c0 to %K step %c1 {
        // expected-error @below {{[R1] expected use 1 of ring, got 0}}
        %a = tile.ring.acquire %r[%k] : !tma
        tile.copy %A[%t, %k] to %a : !global to !slot
        tile.ring.commit %r[%k] : !tma
      }
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %t = %c0 to %n step %c1 {
      scf.for %k = %c0 to %K step %c1 {
        %a = tile.ring.wait %r[%k] : !tma
        tile.gemm %a, %a, %acc : !slot, !slot, !acc
        tile.ring.release %r[%k] : !tma
      }
    }
  }
}

// The second of two loops starts at use 0 again.
tile.kernel @second_loop_restarts(%A: !global, %K: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  %r = tile.ring.create : !read
  scf.for %k = %c0 to %K step %c1 {
    %a = tile.ring.acquire %r[%k] : !read
    tile.copy %A[%k, %k] to %a : !global to !slot
    tile.ring.commit %r[%k] : !read
    %b = tile.ring.wait %r[%k] : !read
    tile.copy %b to %f : !slot to memref<64x64xf16, #tile.fragment>
    tile.ring.release %r[%k] : !read
  }
  scf.for %k = %c0 to %K step %c1 {
    // expected-error @below {{[R1] expected use 1 of ring, got 0}}
    %a = tile.ring.acquire %r[%k] : !read
    tile.copy %A[%k, %k] to %a : !global to !slot
    tile.ring.commit %r[%k] : !read
    %b = tile.ring.wait %r[%k] : !read
    tile.copy %b to %f : !slot to memref<64x64xf16, #tile.fragment>
    tile.ring.release %r[%k] : !read
  }
}

tile.kernel @double_release(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      tile.gemm %a, %a, %acc : !slot, !slot, !acc
      tile.ring.release %r[%k] : !tma
      // expected-error @below {{[R2] ring[0] is released twice}}
      tile.ring.release %r[%k] : !tma
    }
  }
}

// A branch of the consumer forgets to wait.
tile.kernel @missing_wait_in_branch(%A: !global, %K: index, %p: i1) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c1 {
      scf.if %p {
        %a = tile.ring.wait %r[%k] : !tma
        tile.gemm %a, %a, %acc : !slot, !slot, !acc
      }
      // expected-error @below {{[R2] ring[0] is released, not waited for}}
      tile.ring.release %r[%k] : !tma
    }
  }
}

// A branch of the consumer forgets to release.
tile.kernel @missing_release_in_branch(%A: !global, %K: index, %flags: memref<?xi32>) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c1 {
      // expected-error @below {{[R2] ring[0] is waited for and never released}}
      %a = tile.ring.wait %r[%k] : !tma
      %flag = memref.load %flags[%k] : memref<?xi32>
      %p = arith.cmpi ne, %flag, %zero : i32
      scf.if %p {
        tile.gemm %a, %a, %acc : !slot, !slot, !acc
        tile.ring.release %r[%k] : !tma
      }
    }
  }
}

tile.kernel @never_committed(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      // expected-error @below {{[R2] ring[0] is acquired and never committed}}
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
    }
    scf.for %k = %c1 to %K step %c1 {
      %u = arith.subi %k, %c1 : index
      tile.ring.commit %r[%u] : !tma
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
    }
  }
}

tile.kernel @used_after_drain(%A: !global) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !async
  %a = tile.ring.acquire %r[%c0] : !async
  tile.copy %A[%c0, %c0] to %a : !global to !slot
  tile.ring.commit %r[%c0] : !async
  %b = tile.ring.wait %r[%c0] {in_flight = 0 : i64} : !async
  tile.ring.release %r[%c0] : !async
  tile.ring.drain %r : !async
  // expected-error @below {{[R2] ring[1] is used after the ring was drained}}
  %c = tile.ring.acquire %r[%c1] : !async
  tile.ring.commit %r[%c1] : !async
}

//===----------------------------------------------------------------------===//
// R3: who takes part
//===----------------------------------------------------------------------===//

// The producer runs one iteration more than the consumer.
tile.kernel @one_use_too_many(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{[R3] ring is filled 1 times, and 'mma' consumes 0 uses}}
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    %more = arith.addi %K, %c1 : index
    scf.for %k = %c0 to %more step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
    }
  }
}

// The consumer leaves out the last iteration: it asks for one after it.
tile.kernel @asks_one_too_far(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{[R3] ring is filled 1 times, and 'mma' consumes 0 uses}}
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %is = tile.iteration ahead(1) of %k in %c0 to %K step %c1
      scf.if %is {
        %a = tile.ring.wait %r[%k] : !tma
        tile.ring.release %r[%k] : !tma
      }
    }
  }
}

// Nobody can wait for another role's cp.async groups.
tile.kernel @groups_of_another_role(%A: !global, %K: index) grid(%bx) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{[R3] expected one role to fill and to read a ring filled by cp_async}}
  %r = tile.ring.create : !async
  tile.warp_specialize
  role "load" warps(1) {
    %a = tile.ring.acquire %r[%c0] : !async
    tile.copy %A[%c0, %c0] to %a : !global to !slot
    tile.ring.commit %r[%c0] : !async
  }
  role "use" warps(1) {
    %a = tile.ring.wait %r[%c0] : !async
    tile.ring.release %r[%c0] : !async
  }
}

//===----------------------------------------------------------------------===//
// R4: views
//===----------------------------------------------------------------------===//

tile.kernel @copy_after_commit(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.ring.commit %r[%k] : !tma
      // expected-error @below {{[R4] ring[0] is written after it was committed}}
      tile.copy %A[%c0, %k] to %a : !global to !slot
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
    }
  }
}

// One agent multiplies what it has just asked for.
tile.kernel @reads_view_of_acquire(%A: !global, %K: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !tma
  scf.for %k = %c0 to %K step %c1 {
    %a = tile.ring.acquire %r[%k] : !tma
    tile.copy %A[%c0, %k] to %a : !global to !slot
    tile.ring.commit %r[%k] : !tma
    %b = tile.ring.wait %r[%k] : !tma
    // expected-error @below {{[R4] the view of 'tile.ring.acquire' is read}}
    tile.gemm %a, %b, %acc : !slot, !slot, !acc
    tile.ring.release %r[%k] : !tma
  }
}

tile.kernel @reads_after_release(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
      // expected-error @below {{[R4] ring[0] is used after it was released}}
      tile.gemm %a, %a, %acc : !slot, !slot, !acc
    }
  }
}

tile.kernel @writes_view_of_wait(%A: !global) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %r = tile.ring.create : !read
  %a = tile.ring.acquire %r[%c0] : !read
  tile.copy %A[%c0, %c0] to %a : !global to !slot
  tile.ring.commit %r[%c0] : !read
  %b = tile.ring.wait %r[%c0] : !read
  // expected-error @below {{[R4] the view of 'tile.ring.wait' is written}}
  tile.fill %b with %zero : !slot, f16
  tile.ring.release %r[%c0] : !read
}

// The empty barrier counts on warpgroups, and threads read as well.
tile.kernel @reader_not_among_consumers(%A: !global) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %max = tile.alloc : memref<64xf16, #shared>
  %r = tile.ring.create : !tma
  %a = tile.ring.acquire %r[%c0] : !tma
  tile.copy %A[%c0, %c0] to %a : !global to !slot
  tile.ring.commit %r[%c0] : !tma
  %b = tile.ring.wait %r[%c0] : !tma
  // expected-error @below {{[R4] ring[0] is read by threads, which is not among the consumers}}
  tile.reduce max %b to %max dim(1) : !slot to memref<64xf16, #shared>
  tile.ring.release %r[%c0] : !tma
}

// Plain stores complete no transaction.
tile.kernel @filled_by_threads(%A: !global) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %r = tile.ring.create : !tma
  %a = tile.ring.acquire %r[%c0] : !tma
  // expected-error @below {{[R4] ring[0] is written by something other than tma}}
  tile.fill %a with %zero : !slot, f16
  tile.ring.commit %r[%c0] : !tma
  %b = tile.ring.wait %r[%c0] : !tma
  tile.ring.release %r[%c0] : !tma
}

tile.kernel @view_escapes(%A: !global, %K: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %acc = tile.alloc : !acc
  %first = tile.alloc : !slot
  %r = tile.ring.create : !tma
  %x = scf.for %k = %c0 to %K step %c1 iter_args(%last = %first) -> (!slot) {
    %a = tile.ring.acquire %r[%k] : !tma
    tile.copy %A[%c0, %k] to %a : !global to !slot
    tile.ring.commit %r[%k] : !tma
    %b = tile.ring.wait %r[%k] : !tma
    tile.ring.release %r[%k] : !tma
    // expected-error @below {{[R4] the view of a slot leaves the operations between}}
    scf.yield %b : !slot
  }
}

//===----------------------------------------------------------------------===//
// R5, R7, R8: what is in flight
//===----------------------------------------------------------------------===//

tile.kernel @release_before_await(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      %t = tile.gemm %a, %a, %acc : !slot, !slot, !acc -> !tile.token
      // expected-error @below {{[R5] ring[0] is released while an asynchronous operation may still read it}}
      tile.ring.release %r[%k] : !tma
      tile.await %t
    }
  }
}

// The bulk store still reads the staging slot.
tile.kernel @staging_released_early(%C: !global) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %acc = tile.alloc : memref<64x64xf16, #tile.fragment>
  %r = tile.ring.create : !tile.ring<1 x [!slot], threads -> tma_store>
  %a = tile.ring.acquire %r[%c0] : !tile.ring<1 x [!slot], threads -> tma_store>
  tile.copy %acc to %a : memref<64x64xf16, #tile.fragment> to !slot
  tile.ring.commit %r[%c0] : !tile.ring<1 x [!slot], threads -> tma_store>
  %b = tile.ring.wait %r[%c0] : !tile.ring<1 x [!slot], threads -> tma_store>
  %t = tile.copy %b to %C[%c0, %c0] : !slot to !global -> !tile.token
  // expected-error @below {{[R5] ring[0] is released while}}
  tile.ring.release %r[%c0] : !tile.ring<1 x [!slot], threads -> tma_store>
  tile.await read %t
}

tile.kernel @accumulator_in_flight(%A: !global, %C: memref<?x?xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : !slot
  %acc = tile.alloc : !acc
  tile.fill %acc with %zero : !acc, f32
  tile.copy %A[%c0, %c0] to %s : !global to !slot
  %t = tile.gemm %s, %s, %acc : !slot, !slot, !acc -> !tile.token
  // expected-error @below {{[R7] the accumulator of a gemm in flight is read before its token was awaited}}
  tile.copy %acc to %C[%c0, %c0] : !acc to memref<?x?xf32>
  tile.await %t
}

tile.kernel @register_operand_in_flight(%A: !global) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %s = tile.alloc : !slot
  %p = tile.alloc : memref<64x64xf16, #tile.fragment>
  %acc = tile.alloc : !acc
  %t = tile.gemm %p, %s, %acc : memref<64x64xf16, #tile.fragment>, !slot, !acc -> !tile.token
  // expected-error @below {{[R7] a register operand of a gemm in flight is written}}
  tile.fill %p with %zero : memref<64x64xf16, #tile.fragment>, f16
  tile.await %t
}

tile.kernel @staging_rewritten(%C: !global) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %s = tile.alloc : !slot
  %t = tile.copy %s to %C[%c0, %c0] : !slot to !global -> !tile.token
  // expected-error @below {{[R7] the source of a copy in flight is written}}
  tile.fill %s with %zero : !slot, f16
  tile.await %t
}

// What the loop reads may not be in flight across its back edge.
tile.kernel @accumulator_across_back_edge(%A: !global, %K: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : !slot
  %acc = tile.alloc : !acc
  %max = tile.alloc : memref<64xf32, #tile.fragment>
  %none = tile.token.done
  %last = scf.for %k = %c0 to %K step %c1 iter_args(%prev = %none) -> (!tile.token) {
    tile.await %prev
    tile.reduce max %acc to %max dim(1) : !acc to memref<64xf32, #tile.fragment>
    // expected-error @below {{[R7b] the accumulator is in flight across the back edge}}
    %t = tile.gemm %s, %s, %acc : !slot, !slot, !acc -> !tile.token
    scf.yield %t : !tile.token
  }
  tile.await %last
}

tile.kernel @token_never_awaited(%A: !global, %K: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : !slot
  %acc = tile.alloc : !acc
  %none = tile.token.done
  %last = scf.for %k = %c0 to %K step %c1 iter_args(%prev = %none) -> (!tile.token) {
    // expected-error @below {{[R8] the token of this operation is not awaited before 'block' ends}}
    %t = tile.gemm %s, %s, %acc : !slot, !slot, !acc -> !tile.token
    tile.await %prev
    scf.yield %t : !tile.token
  }
}

//===----------------------------------------------------------------------===//
// R12: memory
//===----------------------------------------------------------------------===//

tile.kernel @created_again_without_drain(%A: !global, %n: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{[R12] the ring is created again while its memory may be in use}}
    %r = tile.ring.create : !async
    %a = tile.ring.acquire %r[%c0] : !async
    tile.copy %A[%c0, %c0] to %a : !global to !slot
    tile.ring.commit %r[%c0] : !async
    %b = tile.ring.wait %r[%c0] {in_flight = 0 : i64} : !async
    tile.ring.release %r[%c0] : !async
  }
}

//===----------------------------------------------------------------------===//
// R14: deadlock
//===----------------------------------------------------------------------===//

tile.kernel @wait_before_commit(%A: !global, %K: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  scf.for %k = %c0 to %K step %c1 {
    %a = tile.ring.acquire %r[%k] : !tma
    tile.copy %A[%c0, %k] to %a : !global to !slot
    // expected-error @below {{[R14] deadlock}}
    %b = tile.ring.wait %r[%k] : !tma
    tile.ring.commit %r[%k] : !tma
    tile.ring.release %r[%k] : !tma
  }
}

// Two slots, and each agent that reads ahead holds both.
tile.kernel @two_groups_two_slots(%A: !global, %K: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      // expected-error @below {{[R14] deadlock}}
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    %acc = tile.alloc : !acc
    %none = tile.token.done
    %l1, %l2 = scf.for %k = %c0 to %K step %c1 iter_args(%t1 = %none, %t2 = %none) -> (!tile.token, !tile.token) {
      %a = tile.ring.wait %r[%k] : !tma
      %t = tile.gemm %a, %a, %acc : !slot, !slot, !acc -> !tile.token
      tile.await %t2
      %any = arith.cmpi sge, %k, %c2 : index
      scf.if %any {
        %u = arith.subi %k, %c2 : index
        tile.ring.release %r[%u] : !tma
      }
      scf.yield %t, %t1 : !tile.token, !tile.token
    }
    tile.await %l1, %l2
    %from = arith.subi %K, %c2 : index
    %start = arith.maxsi %from, %c0 : index
    scf.for %k = %start to %K step %c1 {
      tile.ring.release %r[%k] : !tma
    }
  }
}

// Each role waits for what the other gives after its own wait.
tile.kernel @crosswise(%A: !global) grid(%bx) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %there = tile.ring.create : !tile.ring<1 x [!slot], threads -> threads>
  %back = tile.ring.create : !tile.ring<1 x [!slot], threads -> threads>
  tile.warp_specialize
  role "ping" warps(1) {
    // expected-error @below {{[R14] deadlock}}
    %x = tile.ring.wait %back[%c0] : !tile.ring<1 x [!slot], threads -> threads>
    tile.ring.release %back[%c0] : !tile.ring<1 x [!slot], threads -> threads>
    %y = tile.ring.acquire %there[%c0] : !tile.ring<1 x [!slot], threads -> threads>
    tile.fill %y with %zero : !slot, f16
    tile.ring.commit %there[%c0] : !tile.ring<1 x [!slot], threads -> threads>
  }
  role "pong" warps(1) {
    %x = tile.ring.wait %there[%c0] : !tile.ring<1 x [!slot], threads -> threads>
    tile.ring.release %there[%c0] : !tile.ring<1 x [!slot], threads -> threads>
    %y = tile.ring.acquire %back[%c0] : !tile.ring<1 x [!slot], threads -> threads>
    tile.fill %y with %zero : !slot, f16
    tile.ring.commit %back[%c0] : !tile.ring<1 x [!slot], threads -> threads>
  }
}

// The consumer skips uses that it has no rows for.
tile.kernel @skipped_uses(%A: !global, %K: index, %need: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %need step %c1 {
      // expected-error @below {{[R14] deadlock}}
      %a = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
    }
  }
}

//===----------------------------------------------------------------------===//
// R10, R15, R16, R18: slots and clusters
//===----------------------------------------------------------------------===//

// The peers' slots may still be read: without `peers` only this block's are waited for.
tile.kernel @multicast_without_peers(%A: !global, %K: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      // expected-error @below {{[R15] a multicast}}
      tile.copy %A[%c0, %k] to %a decided {multicast = 2} : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
    }
  }
}

// One block of the cluster keeps its part for itself.
tile.kernel @part_not_multicast(%A: !global, %K: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tile.ring.create {peers = 2} : !tma
  %rank = arith.remui %bx, %c2 : index
  %first = arith.cmpi eq, %rank, %c0 : index
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      scf.if %first {
        // expected-error @below {{[R10] the blocks of a cluster multicast 1 and 0 parts into ring[0]}}
        tile.copy %A[%c0, %k] to %a decided {multicast = 2} : !global to !slot
      } else {
        tile.copy %A[%c0, %k] to %a : !global to !slot
      }
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %K step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
    }
  }
}

// A count that the blocks of a cluster do not share.
tile.kernel @count_of_each_block(%A: !global) grid(%bx) = (8) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{[R18] the blocks of a cluster use ring 0 and 1 times}}
  %r = tile.ring.create {peers = 2} : !tma
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %bx step %c1 {
      %a = tile.ring.acquire %r[%k] : !tma
      tile.copy %A[%c0, %k] to %a decided {multicast = 2} : !global to !slot
      tile.ring.commit %r[%k] : !tma
    }
  }
  role "mma" warps(4) {
    scf.for %k = %c0 to %bx step %c1 {
      %a = tile.ring.wait %r[%k] : !tma
      tile.ring.release %r[%k] : !tma
    }
  }
}

// The second buffer of a slot is never filled.
tile.kernel @buffer_not_filled(%A: !global) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %acc = tile.alloc : !acc
  %r = tile.ring.create : !tile.ring<2 x [!slot, !slot], tma -> wgmma>
  %a:2 = tile.ring.acquire %r[%c0] : !tile.ring<2 x [!slot, !slot], tma -> wgmma>
  tile.copy %A[%c0, %c0] to %a#0 : !global to !slot
  tile.ring.commit %r[%c0] : !tile.ring<2 x [!slot, !slot], tma -> wgmma>
  %b:2 = tile.ring.wait %r[%c0] : !tile.ring<2 x [!slot, !slot], tma -> wgmma>
  // expected-error @below {{[R16] buffer 1 of ring[0] is read, and nothing was copied into it}}
  tile.gemm %b#0, %b#1, %acc : !slot, !slot, !acc
  tile.ring.release %r[%c0] : !tile.ring<2 x [!slot, !slot], tma -> wgmma>
}
