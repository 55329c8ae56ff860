// A copy out of a slot is a tensor store only where the ring says that tensor stores read it: who fills the slot waits for
// those readers.
// RUN: tile-opt %s --tile-to-copies="arch=sm_90a" | FileCheck %s
// RUN: tile-run %s --args=X=5x16x32,Y=5x16x32 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS
// CHECK-LABEL: tile.kernel @k
// CHECK:         tile.ring.wait
// CHECK:         tile.copy %{{.*}} to %Y{{.*}}plan = #tile.copy_plan<vector, bytes = 16>
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%X: memref<?x16x32xf32> {tile.alignment = 16}, %Y: memref<?x16x32xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %X, %c0 : memref<?x16x32xf32>
  %r = tile.ring.create layouts([#tile.shared_layout<shape [16, 32] bits 32 modes [(32, 1:1), (16, 0:32)]>]) : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> threads>
  tile.warp_specialize
  role "p" warps(2) {
   scf.for %i = %c0 to %n step %c1 {
    %v = tile.ring.acquire %r[%i] : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> threads>
    tile.copy %X[%i, %c0, %c0] sizes [1, 16, 32] to %v : memref<?x16x32xf32> to memref<16x32xf32, #shared>
    tile.ring.commit %r[%i] : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> threads>
   }
  }
  role "c" warps(2) {
   scf.for %i = %c0 to %n step %c1 {
    %w = tile.ring.wait %r[%i] : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> threads>
    tile.copy %w to %Y[%i, %c0, %c0] sizes [1, 16, 32] : memref<16x32xf32, #shared> to memref<?x16x32xf32>
    tile.ring.release %r[%i] : !tile.ring<2 x [memref<16x32xf32, #shared>], threads_mbarrier -> threads>
   }
  }
}
