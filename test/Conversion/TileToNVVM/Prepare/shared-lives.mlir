// From which operation to which the contents of a tile in shared memory matter: two tiles that are never alive together get
// the same bytes. shared-lives-loops.mlir has tiles of iterations, shared-lives-awaited.mlir what nobody awaits.
// RUN: tile-opt %s --tile-place-shared-memory | FileCheck %s

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [64, 64] bits 32 modes [(64, 1:1), (64, 0:64)]>
#half = #tile.fragment_layout<shape [32, 64] reg [(4, 1:1), (4, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
#loop = #tile.fragment_layout<shape [64, 64] reg [(4, 1:1), (8, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  // From the first use to the last: %t begins where %s is read last, and is alive with it; %u begins behind it.
  // CHECK-LABEL: tile.kernel @uses
  tile.kernel @uses(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %u = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %t decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32, #shared>
    tile.copy %A to %u decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.copy %u to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }

  // A loop comes around: what it uses from outside lives as long as it runs, though %t is used behind %s.
  // CHECK-LABEL: tile.kernel @around
  tile.kernel @around(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %n: index) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
      tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
      tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    }
  }

  // A branch does not: the two sides of it and what stands behind it follow each other.
  // CHECK-LABEL: tile.kernel @branch
  tile.kernel @branch(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %c: i1) grid(%bx) = (1) threads(128) {
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    scf.if %c {
      tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
      tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    }
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }

  // A part of a tile is the tile.
  // CHECK-LABEL: tile.kernel @part
  tile.kernel @part(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    %p = memref.subview %s[0, 0] [32, 64] [1, 1] : memref<64x64xf32, #shared> to memref<32x64xf32, strided<[64, 1]>, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.parallel (%i, %j) in (32, 64) layout(#half) {
      %x = memref.load %p[%i, %j] : memref<32x64xf32, strided<[64, 1]>, #shared>
      memref.store %x, %B[%i, %j] : memref<64x64xf32>
    }
  }

  // Roles run side by side: what one allocates lives as long as any runs.
  // CHECK-LABEL: tile.kernel @roles
  tile.kernel @roles(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(256) {
    tile.warp_specialize
    role "first" warps(4) {
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    }
    role "second" warps(4) {
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    }
  }

  // A copy that completes at a barrier is under way until somebody waits there: %t may follow the wait, and not the copy.
  // CHECK-LABEL: tile.kernel @completes
  tile.kernel @completes(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %u = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s completes(%ready[%c0] : !tile.mbarrier<1>) decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.mbarrier.wait %ready[%c0] parity %c0 : !tile.mbarrier<1>
    tile.copy %A to %u decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %u to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }

  // Where nobody waits, until the kernel ends.
  // CHECK-LABEL: tile.kernel @never_awaited
  tile.kernel @never_awaited(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s completes(%ready[%c0] : !tile.mbarrier<1>) decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }

  // So is a store whose token is awaited later: its tile is read until then.
  // CHECK-LABEL: tile.kernel @token
  tile.kernel @token(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %u = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    tile.copy %A to %s decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    %token = tile.copy %s to %B decided {layout = #loop, plan = #tile.copy_plan<tma, bytes = 4>} : memref<64x64xf32, #shared> to memref<64x64xf32> -> !tile.token
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.await %token
    tile.copy %A to %u decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %u to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }

  // The slots of a ring are alive from the first acquire to the last release, views and all.
  // CHECK-LABEL: tile.kernel @ring
  tile.kernel @ring(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    // CHECK: tile.ring.create {{.*}}tile.offset = 0 : i64
    %r = tile.ring.create layouts([#rows]) : !tile.ring<1 x [memref<64x64xf32, #shared>], threads -> threads>
    // CHECK: tile.alloc {{.*}} {tile.offset = 16384 : i64}
    %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    // CHECK: tile.alloc {{.*}} {tile.offset = 0 : i64}
    %u = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
    %a = tile.ring.acquire %r[%c0] : !tile.ring<1 x [memref<64x64xf32, #shared>], threads -> threads>
    tile.copy %A to %a decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.ring.commit %r[%c0] : !tile.ring<1 x [memref<64x64xf32, #shared>], threads -> threads>
    tile.copy %A to %t decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %t to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    %w = tile.ring.wait %r[%c0] : !tile.ring<1 x [memref<64x64xf32, #shared>], threads -> threads>
    tile.copy %w to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
    tile.ring.release %r[%c0] : !tile.ring<1 x [memref<64x64xf32, #shared>], threads -> threads>
    tile.copy %A to %u decided {layout = #loop} : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %u to %B decided {layout = #loop} : memref<64x64xf32, #shared> to memref<64x64xf32>
  }
}
