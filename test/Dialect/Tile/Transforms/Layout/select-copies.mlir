// Each row of the table of copy selection, and each fact that narrows it.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-select-copies=remarks=true --mlir-print-op-on-diagnostic=false -split-input-file -verify-diagnostics
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-select-copies -split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
// The pass's documented example: static rows of 8 KB, offsets by multiples of the tile.
// CHECK-LABEL: tile.kernel @static
// CHECK:         tile.copy %A[{{.*}}] to %{{.*}} decided {plan = #tile.copy_plan<cp_async, bytes = 16>}
tile.kernel @static(%A: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx, %by) = (32, 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %m = arith.muli %by, %c128 : index
  %As = tile.alloc : memref<128x32xf16, #shared>
  tile.pipelined %k = %c0 to %c4096 step %c32 stages(3) {
    // expected-remark @+1 {{copy: cp_async, 16 bytes; tma not taken: sm_80 has no tensor memory accelerator; bulk not taken: sm_80 has no bulk copies}}
    tile.copy %A[%m, %k] to %As : memref<4096x4096xf16> to memref<128x32xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// Nothing is assumed of a row length that nobody promised.
// CHECK-LABEL: tile.kernel @unknown_stride
// CHECK:         decided {plan = #tile.copy_plan<realign, bytes = 16>}
tile.kernel @unknown_stride(%A: memref<?x?xf16> {tile.alignment = 16}) grid(%bx, %by) = (32, 32) threads(128) {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : memref<128x32xf16, #shared>
  // expected-remark @+1 {{copy: realign, 16 bytes; tma not taken: sm_80 has no tensor memory accelerator; bulk not taken: sm_80 has no bulk copies; cp_async not taken: the stride of dimension 0 of 'A' is known to be a multiple of 2 bytes only (`tile.assume` with `divisible_by` can promise more)}}
  tile.copy %A[%c0, %c0] to %As : memref<?x?xf16> to memref<128x32xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// A promise about any `memref.dim` of the buffer counts, as much as it says.
// CHECK-LABEL: tile.kernel @promised
// CHECK:         decided {plan = #tile.copy_plan<cp_async, bytes = 16>}
// CHECK:         decided {plan = #tile.copy_plan<cp_async, bytes = 8>}
tile.kernel @promised(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}) grid(%bx, %by) = (32, 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 24 : i64} : index
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 12 : i64} : index
  %s = tile.alloc : memref<128x32xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %A[%c0, %c0] to %s : memref<?x?xf16> to memref<128x32xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 8 bytes; tma not taken: sm_80 has no tensor memory accelerator; bulk not taken: sm_80 has no bulk copies; 16 bytes not taken: the stride of dimension 0 of 'B' is known to be a multiple of 8 bytes only}}
  tile.copy %B[%c0, %c0] to %s : memref<?x?xf16> to memref<128x32xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// A promise made on one path, or later, does not count.
// CHECK-LABEL: tile.kernel @promised_elsewhere
// CHECK-COUNT-2: decided {plan = #tile.copy_plan<realign, bytes = 16>}
tile.kernel @promised_elsewhere(%A: memref<?x?xf16> {tile.alignment = 16}, %flag: i1) grid(%bx, %by) = (32, 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %s = tile.alloc : memref<128x32xf16, #shared>
  // expected-remark @+1 {{copy: realign, 16 bytes}}
  tile.copy %A[%c0, %c0] to %s : memref<?x?xf16> to memref<128x32xf16, #shared>
  scf.if %flag {
    tile.assume %K {divisible_by = 8 : i64} : index
  }
  // expected-remark @+1 {{copy: realign, 16 bytes}}
  tile.copy %A[%c0, %c0] to %s : memref<?x?xf16> to memref<128x32xf16, #shared>
  tile.assume %K {divisible_by = 8 : i64} : index
}

