// Tensor copies and bulk copies: when they are taken, and each rule's reason.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-select-copies=remarks=true --mlir-print-op-on-diagnostic=false -split-input-file -verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
#panels = #tile.shared_layout<shape [64, 256] bits 16 modes [(64, 1:1), (64, 0:64), (4, 1:4096)] swizzle(3, 4, 3)>
// Loads and stores of whole tiles whose rows are multiples of 16 bytes, in any
// swizzle that the hardware knows, overhanging or not.
// CHECK-LABEL: tile.kernel @taken
// CHECK-COUNT-6: decided {plan = #tile.copy_plan<tma, bytes = {{[24]}}>}
tile.kernel @taken(%A: memref<?x4096xf16> {tile.alignment = 16}, %B: memref<4096x4096xf16> {tile.alignment = 16}, %C: memref<8x?x96xf32> {tile.alignment = 128}) grid(%bx, %by) = (32, 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f16
  %m = arith.muli %by, %c128 : index
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc layout(#panels) : memref<64x256xf16, #shared>
  %odd = tile.alloc : memref<128x24xf16, #shared>
  %c = tile.alloc : memref<32x48xf32, #shared>
  %v = tile.alloc : memref<256xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %A[%m, %c0] to %a : memref<?x4096xf16> to memref<128x32xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %B[%c0, %m] to %b pad(%zero : f16) : memref<4096x4096xf16> to memref<64x256xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %A[%m, %m] to %odd : memref<?x4096xf16> to memref<128x24xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %c to %C[%bx, %m, %c0] sizes [1, 32, 48] : memref<32x48xf32, #shared> to memref<8x?x96xf32>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %B[%m, %c0] sizes [1, 256] to %v : memref<4096x4096xf16> to memref<256xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %b to %B[%c0, %m] : memref<64x256xf16, #shared> to memref<4096x4096xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
// A long row that lies inside is one run of bytes: one instruction, no map.
// CHECK-LABEL: tile.kernel @bulk
// CHECK:         decided {plan = #tile.copy_plan<bulk, bytes = 2>}
// CHECK:         decided {plan = #tile.copy_plan<tma, bytes = 2>}
// CHECK:         decided {plan = #tile.copy_plan<bulk, bytes = 2>}
// CHECK:         {prefer = #tile.copy_instruction<tma>} decided {plan = #tile.copy_plan<tma, bytes = 2>}
tile.kernel @bulk(%X: memref<64x2048xf16> {tile.alignment = 16}, %Y: memref<?x2048xf16> {tile.alignment = 16}) grid(%bx) = (64) threads(128) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<2048xf16, #shared>
  %y = tile.alloc : memref<2048xf16, #shared>
  %rows = tile.alloc : memref<8x2048xf16, #shared>
  // expected-remark @+1 {{copy: bulk; tma not taken: one bulk copy does what would take 8 boxes}}
  tile.copy %X[%bx, %c0] sizes [1, 2048] to %x : memref<64x2048xf16> to memref<2048xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %Y[%bx, %c0] sizes [1, 2048] to %y : memref<?x2048xf16> to memref<2048xf16, #shared>
  // expected-remark @+1 {{copy: bulk; tma not taken: one bulk copy does}}
  tile.copy %X[%c0, %c0] to %rows : memref<64x2048xf16> to memref<8x2048xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %X[%bx, %c0] sizes [1, 2048] to %x {prefer = #tile.copy_instruction<tma>} : memref<64x2048xf16> to memref<2048xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// What is not promised of addresses and strides is not assumed.
// CHECK-LABEL: tile.kernel @promises
// CHECK-NOT:     <tma
// CHECK:         <tma
// CHECK-NOT:     <tma
tile.kernel @promises(%A: memref<4096x4096xf16> {tile.alignment = 8}, %B: memref<?x?xf16> {tile.alignment = 16}, %D: memref<?x?xf16> {tile.alignment = 16}, %E: memref<4096x100xf16> {tile.alignment = 16}, %F: memref<64x64xf16, strided<[?, 1]>> {tile.alignment = 16}) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = memref.dim %D, %c1 : memref<?x?xf16>
  tile.assume %k {divisible_by = 8 : i64} : index
  %a = tile.alloc : memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: 'A' is aligned to 8 bytes only, not to 16 (`tile.alignment = 16` promises it); bulk not taken: 'A' is aligned}}
  tile.copy %A[%c0, %c0] to %a : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: the stride of dimension 0 of 'B' is known to be a multiple of 2 bytes only, not of 16 (`tile.assume` with `divisible_by` can promise more)}}
  tile.copy %B[%c0, %c0] to %a : memref<?x?xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %D[%c0, %c0] to %a : memref<?x?xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: the stride of dimension 0 of 'E' is known to be a multiple of 8 bytes only}}
  tile.copy %E[%c0, %c0] to %a : memref<4096x100xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: the stride of dimension 0 of 'F' is known to be a multiple of 2 bytes only}}
  tile.copy %F[%c0, %c0] to %a : memref<64x64xf16, strided<[?, 1]>> to memref<64x32xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// What the copy itself asks for.
