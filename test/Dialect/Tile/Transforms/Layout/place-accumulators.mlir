// Accumulators of tcgen05 in tensor memory, for as long as nothing else touches
// them.
// RUN: tile-opt %s --tile-place-accumulators | FileCheck %s

#shared = #gpu.address_space<workgroup>
#rows = #tile.fragment_layout<shape [128, 64] reg [(64, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>
!a = memref<128x32xf16, #shared>
!b = memref<32x64xf16, #shared>
!c = memref<128x64xf32, #tile.fragment>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [4, 1]>
module attributes {tile.target = #tile.target<"sm_100a">} {

// A loop of gemms from zero: nothing goes to tensor memory, the sum comes back
// once.
// CHECK-LABEL: tile.kernel @loop
// CHECK: %[[C:.*]] = tile.alloc layout({{.*}}) : memref<128x64xf32, #tile.fragment>
// CHECK: %[[T:.*]] = tile.alloc : memref<128x64xf32, #tile.tmem>
// CHECK-NOT: tile.copy
// CHECK: tile.fill %[[T]] with %{{.*}} : memref<128x64xf32, #tile.tmem>, f32
// CHECK-NOT: tile.fill
// CHECK: scf.for
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[T]] {plan = #tile.mma_plan<tcgen05
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: tile.copy %[[T]] to %[[C]] decided {layout = {{.*}}} : memref<128x64xf32, #tile.tmem> to memref<128x64xf32, #tile.fragment>
// CHECK-NOT: #tile.tmem
// CHECK: tile.kernel @rescaled
tile.kernel @loop(%n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc layout(#rows) : !c
  tile.fill %c with %zero {layout = #rows} : !c, f32
  scf.for %i = %c0 to %n step %c1 {
    tile.gemm %a, %b, %c {plan = #plan} : !a, !b, !c
  }
  tile.parallel (%i, %j) in (128, 64) layout(#rows) {
    %x = memref.load %c[%i, %j] : !c
    %y = arith.addf %x, %x : f32
    memref.store %y, %c[%i, %j] : !c
  }
}

// Rescaled in each iteration: there and back around each gemm.
// CHECK: scf.for
// CHECK: tile.parallel
// CHECK: tile.copy %[[C:.*]] to %[[T:.*]] decided {layout = {{.*}}} : memref<128x64xf32, #tile.fragment> to memref<128x64xf32, #tile.tmem>
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[T]] {
// CHECK-NEXT: tile.copy %[[T]] to %[[C]]
// CHECK-NEXT: {{^ *}}}
tile.kernel @rescaled(%n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc layout(#rows) : !c
  tile.fill %c with %zero {layout = #rows} : !c, f32
  scf.for %i = %c0 to %n step %c1 {
    tile.parallel (%i0, %j) in (128, 64) layout(#rows) {
      %x = memref.load %c[%i0, %j] : !c
      %y = arith.addf %x, %x : f32
      memref.store %y, %c[%i0, %j] : !c
    }
    tile.gemm %a, %b, %c {plan = #plan} : !a, !b, !c
  }
}

// `clear` needs no start; a gemm behind it joins in, and one that comes after a
// read goes its own way, in the same buffer.
// CHECK-LABEL: tile.kernel @pieces
// CHECK: %[[T:.*]] = tile.alloc : memref<128x64xf32, #tile.tmem>
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[T]] {clear
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[T]] {plan
// CHECK-NEXT: tile.copy %[[T]] to %[[C:.*]] decided {
// CHECK: tile.copy %[[C]] to %{{.*}} : memref<128x64xf32, #tile.fragment> to memref<128x64xf32>
// CHECK-NEXT: tile.copy %[[C]] to %[[T]] decided {
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[T]] {plan
// CHECK-NEXT: tile.copy %[[T]] to %[[C]] decided {
tile.kernel @pieces(%out: memref<128x64xf32>) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc layout(#rows) : !c
  tile.gemm %a, %b, %c {clear, plan = #plan} : !a, !b, !c
  tile.gemm %a, %b, %c {plan = #plan} : !a, !b, !c
  tile.copy %c to %out : !c to memref<128x64xf32>
  tile.gemm %a, %b, %c {plan = #plan} : !a, !b, !c
  tile.copy %c to %out : !c to memref<128x64xf32>
}

// Other instructions keep their registers.
// CHECK-LABEL: tile.kernel @others
// CHECK-NOT: #tile.tmem
tile.kernel @others() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc : !c
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1]>} : !a, !b, !c
}

// A gemm that the program awaits: the result comes back after the await.
// CHECK-LABEL: tile.kernel @awaited
// CHECK: %[[C:.*]] = tile.alloc layout({{.*}}) : memref<128x64xf32, #tile.fragment>
// CHECK: %[[TOKEN:.*]] = tile.gemm %{{.*}}, %{{.*}}, %[[T:.*]] {clear, plan = {{.*}} -> !tile.token
// CHECK-NEXT: tile.await %[[TOKEN]]
// CHECK-NEXT: tile.copy %[[T]] to %[[C]]
tile.kernel @awaited() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc layout(#rows) : !c
  %t = tile.gemm %a, %b, %c {clear, plan = #plan} : !a, !b, !c -> !tile.token
  tile.await %t
  tile.parallel (%i, %j) in (128, 64) layout(#rows) {
    %x = memref.load %c[%i, %j] : !c
    %y = arith.addf %x, %x : f32
    memref.store %y, %c[%i, %j] : !c
  }
}

// One that the program awaits in the next round: its result comes back in this
// one, so it is awaited at once.
// CHECK-LABEL: tile.kernel @elsewhere
// CHECK: %[[TOKEN:.*]] = tile.gemm {{.*}} -> !tile.token
// CHECK: tile.await %[[TOKEN]]
// CHECK-NEXT: tile.copy
tile.kernel @elsewhere(%n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc layout(#rows) : !c
  %none = tile.token.done
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!tile.token) {
    tile.await %before
    tile.fill %c with %zero {layout = #rows} : !c, f32
    tile.parallel (%r, %s) in (128, 64) layout(#rows) {
      %x = memref.load %c[%r, %s] : !c
      memref.store %x, %c[%r, %s] : !c
    }
    %t = tile.gemm %a, %b, %c {plan = #plan} : !a, !b, !c -> !tile.token
    scf.yield %t : !tile.token
  }
  tile.await %last
}
}
