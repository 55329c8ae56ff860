// Shared tiles are combined into global memory by tensor reductions where types
// and rules allow; elsewhere threads do it, several elements at a time where sums
// are aligned.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-select-copies=remarks=true --mlir-print-op-on-diagnostic=false -split-input-file -verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @types
// CHECK-COUNT-9: {{tile.atomic .*}}plan = #tile.copy_plan<tma,
tile.kernel @types(%F: memref<?x64xf32> {tile.alignment = 16}, %D: memref<?x64xf64> {tile.alignment = 16}, %H: memref<?x64xf16> {tile.alignment = 16}, %B: memref<?x64xbf16> {tile.alignment = 16}, %I: memref<?x64xi32> {tile.alignment = 16}, %L: memref<?x64xi64> {tile.alignment = 16})
    grid(%b) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.muli %b, %c32 : index
  %f = tile.alloc : memref<32x64xf32, #shared>
  %d = tile.alloc : memref<32x64xf64, #shared>
  %h = tile.alloc : memref<32x64xf16, #shared>
  %bf = tile.alloc : memref<32x64xbf16, #shared>
  %i = tile.alloc : memref<32x64xi32, #shared>
  %l = tile.alloc : memref<32x64xi64, #shared>
  // expected-remark @below {{atomic: tma}}
  tile.atomic add %f to %F[%m, %c0] : memref<32x64xf32, #shared> to memref<?x64xf32>
  // expected-remark @below {{atomic: tma}}
  tile.atomic add %d to %D[%m, %c0] : memref<32x64xf64, #shared> to memref<?x64xf64>
  // expected-remark @below {{atomic: tma}}
  tile.atomic add %h to %H[%m, %c0] : memref<32x64xf16, #shared> to memref<?x64xf16>
  // expected-remark @below {{atomic: tma}}
  tile.atomic add %bf to %B[%m, %c0] : memref<32x64xbf16, #shared> to memref<?x64xbf16>
  // expected-remark @below {{atomic: tma}}
  tile.atomic add %i to %I[%m, %c0] : memref<32x64xi32, #shared> to memref<?x64xi32>
  // expected-remark @below {{atomic: tma}}
  tile.atomic add %l to %L[%m, %c0] : memref<32x64xi64, #shared> to memref<?x64xi64>
  // expected-remark @below {{atomic: tma}}
  tile.atomic max %i to %I[%m, %c0] {is_unsigned} : memref<32x64xi32, #shared> to memref<?x64xi32>
  // expected-remark @below {{atomic: tma}}
  tile.atomic min %i to %I[%m, %c0] : memref<32x64xi32, #shared> to memref<?x64xi32>
  // expected-remark @below {{atomic: tma}}
  tile.atomic max %l to %L[%m, %c0] : memref<32x64xi64, #shared> to memref<?x64xi64>
}

// -----
#shared = #gpu.address_space<workgroup>
// Each rule that is in the way.
// CHECK-LABEL: tile.kernel @refused
// CHECK-NOT: copy_plan<tma
// CHECK-COUNT-6: {{tile.atomic .*}}plan = #tile.copy_plan<{{scalar|vector}},
tile.kernel @refused(%F: memref<?x64xf32> {tile.alignment = 16}, %U: memref<?x64xf32>, %R: memref<?x?xf32> {tile.alignment = 16})
    grid(%b) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %R, %c1 : memref<?x?xf32>
  %f = tile.alloc : memref<32x64xf32, #shared>
  %t = tile.alloc : memref<32x64xf32, #shared>
  %r = tile.alloc : memref<32x64xf32, #tile.fragment>
  // expected-remark @below {{atomic: scalar, 4 bytes; tma not taken: cp.reduce.async.bulk has no 'max' of f32}}
  tile.atomic max %f to %F[%b, %c0] : memref<32x64xf32, #shared> to memref<?x64xf32>
  // expected-remark @below {{atomic: vector, 16 bytes; tma not taken: `disable_tma` is set}}
  tile.atomic add %f to %F[%b, %c0] {disable_tma} : memref<32x64xf32, #shared> to memref<?x64xf32>
  // expected-remark @below {{atomic: scalar, 4 bytes; tma not taken: 'U' is aligned to 4 bytes only, not to 16 (`tile.alignment = 16` promises it)}}
  tile.atomic add %f to %U[%b, %c0] : memref<32x64xf32, #shared> to memref<?x64xf32>
  // expected-remark @below {{atomic: scalar, 4 bytes; tma not taken: the stride of dimension 0 of 'R' is known to be a multiple of 4 bytes only, not of 16 (`tile.assume` with `divisible_by` can promise more)}}
  tile.atomic add %f to %R[%b, %c0] : memref<32x64xf32, #shared> to memref<?x?xf32>
  // Between shared tiles, and from registers, there is no such instruction: not
  // a word about it.
  // expected-remark-re @below {{atomic: scalar, 4 bytes{{$}}}}
  tile.atomic add %f to %t : memref<32x64xf32, #shared> to memref<32x64xf32, #shared>
  // expected-remark-re @below {{atomic: vector, 16 bytes{{$}}}}
  tile.atomic add %r to %F[%b, %c0] : memref<32x64xf32, #tile.fragment> to memref<?x64xf32>
}

// -----
#shared = #gpu.address_space<workgroup>
// Asked for and impossible: the rule.
tile.kernel @forced(%F: memref<?x64xf32> {tile.alignment = 16}) grid(%b) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<32x64xf32, #shared>
  // expected-error @below {{'tile.atomic' op cannot be made by 'tma', which `prefer` asks for}}
  // expected-note @below {{rule 'tma': cp.reduce.async.bulk has no 'min' of f32}}
  tile.atomic min %f to %F[%b, %c0] {prefer = #tile.copy_instruction<tma>} : memref<32x64xf32, #shared> to memref<?x64xf32>
}

// -----
// Registers first have to be in shared memory (--tile-stage-stores).
tile.kernel @registers(%F: memref<?x64xf32> {tile.alignment = 16}) grid(%b) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<32x64xf32, #tile.fragment>
  // expected-error @below {{'tile.atomic' op cannot be made by 'tma', which `prefer` asks for}}
  // expected-note @below {{rule 'tma': combines from shared to global memory only}}
  tile.atomic add %f to %F[%b, %c0] {prefer = #tile.copy_instruction<tma>} : memref<32x64xf32, #tile.fragment> to memref<?x64xf32>
}
