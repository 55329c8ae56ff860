// Right schedules are proved, by both explorations where the case is small.
// RUN: tile-opt %s --tile-verify-rings=remarks -verify-diagnostics -o /dev/null
// RUN: tile-opt %s "--tile-verify-rings=remarks exhaustive" -verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
!ab = !tile.ring<3 x [memref<128x64xf16, #shared>, memref<64x256xf16, #shared>], tma -> wgmma>

// A persistent GEMM without clusters: one role loads, one multiplies with one
// group in flight, over a persistent range of tiles with uses carried on.
// expected-remark @below {{rings are proved for 73 combinations of sizes}}
tile.kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 256, dim(%C, 0) ceildiv 128) threads(384) attributes {persistent = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %ab = tile.ring.create : !ab
  %first, %end, %step = tile.block_range
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    // expected-note @below {{0 to 8 iterations}}
    %done = scf.for %t = %first to %end step %step iter_args(%i = %c0) -> (index) {
      %x, %y = tile.block_coordinates %t : index, index
      // expected-note @below {{0 to 8 iterations}}
      %j = scf.for %k = %c0 to %K step %c64 iter_args(%u = %i) -> (index) {
        %a, %b = tile.ring.acquire %ab[%u] : !ab
        tile.copy %A[%y, %k] to %a : memref<?x?xf16> to memref<128x64xf16, #shared>
        tile.copy %B[%k, %x] to %b : memref<?x?xf16> to memref<64x256xf16, #shared>
        tile.ring.commit %ab[%u] : !ab
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %j : index
    }
  }
  role "mma" warps(8) registers(232) {
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    // expected-note @below {{0 to 8 iterations}}
    %done = scf.for %t = %first to %end step %step iter_args(%i = %c0) -> (index) {
      %x, %y = tile.block_coordinates %t : index, index
      tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
      %none = tile.token.done
      // expected-note @below {{0 to 8 iterations}}
      %e, %last = scf.for %k = %c0 to %K step %c64 iter_args(%u = %i, %prev = %none) -> (index, !tile.token) {
        %a, %b = tile.ring.wait %ab[%u] : !ab
        %tok = tile.gemm %a, %b, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment> -> !tile.token
        tile.await %prev
        %later = arith.cmpi ne, %u, %i : index
        scf.if %later {
          %before = arith.subi %u, %c1 : index
          tile.ring.release %ab[%before] : !ab
        }
        %next = arith.addi %u, %c1 : index
        scf.yield %next, %tok : index, !tile.token
      }
      tile.await %last
      %any = arith.cmpi ne, %e, %i : index
      scf.if %any {
        %before = arith.subi %e, %c1 : index
        tile.ring.release %ab[%before] : !ab
      }
      tile.copy %acc to %C[%y, %x] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
      scf.yield %e : index
    }
  }
}

