// Two blocks of a cluster that share B multiply as one: each holds half of B.
// RUN: tile-opt %s --tile-pair-gemms | FileCheck %s
// RUN: tile-opt %s --tile-pair-gemms=remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>
#bt = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
!a = memref<128x64xf16, #shared>
!b = memref<64x128xf16, #shared>
!c = memref<128x128xf32, #tile.tmem>
!ring = !tile.ring<4 x [memref<128x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> tcgen05>
!ringt = !tile.ring<4 x [memref<128x64xf16, #shared>, memref<128x64xf16, #shared>], tma -> tcgen05>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
module attributes {tile.target = #tile.target<"sm_100a">} {

// Half of the columns is half of the panels; nothing is multicast any more.
// CHECK-LABEL: tile.kernel @along_n
// CHECK: tile.ring.create layouts([#tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>, #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>]) {pair = array<i64: -1, 1>, peers = 2 : i64} : !tile.ring<4 x [memref<128x64xf16, {{.*}}>, memref<64x128xf16, {{.*}}>], tma -> tcgen05>
// CHECK-NOT: multicast
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1], pair>}
// CHECK-NOT: multicast
// REMARK: remark: two blocks multiply together: 256x128, half of B in each
tile.kernel @along_n(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x128xf16> {tile.alignment = 16})
    grid(%bx, %by) = (1, 2) threads(128) cluster(1, 2) {
  %r = tile.ring.create layouts([#a, #b]) {peers = 2} : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %c0] to %x#1 decided {multicast = 2 : i64, plan = #tma} : memref<64x128xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  tile.ring.release %r[%c0] : !ring
}

// B as N x K: half of its rows.
// CHECK-LABEL: tile.kernel @along_k
// CHECK: #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)>]) {pair = array<i64: -1, 0>, peers = 2 : i64}
// CHECK: tile.gemm {{.*}}, pair>, transpose_b}
tile.kernel @along_k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<128x64xf16> {tile.alignment = 16})
    grid(%bx, %by) = (1, 2) threads(128) cluster(1, 2) {
  %r = tile.ring.create layouts([#a, #bt]) {peers = 2} : !ringt
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ringt
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %c0] to %x#1 decided {multicast = 2 : i64, plan = #tma} : memref<128x64xf16> to !a
  tile.ring.commit %r[%c0] : !ringt
  %y:2 = tile.ring.wait %r[%c0] : !ringt
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear, transpose_b} : !a, !a, !c
  tile.ring.release %r[%c0] : !ringt
}
}
