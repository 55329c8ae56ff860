// Several copies of an iteration fill one tile, as pages of a cache do: they run ahead together, in one slot of a ring.
// RUN: tile-opt %s --split-input-file --tile-to-schedule="arch=sm_90a remarks" --tile-verify-rings=remarks --verify-diagnostics=only-expected | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-to-schedule=arch=sm_80 | FileCheck %s --check-prefix=SM80
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @pages
// CHECK-DAG: %[[KS:.*]] = tile.ring.create {{.*}} : !tile.ring<3 x [memref<32x64xf16, {{.*}}>], tma -> threads>
// CHECK: role "load"
// CHECK: %[[SLOT:.*]] = tile.ring.acquire
// CHECK: tile.copy %K[%{{.*}}, %c0, %c0] sizes [1, 16, 64] to %[[SLOT]][%c0, %c0] sizes [16, 64] decided {plan = #tile.copy_plan<tma, bytes = 2>}
// CHECK: tile.copy %K[%{{.*}}, %c0, %c0] sizes [1, 16, 64] to %[[SLOT]][%c16, %c0] sizes [16, 64] decided {plan = #tile.copy_plan<tma, bytes = 2>}
// CHECK-NOT: tile.copy %K
// CHECK: tile.ring.commit
// SM80-LABEL: tile.kernel @pages
// SM80: tile.ring.create {{.*}} : !tile.ring<3 x [memref<32x64xf16, {{.*}}>, memref<32x64xf16, {{.*}}>], cp_async -> threads>
// SM80: scf.for
// SM80: tile.ring.wait
// SM80: %[[NEXT:.*]]:2 = tile.ring.acquire
// SM80-COUNT-2: tile.copy %K{{.*}} to %[[NEXT]]#0[
// SM80: tile.copy %V{{.*}} to %[[NEXT]]#1
// expected-remark @below {{rings are proved for}}
tile.kernel @pages(%Q: memref<16x64xf16> {tile.alignment = 16}, %K: memref<?x16x64xf16> {tile.alignment = 16}, %V: memref<?x64xf16> {tile.alignment = 16}, %T: memref<?xi32>, %O: memref<16x64xf32>, %n: i32)
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %keys = arith.index_cast %n : i32 to index
  %Qs = tile.alloc : memref<16x64xf16, #shared>
  %Ks = tile.alloc : memref<32x64xf16, #shared>
  %Vs = tile.alloc : memref<32x64xf16, #shared>
  %S = tile.alloc : memref<16x32xf32, #tile.fragment>
  %P = tile.alloc : memref<16x32xf16, #tile.fragment>
  %acc = tile.alloc : memref<16x64xf32, #tile.fragment>
  tile.copy %Q[%c0, %c0] to %Qs {disable_tma} : memref<16x64xf16> to memref<16x64xf16, #shared>
  tile.fill %acc with %zero : memref<16x64xf32, #tile.fragment>, f32
  // expected-remark @below {{pipelined: 2 of 3 copies run 3 iterations ahead, filled by tma}}
  // expected-remark @below {{pipelined: 1 of 3 copies runs 3 iterations ahead, filled by tma}}
  tile.pipelined %k = %c0 to %keys step %c32 stages(3) {
    %first = arith.divui %k, %c16 : index
    %second = arith.addi %first, %c1 : index
    %t0 = memref.load %T[%first] : memref<?xi32>
    %p0 = arith.index_cast %t0 : i32 to index
    tile.copy %K[%p0, %c0, %c0] sizes [1, 16, 64] to %Ks[%c0, %c0] sizes [16, 64] : memref<?x16x64xf16> to memref<32x64xf16, #shared>
    %t1 = memref.load %T[%second] : memref<?xi32>
    %p1 = arith.index_cast %t1 : i32 to index
    tile.copy %K[%p1, %c0, %c0] sizes [1, 16, 64] to %Ks[%c16, %c0] sizes [16, 64] : memref<?x16x64xf16> to memref<32x64xf16, #shared>
    tile.copy %V[%k, %c0] to %Vs : memref<?x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %Qs, %Ks, %S {clear, transpose_b} : memref<16x64xf16, #shared>, memref<32x64xf16, #shared>, memref<16x32xf32, #tile.fragment>
    tile.copy %S to %P : memref<16x32xf32, #tile.fragment> to memref<16x32xf16, #tile.fragment>
    tile.gemm %P, %Vs, %acc : memref<16x32xf16, #tile.fragment>, memref<32x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%c0, %c0] : memref<16x64xf32, #tile.fragment> to memref<16x64xf32>
}

// -----

