// What ptxas needs to keep the descriptors of wgmma in uniform registers
// (UniformLoops.cpp, TmaRing.cpp, docs/Rationale/Wgmma.md).
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s --check-prefix=OLD
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --roles=off --versions=false | FileCheck %s --check-prefix=WAIT
// RUN: tile-run %s --kernel=steps --args=L=3,A=64x256,B=256x64,C=64x64,n=2 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=EQUAL
// RUN: tile-run %s --kernel=steps --args=L=3,A=64x256,B=256x64,C=64x64,n=2 --check | FileCheck %s --check-prefix=EQUAL
// EQUAL: PASS
#shared = #gpu.address_space<workgroup>

// The number of steps comes from memory and a division of run time: the first
// lane's, both halves of it, counts. The arena's address stands in a register:
// what is added to it is 0. Without roles the first warp waits for a slot as a
// whole, and meets before its elected thread copies.
// CHECK-LABEL:   llvm.func @steps
// CHECK:         %[[WARP:.*]] = nvvm.shfl.sync  idx
// CHECK:         %[[HIGH:.*]] = llvm.lshr %[[WARP]], %{{.*}} : i32
// CHECK:         %[[ZERO:.*]] = llvm.shl %[[HIGH]], %{{.*}} : i32
// CHECK:         llvm.getelementptr %{{.*}}[%[[ZERO]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK:         llvm.udiv
// CHECK-COUNT-2: nvvm.shfl.sync  idx
// CHECK:         wgmma.mma_async
// CHECK:         nvvm.elect.sync
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// WAIT-LABEL:    .entry steps
// WAIT:          wgmma.mma_async
// WAIT:          mbarrier.try_wait
// WAIT-NEXT:     end inline asm
// WAIT-NEXT:     bar.warp.sync -1;
// WAIT:          elect.sync
// WAIT:          cp.async.bulk.tensor
// OLD-LABEL:     llvm.func @steps
// OLD-NOT:       nvvm.elect.sync
// OLD:           llvm.return
tile.kernel @steps(%L: memref<?xi64>, %A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %d = memref.dim %L, %c0 : memref<?xi64>
  %count = arith.addi %d, %c3 : index
  %steps = arith.divui %count, %n : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %s = %c0 to %steps step %c1 stages(2) {
    %k = arith.muli %s, %c64 : index
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<256x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// By a constant, nothing has to be said; without wgmma, neither.
// CHECK-LABEL:   llvm.func @known
// CHECK:         nvvm.shfl.sync  idx
// CHECK-NOT:     nvvm.shfl.sync  idx
// CHECK:         wgmma.mma_async
// OLD-LABEL:     llvm.func @known
tile.kernel @known(%A: memref<64x?xf16> {tile.alignment = 16}, %B: memref<?x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<64x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<64x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
