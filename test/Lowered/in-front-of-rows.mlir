// A tile that begins in front of its rows: nothing of the row before is read, by cp.async of words neither.
// RUN: tile-run %s --args=A=64x64 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --args=A=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @front(%A: memref<?x?xf16, strided<[?, 1]>>, %B: memref<64x64xf16>) grid(%b) = (1) threads(512) {
  %c0 = arith.constant 0 : index
  %cm2 = arith.constant -2 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  tile.copy %A[%c0, %cm2] to %s : memref<?x?xf16, strided<[?, 1]>> to memref<64x64xf16, #shared>
  tile.copy %s to %B[%c0, %c0] : memref<64x64xf16, #shared> to memref<64x64xf16>
}
