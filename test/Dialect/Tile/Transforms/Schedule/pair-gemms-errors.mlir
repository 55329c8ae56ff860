// Why gemms are not paired.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-pair-gemms=remarks -o /dev/null

// Blocks side by side share A: rows are not what they differ in.
#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x128xf16, #shared>
!c = memref<128x128xf32, #tile.tmem>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> tcgen05>
module attributes {tile.target = #tile.target<"sm_100a">} {
// expected-remark @below {{not multiplied in pairs of blocks: the blocks of a cluster share A}}
tile.kernel @k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16})
    grid(%bx, %by) = (2, 2) threads(128) cluster(2, 1) {
  %r = tile.ring.create layouts([#a, #b]) {peers = 2} : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  // expected-note @below {{because of this}}
  tile.copy %A[%m, %c0] to %x#0 decided {multicast = 2 : i64, plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %n] to %x#1 decided {plan = #tma} : memref<64x512xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  tile.ring.release %r[%c0] : !ring
}
}

// -----

// One instruction's columns are shared out: 48 is no multiple of 32.
#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 48] bits 16 modes [(16, 1:1), (64, 0:16), (3, 1:1024)] swizzle(1, 4, 3)>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 48, k = 16, warps = [4, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x48xf16, #shared>
!c = memref<128x48xf32, #tile.tmem>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x48xf16, #shared>], tma -> tcgen05>
module attributes {tile.target = #tile.target<"sm_100a">} {
// expected-remark @below {{not multiplied in pairs of blocks: the N tile has to be one instruction's, a multiple of 32 up to 256, got 48}}
tile.kernel @k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16})
    grid(%bx, %by) = (2, 2) threads(128) cluster(1, 2) {
  %r = tile.ring.create layouts([#a, #b]) {peers = 2} : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %n] to %x#1 decided {multicast = 2 : i64, plan = #tma} : memref<64x512xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  // expected-note @below {{because of this}}
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  tile.ring.release %r[%c0] : !ring
}
}

// -----

// Four blocks.
#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x128xf16, #shared>
!c = memref<128x128xf32, #tile.tmem>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> tcgen05>
module attributes {tile.target = #tile.target<"sm_100a">} {
// expected-remark @below {{not multiplied in pairs of blocks: expected a cluster of two blocks, got 4}}
tile.kernel @k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16})
    grid(%bx, %by) = (2, 4) threads(128) cluster(1, 4) {
  %r = tile.ring.create layouts([#a, #b]) {peers = 4} : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %n] to %x#1 decided {multicast = 4 : i64, plan = #tma} : memref<64x512xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  tile.ring.release %r[%c0] : !ring
}
}

// -----

// The program says no.
#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x128xf16, #shared>
!c = memref<128x128xf32, #tile.tmem>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> tcgen05>
module attributes {tile.target = #tile.target<"sm_100a">} {
// expected-remark @below {{not multiplied in pairs of blocks: `pairs = false` forbids it}}
tile.kernel @k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16})
    grid(%bx, %by) = (2, 2) threads(128) cluster(1, 2) attributes {pairs = false} {
  %r = tile.ring.create layouts([#a, #b]) {peers = 2} : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %n] to %x#1 decided {multicast = 2 : i64, plan = #tma} : memref<64x512xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  tile.ring.release %r[%c0] : !ring
}
}

// -----

// Threads read the operands as well: they have no half.
#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x128xf16, #shared>
!c = memref<128x128xf32, #tile.tmem>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> (tcgen05, threads)>
module attributes {tile.target = #tile.target<"sm_100a">} {
// expected-remark @below {{not multiplied in pairs of blocks: others than gemms by tcgen05 read the operands}}
tile.kernel @k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16})
    grid(%bx, %by) = (2, 2) threads(128) cluster(1, 2) {
  // expected-note @below {{because of this}}
  %r = tile.ring.create layouts([#a, #b]) {peers = 2} : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %n] to %x#1 decided {multicast = 2 : i64, plan = #tma} : memref<64x512xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  tile.ring.release %r[%c0] : !ring
}
}

// -----

// Whether it multiplies depends on the block.
#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x128xf16, #shared>
!c = memref<128x128xf32, #tile.tmem>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> tcgen05>
module attributes {tile.target = #tile.target<"sm_100a">} {
// expected-remark @below {{not multiplied in pairs of blocks: the blocks of a cluster may run it differently often}}
tile.kernel @k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16})
    grid(%bx, %by) = (2, 2) threads(128) cluster(1, 2) {
  %r = tile.ring.create layouts([#a, #b]) {peers = 2} : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %even = arith.cmpi eq, %by, %c0 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %n] to %x#1 decided {multicast = 2 : i64, plan = #tma} : memref<64x512xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  scf.if %even {
  // expected-note @below {{because of this}}
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  }
  tile.ring.release %r[%c0] : !ring
}
}

// -----

// Copies that are one run of bytes complete in their own block only.
#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x128xf16, #shared>
!c = memref<128x128xf32, #tile.tmem>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> tcgen05>
module attributes {tile.target = #tile.target<"sm_100a">} {
// expected-remark @below {{not multiplied in pairs of blocks: only tensor copies arrive in another block, and an operand is filled by something else}}
tile.kernel @k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16})
    grid(%bx, %by) = (2, 2) threads(128) cluster(1, 2) {
  %r = tile.ring.create layouts([#a, #b]) {peers = 2} : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  // expected-note @below {{because of this}}
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tile.copy_plan<bulk, bytes = 16>} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %n] to %x#1 decided {multicast = 2 : i64, plan = #tma} : memref<64x512xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  tile.ring.release %r[%c0] : !ring
}
}

// -----

// It was asked for.
#shared = #gpu.address_space<workgroup>
#a = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
#b = #tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>
#tma = #tile.copy_plan<tma, bytes = 2>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x128xf16, #shared>
!c = memref<128x128xf32, #tile.tmem>
!ring = !tile.ring<2 x [memref<128x64xf16, #shared>, memref<64x128xf16, #shared>], tma -> tcgen05>
module attributes {tile.target = #tile.target<"sm_100a">} {
// expected-error @below {{cannot be paired, which `pairs` asks for: expected a cluster of two blocks, got 1}}
tile.kernel @k(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x512xf16> {tile.alignment = 16})
    grid(%bx, %by) = (2, 2) threads(128) attributes {pairs = true} {
  %r = tile.ring.create layouts([#a, #b]) : !ring
  %acc = tile.alloc : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %x:2 = tile.ring.acquire %r[%c0] : !ring
  tile.copy %A[%m, %c0] to %x#0 decided {plan = #tma} : memref<256x64xf16> to !a
  tile.copy %B[%c0, %n] to %x#1 decided {plan = #tma} : memref<64x512xf16> to !b
  tile.ring.commit %r[%c0] : !ring
  %y:2 = tile.ring.wait %r[%c0] : !ring
  tile.gemm %y#0, %y#1, %acc {plan = #plan, clear} : !a, !b, !c
  tile.ring.release %r[%c0] : !ring
}
}