// -----
#shared = #gpu.address_space<workgroup>
// Without `tile.alignment` only the element's own alignment is known.
// CHECK-LABEL: tile.kernel @base
// CHECK:         decided {plan = #tile.copy_plan<cp_async, bytes = 4>}
tile.kernel @base(%A: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64x64xf32, #shared>
  // expected-remark @+1 {{copy: cp_async, 4 bytes; tma not taken: sm_80 has no tensor memory accelerator; bulk not taken: sm_80 has no bulk copies; 16, 8 bytes not taken: 'A' is aligned to 4 bytes only (`tile.alignment = 16` promises more)}}
  tile.copy %A[%c0, %c0] to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// Divisibility of offsets through arithmetic, affine maps, loops and promises.
// CHECK-LABEL: tile.kernel @offsets
// CHECK:         tile.copy %A[{{.*}}] to {{.*}}cp_async, bytes = 16
// CHECK:         tile.copy %A[{{.*}}cp_async, bytes = 8
// CHECK:         tile.copy %A[{{.*}}cp_async, bytes = 16
// CHECK:         tile.copy %A[{{.*}}cp_async, bytes = 4
// CHECK:         tile.copy %A[{{.*}}cp_async, bytes = 16
// CHECK:         tile.copy %A[{{.*}}scalar, bytes = 2
tile.kernel @offsets(%A: memref<?xf16> {tile.alignment = 16}, %x: index, %lo: index) grid(%bx) = (7) threads(128) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  %c48 = arith.constant 48 : index
  %c4096 = arith.constant 4096 : index
  %s = tile.alloc : memref<128xf16, #shared>
  %o0 = arith.muli %bx, %c24 : index
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %A[%o0] to %s : memref<?xf16> to memref<128xf16, #shared>
  %o1 = arith.addi %o0, %c4 : index
  // expected-remark @+1 {{16 bytes not taken: the offset in dimension 0 of 'A' is known to be a multiple of 4 elements only}}
  tile.copy %A[%o1] to %s : memref<?xf16> to memref<128xf16, #shared>
  %o2 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + (s0 floordiv 3) * 40)>(%x)[%o0]
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %A[%o2] to %s : memref<?xf16> to memref<128xf16, #shared>
  tile.assume %lo {divisible_by = 2 : i64} : index
  tile.pipelined %k = %lo to %c4096 step %c48 stages(2) {
    // expected-remark @+1 {{copy: cp_async, 4 bytes}}
    tile.copy %A[%k] to %s : memref<?xf16> to memref<128xf16, #shared>
  }
  scf.for %k = %c0 to %c4096 step %c48 {
    // expected-remark @+1 {{copy: cp_async, 16 bytes}}
    tile.copy %A[%k] to %s : memref<?xf16> to memref<128xf16, #shared>
  }
  // expected-remark @+1 {{cp_async not taken: the offset in dimension 0 of 'A' is known to be a multiple of 1 element only}}
  tile.copy %A[%x] to %s : memref<?xf16> to memref<128xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// Strided arguments: static strides, a promised stride, and an innermost stride
// that is not known to be one.
// CHECK-LABEL: tile.kernel @strides
// CHECK:         tile.copy %A[{{.*}}cp_async, bytes = 16
// CHECK:         tile.copy %B[{{.*}}cp_async, bytes = 16
// CHECK:         tile.copy %C[{{.*}}scalar, bytes = 2
// CHECK:         tile.copy %D[{{.*}}scalar, bytes = 2
tile.kernel @strides(%A: memref<?x?xf16, strided<[4104, 1]>> {tile.alignment = 16},
                     %B: memref<?x?xf16, strided<[?, 1]>> {tile.alignment = 16},
                     %C: memref<?x?xf16, strided<[?, ?]>> {tile.alignment = 16},
                     %D: memref<?x?xf16, strided<[1, 64]>> {tile.alignment = 16}) grid(%bx) = (7) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %A[%c0, %c0] to %s : memref<?x?xf16, strided<[4104, 1]>> to memref<64x64xf16, #shared>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %B : memref<?x?xf16, strided<[?, 1]>> -> memref<f16>, index, index, index, index, index
  tile.assume %strides#0 {divisible_by = 8 : i64} : index
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %B[%c0, %c0] to %s : memref<?x?xf16, strided<[?, 1]>> to memref<64x64xf16, #shared>
  // expected-remark @+1 {{cp_async not taken: 'C' is not known to be contiguous along a dimension of the tile}}
  tile.copy %C[%c0, %c0] to %s : memref<?x?xf16, strided<[?, ?]>> to memref<64x64xf16, #shared>
  // expected-remark @+1 {{cp_async not taken: runs are moved along the tile's last dimension only, and 'D' is contiguous along dimension 0}}
  tile.copy %D[%c0, %c0] to %s : memref<?x?xf16, strided<[1, 64]>> to memref<64x64xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// A slice along an outer dimension moves by its offset only; the tile's last
// dimension need not be the buffer's.
// CHECK-LABEL: tile.kernel @slices
// CHECK:         tile.copy %Q[{{.*}}cp_async, bytes = 16
// CHECK:         tile.copy %Q[{{.*}}scalar, bytes = 2
tile.kernel @slices(%Q: memref<?x?x128xf16> {tile.alignment = 16}) grid(%b, %h) = (7, 8) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<64x128xf16, #shared>
  %col = tile.alloc : memref<64xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %Q[%b, %h, %c0] sizes [1, 64, 128] to %s : memref<?x?x128xf16> to memref<64x128xf16, #shared>
  // expected-remark @+1 {{cp_async not taken: 'Q' is not known to be contiguous along a dimension of the tile}}
  tile.copy %Q[%b, %h, %c0] sizes [1, 64, 1] to %col : memref<?x?x128xf16> to memref<64xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// What the instruction cannot do: convert, pad with anything but zero (unless
