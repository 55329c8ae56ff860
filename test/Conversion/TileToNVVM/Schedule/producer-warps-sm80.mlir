// Roles asked for on sm_80: mbarriers without try_wait, no registers to give away, no fences between proxies.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 --roles=on | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=AUTO
// CHECK: .version 7.8
// CHECK-NOT: try_wait
// CHECK-NOT: setmaxnreg
// CHECK-NOT: fence.
// CHECK: mbarrier.init.shared::cta.b64
// CHECK: bar.sync 0
// CHECK: mbarrier.test_wait.parity.shared::cta.b64
// CHECK: cp.async.cg.shared.global
// CHECK-NOT: cp.async.wait_group
// CHECK: cp.async.mbarrier.arrive.noinc.shared.b64
// CHECK: mbarrier.test_wait.parity.shared::cta.b64
// CHECK: ldmatrix
// CHECK: mma.sync
// CHECK: mbarrier.arrive.shared::cta.b64 _
// CHECK-NOT: cp.async.wait_group

// AUTO-NOT: mbarrier
// AUTO: cp.async.wait_group
// AUTO-NOT: mbarrier
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<512x512xf16> {tile.alignment = 16}, %B: memref<512x512xf16> {tile.alignment = 16}, %C: memref<512x512xf32> {tile.alignment = 16})
    grid(%bx, %by) = (8, 8) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c32 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<512x512xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<512x512xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<512x512xf32>
}
