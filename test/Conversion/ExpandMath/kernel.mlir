// A kernel that uses a function without an instruction compiles for every kind
// of target, with no device library.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s --check-prefix=NVVM
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PTX
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX

// NVVM: llvm.func @gelu
// NVVM-NOT: math.
// NVVM-NOT: llvm.intr.exp
// NVVM: llvm.intr.fma
// PTX-NOT: .extern
// PTX-NOT: call
// PTX-NOT: approx
// PTX: fma.rn.f32
tile.kernel @gelu(%A: memref<1024xf32>, %B: memref<1024xf32>) grid(%bx) = (8) threads(128) {
  %c128 = arith.constant 128 : index
  %half = arith.constant 0.5 : f32
  %root = arith.constant 0.707106781 : f32
  %one = arith.constant 1.0 : f32
  %m = arith.muli %bx, %c128 : index
  %x = tile.alloc : memref<128xf32, #tile.fragment>
  tile.copy %A[%m] to %x : memref<1024xf32> to memref<128xf32, #tile.fragment>
  tile.parallel (%i) in (128) {
    %0 = memref.load %x[%i] : memref<128xf32, #tile.fragment>
    %1 = arith.mulf %0, %root : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %0, %half : f32
    %5 = arith.mulf %4, %3 : f32
    memref.store %5, %x[%i] : memref<128xf32, #tile.fragment>
  }
  tile.copy %x to %B[%m] : memref<128xf32, #tile.fragment> to memref<1024xf32>
}
