// What an epilogue reads into a fragment goes through a tile of shared memory,
// where a loop with a gemm hides the way and the kernel's tiles leave room.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-stage-loads=remarks --verify-diagnostics | FileCheck %s
// Where no role copies by TMA, nothing is staged.
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-infer-layouts --tile-stage-loads | FileCheck %s --check-prefix=DIRECT
// The tile becomes a ring of one slot, which the role that copies fills.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a --mlir-print-ir-before=convert-tile-to-nvvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROLES

#shared = #gpu.address_space<workgroup>
// DIRECT-LABEL: tile.kernel @residual
// DIRECT: tile.copy %R{{.*}} : memref<4096x4096xf16> to memref<128x128xf16, #tile.fragment>

// CHECK-LABEL: tile.kernel @residual
// CHECK: %[[STAGING:.*]] = tile.alloc layout(#tile.shared_layout<shape [128, 128] bits 16 {{.*}} swizzle(3, 4, 3)>) : memref<128x128xf16, #gpu.address_space<workgroup>>
// CHECK: tile.pipelined
// CHECK: tile.copy %R[%{{.*}}, %{{.*}}] sizes [128, 128] to %[[STAGING]] : memref<4096x4096xf16> to memref<128x128xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[STAGING]] to %{{.*}} decided {layout = {{.*}}} : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<128x128xf16, #tile.fragment>
// ROLES-LABEL: tile.kernel @residual
// ROLES: role "load"
// ROLES: scf.for
// ROLES: scf.if
// ROLES-NEXT: tile.ring.acquire %[[RING:.*]][
// ROLES-NEXT: tile.copy %R{{.*}} decided {plan = #tile.copy_plan<tma
// ROLES-NEXT: tile.ring.commit %[[RING]]
// ROLES: tile.copy %B
// ROLES-NOT: tile.copy %R
// ROLES: role "mma"
// ROLES: tile.gemm
// ROLES: tile.ring.wait %[[RING]]
// ROLES-NEXT: tile.copy {{.*}} {{.*}}plan = #tile.copy_plan<ldmatrix
// ROLES-NEXT: tile.ring.release %[[RING]]
tile.kernel @residual(%A: memref<4096x4096xf16> {tile.alignment = 16}, %B: memref<4096x4096xf16> {tile.alignment = 16}, %R: memref<4096x4096xf16> {tile.alignment = 16}, %C: memref<4096x4096xf16> {tile.alignment = 16})
    grid(%bx, %by) = (32, 32) threads(256) {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %K = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bm : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(4) {
    tile.copy %A[%m, %k] to %As : memref<4096x4096xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<4096x4096xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  %Rf = tile.alloc : memref<128x128xf16, #tile.fragment>
  // expected-remark @below {{loaded through 32768 bytes of shared memory}}
  tile.copy %R[%m, %n] to %Rf : memref<4096x4096xf16> to memref<128x128xf16, #tile.fragment>
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %r = memref.load %Rf[%i, %j] : memref<128x128xf16, #tile.fragment>
    %wide = arith.extf %r : f16 to f32
    %y = arith.addf %x, %wide : f32
    memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<4096x4096xf16>
}

// Where no room is left, columns pass through a tile that the loop fills, whose
// ring goes on behind the loop: two more uses for each tile of the grid.
// CHECK-LABEL: tile.kernel @through
// CHECK: %[[AS:.*]] = tile.alloc layout({{.*}}) : memref<128x64xf16, #gpu.address_space<workgroup>>
// CHECK: tile.pipelined
// CHECK: tile.copy %R[%[[M:.*]], %[[N:.*]]] sizes [128, 64] to %[[AS]]
// CHECK-NEXT: %[[FIRST:[a-z0-9_]+]] = tile.alloc layout({{.*}}) : memref<128x64xf16, #tile.fragment>
// CHECK-NEXT: tile.copy %[[AS]] to %[[FIRST]]
// CHECK-NEXT: tile.copy %[[FIRST]] to %[[ALL:[a-z0-9_]+]][%c0{{.*}}, %c0{{.*}}] sizes [128, 64]
// CHECK: %[[NEXT:[a-z0-9_]+]] = arith.addi %[[N]], %c64
// CHECK: tile.copy %R[%[[M]], %[[NEXT]]] sizes [128, 64] to %[[AS]]
// CHECK: tile.copy %[[AS]] to %[[SECOND:[a-z0-9_]+]] {{.*}} to memref<128x64xf16, #tile.fragment>
// CHECK-NEXT: tile.copy %[[SECOND]] to %[[ALL]][%c0{{.*}}, %c64{{.*}}] sizes [128, 64]
// ROLES-LABEL: tile.kernel @through
// ROLES: %[[RING:.*]] = tile.ring.create {{.*}} : !tile.ring<6 x [{{.*}}], tma -> (wgmma, threads)>
// ROLES-NOT: tile.ring.create
// ROLES: role "load"
// ROLES: scf.for {{.*}} iter_args(%[[USES:.*]] = %c0) -> (index)
// ROLES: scf.for
// ROLES: tile.copy %B
// ROLES-NEXT: tile.ring.commit
// ROLES-NEXT: }
// ROLES: %[[AFTER:.*]] = arith.addi %[[USES]], %c64
// ROLES: %[[VIEWS:.*]]:2 = tile.ring.acquire %[[RING]][%[[AFTER]]]
// ROLES-NEXT: tile.copy %R{{.*}} to %[[VIEWS]]#0 decided {plan = #tile.copy_plan<tma
// ROLES-NEXT: tile.ring.commit %[[RING]][%[[AFTER]]]
// ROLES: %[[ONE_MORE:.*]] = arith.addi %[[AFTER]], %c1
// ROLES: tile.ring.acquire %[[RING]][%[[ONE_MORE]]]
// ROLES: tile.ring.commit %[[RING]][%[[ONE_MORE]]]
// ROLES: %[[NEXT:[a-z0-9_]+]] = arith.addi %[[ONE_MORE]], %c1
// ROLES: scf.yield %[[NEXT]]
// ROLES: role "mma"
// ROLES: tile.gemm
// ROLES: tile.ring.drain
// ROLES: %[[FULL:.*]]:2 = tile.ring.wait %[[RING]]
// ROLES: tile.copy %[[FULL]]#0 to {{.*}}plan = #tile.copy_plan<ldmatrix
// ROLES-NEXT: tile.ring.release %[[RING]]
// ROLES: tile.ring.wait %[[RING]]
// ROLES: tile.ring.release %[[RING]]
// ROLES: tile.parallel
tile.kernel @through(%A: memref<4096x4096xf16> {tile.alignment = 16}, %B: memref<4096x4096xf16> {tile.alignment = 16}, %R: memref<4096x4096xf16> {tile.alignment = 16}, %C: memref<4096x4096xf16> {tile.alignment = 16})
    grid(%bx, %by) = (32, 32) threads(256) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %K = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bm : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(6) {
    tile.copy %A[%m, %k] to %As : memref<4096x4096xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<4096x4096xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  %Rf = tile.alloc : memref<128x128xf16, #tile.fragment>
  // expected-remark @below {{loaded through the 128 x 64 tile of the loop before, in 2 parts}}
  tile.copy %R[%m, %n] to %Rf : memref<4096x4096xf16> to memref<128x128xf16, #tile.fragment>
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %r = memref.load %Rf[%i, %j] : memref<128x128xf16, #tile.fragment>
    %wide = arith.extf %r : f16 to f32
    %y = arith.addf %x, %wide : f32
    memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<4096x4096xf16>
}

// One agent alone would wait for the trip.
// CHECK-LABEL: tile.kernel @alone
// CHECK: tile.copy %R{{.*}} : memref<4096x4096xf16> to memref<128x128xf16, #tile.fragment>
tile.kernel @alone(%A: memref<4096x4096xf16> {tile.alignment = 16}, %R: memref<4096x4096xf16> {tile.alignment = 16}, %C: memref<4096x4096xf16> {tile.alignment = 16})
    grid(%bx, %by) = (32, 32) threads(256) attributes {specialize = false} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %K = arith.constant 4096 : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bm : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<128x64xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(2) {
    tile.copy %A[%m, %k] to %As : memref<4096x4096xf16> to memref<128x64xf16, #shared>
    tile.gemm %As, %As, %acc {transpose_b} : memref<128x64xf16, #shared>, memref<128x64xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  %Rf = tile.alloc : memref<128x128xf16, #tile.fragment>
  // expected-remark @below {{loaded directly: no role copies while others multiply}}
  tile.copy %R[%m, %n] to %Rf : memref<4096x4096xf16> to memref<128x128xf16, #tile.fragment>
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %r = memref.load %Rf[%i, %j] : memref<128x128xf16, #tile.fragment>
    %wide = arith.extf %r : f16 to f32
    %y = arith.addf %x, %wide : f32
    memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<4096x4096xf16>
}

// Six stages of 32 KiB leave no room, and no tile of the loop has as many rows;
// what stands in front of the loop has
// nothing to hide behind; and the program may refuse TMA.
// CHECK-LABEL: tile.kernel @direct
// CHECK-COUNT-3: tile.copy %R{{.*}} : memref<4096x4096xf16> to memref<128x128x{{.*}}, #tile.fragment>
tile.kernel @direct(%A: memref<4096x4096xf16> {tile.alignment = 16}, %B: memref<4096x4096xf16> {tile.alignment = 16}, %R: memref<4096x4096xf16> {tile.alignment = 16}, %C: memref<4096x4096xf16> {tile.alignment = 16})
    grid(%bx, %by) = (32, 32) threads(256) {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %K = arith.constant 4096 : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bm : index
  %As = tile.alloc : memref<64x128xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  // expected-remark @below {{loaded directly: no loop with a gemm runs before it}}
  tile.copy %R[%m, %n] to %acc : memref<4096x4096xf16> to memref<128x128xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %bk stages(6) {
    tile.copy %A[%k, %m] to %As : memref<4096x4096xf16> to memref<64x128xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<4096x4096xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_a} : memref<64x128xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  %Rf = tile.alloc : memref<128x128xf16, #tile.fragment>
  %Rg = tile.alloc : memref<128x128xf16, #tile.fragment>
  // expected-remark @below {{loaded directly: it takes 32768 bytes of shared memory, of which}}
  tile.copy %R[%m, %n] to %Rf : memref<4096x4096xf16> to memref<128x128xf16, #tile.fragment>
  // expected-remark @below {{loaded directly: the program states how to copy}}
  tile.copy %R[%n, %m] to %Rg {disable_tma} : memref<4096x4096xf16> to memref<128x128xf16, #tile.fragment>
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %r = memref.load %Rf[%i, %j] : memref<128x128xf16, #tile.fragment>
    %s = memref.load %Rg[%i, %j] : memref<128x128xf16, #tile.fragment>
    %sum = arith.addf %r, %s : f16
    %wide = arith.extf %sum : f16 to f32
    %y = arith.addf %x, %wide : f32
    memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<4096x4096xf16>
}
