// One agent that breaks the protocol of its ring is told so, and does not hang.
// RUN: not tile-run %s --kernel=early_wait 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: wrong schedule in block 0: deadlock: the block waits in tile.ring.wait of use 0 of the ring at loc({{.*}}ring-errors.mlir":{{[0-9]+}}:11)
// RUN: not tile-run %s --kernel=overwrite 2>&1 | FileCheck %s --check-prefix=OVERWRITE
// OVERWRITE: error: wrong schedule in block 0: deadlock: the block waits in tile.ring.acquire of use 2 of the ring at
// RUN: not tile-run %s --kernel=in_flight 2>&1 | FileCheck %s --check-prefix=FLIGHT
// FLIGHT: error: wrong schedule in block 0: tile.ring.wait of use 0 of the ring at {{.*}} with in_flight = 1 does not wait for the copies of this use
// RUN: not tile-run %s --kernel=unconsumed 2>&1 | FileCheck %s --check-prefix=UNCONSUMED
// UNCONSUMED: error: wrong schedule in block 0: expected a tile.ring.wait of use 1 of the ring at {{.*}}, which was committed
// RUN: not tile-run %s --kernel=unacquired 2>&1 | FileCheck %s --check-prefix=UNACQUIRED
// UNACQUIRED: error: wrong schedule in block 0: tile.ring.commit of use 1 of the ring at {{.*}} in the block before its tile.ring.acquire
// RUN: not tile-run %s --kernel=unread 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD: error: wrong schedule in block 0: tile.ring.release of use 0 of the ring at {{.*}} in the block before its tile.ring.wait
// RUN: not tile-run %s --kernel=empty_handed 2>&1 | FileCheck %s --check-prefix=HANDED
// HANDED: error: wrong schedule in block 0: deadlock: role "b" waits in tile.ring.wait of use 0 of the ring at
// A ring that a loop makes again starts at use 0 again, and reads what was filled.
// RUN: tile-run %s --kernel=again --args=A=40:smallint --check | FileCheck %s
// CHECK: check C: 8 elements equal
#shared = #gpu.address_space<workgroup>
!tma = !tile.ring<2 x [memref<8xf32, #shared>], tma -> threads>
!groups = !tile.ring<2 x [memref<8xf32, #shared>], cp_async -> threads>

tile.kernel @early_wait(%C: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %ring = tile.ring.create : !tma
  %x = tile.ring.wait %ring[%c0] : !tma
  %y = tile.ring.acquire %ring[%c0] : !tma
  tile.ring.commit %ring[%c0] : !tma
  tile.copy %x to %C : memref<8xf32, #shared> to memref<8xf32>
}

tile.kernel @overwrite(%C: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %ring = tile.ring.create : !groups
  scf.for %u = %c0 to %c3 step %c1 {
    %y = tile.ring.acquire %ring[%u] : !groups
    tile.ring.commit %ring[%u] : !groups
  }
  scf.for %u = %c0 to %c3 step %c1 {
    %x = tile.ring.wait %ring[%u] : !groups
    tile.copy %x to %C : memref<8xf32, #shared> to memref<8xf32>
    tile.ring.release %ring[%u] : !groups
  }
}

tile.kernel @in_flight(%C: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %ring = tile.ring.create : !groups
  %y = tile.ring.acquire %ring[%c0] : !groups
  tile.ring.commit %ring[%c0] : !groups
  %x = tile.ring.wait %ring[%c0] {in_flight = 1} : !groups
  tile.copy %x to %C : memref<8xf32, #shared> to memref<8xf32>
}

tile.kernel @unconsumed(%C: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ring = tile.ring.create : !tma
  scf.for %u = %c0 to %c2 step %c1 {
    %y = tile.ring.acquire %ring[%u] : !tma
    tile.ring.commit %ring[%u] : !tma
  }
  %x = tile.ring.wait %ring[%c0] : !tma
  tile.copy %x to %C : memref<8xf32, #shared> to memref<8xf32>
}

tile.kernel @unacquired(%C: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !tma
  %y = tile.ring.acquire %ring[%c0] : !tma
  tile.ring.commit %ring[%c0] : !tma
  tile.ring.commit %ring[%c1] : !tma
  tile.fill %C with %zero : memref<8xf32>, f32
}

tile.kernel @unread(%C: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create : !tma
  %y = tile.ring.acquire %ring[%c0] : !tma
  tile.ring.commit %ring[%c0] : !tma
  tile.ring.release %ring[%c0] : !tma
  tile.fill %C with %zero : memref<8xf32>, f32
}

// The other role has ended: nobody can commit any more.
tile.kernel @empty_handed(%C: memref<8xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring.create : !tma
  tile.warp_specialize
  role "a" warps(1) {
    scf.for %u = %c0 to %c0 step %c1 {
      %y = tile.ring.acquire %ring[%u] : !tma
      tile.ring.commit %ring[%u] : !tma
    }
  }
  role "b" warps(1) {
    %x = tile.ring.wait %ring[%c0] : !tma
    tile.copy %x to %C : memref<8xf32, #shared> to memref<8xf32>
    tile.ring.release %ring[%c0] : !tma
  }
}

tile.kernel @again(%A: memref<?xf32>, %C: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  scf.for %t = %c0 to %c5 step %c1 {
    %ring = tile.ring.create : !groups
    %at = arith.muli %t, %c8 : index
    %y = tile.ring.acquire %ring[%c0] : !groups
    tile.copy %A[%at] to %y : memref<?xf32> to memref<8xf32, #shared>
    tile.ring.commit %ring[%c0] : !groups
    %x = tile.ring.wait %ring[%c0] : !groups
    tile.copy %x to %C : memref<8xf32, #shared> to memref<8xf32>
    tile.ring.release %ring[%c0] : !groups
    tile.ring.drain %ring : !groups
  }
}
