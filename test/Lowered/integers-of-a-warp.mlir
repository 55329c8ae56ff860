// Integers of a whole warp are combined by one instruction (redux.sync), narrower ones as words.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --args=X=1x64:range:-50:60,Y=1,Z=1,U=1,W=1 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --args=X=1x64:range:-50:60,Y=1,Z=1,U=1,W=1 --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS
// CHECK-NOT: shfl
// CHECK: redux.sync.add.s32
// CHECK: redux.sync.min.s32
// CHECK: redux.sync.max.u32
// CHECK: redux.sync.max.s32
// CHECK-NOT: shfl
tile.kernel @k(%X: memref<1x64xi32>, %Y: memref<1xi32>, %Z: memref<1xi32>, %U: memref<1xi32>, %W: memref<1xi8>) grid(%b) = (1) threads(64) {
  %f = tile.alloc : memref<1x64xi32, #tile.fragment>
  %h = tile.alloc : memref<1x64xi8, #tile.fragment>
  %r = tile.alloc : memref<1xi32, #tile.fragment>
  %q = tile.alloc : memref<1xi8, #tile.fragment>
  tile.copy %X to %f : memref<1x64xi32> to memref<1x64xi32, #tile.fragment>
  tile.copy %f to %h : memref<1x64xi32, #tile.fragment> to memref<1x64xi8, #tile.fragment>
  tile.reduce sum %f to %r dim(1) : memref<1x64xi32, #tile.fragment> to memref<1xi32, #tile.fragment>
  tile.copy %r to %Y : memref<1xi32, #tile.fragment> to memref<1xi32>
  tile.reduce min %f to %r dim(1) : memref<1x64xi32, #tile.fragment> to memref<1xi32, #tile.fragment>
  tile.copy %r to %Z : memref<1xi32, #tile.fragment> to memref<1xi32>
  tile.reduce max %f to %r dim(1) {is_unsigned} : memref<1x64xi32, #tile.fragment> to memref<1xi32, #tile.fragment>
  tile.copy %r to %U : memref<1xi32, #tile.fragment> to memref<1xi32>
  tile.reduce max %h to %q dim(1) : memref<1x64xi8, #tile.fragment> to memref<1xi8, #tile.fragment>
  tile.copy %q to %W : memref<1xi8, #tile.fragment> to memref<1xi8>
}
