// Accumulators of a loop over tiles become a ring of two, between who multiplies
// and who reads.
// RUN: tile-opt %s --tile-ring-accumulators | FileCheck %s
// RUN: tile-opt %s --tile-ring-accumulators --tile-specialize-warps --tile-schedule-gemms --tile-schedule-stores | FileCheck %s --check-prefix=ROLES
// RUN: tile-opt %s --tile-ring-accumulators --tile-specialize-warps --tile-schedule-gemms --tile-verify-rings=remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=PROVED

#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#rows = #tile.fragment_layout<shape [128, 128] reg [(128, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>
!a = memref<128x64xf16, #shared>
!t = memref<128x128xf32, #tile.tmem>
!c = memref<128x128xf32, #tile.fragment>
!ring = !tile.ring<3 x [memref<128x64xf16, #shared>, memref<128x64xf16, #shared>], tma -> tcgen05>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
module attributes {tile.target = #tile.target<"sm_100a">} {

// CHECK-LABEL: tile.kernel @tiles
// CHECK: %[[R:.*]] = tile.ring.create : !tile.ring<2 x [memref<128x128xf32, #tile.tmem>], mma -> threads>
// CHECK-NOT: tile.alloc : memref<128x128xf32, #tile.tmem>
// CHECK: scf.for %{{.*}} iter_args(%[[K:.*]] = %{{.*}}, %[[USE:.*]] = %{{.*}}) -> (index, index)
// CHECK: %[[T:.*]] = tile.ring.acquire %[[R]][%[[USE]]]
// CHECK: tile.fill %[[T]]
// CHECK: scf.for
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[T]]
// CHECK: tile.ring.commit %[[R]][%[[USE]]]
// CHECK: %[[D:.*]] = tile.ring.wait %[[R]][%[[USE]]]
// CHECK: tile.copy %[[D]] to %[[F:.*]] decided {layout
// CHECK: tile.ring.release %[[R]][%[[USE]]]
// CHECK: %[[ANY:.*]] = tile.iteration exists(0) in
// CHECK: %[[NONE:.*]] = arith.xori %[[ANY]]
// CHECK: scf.if %[[NONE]]
// CHECK: tile.fill %[[F]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[USE]], %{{.*}}
// CHECK: scf.yield %{{.*}}, %[[NEXT]]

// Three roles. Who multiplies waits for nothing but operands and a free
// accumulator; neither of the two who fill rings touches a fragment.
// ROLES-LABEL: tile.kernel @tiles
// ROLES: threads(256)
// ROLES: role "load" warps(2) {
// ROLES-NOT: tile.gemm
// ROLES-NOT: mma -> threads
// ROLES: tile.copy %A
// ROLES: tile.copy %B
// ROLES-NOT: tile.gemm
// ROLES: role "mma" warps(2) {
// ROLES-NOT: tile.copy
// ROLES: tile.ring.acquire {{.*}} mma -> threads
// ROLES-NOT: tile.await
// ROLES: tile.ring.wait {{.*}} tma -> tcgen05
// ROLES-NOT: !tile.token
// ROLES: tile.gemm
// ROLES-NOT: !tile.token
// ROLES: tile.ring.release {{.*}} tma -> tcgen05
// ROLES: tile.ring.commit {{.*}} mma -> threads
// ROLES-NOT: tile.copy
// ROLES: role "epilogue" warps(4) {
// ROLES-NOT: tma -> tcgen05
// ROLES: tile.ring.wait {{.*}} mma -> threads
// ROLES-NOT: tma -> tcgen05
// ROLES: tile.ring.release {{.*}} mma -> threads
// ROLES-NOT: tma -> tcgen05
// ROLES: tile.copy %{{.*}} to %C
// ROLES: tile.kernel @once

// PROVED: remark: rings are proved
tile.kernel @tiles(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32> {tile.alignment = 16}, %tiles: index, %steps: index)
    grid(%bx) = (1) threads(128) attributes {specialize = true} {
  %r = tile.ring.create layouts([#a, #a]) : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %t = tile.alloc : !t
  %c = tile.alloc layout(#rows) : !c
  %end = scf.for %tile = %c0 to %tiles step %c1 iter_args(%base = %c0) -> (index) {
    %m = arith.muli %tile, %c128 : index
    tile.fill %t with %zero : !t, f32
    scf.for %i = %c0 to %steps step %c1 {
      %use = arith.addi %base, %i : index
      %k = arith.muli %i, %c64 : index
      %x:2 = tile.ring.acquire %r[%use] : !ring
      tile.copy %A[%m, %k] to %x#0 decided {plan = #tma} : memref<?x?xf16> to !a
      tile.copy %B[%c0, %k] to %x#1 decided {plan = #tma} : memref<?x?xf16> to !a
      tile.ring.commit %r[%use] : !ring
      %y:2 = tile.ring.wait %r[%use] : !ring
      tile.gemm %y#0, %y#1, %t {plan = #plan, transpose_b} : !a, !a, !t
      tile.ring.release %r[%use] : !ring
    }
    %next = arith.addi %base, %steps : index
    tile.copy %t to %c decided {layout = #rows} : !t to !c
    tile.copy %c to %C[%m, %c0] decided {layout = #rows, plan = #tile.copy_plan<vector, bytes = 16>} : !c to memref<?x?xf32>
    scf.yield %next : index
  }
}

// Read once: nothing to overlap with.
// CHECK-LABEL: tile.kernel @once
// CHECK-NOT: mma -> threads
tile.kernel @once(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) attributes {specialize = true} {
  %r = tile.ring.create layouts([#a, #a]) : !ring
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !t
  %c = tile.alloc layout(#rows) : !c
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A[%c0, %c0] to %x#0 decided {plan = #tma} : memref<?x?xf16> to !a
  tile.copy %B[%c0, %c0] to %x#1 decided {plan = #tma} : memref<?x?xf16> to !a
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  tile.gemm %y#0, %y#1, %t {plan = #plan, clear, transpose_b} : !a, !a, !t
  tile.ring.release %r[%c0] : !ring
  tile.copy %t to %c decided {layout = #rows} : !t to !c
}
}
