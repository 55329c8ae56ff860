// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables=values=b=64,bm=64,s=2,cx=1,p=0 | FileCheck %s --check-prefix=GIVEN

// The example of the pass's description: half the blocks wait half as often.
// CHECK-LABEL: tile.kernel @f(
// CHECK-SAME: grid(%bx) = (8192) threads(64) attributes {tile.chosen = {b = 128 : i64}} {
// CHECK-NEXT: %[[B:.*]] = arith.constant 128 : index
// CHECK-NEXT: arith.muli %bx, %[[B]] : index
// CHECK-NEXT: tile.alloc : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy {{.*}} : memref<1048576xf32> to memref<128xf32, #gpu.address_space<workgroup>>
// CHECK-NOT: tunable
// GIVEN-LABEL: tile.kernel @f(
// GIVEN-SAME: grid(%bx) = (16384) threads(64) attributes {tile.chosen = {b = 64 : i64}}
// GIVEN: tile.alloc : memref<64xf32
#shared = #gpu.address_space<workgroup>
tile.kernel @f(%A: memref<1048576xf32>) tunable(%b in [64, 128]) grid(%bx) = (1048576 ceildiv %b) threads(64) {
  %m = arith.muli %bx, %b : index
  %As = tile.alloc(%b) : memref<?xf32, #shared>
  tile.copy %A[%m] to %As : memref<1048576xf32> to memref<?xf32, #shared>
}

// Every place that takes one, and what the program computes from tunables.
// GIVEN-LABEL: tile.kernel @everywhere(%A: memref<?x?xf16>)
// GIVEN-SAME: grid(%bx, %by) = (dim(%A, 0) ceildiv 64, 4) threads(128) cluster(1, 1)
// GIVEN-NOT: panel
// GIVEN: tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
// GIVEN: tile.alloc : memref<64x32xf32, #tile.fragment>
// GIVEN: tile.pipelined {{.*}} stages(2) {
// GIVEN: tile.parallel (%{{.*}}, %{{.*}}) in (64, 32) {
tile.kernel @everywhere(%A: memref<?x?xf16>)
    tunable(%bm in [64, 128], %cx in [1, 2], %p in [0, 8], %s in [2, 3, 4])
    grid(%bx, %by) = ((dim(%A, 0) ceildiv (%bm * %cx)) * %cx, 4) threads(128) cluster(%cx, 1)
    tuned(panel = %p, persistent = 1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %m = arith.muli %bx, %bm : index
  %half = arith.divui %bm, %c2 : index
  %As = tile.alloc(%bm) : memref<?x64xf16, #shared>
  %acc = tile.alloc(%bm, %half) : memref<?x?xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %c512 step %c2 stages(%s) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<?x64xf16, #shared>
  }
  tile.parallel (%i, %j) in (%bm, %half) {
    %x = memref.load %acc[%i, %j] : memref<?x?xf32, #tile.fragment>
    memref.store %x, %acc[%i, %j] : memref<?x?xf32, #tile.fragment>
  }
}

// What the program fixes is obeyed: a kernel without tunables is left alone.
// CHECK-LABEL: tile.kernel @fixed(
// CHECK-SAME: grid(%bx) = (64) threads(64) {
tile.kernel @fixed(%A: memref<8192xf32>) grid(%bx) = (64) threads(64) {
}
