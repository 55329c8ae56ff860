// A loop goes on with the ring of the loop before it where their slots are
// alike, and not where they are not.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-select-copies --tile-pipeline=roles=off -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a --tile-verify-rings -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROVED --allow-empty
// PROVED-NOT: {{error|warning}}

#shared = #gpu.address_space<workgroup>

// In a loop over tiles: one ring, one count, which the second loop carries on.
// CHECK-LABEL: tile.kernel @alike
// CHECK: %[[RING:.*]] = tile.ring.create
// CHECK-NOT: tile.ring.create
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (index) {
// CHECK: tile.ring.acquire %[[RING]][%[[BEFORE]]]
// CHECK: tile.ring.drain %[[RING]]
// CHECK-NEXT: %[[BETWEEN:.*]] = arith.addi %[[BEFORE]], %{{.*}} : index
// CHECK: tile.ring.acquire %[[RING]][%[[BETWEEN]]]
// CHECK: tile.ring.drain %[[RING]]
// CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[BETWEEN]], %{{.*}} : index
// CHECK-NEXT: scf.yield %[[BEHIND]] : index
tile.kernel @alike(%A: memref<1024x64xf16> {tile.alignment = 16}, %C: memref<64x64xf16>, %n: index, %m: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %r = tile.alloc : memref<64x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  scf.for %t = %c0 to %m step %c1 {
    tile.pipelined %k = %c0 to %n step %c64 stages(2) {
      tile.copy %A[%k, %c0] to %s {prefer = #tile.copy_instruction<tma>} : memref<1024x64xf16> to memref<64x64xf16, #shared>
      tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
      tile.copy %f to %C : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
    }
    tile.pipelined %k = %c0 to %n step %c64 stages(2) {
      tile.copy %A[%k, %c0] to %r {prefer = #tile.copy_instruction<tma>} : memref<1024x64xf16> to memref<64x64xf16, #shared>
      tile.copy %r to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
      tile.copy %f to %C : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
    }
  }
}

// -----
#shared = #gpu.address_space<workgroup>

// Another number of stages, another shape: rings of their own.
// CHECK-LABEL: tile.kernel @different
// CHECK-COUNT-3: tile.ring.create
tile.kernel @different(%A: memref<1024x64xf16> {tile.alignment = 16}, %C: memref<64x64xf16>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %r = tile.alloc : memref<64x64xf16, #shared>
  %q = tile.alloc : memref<32x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  %g = tile.alloc : memref<32x64xf16, #tile.fragment>
  tile.pipelined %k = %c0 to %n step %c64 stages(2) {
    tile.copy %A[%k, %c0] to %s {prefer = #tile.copy_instruction<tma>} : memref<1024x64xf16> to memref<64x64xf16, #shared>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    tile.copy %f to %C : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
  }
  tile.pipelined %k = %c0 to %n step %c64 stages(3) {
    tile.copy %A[%k, %c0] to %r {prefer = #tile.copy_instruction<tma>} : memref<1024x64xf16> to memref<64x64xf16, #shared>
    tile.copy %r to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
    tile.copy %f to %C : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
  }
  tile.pipelined %k = %c0 to %n step %c64 stages(2) {
    tile.copy %A[%k, %c0] to %q {prefer = #tile.copy_instruction<tma>} : memref<1024x64xf16> to memref<32x64xf16, #shared>
    tile.copy %q to %g : memref<32x64xf16, #shared> to memref<32x64xf16, #tile.fragment>
    tile.copy %g to %C[%c0, %c0] : memref<32x64xf16, #tile.fragment> to memref<64x64xf16>
  }
}