// nothing overhangs; a pad that says nothing is dropped), move a 30-element row 16 bytes at a time.
// CHECK-LABEL: tile.kernel @meaning
// CHECK:         tile.copy %F[{{.*}}vector, bytes = 16
// CHECK:         tile.copy %A[{{.*}} pad({{.*}}vector, bytes = 16
// CHECK-NOT:     pad
// CHECK:         tile.copy %A[{{.*}}cp_async, bytes = 16
// CHECK:         tile.copy %A[{{.*}}cp_async, bytes = 16
// CHECK:         tile.copy %A[{{.*}}cp_async, bytes = 4
tile.kernel @meaning(%A: memref<4096x4096xf16> {tile.alignment = 16}, %F: memref<4096x4096xf32> {tile.alignment = 16}, %m: index) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1.0 : f16
  %zero = arith.constant 0.0 : f16
  %s = tile.alloc : memref<128x32xf16, #shared>
  %odd = tile.alloc : memref<128x30xf16, #shared>
  // expected-remark @+1 {{cp_async not taken: elements are converted}}
  tile.copy %F[%m, %c0] to %s : memref<4096x4096xf32> to memref<128x32xf16, #shared>
  // expected-remark @+1 {{cp_async not taken: the region may overhang, and the pad is not zero}}
  tile.copy %A[%m, %c0] to %s pad(%one : f16) : memref<4096x4096xf16> to memref<128x32xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %A[%m, %c0] to %s pad(%zero : f16) : memref<4096x4096xf16> to memref<128x32xf16, #shared>
  %row = arith.muli %bx, %c128 : index
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %A[%row, %c0] to %s pad(%one : f16) : memref<4096x4096xf16> to memref<128x32xf16, #shared>
  // expected-remark @+1 {{16, 8 bytes not taken: the tile has 30 elements along dimension 1}}
  tile.copy %A[%m, %c0] to %odd : memref<4096x4096xf16> to memref<128x30xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// Layouts: what a thread holds, and what the shared buffer keeps together.
