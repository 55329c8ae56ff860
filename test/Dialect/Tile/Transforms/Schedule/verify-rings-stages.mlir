// What tile-pipeline makes of a loop with 2 to 8 stages is right for 0 to
// 2 * stages + 2 iterations, and both explorations say so.
// RUN: sed s/STAGES/2/ %s | tile-opt --tile-pipeline "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=6
// RUN: sed s/STAGES/3/ %s | tile-opt --tile-pipeline "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=8
// RUN: sed s/STAGES/4/ %s | tile-opt --tile-pipeline "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=10
// RUN: sed s/STAGES/5/ %s | tile-opt --tile-pipeline "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=12
// RUN: sed s/STAGES/6/ %s | tile-opt --tile-pipeline "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=14
// RUN: sed s/STAGES/7/ %s | tile-opt --tile-pipeline "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=16
// RUN: sed s/STAGES/8/ %s | tile-opt --tile-pipeline "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=18
// The same by TMA: two roles with gemms in flight, and one agent.
// RUN: sed -e s/STAGES/2/ -e 's/{coalesced_width = 8}/decided {plan = #tile.copy_plan<tma, bytes = 16>}/' %s | tile-opt --tile-set-target=arch=sm_90a --tile-pipeline --tile-specialize-warps --tile-schedule-gemms "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=6
// RUN: sed -e s/STAGES/4/ -e 's/{coalesced_width = 8}/decided {plan = #tile.copy_plan<tma, bytes = 16>}/' %s | tile-opt --tile-set-target=arch=sm_90a --tile-pipeline --tile-specialize-warps --tile-schedule-gemms "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=10
// RUN: sed -e s/STAGES/3/ -e 's/{coalesced_width = 8}/decided {plan = #tile.copy_plan<tma, bytes = 16>}/' %s | tile-opt --tile-set-target=arch=sm_90 --tile-pipeline --tile-specialize-warps --tile-schedule-gemms "--tile-verify-rings=remarks" "--tile-verify-rings=remarks exhaustive" -o /dev/null 2>&1 | FileCheck %s -DLAST=8

// CHECK-NOT: error:
// CHECK-NOT: warning:
// CHECK: remark: rings are proved for [[N:[0-9]+]] combinations of sizes
// CHECK: note: 0 to [[LAST]] iterations
// CHECK-NOT: error:
// CHECK-NOT: warning:
// CHECK: remark: rings are proved for [[N]] combinations of sizes
// CHECK: note: 0 to [[LAST]] iterations

#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(STAGES) {
    tile.copy %A[%m, %k] to %As {coalesced_width = 8} : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs {coalesced_width = 8} : memref<?x?xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}
