// A copy by TMA that runs ahead in no loop fills a ring of one slot, if the tile can be one; else it takes another
// instruction, and a remark says why and what to write.
// RUN: tile-opt %s --tile-pipeline=remarks --split-input-file --verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  // The slot is acquired in front of the copy, waited for in front of the first use and released after the last one.
  // CHECK-LABEL: tile.kernel @slot
  // CHECK: %[[RING:.*]] = tile.ring.create : !tile.ring<1 x [memref<64x64xf16, #gpu.address_space<workgroup>>], tma -> threads>
  // CHECK: %[[SLOT:.*]] = tile.ring.acquire %[[RING]][%c0
  // CHECK-NEXT: tile.copy %R{{.*}} to %[[SLOT]]
  // CHECK-NEXT: tile.ring.commit %[[RING]]
  // CHECK-NEXT: tile.fill
  // CHECK-NEXT: %[[VIEW:.*]] = tile.ring.wait %[[RING]]
  // CHECK-NEXT: tile.copy %[[VIEW]] to
  // CHECK-NEXT: tile.copy %[[VIEW]] to
  // CHECK-NEXT: tile.ring.release %[[RING]]
  tile.kernel @slot(%R: memref<64x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f16
    %s = tile.alloc : memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    %g = tile.alloc : memref<64x64xf16, #tile.fragment>
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.fill %g with %zero : memref<64x64xf16, #tile.fragment>, f16
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    tile.copy %s to %g : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }

  // Uses are counted through the loop around it.
  // CHECK-LABEL: tile.kernel @counted
  // CHECK: scf.for {{.*}} iter_args(%[[USE:.*]] = %c0
  // CHECK: tile.ring.acquire %{{.*}}[%[[USE]]]
  // CHECK: tile.ring.release %{{.*}}[%[[USE]]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[USE]], %c1
  // CHECK: scf.yield %[[NEXT]]
  tile.kernel @counted(%R: memref<64x?xf16> {tile.alignment = 16}, %n: index) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    scf.for %i = %c0 to %n step %c1 {
      tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
      tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    }
  }

  // Who writes the source waits until the copy has read it.
  // CHECK-LABEL: tile.kernel @overwritten
  // CHECK: tile.ring.commit
  // CHECK-NEXT: tile.ring.wait
  // CHECK-NEXT: tile.copy %{{.*}} to %R
  tile.kernel @overwritten(%R: memref<64x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %f to %R[%c0, %c0] sizes [64, 64] : memref<64x64xf16, #tile.fragment> to memref<64x?xf16>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }

  // Whoever says at which barrier a copy completes needs no slot.
  // CHECK-LABEL: tile.kernel @completes
  // CHECK-NOT: tile.ring
  // CHECK: completes(
  // CHECK-NOT: tile.ring
  // CHECK: tile.return
  tile.kernel @completes(%R: memref<64x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %ready = tile.mbarrier.create arrivals [128] :  !tile.mbarrier<1>
    %s = tile.alloc : memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s completes(%ready[%c0] : !tile.mbarrier<1>) decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
    tile.mbarrier.wait %ready[%c0] parity %c0 : !tile.mbarrier<1>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @part(%R: memref<64x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<128x64xf16, #shared>
    %f = tile.alloc : memref<128x64xf16, #tile.fragment>
    // expected-remark @below {{instead of tma: it covers only a part of the shared buffer; give the copy a `tile.alloc` of the part's shape}}
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s[%c0, %c0] sizes [64, 64] decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<128x64xf16, #shared>
    tile.copy %s to %f : memref<128x64xf16, #shared> to memref<128x64xf16, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @before(%R: memref<64x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    // expected-remark @below {{instead of tma: the shared buffer is used before the copy or elsewhere; use the tile behind the copy, in its block}}
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @written(%R: memref<64x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    %zero = arith.constant 0.0 : f16
    // expected-remark @below {{instead of tma: another operation also writes the shared buffer; give the copy a `tile.alloc` of its own}}
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.fill %s with %zero : memref<64x64xf16, #shared>, f16
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @obstacle(%R: memref<64x?xf16> {tile.alignment = 16}, %more: i1) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    scf.while : () -> () {
      scf.condition(%more)
    } do {
    // expected-remark @below {{instead of tma: an operation around it cannot carry the number of its ring's uses; enclose it by `scf.for` and `scf.if` only}}
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
      scf.yield
    }
  }
}

// -----

// The store reads the slot by the asynchronous proxy: nobody waits in front of what writes the source.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @stored(%R: memref<64x?xf16> {tile.alignment = 16}, %C: memref<64x64xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    // expected-remark @below {{instead of tma: its source is written later, by threads that do not wait for it; write to another buffer}}
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %s to %C decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x64xf16, #shared> to memref<64x64xf16>
    tile.copy %f to %R[%c0, %c0] sizes [64, 64] : memref<64x64xf16, #tile.fragment> to memref<64x?xf16>
  }
}

// -----

// A tile seen as another shape.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @view(%R: memref<64x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %all = tile.alloc : memref<4096xf16, #shared>
    %s = tile.view %all : memref<4096xf16, #shared> to memref<64x64xf16, #shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    // expected-remark @below {{instead of tma: its target is not a whole `tile.alloc`; give the copy a `tile.alloc` of its own}}
    tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }
}

// -----

// A store that nobody awaits in the block of the copy: the slot would be free while it is read.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @elsewhere(%R: memref<64x?xf16> {tile.alignment = 16}, %C: memref<64x64xf16> {tile.alignment = 16}, %c: i1) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    %done = tile.token.done
    %last = scf.if %c -> (!tile.token) {
      // expected-remark @below {{instead of tma: what uses the shared buffer is awaited elsewhere; use the tile behind the copy, in its block}}
      tile.copy %R[%c0, %c0] sizes [64, 64] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x?xf16> to memref<64x64xf16, #shared>
      %token = tile.copy %s to %C decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<64x64xf16, #shared> to memref<64x64xf16> -> !tile.token
      scf.yield %token : !tile.token
    } else {
      scf.yield %done : !tile.token
    }
    tile.await %last
  }
}
