// The first kernel's tile takes all the shared memory there is: its version for aligned arguments, whose tensor copy needs mbarriers beside it,
// is left out. That of the other kernel stays. What the kernel itself lacks is an error.
// RUN: tile-translate %s --tile-to-artifact --arch=sm_90a --remarks -o %t.artifact 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=error:
// RUN: grep -a "__aligned" %t.artifact | FileCheck %s --check-prefix=MANIFEST
// RUN: tile-run %s --kernel=whole --args=A=454x128,B=454x128 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RESULT
// RUN: sed s/454x/455x/g %s > %t.mlir
// RUN: not tile-translate %t.mlir --tile-to-artifact --arch=sm_90a --remarks -o %t.none 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: tile-opt %s --tile-to-nvvm="arch=sm_90a versions=true without=whole__aligned" | FileCheck %s --check-prefix=ONCE
// REMARK:       note: 'whole__aligned' is left out, and others of 'whole' are launched in its place: 'tile.kernel' op expected at most 232448 bytes of shared memory on sm_90a, got {{[0-9]+}}
// REMARK-NOT:   'part__aligned' is left out
// MANIFEST-NOT: whole
// MANIFEST:     part__aligned
// RESULT:       PASS
// ERROR-NOT:    left out
// ERROR:        error: 'tile.kernel' op expected at most 232448 bytes of shared memory on sm_90a, got 23{{[0-9]+}}
// ONCE-NOT:     @whole__aligned
// ONCE:         @part__aligned
#shared = #gpu.address_space<workgroup>
tile.kernel @whole(%A: memref<?x?xf32>, %B: memref<?x?xf32>) grid(%b) = (1) threads(512) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<454x128xf32, #shared>
  tile.copy %A[%c0, %c0] to %s : memref<?x?xf32> to memref<454x128xf32, #shared>
  tile.copy %s to %B[%c0, %c0] : memref<454x128xf32, #shared> to memref<?x?xf32>
}
tile.kernel @part(%A: memref<?x?xf32>, %B: memref<?x?xf32>) grid(%b) = (1) threads(512) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<128x128xf32, #shared>
  tile.copy %A[%c0, %c0] to %s : memref<?x?xf32> to memref<128x128xf32, #shared>
  tile.copy %s to %B[%c0, %c0] : memref<128x128xf32, #shared> to memref<?x?xf32>
}
