// A gemm that reads a ring becomes its k steps; the first step of the next iteration
// is loaded before the last multiplication of this one.
// DEFINE: %{scheduled} = tile-opt %s --tile-set-target=arch=sm_80 --canonicalize --cse --tile-infer-layouts --tile-select-copies --tile-pipeline --tile-prefetch-operands
// RUN: %{scheduled} | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s --check-prefix=NVVM

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @gemm
// CHECK:         %[[RING:.*]] = tile.ring.create
// T = (max(K, 0) + 31) / 32
// CHECK:         %[[T:.*]] = arith.divui
// Both sets of fragments; the first step of use 0, if there is one.
// CHECK-COUNT-4: tile.alloc layout({{.*}}16
// CHECK:         %[[RUNS:.*]] = tile.iteration exists(0) in %c0{{.*}} to %[[T]]
// CHECK-NEXT:    scf.if %[[RUNS]] {
// CHECK-NEXT:      %[[FIRST:.*]]:2 = tile.ring.wait %[[RING]][%c0{{.*}}] {in_flight = 1 : i64}
// CHECK:           tile.copy %[[FIRST]]#0[{{.*}}] sizes [64, 16] to %[[A0:[^ ]+]] {{.*}}ldmatrix
// CHECK:           tile.copy %[[FIRST]]#1[{{.*}}] sizes [16, 64] to %[[B0:[^ ]+]] {{.*}}ldmatrix
// CHECK-NEXT:    }{{$}}
// Iterations whose production exists and lies inside: no branch, no check, copies
// before the last multiplication but one.
// CHECK:         %[[MIDDLE:.*]] = arith.select
// CHECK:         scf.for %[[I:.*]] = %c0{{.*}} to %[[MIDDLE]]
// CHECK-NOT:       scf.if
// CHECK:           %[[V:.*]]:2 = tile.ring.wait %[[RING]][%[[I]]] {again}
// CHECK-NOT:       scf.if
// CHECK:           tile.copy %[[V]]#0[{{.*}}] sizes [64, 16] to %[[A1:[^ ]+]] {{.*}}ldmatrix
// CHECK:           tile.copy %[[V]]#1[{{.*}}] sizes [16, 64] to %[[B1:[^ ]+]] {{.*}}ldmatrix
// CHECK:           tile.copy %A{{.*}} decided {inside
// CHECK:           tile.copy %B{{.*}} decided {inside
// CHECK-NEXT:      tile.gemm %[[A0]], %[[B0]],
// CHECK-NEXT:      tile.ring.commit
// CHECK-NEXT:      tile.ring.release %[[RING]][%[[I]]]
// CHECK-NOT:       scf.if
// CHECK:           %[[NEXT:.*]]:2 = tile.ring.wait %[[RING]]{{.*}} {in_flight = 1 : i64}
// CHECK:           tile.copy %[[NEXT]]#0[{{.*}}] sizes [64, 16] to %[[A0]]
// CHECK:           tile.copy %[[NEXT]]#1[{{.*}}] sizes [16, 64] to %[[B0]]
// CHECK-NEXT:      tile.gemm %[[A1]], %[[B1]],
// CHECK-NEXT:    }{{$}}
// The rest, guarded and checked.
// CHECK:         scf.for %[[J:.*]] = %[[MIDDLE]] to %[[T]]
// CHECK:           tile.ring.wait %[[RING]][%[[J]]] {again}
// CHECK:           scf.if
// CHECK-NOT:         inside
// CHECK:           tile.ring.commit
// CHECK:           tile.gemm %[[A0]], %[[B0]],
// CHECK-NEXT:      tile.ring.release %[[RING]][%[[J]]]
// CHECK:           scf.if
// CHECK-NEXT:        tile.ring.wait
// CHECK:           }{{$}}
// CHECK-NEXT:      tile.gemm %[[A1]], %[[B1]],
// CHECK-NEXT:    }{{$}}
// CHECK-NEXT:    tile.ring.drain
//
// One barrier in the loop without checks: that of the next wait.
// NVVM-LABEL: llvm.func @gemm
// NVVM:         nvvm.cp.async.wait.group 1
// NVVM-NEXT:    nvvm.barrier
// NVVM-NOT:     nvvm.barrier
// NVVM:         nvvm.cp.async.shared.global
// NVVM:         nvvm.cp.async.wait.group 1
// NVVM-NEXT:    nvvm.barrier
tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
}
