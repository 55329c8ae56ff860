// Pipelined loops whose iterations do something under one condition only.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-nest-guards=remarks -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_80 --tile-nest-guards | FileCheck %s --check-prefix=OLD
// OLD-NOT: arith.select

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @sparse
// CHECK: scf.for %[[K:.*]] = %c0 to %c32 step %c1 {
// CHECK:   %[[IS:.*]] = memref.load %mask[%bx, %[[K]]]
// CHECK:   %[[N:.*]] = arith.select %[[IS]], %{{.*}}, %{{.*}} : index
// CHECK:   tile.pipelined %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} stages(3) {
// CHECK:     tile.alloc
// CHECK:     tile.copy %A[%c0, %{{.*}}]
// CHECK:     tile.gemm
tile.kernel @sparse(%A: memref<128x1024xf16>, %B: memref<1024x128xf16>, %mask: memref<8x32xi1>) grid(%bx) = (8) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  %bs = tile.alloc : memref<32x128xf16, #shared>
  // expected-remark @below {{iterations that the condition skips take no stage: the others run ahead of each other}}
  tile.pipelined %k = %c0 to %c32 step %c1 stages(3) {
    %as = tile.alloc : memref<128x32xf16, #shared>
    %is = memref.load %mask[%bx, %k] : memref<8x32xi1>
    scf.if %is {
      %at = arith.muli %k, %c32 : index
      tile.copy %A[%c0, %at] sizes [128, 32] to %as : memref<128x1024xf16> to memref<128x32xf16, #shared>
      tile.copy %B[%at, %c0] sizes [32, 128] to %bs : memref<1024x128xf16> to memref<32x128xf16, #shared>
      tile.gemm %as, %bs, %c : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    }
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// What else an iteration does would be done for those that the condition skips.
// CHECK-LABEL: tile.kernel @more
// CHECK-NOT: arith.select
// CHECK: tile.pipelined
tile.kernel @more(%A: memref<64x64xf32>, %mask: memref<8xi1>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %s = tile.alloc : memref<64x64xf32, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{copies under a condition stay where they are: the iteration does more than what is under the condition}}
  tile.pipelined %k = %c0 to %c8 step %c1 stages(2) {
    tile.fill %c with %z : memref<64x64xf32, #tile.fragment>, f32
    %is = memref.load %mask[%k] : memref<8xi1>
    scf.if %is {
      tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
      tile.copy %s to %c : memref<64x64xf32, #shared> to memref<64x64xf32, #tile.fragment>
    }
  }
  // expected-remark @below {{copies under a condition stay where they are: the other way does something, too}}
  tile.pipelined %k = %c0 to %c8 step %c1 stages(2) {
    %is = memref.load %mask[%k] : memref<8xi1>
    scf.if %is {
      tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
      tile.copy %s to %c : memref<64x64xf32, #shared> to memref<64x64xf32, #tile.fragment>
    } else {
      tile.fill %c with %z : memref<64x64xf32, #tile.fragment>, f32
    }
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// A table that the loop writes is read in its own iteration.
// CHECK-LABEL: tile.kernel @written
// CHECK-NOT: arith.select
tile.kernel @written(%A: memref<64x64xf32>, %table: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %s = tile.alloc : memref<64x64xf32, #shared>
  // expected-remark @below {{copies under a condition stay where they are: the loop may write what the condition reads}}
  tile.pipelined %k = %c0 to %c8 step %c1 stages(2) {
    %x = memref.load %table[%k, %c0] : memref<64x64xf32>
    %is = arith.cmpf ogt, %x, %z : f32
    scf.if %is {
      tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
      tile.copy %s to %table : memref<64x64xf32, #shared> to memref<64x64xf32>
    }
  }
}
