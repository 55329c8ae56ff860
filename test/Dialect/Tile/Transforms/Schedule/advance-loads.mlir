// RUN: tile-opt %s --tile-advance-loads=remarks=true --canonicalize -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s --tile-advance-loads --tile-verify-rings -o /dev/null

#shared = #gpu.address_space<workgroup>
!loop = !tile.ring<3 x [memref<64x64xf16, #shared>], tma -> threads>
!after = !tile.ring<1 x [memref<64x64xf16, #shared>], tma -> threads>

// What an epilogue reads is asked for when the loop's own ring is full, or
// behind a loop that ends before. The column is computed before the loop then.
// CHECK-LABEL: tile.kernel @residual
// CHECK: %[[LOOP:.*]] = tile.ring.create : !tile.ring<3 x
// CHECK: %[[AFTER:.*]] = tile.ring.create : !tile.ring<1 x
// CHECK: role "load"
// CHECK: scf.for %[[TILE:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK: %[[COLUMN:.*]] = arith.muli %[[TILE]], %c64
// CHECK: scf.for %[[I:.*]] = %c0 to %[[T:.*]] step %c1 {
// CHECK-NEXT: %[[NOW:.*]] = tile.iteration is(3) of %[[I]] in %c0 to %[[T]] step %c1
// CHECK-NEXT: scf.if %[[NOW]] {
// CHECK-NEXT: %[[EARLY:.*]] = tile.ring.acquire %[[AFTER]][%[[TILE]]]
// CHECK-NEXT: tile.copy %R[%c0, %[[COLUMN]]] {{.*}} to %[[EARLY]]
// CHECK-NEXT: tile.ring.commit %[[AFTER]][%[[TILE]]]
// CHECK-NEXT: }
// CHECK: tile.ring.acquire %[[LOOP]]
// CHECK: tile.ring.commit %[[LOOP]]
// CHECK: %[[LONG:.*]] = tile.iteration exists(3) in %c0 to %[[T]] step %c1
// CHECK-NEXT: %[[MISSED:.*]] = arith.xori %[[LONG]], %true
// CHECK-NEXT: scf.if %[[MISSED]] {
// CHECK-NEXT: %[[LATE:.*]] = tile.ring.acquire %[[AFTER]][%[[TILE]]]
// CHECK-NEXT: tile.copy %R[%c0, %[[COLUMN]]] {{.*}} to %[[LATE]]
// CHECK-NEXT: tile.ring.commit %[[AFTER]][%[[TILE]]]
// CHECK-NEXT: }
// CHECK-NOT: tile.ring.acquire
// CHECK: role "mma"
tile.kernel @residual(%A: memref<64x?xf16> {tile.alignment = 16}, %R: memref<64x?xf16> {tile.alignment = 16}, %T: index, %tiles: index) grid(%bx) = (1) threads(256) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %ring = tile.ring.create : !loop
  %residual = tile.ring.create : !after
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    scf.for %tile = %c0 to %tiles step %c1 {
      %base = arith.muli %tile, %T : index
      scf.for %i = %c0 to %T step %c1 {
        %use = arith.addi %base, %i : index
        %a = tile.ring.acquire %ring[%use] : !loop
        %k = arith.muli %i, %c64 : index
        tile.copy %A[%c0, %k] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
        tile.ring.commit %ring[%use] : !loop
      }
      %n = arith.muli %tile, %c64 : index
      // expected-remark @+1 {{copied within the loop before it, in iteration 3}}
      %r = tile.ring.acquire %residual[%tile] : !after
      tile.copy %R[%c0, %n] sizes [64, 64] to %r decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %residual[%tile] : !after
    }
  }
  role "mma" warps(4) registers(232) {
    scf.for %tile = %c0 to %tiles step %c1 {
      %base = arith.muli %tile, %T : index
      scf.for %i = %c0 to %T step %c1 {
        %use = arith.addi %base, %i : index
        %a = tile.ring.wait %ring[%use] : !loop
        tile.ring.release %ring[%use] : !loop
      }
      %r = tile.ring.wait %residual[%tile] : !after
      tile.ring.release %residual[%tile] : !after
    }
  }
}

// A ring that is filled in a second place may still be full: nothing moves.
// CHECK-LABEL: tile.kernel @twice
// CHECK: role "load"
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: role "mma"
tile.kernel @twice(%A: memref<64x?xf16> {tile.alignment = 16}, %R: memref<64x?xf16> {tile.alignment = 16}, %T: index) grid(%bx) = (1) threads(256) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %ring = tile.ring.create : !loop
  %residual = tile.ring.create : !after
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    %q = tile.ring.acquire %residual[%c0] : !after
    tile.copy %R[%c0, %c0] sizes [64, 64] to %q decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.ring.commit %residual[%c0] : !after
    scf.for %i = %c0 to %T step %c1 {
      %a = tile.ring.acquire %ring[%i] : !loop
      tile.copy %A[%c0, %c0] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %ring[%i] : !loop
    }
    %r = tile.ring.acquire %residual[%c1] : !after
    tile.copy %R[%c0, %c64] sizes [64, 64] to %r decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.ring.commit %residual[%c1] : !after
  }
  role "mma" warps(4) registers(232) {
    %q = tile.ring.wait %residual[%c0] : !after
    tile.ring.release %residual[%c0] : !after
    scf.for %i = %c0 to %T step %c1 {
      %a = tile.ring.wait %ring[%i] : !loop
      tile.ring.release %ring[%i] : !loop
    }
    %r = tile.ring.wait %residual[%c1] : !after
    tile.ring.release %residual[%c1] : !after
  }
}

// Where it is copied from is known behind the loop only: nothing moves.
// CHECK-LABEL: tile.kernel @found_by_the_loop
// CHECK: role "load"
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: role "mma"
tile.kernel @found_by_the_loop(%A: memref<64x?xf16> {tile.alignment = 16}, %R: memref<64x?xf16> {tile.alignment = 16}, %T: index) grid(%bx) = (1) threads(256) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %ring = tile.ring.create : !loop
  %residual = tile.ring.create : !after
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    %last = scf.for %i = %c0 to %T step %c1 iter_args(%before = %c0) -> (index) {
      %a = tile.ring.acquire %ring[%i] : !loop
      tile.copy %A[%c0, %before] to %a decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
      tile.ring.commit %ring[%i] : !loop
      %next = arith.addi %before, %c64 : index
      scf.yield %next : index
    }
    %r = tile.ring.acquire %residual[%c0] : !after
    tile.copy %R[%c0, %last] sizes [64, 64] to %r decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.ring.commit %residual[%c0] : !after
  }
  role "mma" warps(4) registers(232) {
    scf.for %i = %c0 to %T step %c1 {
      %a = tile.ring.wait %ring[%i] : !loop
      tile.ring.release %ring[%i] : !loop
    }
    %r = tile.ring.wait %residual[%c0] : !after
    tile.ring.release %residual[%c0] : !after
  }
}