// What does not make up the tile crosses iterations; elements that two copies write are those of the last one; an offset that
// is computed says nothing. One copy that has to stay keeps the others.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @apart
// CHECK-NOT: tile.ring.create
// SM80-LABEL: tile.kernel @apart
// SM80-NOT: tile.ring.create
tile.kernel @apart(%A: memref<?x64xf32> {tile.alignment = 16}, %n: memref<?xi32>, %C: memref<32x64xf32>, %at: i32)
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %place = arith.index_cast %at : i32 to index
  %gap = tile.alloc : memref<32x64xf32, #shared>
  %common = tile.alloc : memref<32x64xf32, #shared>
  %moving = tile.alloc : memref<32x64xf32, #shared>
  %late = tile.alloc : memref<32x64xf32, #shared>
  %sum = tile.alloc : memref<32x64xf32, #tile.fragment>
  tile.fill %gap with %zero : memref<32x64xf32, #shared>, f32
  tile.fill %moving with %zero : memref<32x64xf32, #shared>, f32
  tile.fill %sum with %zero : memref<32x64xf32, #tile.fragment>, f32
  // expected-remark @below {{not pipelined: no copy may run ahead}}
  tile.pipelined %k = %c0 to %c64 step %c16 stages(2) {
    // expected-remark @below {{not pipelined: it covers only a part of the shared buffer; give the copy a `tile.alloc` of the part's shape, or fill the other parts by copies beside it}}
    tile.copy %A[%k, %c0] sizes [16, 64] to %gap[%c0, %c0] sizes [16, 64] : memref<?x64xf32> to memref<32x64xf32, #shared>
    // expected-remark @below {{not pipelined: it covers only a part of the shared buffer}}
    tile.copy %A[%k, %c0] sizes [15, 64] to %gap[%c16, %c0] sizes [15, 64] : memref<?x64xf32> to memref<32x64xf32, #shared>
    // expected-remark @below {{not pipelined: it covers only a part of the shared buffer}}
    tile.copy %A[%k, %c0] sizes [16, 64] to %common[%c0, %c0] sizes [16, 64] : memref<?x64xf32> to memref<32x64xf32, #shared>
    // expected-remark @below {{not pipelined: it covers only a part of the shared buffer}}
    tile.copy %A[%k, %c0] sizes [24, 64] to %common[%c8, %c0] sizes [24, 64] : memref<?x64xf32> to memref<32x64xf32, #shared>
    // expected-remark @below {{not pipelined: it covers only a part of the shared buffer}}
    tile.copy %A[%k, %c0] sizes [16, 64] to %moving[%c0, %c0] sizes [16, 64] : memref<?x64xf32> to memref<32x64xf32, #shared>
    // expected-remark @below {{not pipelined: it covers only a part of the shared buffer}}
    tile.copy %A[%k, %c0] sizes [16, 64] to %moving[%place, %c0] sizes [16, 64] : memref<?x64xf32> to memref<32x64xf32, #shared>
    // expected-remark @below {{not pipelined: another copy that fills the shared buffer with it cannot run ahead; mend what keeps that one}}
    tile.copy %A[%k, %c0] sizes [16, 64] to %late[%c0, %c0] sizes [16, 64] : memref<?x64xf32> to memref<32x64xf32, #shared>
    %row = memref.load %n[%c0] : memref<?xi32>
    %from = arith.index_cast %row : i32 to index
    // expected-remark @below {{not pipelined: its offset is read from 'n', which is written in the loop}}
    tile.copy %A[%from, %c0] sizes [16, 64] to %late[%c16, %c0] sizes [16, 64] : memref<?x64xf32> to memref<32x64xf32, #shared>
    tile.parallel (%i) in (1) {
      %next = arith.index_cast %k : index to i32
      memref.store %next, %n[%i] : memref<?xi32>
    }
    tile.parallel (%i, %j) in (32, 64) {
      %v0 = memref.load %gap[%i, %j] : memref<32x64xf32, #shared>
      %v1 = memref.load %common[%i, %j] : memref<32x64xf32, #shared>
      %v2 = memref.load %moving[%i, %j] : memref<32x64xf32, #shared>
      %v3 = memref.load %late[%i, %j] : memref<32x64xf32, #shared>
      %old = memref.load %sum[%i, %j] : memref<32x64xf32, #tile.fragment>
      %s0 = arith.addf %v0, %v1 : f32
      %s1 = arith.addf %v2, %v3 : f32
      %s2 = arith.addf %s0, %s1 : f32
      %new = arith.addf %old, %s2 : f32
      memref.store %new, %sum[%i, %j] : memref<32x64xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %C[%c0, %c0] : memref<32x64xf32, #tile.fragment> to memref<32x64xf32>
}