// The same in a cluster of two, whose blocks load half of B each and send it to
// both: an acquire waits for the consumers of both blocks.
!shared_ab = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x256xf16, #shared>], tma -> wgmma>
// expected-remark @below {{rings are proved for 43 combinations of sizes}}
tile.kernel @multicast(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 256, dim(%C, 0) ceildiv 128) threads(384) cluster(1, 2) attributes {persistent = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %ab = tile.ring.create {peers = 2} : !shared_ab
  %first, %end, %step = tile.block_range
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    // expected-note @below {{0 to 6 iterations}}
    %done = scf.for %t = %first to %end step %step iter_args(%i = %c0) -> (index) {
      %x, %y = tile.block_coordinates %t : index, index
      // expected-note @below {{0 to 6 iterations}}
      %j = scf.for %k = %c0 to %K step %c64 iter_args(%u = %i) -> (index) {
        %a, %b = tile.ring.acquire %ab[%u] : !shared_ab
        tile.copy %A[%y, %k] to %a : memref<?x?xf16> to memref<128x64xf16, #shared>
        tile.copy %B[%k, %x] to %b decided {multicast = 2} : memref<?x?xf16> to memref<64x256xf16, #shared>
        tile.ring.commit %ab[%u] : !shared_ab
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %j : index
    }
  }
  role "mma" warps(8) registers(232) {
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    // expected-note @below {{0 to 6 iterations}}
    %done = scf.for %t = %first to %end step %step iter_args(%i = %c0) -> (index) {
      // expected-note @below {{0 to 6 iterations}}
      %e = scf.for %k = %c0 to %K step %c64 iter_args(%u = %i) -> (index) {
        %a, %b = tile.ring.wait %ab[%u] : !shared_ab
        %tok = tile.gemm %a, %b, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment> -> !tile.token
        tile.await %tok
        tile.ring.release %ab[%u] : !shared_ab
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %e : index
    }
  }
}

// Attention forward in short: K runs one block ahead of V, QK of the next block
// is issued before PV of this one is waited for, O leaves through a staging
// slot that a bulk store empties. The block count of a tile is loaded.
!q = !tile.ring<1 x [memref<64x64xf16, #shared>], tma -> wgmma>
!kv = !tile.ring<2 x [memref<64x64xf16, #shared>], tma -> wgmma>
!o = !tile.ring<1 x [memref<64x64xf16, #shared>], threads -> tma_store>
// expected-remark-re @below {{rings are proved for {{[0-9]+}} combinations of sizes}}
tile.kernel @attention(%Q: memref<?x?xf16>, %K: memref<?x?xf16>, %V: memref<?x?xf16>, %O: memref<?x?xf16>, %counts: memref<?xindex>)
    grid(%bx) = (dim(%Q, 0) ceildiv 64) threads(288) attributes {persistent = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %rq = tile.ring.create : !q
  %rk = tile.ring.create : !kv
  %rv = tile.ring.create : !kv
  %ro = tile.ring.create : !o
  %first, %end, %step = tile.block_range
  tile.warp_specialize
  role "mma" warps(4) registers(160) {
    %S = tile.alloc : memref<64x64xf32, #tile.fragment>
    %P = tile.alloc : memref<64x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    // expected-note @below {{0 to 6 iterations}}
    %done:2 = scf.for %t = %first to %end step %step iter_args(%i = %c0, %use = %c0) -> (index, index) {
      %n = memref.load %counts[%t] : memref<?xindex>
      %blocks = arith.maxsi %n, %c1 : index
      %q = tile.ring.wait %rq[%i] : !q
      %k0 = tile.ring.wait %rk[%use] : !kv
      %t0 = tile.gemm %q, %k0, %S {transpose_b, clear} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
      tile.await %t0
      tile.ring.release %rk[%use] : !kv
      tile.reduce max %S to %max dim(1) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
      tile.copy %S to %P : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #tile.fragment>
      // expected-note @below {{0 to 6 iterations}}
      %last = scf.for %j = %c1 to %blocks step %c1 iter_args(%u = %use) -> (index) {
        %uk = arith.addi %u, %c1 : index
        %k1 = tile.ring.wait %rk[%uk] : !kv
        %ts = tile.gemm %q, %k1, %S {transpose_b, clear} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
        %v = tile.ring.wait %rv[%u] : !kv
        %to = tile.gemm %P, %v, %acc : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
        tile.await %ts
        tile.ring.release %rk[%uk] : !kv
        tile.reduce max %S to %max dim(1) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
        tile.await %to
        tile.ring.release %rv[%u] : !kv
        tile.copy %S to %P : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #tile.fragment>
        scf.yield %uk : index
      }
      %v = tile.ring.wait %rv[%last] : !kv
      %tl = tile.gemm %P, %v, %acc : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
      tile.await %tl
      tile.ring.release %rv[%last] : !kv
      tile.ring.release %rq[%i] : !q
      %s = tile.ring.acquire %ro[%i] : !o
      tile.copy %acc to %s : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #shared>
      tile.ring.commit %ro[%i] : !o
      %i1 = arith.addi %i, %c1 : index
      %next = arith.addi %last, %c1 : index
      scf.yield %i1, %next : index, index
    }
  }
  role "load" warps(4) registers(40) {
    // expected-note @below {{0 to 6 iterations}}
    %done:2 = scf.for %t = %first to %end step %step iter_args(%i = %c0, %use = %c0) -> (index, index) {
      %n = memref.load %counts[%t] : memref<?xindex>
      %blocks = arith.maxsi %n, %c1 : index
      %q = tile.ring.acquire %rq[%i] : !q
      tile.copy %Q[%t, %c0] to %q : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %rq[%i] : !q
      %k0 = tile.ring.acquire %rk[%use] : !kv
      tile.copy %K[%c0, %c0] to %k0 : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %rk[%use] : !kv
      // expected-note @below {{0 to 6 iterations}}
      %last = scf.for %j = %c1 to %blocks step %c1 iter_args(%u = %use) -> (index) {
        %uk = arith.addi %u, %c1 : index
        %k1 = tile.ring.acquire %rk[%uk] : !kv
        tile.copy %K[%j, %c0] to %k1 : memref<?x?xf16> to memref<64x64xf16, #shared>
        tile.ring.commit %rk[%uk] : !kv
        %v = tile.ring.acquire %rv[%u] : !kv
        tile.copy %V[%j, %c0] to %v : memref<?x?xf16> to memref<64x64xf16, #shared>
        tile.ring.commit %rv[%u] : !kv
        scf.yield %uk : index
      }
      %v = tile.ring.acquire %rv[%last] : !kv
      tile.copy %V[%c0, %c0] to %v : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %rv[%last] : !kv
      %i1 = arith.addi %i, %c1 : index
      %next = arith.addi %last, %c1 : index
      scf.yield %i1, %next : index, index
    }
  }
  role "store" warps(1) {
    // expected-note @below {{0 to 6 iterations}}
    %done = scf.for %t = %first to %end step %step iter_args(%i = %c0) -> (index) {
      %s = tile.ring.wait %ro[%i] : !o
      %tok = tile.copy %s to %O[%t, %c0] : memref<64x64xf16, #shared> to memref<?x?xf16> -> !tile.token
      tile.await read %tok
      tile.ring.release %ro[%i] : !o
      %i1 = arith.addi %i, %c1 : index
      scf.yield %i1 : index
    }
  }
}

// Row operators: no roles, copies by TMA, rows released before the next one
// is asked for.
!rows = !tile.ring<3 x [memref<64x64xf16, #shared>], tma -> threads>
// expected-remark @below {{rings are proved for 9 combinations of sizes}}
tile.kernel @rows(%X: memref<?x?xf16>, %n: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  %r = tile.ring.create : !rows
  // expected-note @below {{3 iterations}}
  scf.for %p = %c0 to %c3 step %c1 {
    %more = arith.cmpi slt, %p, %n : index
    scf.if %more {
      %x = tile.ring.acquire %r[%p] : !rows
      tile.copy %X[%p, %c0] to %x : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %r[%p] : !rows
    }
  }
  // expected-note @below {{0 to 8 iterations}}
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.ring.wait %r[%i] : !rows
    tile.copy %x to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    tile.ring.release %r[%i] : !rows
    %u = arith.addi %i, %c3 : index
    %more = arith.cmpi slt, %u, %n : index
    scf.if %more {
      %y = tile.ring.acquire %r[%u] : !rows
      tile.copy %X[%u, %c0] to %y : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %r[%u] : !rows
    }
  }
}

// A tile number that one role draws and the others read: the count of tiles is
// the producer's, through the payload.
!number = !tile.ring<2 x [memref<1xindex, #shared>], threads -> threads>
!data = !tile.ring<2 x [memref<64x64xf16, #shared>], tma -> threads>
// expected-remark @below {{rings are proved for 7 combinations of sizes}}
tile.kernel @dynamic_tiles(%X: memref<?x?xf16>, %tiles: index) grid(%bx) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : index
  %rn = tile.ring.create : !number
  %rd = tile.ring.create : !data
  tile.warp_specialize
  role "use" warps(1) {
    // expected-note @below {{0 to 6 iterations}}
    %end = scf.while (%i = %c0) : (index) -> index {
      %n = tile.ring.wait %rn[%i] : !number
      %t = memref.load %n[%c0] : memref<1xindex, #shared>
      tile.ring.release %rn[%i] : !number
      %more = arith.cmpi sge, %t, %c0 : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %x = tile.ring.wait %rd[%i] : !data
      tile.ring.release %rd[%i] : !data
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
  }
  role "load" warps(1) {
    // expected-note @below {{0 to 6 iterations}}
    %end = scf.while (%t = %c0) : (index) -> index {
      %n = tile.ring.acquire %rn[%t] : !number
      %more = arith.cmpi slt, %t, %tiles : index
      %number = arith.select %more, %t, %none : index
      memref.store %number, %n[%c0] : memref<1xindex, #shared>
      tile.ring.commit %rn[%t] : !number
      scf.condition(%more) %t : index
    } do {
    ^bb0(%t: index):
      %x = tile.ring.acquire %rd[%t] : !data
      tile.copy %X[%t, %c0] to %x : memref<?x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %rd[%t] : !data
      %next = arith.addi %t, %c1 : index
      scf.yield %next : index
    }
  }
}
