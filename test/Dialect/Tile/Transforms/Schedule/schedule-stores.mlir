// A store by TMA is waited for where its source is written again, an iteration
// later if that is where, and at the end; each warpgroup for its own part.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-schedule-stores -split-input-file | FileCheck %s
// What comes out is right: tokens are awaited, sources untouched meanwhile.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-schedule-stores --tile-verify-rings -split-input-file -o /dev/null

#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// One warpgroup. In the first round there is nothing to wait for; the sources
// are free after the read, the effects are awaited behind the loop.
// CHECK-LABEL: tile.kernel @loop
// CHECK: %[[NONE:.*]] = tile.token.done
// CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[NONE]]) -> (!tile.token) {
// CHECK: tile.fill
// CHECK: tile.await read %[[BEFORE]]
// CHECK-NEXT: tile.copy %{{.*}} to %[[STAGING:[0-9]+]] decided {layout
// CHECK-NEXT: %[[TOKEN:.*]] = tile.copy %[[STAGING]] to %C[{{.*}} -> !tile.token
// CHECK-NOT: tile.await
// CHECK: scf.yield %[[TOKEN]]
// CHECK: }
// CHECK: tile.await read %[[LAST]]
// CHECK-NEXT: tile.return
tile.kernel @loop(%C: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  scf.for %t = %c0 to %n step %c64 {
    tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    tile.copy %s to %C[%t, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [128, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16), (2, 0:64)]>
#rows = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>

// Two warpgroups, each with rows of its own: neither waits for the other. Two
// pieces through one tile: the second waits for the first to be read.
// CHECK-LABEL: tile.kernel @groups
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (!tile.token) {
// CHECK: tile.await read %[[BEFORE]] {groups = 2 : i64}
// CHECK-NEXT: tile.copy %{{.*}} to %[[STAGING:[0-9]+]] decided {groups = array<i64: 2, 1>, layout
// CHECK-NEXT: %[[FIRST:.*]] = tile.copy %[[STAGING]] to %C[{{.*}} decided {groups = array<i64: 2, 1>, plan = {{.*}} -> !tile.token
// CHECK: tile.await read %[[FIRST]] {groups = 2 : i64}
// CHECK-NEXT: tile.copy %{{.*}} to %[[STAGING]] decided {groups = array<i64: 2, 1>, layout
// CHECK: %[[SECOND:.*]] = tile.copy %[[STAGING]] to %C[{{.*}} -> !tile.token
// CHECK: scf.yield %[[SECOND]]
tile.kernel @groups(%C: memref<?x128xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<128x64xf16, #tile.fragment>
  %g = tile.alloc layout(#frag) : memref<128x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<128x64xf16, #shared>
  scf.for %t = %c0 to %n step %c128 {
    tile.fill %f with %one : memref<128x64xf16, #tile.fragment>, f16
    tile.fill %g with %one : memref<128x64xf16, #tile.fragment>, f16
    tile.copy %f to %s decided {layout = #frag} : memref<128x64xf16, #tile.fragment> to memref<128x64xf16, #shared>
    tile.copy %s to %C[%t, %c0] decided {plan = #tma} : memref<128x64xf16, #shared> to memref<?x128xf16>
    tile.copy %g to %s decided {layout = #frag} : memref<128x64xf16, #tile.fragment> to memref<128x64xf16, #shared>
    tile.copy %s to %C[%t, %c64] decided {plan = #tma} : memref<128x64xf16, #shared> to memref<?x128xf16>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 32 modes [(32, 1:1), (64, 0:32), (2, 1:2048)] swizzle(3, 4, 3)>

// A reduction is a store that adds.
// CHECK-LABEL: tile.kernel @reduced
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (!tile.token) {
// CHECK: tile.await read %[[BEFORE]]
// CHECK-NEXT: tile.copy %{{.*}} to %[[STAGING:[0-9]+]] decided {layout
// CHECK-NEXT: %[[TOKEN:.*]] = tile.atomic add %[[STAGING]] to %C[{{.*}} -> !tile.token
// CHECK: scf.yield %[[TOKEN]]
tile.kernel @reduced(%C: memref<?x64xf32> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %f = tile.alloc layout(#frag) : memref<64x64xf32, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
  scf.for %t = %c0 to %n step %c64 {
    tile.fill %f with %one : memref<64x64xf32, #tile.fragment>, f32
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #shared>
    tile.atomic add %s to %C[%t, %c0] decided {plan = #tile.copy_plan<tma, bytes = 4>} : memref<64x64xf32, #shared> to memref<?x64xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// Somebody reads what is stored: its effects are awaited at once.
// CHECK-LABEL: tile.kernel @read_back
// CHECK-NOT: !tile.token
// CHECK-NOT: tile.await
// CHECK: tile.return
tile.kernel @read_back(%C: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  scf.for %t = %c0 to %n step %c64 {
    tile.copy %C[%t, %c0] to %f decided {layout = #frag} : memref<?x64xf16> to memref<64x64xf16, #tile.fragment>
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    tile.copy %s to %C[%t, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  }
}

// Threads store, or write the tile an element at a time; or the first to come
// stores what an earlier round has left.
// CHECK-LABEL: tile.kernel @others
// CHECK-NOT: !tile.token
// CHECK-NOT: tile.await
// CHECK: tile.return
tile.kernel @others(%C: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  %u = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  %v = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
  scf.for %t = %c0 to %n step %c64 {
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    tile.copy %s to %C[%t, %c0] decided {plan = #tile.copy_plan<vector, bytes = 16>} : memref<64x64xf16, #shared> to memref<?x64xf16>
    tile.fill %u with %one : memref<64x64xf16, #shared>, f16
    tile.copy %u to %C[%t, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
    tile.copy %v to %C[%t, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
    tile.copy %f to %v decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// Every round stores the same region: the last store must have ended before the
// next one is issued, since nothing else orders the two.
// CHECK-LABEL: tile.kernel @again
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (!tile.token) {
// CHECK: tile.await %[[BEFORE]]
// CHECK-NOT: tile.await read
// CHECK: scf.yield
tile.kernel @again(%C: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  scf.for %t = %c0 to %n step %c64 {
    %same = arith.muli %c0, %c64 : index
    tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    tile.copy %s to %C[%same, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// Two tiles are stored to one buffer: the second store would not wait for the
// first.
// CHECK-LABEL: tile.kernel @two_tiles
// CHECK-NOT: tile.await
// CHECK-NOT: -> !tile.token
// CHECK: tile.return
tile.kernel @two_tiles(%C: memref<?x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  %t = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
  tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %s to %C[%c0, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  tile.copy %f to %t decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %t to %C[%c0, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// Two stores of one tile: the loop carries both, and the next round waits for
// both to be read.
// CHECK-LABEL: tile.kernel @two
// CHECK: %[[LAST:.*]]:2 = scf.for {{.*}} iter_args(%[[B0:.*]] = %{{.*}}, %[[B1:.*]] = %{{.*}}) -> (!tile.token, !tile.token) {
// CHECK: tile.await read %[[B0]], %[[B1]]
// CHECK-NEXT: tile.copy %{{.*}} to %[[STAGING:[0-9]+]] decided {layout
// CHECK-NEXT: %[[C:.*]] = tile.copy %[[STAGING]] to %C[{{.*}} -> !tile.token
// CHECK-NEXT: %[[D:.*]] = tile.copy %[[STAGING]] to %D[{{.*}} -> !tile.token
// CHECK-NEXT: scf.yield %[[C]], %[[D]]
// CHECK: tile.await read %[[LAST]]#0, %[[LAST]]#1
tile.kernel @two(%C: memref<?x64xf16> {tile.alignment = 16}, %D: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
  scf.for %t = %c0 to %n step %c64 {
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    tile.copy %s to %C[%t, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
    tile.copy %s to %D[%t, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// Rows 0 to 63, then 64 to 127: apart. Rows 32 to 95 are not: what the first
// two have stored has to be there before.
// CHECK-LABEL: tile.kernel @overlap
// CHECK: %[[FIRST:.*]] = tile.copy %[[STAGING:[0-9]+]] to %C[{{.*}} -> !tile.token
// CHECK-NEXT: tile.await %[[FIRST]]
// CHECK-NEXT: tile.copy %{{.*}} to %[[STAGING]] decided {layout
// CHECK-NEXT: %[[SECOND:.*]] = tile.copy %[[STAGING]] to %C[{{.*}} -> !tile.token
// CHECK-NEXT: tile.await %[[SECOND]]
// CHECK-NEXT: %[[THIRD:.*]] = tile.copy %[[STAGING]] to %C[{{.*}} -> !tile.token
// CHECK: tile.await read %[[THIRD]]
tile.kernel @overlap(%C: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %two = arith.constant 2.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %g = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  %n32 = arith.addi %n, %c32 : index
  %n64 = arith.addi %n, %c64 : index
  tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
  tile.fill %g with %two : memref<64x64xf16, #tile.fragment>, f16
  tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %s to %C[%n, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  tile.copy %g to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %s to %C[%n64, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  tile.copy %s to %C[%n32, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 4>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (4, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16), (2, 1:32)]>
#rows = #tile.shared_layout<shape [64, 64] bits 32 modes [(32, 1:1), (64, 0:32), (2, 1:2048)] swizzle(3, 4, 3)>

// Sums leave like stores: each warpgroup adds the columns that it holds.
// CHECK-LABEL: tile.kernel @sums
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (!tile.token) {
// CHECK: tile.await read %[[BEFORE]] {groups = 2 : i64}
// CHECK-NEXT: tile.copy %{{.*}} to %[[STAGING:[0-9]+]] decided {groups = array<i64: 1, 2>, layout
// CHECK-NEXT: %[[TOKEN:.*]] = tile.atomic add %[[STAGING]] to %C[{{.*}} decided {groups = array<i64: 1, 2>, plan = {{.*}} -> !tile.token
// CHECK: scf.yield %[[TOKEN]]
tile.kernel @sums(%C: memref<?x64xf32> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %f = tile.alloc layout(#frag) : memref<64x64xf32, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
  scf.for %t = %c0 to %n step %c64 {
    tile.fill %f with %one : memref<64x64xf32, #tile.fragment>, f32
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #shared>
    tile.atomic add %s to %C[%t, %c0] decided {plan = #tma} : memref<64x64xf32, #shared> to memref<?x64xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// Two rounds store the same rows: the earlier store has ended before the later one is issued.
// CHECK-LABEL: tile.kernel @repeats
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %
// CHECK: tile.await %[[BEFORE]]
tile.kernel @repeats(%C: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c24 = arith.constant 24 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  scf.for %t = %c0 to %n step %c1 {
    tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    %h = arith.divui %t, %c2 : index
    %o = arith.muli %h, %c64 : index
    tile.copy %s to %C[%o, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// Of 64 rows a round begins 24 behind the one before.
// CHECK-LABEL: tile.kernel @overlaps
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %
// CHECK: tile.await %[[BEFORE]]
tile.kernel @overlaps(%C: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c24 = arith.constant 24 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  scf.for %t = %c0 to %n step %c1 {
    tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    %o = arith.muli %t, %c24 : index
    tile.copy %s to %C[%o, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 2>
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#rows = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>

// Rows of its own in each round.
// CHECK-LABEL: tile.kernel @apart
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %
// CHECK: tile.await read %[[BEFORE]]
tile.kernel @apart(%C: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c24 = arith.constant 24 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %f = tile.alloc layout(#frag) : memref<64x64xf16, #tile.fragment>
  %s = tile.alloc layout(#rows) : memref<64x64xf16, #shared>
  scf.for %t = %c0 to %n step %c1 {
    tile.fill %f with %one : memref<64x64xf16, #tile.fragment>, f16
    tile.copy %f to %s decided {layout = #frag} : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    %o = arith.muli %t, %c64 : index
    tile.copy %s to %C[%o, %c0] decided {plan = #tma} : memref<64x64xf16, #shared> to memref<?x64xf16>
  }
}
