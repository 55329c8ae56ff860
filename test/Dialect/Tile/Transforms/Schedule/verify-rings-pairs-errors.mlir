// Pairs of blocks and rings of accumulators: seeded faults, each found by the rule
// of docs/Rings.md that forbids it, by both explorations.
// RUN: tile-opt %s --tile-verify-rings -verify-diagnostics=only-expected -o /dev/null
// RUN: tile-opt %s --tile-verify-rings=exhaustive -verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
!slot = memref<64x64xf16, #shared>
!tensor = memref<64x64xf32, #tile.tmem>
!global = memref<?x?xf16>
!ab = !tile.ring<2 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> tcgen05>
!acc = !tile.ring<2 x [memref<64x64xf32, #tile.tmem>], mma -> threads>
#pair = #tile.mma_plan<tcgen05, m = 64, n = 64, k = 16, warps = [4, 1], pair>
#alone = #tile.mma_plan<tcgen05, m = 64, n = 64, k = 16, warps = [4, 1]>

// Only one block fills its half of B.
tile.kernel @copy_of_one_block(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        %mine = arith.cmpi eq, %bx, %c0 : index
        scf.if %mine {
          // expected-error @below {{[R10] the blocks of a cluster multicast 2 and 1 parts into ring0[0]: each waits for the parts of all}}
          tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        }
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.ring.release %acc[%t] : !acc
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}

// One block's gemm reads halves.
tile.kernel @alone(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        // expected-error @below {{[R22] a gemm of one block reads a ring with `pair`: half of an operand is in the other block}}
        tile.gemm %y#0, %y#1, %d {plan = #alone} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.ring.release %acc[%t] : !acc
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}

// The ring knows nothing of the pair whose gemm reads it.
tile.kernel @no_pair(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        // expected-error @below {{[R22] a gemm of a pair of blocks reads an operand that is in no ring with `pair`: the other block's part may not have arrived}}
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.ring.release %acc[%t] : !acc
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}

// An accumulator that nobody gives back.
tile.kernel @accumulator_kept(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      // expected-error @below {{[R2] ring1[0] is waited for and never released}}
      %e = tile.ring.wait %acc[%t] : !acc
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}

// Every tile has the first accumulator.
tile.kernel @accumulator_restarts(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      // expected-error @below {{[R1] expected use 1 of ring1, got 0}}
      %d = tile.ring.acquire %acc[%c0] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%c0] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.ring.release %acc[%t] : !acc
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}

// The accumulator is read when the next tile's gemms may write it.
tile.kernel @read_after_release(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      tile.ring.release %acc[%t] : !acc
      // expected-error @below {{[R4] ring1[0] is used after it was released}}
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}

// Who multiplies reads what is not complete.
tile.kernel @read_by_who_multiplies(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      %g = tile.alloc : memref<64x64xf32, #tile.fragment>
      // expected-error @below {{[R4] the view of 'tile.ring.acquire' is read}}
      tile.copy %d to %g : !tensor to memref<64x64xf32, #tile.fragment>
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.ring.release %acc[%t] : !acc
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}

// Who reads writes.
tile.kernel @written_by_who_reads(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %tiles step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %tiles step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      // expected-error @below {{[R4] the view of 'tile.ring.wait' is written}}
      tile.copy %f to %e : memref<64x64xf32, #tile.fragment> to !tensor
      tile.ring.release %acc[%t] : !acc
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}

// One block has a tile more.
tile.kernel @blocks_differ(%A: !global, %B: !global, %C: memref<?x?xf32>, %tiles: index, %steps: index) grid(%bx) = (2) threads(256) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %more = arith.addi %tiles, %bx : index
  %m = arith.muli %bx, %c64 : index
  %ab = tile.ring.create {pair = array<i64: -1, 1>, peers = 2} : !ab
  // expected-error @below {{[R18] the blocks of a cluster use ring1 0 and 1 times}}
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !acc
  tile.warp_specialize
  role "load" warps(2) {
    scf.for %t = %c0 to %more step %c1 iter_args(%i = %c0) -> (index) {
      %first = arith.muli %t, %steps : index
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %x:2 = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%m, %k] to %x#0 : !global to !slot
        tile.copy %B[%k, %c0] to %x#1 : !global to !slot
        tile.ring.commit %ab[%u] : !ab
      }
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "mma" warps(2) {
    scf.for %t = %c0 to %more step %c1 iter_args(%i = %c0) -> (index) {
      %d = tile.ring.acquire %acc[%t] : !acc
      tile.fill %d with %zero : !tensor, f32
      scf.for %k = %c0 to %steps step %c1 {
        %u = arith.addi %i, %k : index
        %y:2 = tile.ring.wait %ab[%u] : !ab
        tile.gemm %y#0, %y#1, %d {plan = #pair} : !slot, !slot, !tensor
        tile.ring.release %ab[%u] : !ab
      }
      tile.ring.commit %acc[%t] : !acc
      %next = arith.addi %i, %steps : index
      scf.yield %next : index
    }
  }
  role "epilogue" warps(4) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %c0 to %more step %c1 {
      %e = tile.ring.wait %acc[%t] : !acc
      tile.copy %e to %f : !tensor to memref<64x64xf32, #tile.fragment>
      tile.ring.release %acc[%t] : !acc
      tile.copy %f to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}