// CHECK-LABEL: tile.kernel @copies
// CHECK-NOT:     <tma
tile.kernel @copies(%A: memref<?x4096xf16> {tile.alignment = 16}, %B: memref<4096x4096xf32> {tile.alignment = 16}, %i: index) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f16
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: `disable_tma` is set}}
  tile.copy %A[%c0, %c0] to %a {disable_tma} : memref<?x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: the region may overhang, and the pad is not zero (zero as the pad, or none, lets it); bulk not taken: the region may overhang, and the pad is not zero (zero as the pad, or none, lets it)}}
  tile.copy %A[%c0, %c0] to %a pad(%one : f16) : memref<?x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: elements are converted; bulk not taken: elements are converted}}
  tile.copy %B[%c0, %c0] to %a : memref<4096x4096xf32> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: it fills a part of the shared buffer only, and slots of rings are filled as a whole}}
  tile.copy %A[%c0, %c0] to %b[%c0, %c0] sizes [32, 32] : memref<?x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: the offset in dimension 0 of the shared buffer is not constant}}
  tile.copy %b[%i, %c0] sizes [1, 32] to %A[%c0, %c0] : memref<64x32xf16, #shared> to memref<?x4096xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
// What else happens to the tile.
// CHECK-LABEL: tile.kernel @also_written
// CHECK-NOT:     <tma
tile.kernel @also_written(%A: memref<?x4096xf16> {tile.alignment = 16}) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: 'tile.fill' also writes the shared buffer, which could not be a slot of a ring then}}
  tile.copy %A[%c0, %c0] to %a : memref<?x4096xf16> to memref<64x32xf16, #shared>
  tile.fill %a with %zero : memref<64x32xf16, #shared>, f16
}

