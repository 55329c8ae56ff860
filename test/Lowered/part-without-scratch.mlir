// Parts of a fragment that is too large for a copy of it in shared memory beside the kernel's tile: the threads that hold its elements move them
// one by one, to and from global memory (whose end cuts parts off) and shared memory, with a conversion, at constant and other offsets.
// Where threads hold what they move at its offset, nothing has to be said.
// RUN: tile-run %s --stage=lowered --arch=sm_80 --args=A=100x256,B=120x250,C=3x48x256,n=1 --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --args=A=100x256,B=120x250,C=3x48x256,n=1 --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --args=A=100x256,B=120x250,C=3x48x256,n=2 --check | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: PASS
// REMARK-COUNT-4: remark: moves single elements of a part of a fragment: a copy of the fragment does not fit shared memory beside the kernel's tiles
#shared = #gpu.address_space<workgroup>
tile.kernel @parts(%A: memref<?x256xf32>, %B: memref<?x?xf16>, %C: memref<?x48x256xf32>, %n: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c50 = arith.constant 50 : index
  %two = arith.constant 2.0 : f32
  %row = arith.muli %n, %c7 : index
  %f = tile.alloc : memref<128x256xf32, #tile.fragment>
  %s = tile.alloc : memref<128x256xf32, #shared>
  tile.fill %s with %two : memref<128x256xf32, #shared>, f32
  tile.fill %f with %two : memref<128x256xf32, #tile.fragment>, f32
  tile.copy %A[%c0, %c0] sizes [78, 256] to %f[%c50, %c0] sizes [78, 256] : memref<?x256xf32> to memref<128x256xf32, #tile.fragment>
  tile.fill %f[%c7, %c7] sizes [3, 200] with %two : memref<128x256xf32, #tile.fragment>, f32
  tile.copy %s[%c0, %c1] sizes [5, 100] to %f[%c1, %c50] sizes [5, 100] : memref<128x256xf32, #shared> to memref<128x256xf32, #tile.fragment>
  tile.copy %f[%c50, %c1] sizes [78, 255] to %B[%c50, %c0] sizes [78, 255] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
  tile.copy %f[%row, %c0] sizes [40, 256] to %C[%n, %c7, %c0] sizes [1, 40, 256] : memref<128x256xf32, #tile.fragment> to memref<?x48x256xf32>
}
