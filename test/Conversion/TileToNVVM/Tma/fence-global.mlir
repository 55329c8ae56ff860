// Tensor copies go through another proxy than loads and stores of threads: the thread that issues one fences first where threads touch
// the memory, too. A copy that loads comes after what they write, one that stores also after what they read.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a --split-input-file | FileCheck %s
#shared = #gpu.address_space<workgroup>

// What only tensor copies touch needs no fence.
// CHECK-LABEL: llvm.func @alone
// CHECK-NOT: fence.proxy.async.global
// CHECK: llvm.return
tile.kernel @alone(%A: memref<64x64xf32> {tile.alignment = 16}, %B: memref<64x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %s to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// Threads read what is stored next, and write what is loaded next.
// CHECK-LABEL: llvm.func @by_threads
// CHECK: fence.proxy.async.global
// CHECK: cp.async.bulk.tensor.shared.cluster.global
// CHECK: fence.proxy.async.global
// CHECK: cp.async.bulk.tensor.global.shared.cta
tile.kernel @by_threads(%A: memref<64x64xf32> {tile.alignment = 16}, %B: memref<64x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %B to %f : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  tile.copy %f to %A : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %s to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// What is only read needs no fence in front of a load.
// CHECK-LABEL: llvm.func @only_read
// CHECK-NOT: fence.proxy.async.global
// CHECK: llvm.return
tile.kernel @only_read(%A: memref<64x64xf32> {tile.alignment = 16}, %B: memref<64x64xf32> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A to %f : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  tile.copy %f to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %s to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// Memory at an address may be that of an argument that says so.
// CHECK-LABEL: llvm.func @at_address
// CHECK: fence.proxy.async.global
// CHECK: cp.async.bulk.tensor.shared.cluster.global
tile.kernel @at_address(%A: memref<64x64xf32> {tile.alignment = 16, tile.may_alias}, %B: memref<64x64xf32> {tile.alignment = 16}, %at: i64) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  %there = tile.from_address %at : memref<64x64xf32>
  tile.copy %B to %f : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  tile.copy %f to %there : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %s to %f : memref<64x64xf32, #shared> to memref<64x64xf32, #tile.fragment>
  tile.copy %f to %B {disable_tma} : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