// -----
#shared = #gpu.address_space<workgroup>
#padded = #tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:40)]>
#foreign = #tile.shared_layout<shape [64, 128] bits 16 modes [(128, 1:1), (64, 0:128)] swizzle(3, 4, 4)>
// What tensor maps can say.
// CHECK-LABEL: tile.kernel @shapes
// CHECK-NOT:     <tma
tile.kernel @shapes(%A: memref<64x4096xf16> {tile.alignment = 16}, %T: memref<4096x4096xf16, strided<[1, 4096]>> {tile.alignment = 16}, %R: memref<2x2x2x2x64x64xf16> {tile.alignment = 16}, %I: memref<64x32xi4> {tile.alignment = 16}, %L: memref<4294967296xf16> {tile.alignment = 16}, %E: memref<64x0xf16> {tile.alignment = 16}) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %p = tile.alloc layout(#padded) : memref<64x32xf16, #shared>
  %f = tile.alloc layout(#foreign) : memref<64x128xf16, #shared>
  %a = tile.alloc : memref<64x64xf16, #shared>
  %i = tile.alloc : memref<64x31xi4, #shared>
  %v = tile.alloc : memref<64xf16, #shared>
  %n = tile.alloc : memref<64x4xf16, #shared>
  // expected-remark @+1 {{tma not taken: expected copies to start at multiples of 128 bytes, got byte 80}}
  tile.copy %A[%c0, %c0] to %p : memref<64x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: expected a swizzle of (1..3, 4, 3), got (3, 4, 4)}}
  tile.copy %A[%c0, %c0] to %f : memref<64x4096xf16> to memref<64x128xf16, #shared>
  // expected-remark @+1 {{tma not taken: expected dimension 0 to be contiguous in the buffer, got dimension 1}}
  tile.copy %T[%c0, %c0] to %a : memref<4096x4096xf16, strided<[1, 4096]>> to memref<64x64xf16, #shared>
  // expected-remark @+1 {{tma not taken: tensor maps have at most five dimensions, the global buffer has 6}}
  tile.copy %R[%c0, %c0, %c0, %c0, %c0, %c0] sizes [1, 1, 1, 1, 64, 64] to %a : memref<2x2x2x2x64x64xf16> to memref<64x64xf16, #shared>
  // expected-remark @+1 {{tma not taken: expected a region of whole bytes}}
  tile.copy %I[%c0, %c0] to %i : memref<64x32xi4> to memref<64x31xi4, #shared>
  // expected-remark @+1 {{tma not taken: coordinates of dimension 0 of 'L' may not fit 32 bits}}
  tile.copy %L[%bx] to %v : memref<4294967296xf16> to memref<64xf16, #shared>
  // expected-remark @+1 {{tma not taken: expected an inner box of a multiple of 16 bytes, got 8}}
  tile.copy %A[%c0, %c0] to %n : memref<64x4096xf16> to memref<64x4xf16, #shared>
  // expected-remark @+1 {{tma not taken: the stride of dimension 0 of 'E' is not between 1 and 2^40 bytes}}
  tile.copy %E[%c0, %c0] to %n : memref<64x0xf16> to memref<64x4xf16, #shared>
}

// -----

// One column: rows have a stride of one element, which is not of 16 bytes.
// CHECK-LABEL: tile.kernel @column
// CHECK: tile.copy %A{{.*}}plan = #tile.copy_plan<realign
#shared = #gpu.address_space<workgroup>
tile.kernel @column(%A: memref<64x1xf16> {tile.alignment = 16}, %C: memref<32x64xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : memref<32x64xf16, #shared>
  // expected-remark @below {{copy: realign, 16 bytes; tma not taken: the stride of dimension 0 of 'A' is known to be a multiple of 2 bytes only, not of 16}}
  tile.copy %A[%c0, %c0] sizes [32, 64] to %As : memref<64x1xf16> to memref<32x64xf16, #shared>
  // expected-remark @below {{copy: }}
  tile.copy %As to %C : memref<32x64xf16, #shared> to memref<32x64xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
// Tensor copies start at multiples of 16 bytes of a row; other coordinates are
// free.
// CHECK-LABEL: tile.kernel @starts
// CHECK-COUNT-3: <tma
// CHECK-NOT:     <tma
tile.kernel @starts(%A: memref<?x4096xf16> {tile.alignment = 16}, %V: memref<4096xi8> {tile.alignment = 16}, %i: index, %j: index) grid(%bx) = (32) threads(128) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cm1 = arith.constant -1 : index
  %cm8 = arith.constant -8 : index
  %c32 = arith.constant 32 : index
  tile.assume %j {divisible_by = 8 : i64} : index
  %tile = arith.muli %bx, %c32 : index
  %shifted = arith.addi %tile, %c4 : index
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<64x32xf16, #shared>
  %v = tile.alloc : memref<64xi8, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %A[%cm1, %cm8] to %a : memref<?x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %A[%c2, %j] to %a : memref<?x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.copy %b to %A[%i, %tile] : memref<64x32xf16, #shared> to memref<?x4096xf16>
  // expected-remark @+1 {{tma not taken: the region is known to start at multiples of 2 bytes only along dimension 1 of 'A', not of 16 (`tile.assume` with `divisible_by` can promise more)}}
  tile.copy %A[%c2, %i] to %a : memref<?x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: the region is known to start at multiples of 8 bytes only along dimension 1 of 'A'}}
  tile.copy %b to %A[%c2, %shifted] : memref<64x32xf16, #shared> to memref<?x4096xf16>
  // expected-remark @+1 {{tma not taken: the region is known to start at multiples of 4 bytes only along dimension 0 of 'V'}}
  tile.copy %V[%shifted] to %v : memref<4096xi8> to memref<64xi8, #shared>
}
