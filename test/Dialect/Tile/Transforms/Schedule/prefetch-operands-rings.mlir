// The schedule with operands a k step ahead is proved: ten iterations, eight of them without checks.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --canonicalize --cse --tile-infer-layouts --tile-select-copies --tile-pipeline --tile-prefetch-operands --tile-verify-rings=remarks -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: not proved
// CHECK:     remark: rings are proved
// CHECK-NOT: not proved

#shared = #gpu.address_space<workgroup>

tile.kernel @gemm(%A: memref<512x512xf16> {tile.alignment = 16}, %B: memref<512x512xf16> {tile.alignment = 16}, %C: memref<64x64xf32>)
    grid(%bx, %by) = (1, 1) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 320 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %end step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<512x512xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<512x512xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
