// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-debuginfo | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<3 x [memref<128x32xf16, #shared>, memref<32x128xf16, #shared>], cp_async -> threads>

// CHECK-LABEL: tile.kernel @rings
tile.kernel @rings(%i: index) grid(%bx) = (1) threads(128) {
  // CHECK: tile.ring.create : !tile.ring<3 x [memref<128x32xf16, #gpu.address_space<workgroup>>, memref<32x128xf16, #gpu.address_space<workgroup>>], cp_async -> threads>
  // GENERIC: "tile.ring.create"()
  %ring = tile.ring.create : !ring
  // CHECK: tile.ring.create layouts([#tile.shared_layout<shape [8, 32] bits 16 modes [(32, 1:1), (8, 0:32)] swizzle(2, 4, 3)>]) : !tile.ring<2 x [memref<8x32xf16, #gpu.address_space<workgroup>>], threads -> threads>
  %laid = tile.ring.create layouts([#tile.shared_layout<shape [8, 32] bits 16 modes [(32, 1:1), (8, 0:32)] swizzle(2, 4, 3)>]) : !tile.ring<2 x [memref<8x32xf16, #shared>], threads -> threads>
  // CHECK: %{{.*}}:2 = tile.ring.acquire %{{.*}}[%i] : !tile.ring<3 x
  // GENERIC: "tile.ring.acquire"
  %a, %b = tile.ring.acquire %ring[%i] : !ring
  // CHECK: tile.ring.commit %{{.*}}[%i] : !tile.ring<3 x
  // GENERIC: "tile.ring.commit"
  tile.ring.commit %ring[%i] : !ring
  // CHECK: %{{.*}}:2 = tile.ring.wait %{{.*}}[%i] {in_flight = 1 : i64} : !tile.ring<3 x
  // GENERIC: "tile.ring.wait"({{.*}}) <{in_flight = 1 : i64}>
  %c, %d = tile.ring.wait %ring[%i] {in_flight = 1} : !ring
  // CHECK: tile.ring.release %{{.*}}[%i] : !tile.ring<3 x
  // GENERIC: "tile.ring.release"
  tile.ring.release %ring[%i] : !ring
  // CHECK: tile.ring.wait %{{.*}}[%i] : !tile.ring<2 x
  %e = tile.ring.wait %laid[%i] : !tile.ring<2 x [memref<8x32xf16, #shared>], threads -> threads>
}

// Every side of a ring, and tokens.
// CHECK-LABEL: func.func private @types
// CHECK-SAME: !tile.ring<1 x [memref<8xf16, #gpu.address_space<workgroup>>], cp_async_mbarrier -> wgmma>
// CHECK-SAME: !tile.ring<64 x [memref<8xf16, #gpu.address_space<workgroup>>], tma -> tcgen05>
// CHECK-SAME: !tile.ring<2 x [memref<8xf16, #gpu.address_space<workgroup>>], threads -> tma_store>
// CHECK-SAME: !tile.ring<2 x [memref<128x64xf32, #tile.tmem>], mma -> threads>
// CHECK-SAME: !tile.token
func.func private @types(!tile.ring<1 x [memref<8xf16, #shared>], cp_async_mbarrier -> wgmma>,
                         !tile.ring<64 x [memref<8xf16, #shared>], tma -> tcgen05>,
                         !tile.ring<2 x [memref<8xf16, #shared>], threads -> tma_store>,
                         !tile.ring<2 x [memref<128x64xf32, #tile.tmem>], mma -> threads>, !tile.token)

// Two blocks that multiply as one: halves of the second operand.
// CHECK-LABEL: tile.kernel @pair
// CHECK-SAME: attributes {pairs = true}
tile.kernel @pair() grid(%bx) = (2) threads(128) cluster(2) attributes {pairs = true} {
  // CHECK: tile.ring.create layouts([#tile.shared_layout<shape [128, 16] {{.*}}>, #tile.shared_layout<shape [16, 32] {{.*}}>]) {pair = array<i64: -1, 1>, peers = 2 : i64} : !tile.ring<2 x [memref<128x16xf16, {{.*}}>, memref<16x64xf16, {{.*}}>], tma -> tcgen05>
  %ab = tile.ring.create layouts([#tile.shared_layout<shape [128, 16] bits 16 modes [(16, 1:1), (128, 0:16)]>, #tile.shared_layout<shape [16, 32] bits 16 modes [(32, 1:1), (16, 0:32)]>]) {pair = array<i64: -1, 1>, peers = 2} : !tile.ring<2 x [memref<128x16xf16, #shared>, memref<16x64xf16, #shared>], tma -> tcgen05>
  // CHECK: tile.ring.create {pair = array<i64: -1>, peers = 2 : i64} : !tile.ring<2 x [memref<128x64xf32, #tile.tmem>], mma -> threads>
  %acc = tile.ring.create {pair = array<i64: -1>, peers = 2} : !tile.ring<2 x [memref<128x64xf32, #tile.tmem>], mma -> threads>
}

// Copies shared by a part of the cluster.
// CHECK-LABEL: tile.kernel @part_of_cluster
tile.kernel @part_of_cluster(%A: memref<?x?xf16>, %I: memref<64xi32>) grid(%bx, %by, %bz) = (4, 2, 2) threads(128) cluster(4, 2, 2) {
  %c0 = arith.constant 0 : index
  %ring = tile.ring.create {peers = 16} : !tile.ring<1 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> threads>
  %s, %t = tile.ring.acquire %ring[%c0] : !tile.ring<1 x [memref<64x64xf16, #shared>, memref<64x64xf16, #shared>], tma -> threads>
  // CHECK: tile.copy %A[%{{.*}}] to %{{.*}} decided {multicast = 8 : i64, multicast_along = array<i64: 0, 2>}
  // GENERIC: "tile.copy"{{.*}}multicast = 8 : i64, multicast_along = array<i64: 0, 2>
  tile.copy %A[%by, %c0] to %s decided {multicast = 8, multicast_along = array<i64: 0, 2>} : memref<?x?xf16> to memref<64x64xf16, #shared>
  // CHECK: tile.gather {{.*}} decided {multicast = 2 : i64, multicast_along = array<i64: 1>}
  tile.gather %A[%c0] rows %I[%c0] to %t decided {multicast = 2, multicast_along = array<i64: 1>} : memref<?x?xf16>, memref<64xi32> to memref<64x64xf16, #shared>
}

// Roles, tokens, persistent grids.
// CHECK-LABEL: tile.kernel @roles
// CHECK-SAME: threads(384) cluster(1, 2) attributes {panel = 8 : i64, persistent = 1 : i64, specialize = true}
tile.kernel @roles(%A: memref<?x?xf16>, %C: memref<?x?xf16>) grid(%bx, %by) = (dim(%C, 1) ceildiv 256, dim(%C, 0) ceildiv 128) threads(384) cluster(1, 2) attributes {panel = 8, persistent = 1, specialize = true} {
  // CHECK: tile.ring.create {peers = 2 : i64} : !tile.ring<4 x [memref<64x64xf16, #gpu.address_space<workgroup>>], tma -> (wgmma, threads)>
  %ring = tile.ring.create {peers = 2} : !tile.ring<4 x [memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
  // CHECK: %[[STAGE:.*]] = tile.alloc
  %stage = tile.alloc : memref<64x64xf16, #shared>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = tile.block_range
  %first, %end, %step = tile.block_range
  // CHECK: tile.warp_specialize
  // CHECK-NEXT: role "load" warps(4) registers(40) {
  // GENERIC: "tile.warp_specialize"() <{names = ["load", "mma"], registers = array<i64: 40, 232>, warps = array<i64: 4, 8>}>
  tile.warp_specialize
  role "load" warps(4) registers(40) {
    // CHECK: tile.block_coordinates %{{.*}} : index, index
    %x, %y = tile.block_coordinates %first : index, index
    %s = tile.ring.acquire %ring[%first] : !tile.ring<4 x [memref<64x64xf16, #shared>], tma -> (wgmma, threads)>
    // CHECK: tile.copy %A[%{{.*}}] to %{{.*}} {eviction_policy = #tile.eviction_policy<last>} decided {multicast = 2 : i64}
    tile.copy %A[%y, %x] to %s {eviction_policy = #tile.eviction_policy<last>} decided {multicast = 2} : memref<?x?xf16> to memref<64x64xf16, #shared>
  }
  // CHECK: role "mma" warps(8) registers(232) {
  role "mma" warps(8) registers(232) {
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // CHECK: tile.token.done
    %done = tile.token.done
    // CHECK: %[[T:.*]] = tile.gemm {{.*}} -> !tile.token
    %t = tile.gemm %stage, %stage, %c : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
    // CHECK: tile.await %{{.*}}, %{{.*}}{{$}}
    tile.await %done, %t
    // CHECK: %[[U:.*]] = tile.copy %[[STAGE]] to %C{{.*}} -> !tile.token
    %u = tile.copy %stage to %C[%first, %first] : memref<64x64xf16, #shared> to memref<?x?xf16> -> !tile.token
    // CHECK: tile.await read %[[U]]
    tile.await read %u
  }
}

// Questions about iterations.
// CHECK-LABEL: tile.kernel @iterations
tile.kernel @iterations(%n: index, %s: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.iteration exists(0) in %{{.*}} to %n step %s
  // GENERIC: "tile.iteration"({{.*}}) <{count = 0 : i64, question = #tile<iteration_question exists>}> : (index, index, index) -> i1
  %a = tile.iteration exists(0) in %c0 to %n step %s
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %n step %s
  scf.for %i = %c0 to %n step %s {
    // CHECK: tile.iteration ahead(2) of %[[I]] in %{{.*}} to %n step %s
    // GENERIC: "tile.iteration"({{.*}}) <{count = 2 : i64, question = #tile<iteration_question ahead>}> : (index, index, index, index) -> i1
    %b = tile.iteration ahead(2) of %i in %c0 to %n step %s
    // CHECK: tile.iteration past(1) of %[[I]] in %{{.*}} to %n step %s
    %c = tile.iteration past(1) of %i in %c0 to %n step %s
    // CHECK: tile.iteration is(3) of %[[I]] in %{{.*}} to %n step %s
    %d = tile.iteration is(3) of %i in %c0 to %n step %s
    %e = arith.ori %b, %c : i1
    %f = arith.ori %d, %e : i1
    tile.assert %f, "asked"
  }
  tile.assert %a, "runs"
}

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%n: index) grid(%bx) = (1) threads(384) {
  // CHECK: tile.any_row %n to %n of 192 groups 3
  // GENERIC: "tile.any_row"({{.*}}) <{groups = 3 : i64, rows = 192 : i64}> : (index, index) -> i1
  %a = tile.any_row %n to %n of 192 groups 3
  // CHECK: tile.row_iterations %n step 128 to %n of 192 groups 3 in %n to %n
  // GENERIC: "tile.row_iterations"({{.*}}) <{groups = 3 : i64, rows = 192 : i64, step = 128 : i64}> : (index, index, index, index) -> index
  %b = tile.row_iterations %n step 128 to %n of 192 groups 3 in %n to %n
  tile.assert %a, "asked"
}
