// Tensor copies round to tf32 what gemms alone read: no thread rounds it again.
// RUN: tile-translate %s --arch=sm_90a --tile-to-ptx -o - | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | sed 's/\\0A *//g; s/\\22//g' | FileCheck %s --check-prefix=MAP
#shared = #gpu.address_space<workgroup>
#mma = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8, warps = [2, 2]>

// CHECK-LABEL: .entry rounded(
// CHECK-NOT:     cvt.rna.tf32
// CHECK:         mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT:     cvt.rna.tf32
// CHECK:         ret;
// MAP-LABEL: llvm.func @rounded
// MAP-SAME:    tensor_maps: [{{.*}}{arg: 0,type: tf32,{{.*}}{arg: 1,type: tf32,
tile.kernel @rounded(%A: memref<256x256xf32> {tile.alignment = 16}, %B: memref<256x256xf32> {tile.alignment = 16}, %C: memref<256x256xf32> {tile.alignment = 16})
    grid(%bx, %by) = (4, 8) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<32x32xf32, #shared>
  %Bs = tile.alloc : memref<64x32xf32, #shared>
  %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<32x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<256x256xf32> to memref<32x32xf32, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<256x256xf32> to memref<64x32xf32, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b, plan = #mma} : memref<32x32xf32, #shared>, memref<64x32xf32, #shared>, memref<32x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<32x64xf32, #tile.fragment> to memref<256x256xf32>
}

// Who else reads A's tile gets its numbers as they are: the gemm rounds its own.
// CHECK-LABEL: .entry read(
// CHECK:         cvt.rna.tf32
// MAP-LABEL: llvm.func @read
// MAP-SAME:    tensor_maps: [{{.*}}{arg: 0,type: f32,{{.*}}{arg: 1,type: tf32,
tile.kernel @read(%A: memref<256x256xf32> {tile.alignment = 16}, %B: memref<256x256xf32> {tile.alignment = 16}, %S: memref<256xf32> {tile.alignment = 16}, %C: memref<256x256xf32> {tile.alignment = 16})
    grid(%bx, %by) = (4, 8) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<32x32xf32, #shared>
  %Bs = tile.alloc : memref<64x32xf32, #shared>
  %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
  %sum = tile.alloc : memref<32xf32, #tile.fragment>
  %part = tile.alloc : memref<32x32xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<32x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<256x256xf32> to memref<32x32xf32, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<256x256xf32> to memref<64x32xf32, #shared>
    tile.copy %As to %part : memref<32x32xf32, #shared> to memref<32x32xf32, #tile.fragment>
    tile.reduce sum %part to %sum dim(1) {accumulate} : memref<32x32xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
    tile.gemm %As, %Bs, %acc {transpose_b, plan = #mma} : memref<32x32xf32, #shared>, memref<64x32xf32, #shared>, memref<32x64xf32, #tile.fragment>
  }
  tile.copy %sum to %S[%m] : memref<32xf32, #tile.fragment> to memref<256xf32>
  tile.copy %acc to %C[%m, %n] : memref<32x64xf32, #tile.fragment> to memref<256x256xf32>
}

// A product in f32 reads f32.
// CHECK-LABEL: .entry ieee(
// CHECK-NOT:     cvt.rna.tf32
// MAP-LABEL: llvm.func @ieee
// MAP-NOT:     type: tf32
tile.kernel @ieee(%A: memref<256x256xf32> {tile.alignment = 16}, %B: memref<256x256xf32> {tile.alignment = 16}, %C: memref<256x256xf32> {tile.alignment = 16})
    grid(%bx, %by) = (4, 8) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<32x32xf32, #shared>
  %Bs = tile.alloc : memref<64x32xf32, #shared>
  %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<32x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<256x256xf32> to memref<32x32xf32, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<256x256xf32> to memref<64x32xf32, #shared>
    tile.gemm %As, %Bs, %acc {precision = #tile.precision<ieee>, transpose_b} : memref<32x32xf32, #shared>, memref<64x32xf32, #shared>, memref<32x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<32x64xf32, #tile.fragment> to memref<256x256xf32>
}