#wide = #tile.fragment_layout<shape [64, 32] reg [(8, 1:1), (2, 0:32)] lane [(4, 1:8), (8, 0:1)] warp [(4, 0:8)]>
#pairs = #tile.fragment_layout<shape [64, 32] reg [(2, 1:1), (8, 0:8)] lane [(16, 1:2), (2, 0:1)] warp [(4, 0:2)]>
#columns = #tile.fragment_layout<shape [64, 32] reg [(16, 0:1)] lane [(32, 1:1)] warp [(4, 0:16)]>
#padded = #tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:36)]>
#swizzled = #tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:32)] swizzle(2, 4, 3)>
#transposed = #tile.shared_layout<shape [64, 32] bits 16 modes [(64, 0:1), (32, 1:64)]>
// CHECK-LABEL: tile.kernel @layouts
// CHECK:         cp_async, bytes = 16
// CHECK:         cp_async, bytes = 4
// CHECK:         scalar, bytes = 2
// CHECK:         cp_async, bytes = 8
// CHECK:         scalar, bytes = 2
tile.kernel @layouts(%A: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#swizzled) : memref<64x32xf16, #shared>
  %p = tile.alloc layout(#padded) : memref<64x32xf16, #shared>
  %t = tile.alloc layout(#transposed) : memref<64x32xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %A[%c0, %c0] to %s decided {layout = #wide} : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{8 bytes not taken: the loop layout gives a thread runs of 2 elements along dimension 1}}
  tile.copy %A[%c0, %c0] to %s decided {layout = #pairs} : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{cp_async not taken: the loop layout gives a thread single elements along dimension 1}}
  tile.copy %A[%c0, %c0] to %s decided {layout = #columns} : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{16 bytes not taken: rows of the layout of the shared buffer start at multiples of 8 bytes only}}
  tile.copy %A[%c0, %c0] to %p decided {layout = #wide} : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{cp_async not taken: the layout of the shared buffer keeps 1 element together along dimension 1}}
  tile.copy %A[%c0, %c0] to %t decided {layout = #wide} : memref<4096x4096xf16> to memref<64x32xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// Out of fragments: the accumulator of mma.sync has pairs; ldmatrix reads the
// operand fragments, transposed where memory is contiguous the other way.
#accumulator = #tile.fragment_layout<shape [64, 32] reg [(2, 1:1), (2, 0:8), (4, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#operandA = #tile.fragment_layout<shape [64, 32] reg [(2, 1:1), (2, 0:8), (4, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#operandB2 = #tile.fragment_layout<shape [32, 64] reg [(2, 0:1), (4, 0:8), (2, 1:8)] lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16)]>
#other = #tile.fragment_layout<shape [64, 32] reg [(16, 1:1)] lane [(2, 1:16), (16, 0:1)] warp [(4, 0:16)]>
// CHECK-LABEL: tile.kernel @fragments
// CHECK:         to %C[{{.*}}vector, bytes = 4
// CHECK:         ldmatrix, bytes = 16
// CHECK:         ldmatrix, bytes = 16
// CHECK:         vector, bytes = 16
// CHECK:         vector, bytes = 4
tile.kernel @fragments(%C: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %acc = tile.alloc layout(#accumulator) : memref<64x32xf32, #tile.fragment>
  %a = tile.alloc layout(#operandA) : memref<64x32xf16, #tile.fragment>
  %b = tile.alloc layout(#operandB2) : memref<32x64xf16, #tile.fragment>
  %o = tile.alloc layout(#other) : memref<64x32xf16, #tile.fragment>
  %s = tile.alloc : memref<64x32xf16, #shared>
  %t = tile.alloc : memref<32x64xf16, #shared>
  // expected-remark @+1 {{copy: vector, 4 bytes; 16, 8 bytes not taken: the loop layout gives a thread runs of 2 elements along dimension 1}}
  tile.copy %acc to %C[%c0, %c0] decided {layout = #accumulator} : memref<64x32xf32, #tile.fragment> to memref<4096x4096xf16>
  // expected-remark @+1 {{copy: ldmatrix, 16 bytes}}
  tile.copy %s to %a decided {layout = #operandA} : memref<64x32xf16, #shared> to memref<64x32xf16, #tile.fragment>
  // expected-remark @+1 {{copy: ldmatrix, 16 bytes}}
  tile.copy %t to %b decided {layout = #operandB2} : memref<32x64xf16, #shared> to memref<32x64xf16, #tile.fragment>
  // expected-remark @+1 {{copy: vector, 16 bytes; ldmatrix not taken: the fragment's layout is not made of 8 x 8 matrices with rows of 16 bytes}}
  tile.copy %s to %o decided {layout = #other} : memref<64x32xf16, #shared> to memref<64x32xf16, #tile.fragment>
  // expected-remark @+1 {{copy: vector, 4 bytes; stmatrix not taken: sm_80 has no stmatrix}}
  tile.copy %a to %s decided {layout = #operandA} : memref<64x32xf16, #tile.fragment> to memref<64x32xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// Forced and forbidden choices, one element, narrow elements, registers only.
// CHECK-LABEL: tile.kernel @special
// CHECK:         vector, bytes = 16
// CHECK:         scalar, bytes = 2
// CHECK:         cp_async, bytes = 8
// CHECK:         scalar, bytes = 2
// CHECK:         cp_async, bytes = 16
// CHECK:         scalar, bytes = 1
// CHECK:         scalar, bytes = 4
tile.kernel @special(%A: memref<4096x4096xf16> {tile.alignment = 16}, %I: memref<64x64xi4> {tile.alignment = 16}) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<64x32xf16, #shared>
  %i = tile.alloc : memref<64x64xi4, #shared>
  %f = tile.alloc : memref<64x32xf32, #tile.fragment>
  %g = tile.alloc : memref<64x32xf32, #tile.fragment>
  // expected-remark @+1 {{copy: vector, 16 bytes}}
  tile.copy %A[%c0, %c0] to %s {prefer = #tile.copy_instruction<vector>} : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{copy: scalar, 2 bytes}}
  tile.copy %A[%c0, %c0] to %s {prefer = #tile.copy_instruction<scalar>} : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 8 bytes; tma not taken: `disable_tma` is set (without it TMA is considered); bulk not taken: sm_80 has no bulk copies; 16 bytes not taken: `coalesced_width` asks for 4 elements}}
  tile.copy %A[%c0, %c0] to %s {disable_tma, coalesced_width = 4} : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // expected-remark @+1 {{cp_async not taken: a single element}}
  tile.copy %A[%c0, %c0] sizes [1, 1] to %s[%c0, %c0] sizes [1, 1] : memref<4096x4096xf16> to memref<64x32xf16, #shared>
  // Elements of half a byte are counted in bits; what begins inside a byte is moved alone.
  // expected-remark @+1 {{copy: cp_async, 16 bytes}}
  tile.copy %I[%c0, %c0] to %i : memref<64x64xi4> to memref<64x64xi4, #shared>
  // expected-remark @+1 {{copy: scalar, 1 byte}}
  tile.copy %I[%c0, %c1] sizes [64, 32] to %i[%c0, %c0] sizes [64, 32] : memref<64x64xi4> to memref<64x64xi4, #shared>
  // expected-remark @+1 {{registers to registers copy: renamed or exchanged, 4 bytes}}
  tile.copy %f to %g : memref<64x32xf32, #tile.fragment> to memref<64x32xf32, #tile.fragment>
}
