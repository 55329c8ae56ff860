// Sums of neighbouring iterations go to global memory by one instruction, under
// a condition that holds for all of them, too; not where the old value is asked
// for, where they are no sums of floats, or where rows may begin anywhere.
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s --check-prefix=SM80
#frag = #tile.fragment_layout<shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>

// CHECK-LABEL: llvm.func @guarded
// CHECK-NOT:     llvm.atomicrmw
// CHECK-COUNT-16: red.relaxed.gpu.global.add.v2.f32
// CHECK-NOT:     red.relaxed
// CHECK-NOT:     llvm.atomicrmw
// CHECK-LABEL: llvm.func @halves
// CHECK:         red.relaxed.gpu.global.add.noftz.bf16x2
// CHECK-LABEL: llvm.func @single
// CHECK-NOT:     red.relaxed
// CHECK:         llvm.atomicrmw fadd
// CHECK-NOT:     red.relaxed
// CHECK:         llvm.atomicrmw add
// CHECK-NOT:     red.relaxed
// SM80-LABEL: llvm.func @guarded
// SM80-NOT:     red.relaxed
// SM80:         llvm.atomicrmw fadd
// SM80-LABEL: llvm.func @halves
// SM80-NOT:     red.relaxed
tile.kernel @guarded(%C: memref<?x64xf32> {tile.alignment = 16}, %n: index) grid(%b) = (4) threads(128) {
  %f = tile.alloc layout(#frag) : memref<64x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (64, 64) layout(#frag) {
    %inside = arith.cmpi slt, %i, %n : index
    scf.if %inside {
      %x = memref.load %f[%i, %j] : memref<64x64xf32, #tile.fragment>
      %old = memref.atomic_rmw addf %x, %C[%i, %j] : (f32, memref<?x64xf32>) -> f32
    }
  }
}
tile.kernel @halves(%C: memref<?x64xbf16> {tile.alignment = 16}) grid(%b) = (4) threads(128) {
  %f = tile.alloc layout(#frag) : memref<64x64xbf16, #tile.fragment>
  tile.parallel (%i, %j) in (64, 64) layout(#frag) {
    %x = memref.load %f[%i, %j] : memref<64x64xbf16, #tile.fragment>
    %old = memref.atomic_rmw addf %x, %C[%i, %j] : (bf16, memref<?x64xbf16>) -> bf16
  }
}
tile.kernel @single(%C: memref<?x?xf32> {tile.alignment = 16}, %D: memref<?x64xi32> {tile.alignment = 16}) grid(%b) = (4) threads(128) {
  %f = tile.alloc layout(#frag) : memref<64x64xf32, #tile.fragment>
  %g = tile.alloc layout(#frag) : memref<64x64xi32, #tile.fragment>
  tile.parallel (%i, %j) in (64, 64) layout(#frag) {
    %x = memref.load %f[%i, %j] : memref<64x64xf32, #tile.fragment>
    %old = memref.atomic_rmw addf %x, %C[%i, %j] : (f32, memref<?x?xf32>) -> f32
  }
  tile.parallel (%i, %j) in (64, 64) layout(#frag) {
    %x = memref.load %g[%i, %j] : memref<64x64xi32, #tile.fragment>
    %old = memref.atomic_rmw addi %x, %D[%i, %j] : (i32, memref<?x64xi32>) -> i32
  }
}
