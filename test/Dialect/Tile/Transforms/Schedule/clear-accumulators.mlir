// The first product of a loop starts from zero: nothing fills accumulators, but where the loop does not run.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-clear-accumulators -split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>

// Under the condition that it runs.
// CHECK-LABEL: tile.kernel @guarded
// CHECK-NOT: tile.fill
// CHECK: scf.if
// CHECK: scf.for %[[K:.*]] = %[[FROM:.*]] to %{{.*}} step
// CHECK-NEXT: %[[LATER:.*]] = tile.iteration past(1) of %[[K]] in %[[FROM]] to
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[ACC:[0-9]+]] accumulate(%[[LATER]]) {plan
// A second one into the same accumulators always adds.
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[ACC]] {plan
// CHECK: } else {
// CHECK-NEXT: tile.fill %[[ACC]] with
// CHECK-NEXT: }
tile.kernel @guarded(%n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  %runs = tile.iteration exists(0) in %c0 to %n step %c1
  scf.if %runs {
    scf.for %k = %c0 to %n step %c1 {
      tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
      tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    }
  }
}

// -----

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>

// It runs for certain: no fill at all.
// CHECK-LABEL: tile.kernel @constant
// CHECK-NOT: tile.fill
// CHECK: tile.gemm {{.*}} accumulate(
// CHECK-NOT: tile.fill
// CHECK: tile.return
tile.kernel @constant() grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c8 step %c1 {
    tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>

// Left as it is: a loop that may not run, another first value, something else that reads the accumulators in the loop, two warps'
// instructions, and a fill that is not the last.
// CHECK-LABEL: tile.kernel @left
// CHECK-COUNT-5: tile.fill
// CHECK-NOT: accumulate
// CHECK: tile.return
tile.kernel @left(%n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %copy = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %n step %c1 {
    %t = tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment> -> !tile.token
    tile.await %t
  }
  tile.fill %acc with %one : memref<64x64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c8 step %c1 {
    tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c8 step %c1 {
    tile.copy %acc to %copy : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c8 step %c1 {
    tile.gemm %a, %a, %acc {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.copy %copy to %acc : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
  scf.for %k = %c0 to %c8 step %c1 {
    tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----
// Zeros in a part of the accumulators, from their first element on, leave the rest as it was: they stay.
#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>
// CHECK-LABEL: tile.kernel @part
// CHECK: tile.fill %{{.*}} sizes [64, 32] with
// CHECK-NOT: accumulate
// CHECK: tile.return
tile.kernel @part() grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc sizes [64, 32] with %zero : memref<64x64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c8 step %c1 {
    tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----
// A product directly after zeros starts from zero itself; not after other numbers, nor where something else uses the
// accumulator in between, nor by mma.sync, whose zeros are constants.
#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>
// CHECK-LABEL: tile.kernel @direct
// CHECK: scf.for
// CHECK-NOT: tile.fill
// CHECK: tile.gemm {{.*}}clear
// CHECK: tile.copy
// CHECK: tile.fill
// CHECK-NEXT: tile.gemm {{.*}} {plan =
// CHECK-NEXT: tile.copy
// CHECK: tile.fill
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.gemm {{.*}} {plan =
// CHECK-NEXT: tile.copy
// CHECK: tile.fill
// CHECK-NEXT: tile.gemm {{.*}} {plan = #tile.mma_plan<mma_sync
tile.kernel @direct(%C: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  scf.for %k = %c0 to %c8 step %c1 {
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
  tile.fill %acc with %one : memref<64x64xf32, #tile.fragment>, f32
  tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.gemm %a, %a, %acc {plan = #wgmma} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.gemm %a, %a, %acc {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
