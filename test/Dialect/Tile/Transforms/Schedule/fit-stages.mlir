// Loops lose stages as long as placement refuses the scheduled kernel, and no further.
// RUN: tile-opt %s --split-input-file --tile-to-copies=arch=sm_120a --tile-fit-stages | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-to-copies=arch=sm_120a --tile-fit-stages=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: tile-opt %s --split-input-file --tile-to-copies=arch=sm_80 --tile-fit-stages | FileCheck %s --check-prefix=ROOM
// RUN: tile-opt %s --split-input-file --tile-fit-stages=remarks 2>&1 | FileCheck %s --check-prefix=WITHOUT-TARGET
// RUN: not tile-opt %s --split-input-file --tile-to-barriers=arch=sm_120a -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERRORS
// WITHOUT-TARGET-NOT: remark

// The rings fit, 96 of 99 KiB; with scratch memory of the scan behind them they do not.
// SAYS: remark: 5 stages instead of 6: rings, tiles and scratch memory take 102400 bytes of shared memory, of which a block has 101376
// SAYS-NOT: 4 stages instead of
// CHECK-LABEL: tile.kernel @scratch
// CHECK: stages(5)
// WITHOUT-TARGET-LABEL: tile.kernel @scratch
// WITHOUT-TARGET: stages(6)
// ROOM-LABEL: tile.kernel @scratch
// ROOM: stages(6)
tile.kernel @scratch(%A: memref<128x256xf16> {tile.alignment = 16}, %B: memref<128x256xf16> {tile.alignment = 16}, %S: memref<128x128xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<128x32xf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<128x32xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c32 stages(6) {
    tile.copy %A[%c0, %k] to %As : memref<128x256xf16> to memref<128x32xf16, #gpu.address_space<workgroup>>
    tile.copy %B[%c0, %k] to %Bs : memref<128x256xf16> to memref<128x32xf16, #gpu.address_space<workgroup>>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<128x32xf16, #gpu.address_space<workgroup>>, memref<128x32xf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>
  }
  tile.scan sum %acc to %acc dim(1) : memref<128x128xf32, #tile.fragment> to memref<128x128xf32, #tile.fragment>
  tile.copy %acc to %S : memref<128x128xf32, #tile.fragment> to memref<128x128xf32>
}

// -----

// One stage is the end: what does not fit then is placement's to refuse.
// SAYS: remark: 1 stage instead of 2: rings, tiles and scratch memory take 262144 bytes
// CHECK-LABEL: tile.kernel @never
// CHECK: stages(1)
// ERRORS: error: 'tile.kernel' op expected at most 101376 bytes of shared memory on sm_120a, got 131072
// ROOM-LABEL: tile.kernel @never
// ROOM: stages(1)
// WITHOUT-TARGET-LABEL: tile.kernel @never
// WITHOUT-TARGET: stages(2)
tile.kernel @never(%A: memref<512x256xf32> {tile.alignment = 16}, %B: memref<128x256xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %s = tile.alloc : memref<128x256xf32, #gpu.address_space<workgroup>>
  tile.pipelined %k = %c0 to %c4 step %c1 stages(2) {
    %m = arith.muli %k, %c128 : index
    tile.copy %A[%m, %c0] to %s : memref<512x256xf32> to memref<128x256xf32, #gpu.address_space<workgroup>>
    tile.copy %s to %B : memref<128x256xf32, #gpu.address_space<workgroup>> to memref<128x256xf32>
  }
}

// -----

// A pass that refuses the copy of the kernel says why when its turn comes: no stage is taken.
// SAYS-NOT: {{stages?}} instead of
// CHECK-LABEL: tile.kernel @refused
// CHECK: stages(2)
// ERRORS: error: 'tile.kernel' op cannot be specialized, which `specialize` asks for
tile.kernel @refused(%A: memref<512x256xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %s = tile.alloc : memref<128x256xf32, #gpu.address_space<workgroup>>
  tile.pipelined %k = %c0 to %c4 step %c1 stages(2) {
    %m = arith.muli %k, %c128 : index
    tile.copy %A[%m, %c0] to %s : memref<512x256xf32> to memref<128x256xf32, #gpu.address_space<workgroup>>
    tile.copy %s to %A[%c0, %c0] : memref<128x256xf32, #gpu.address_space<workgroup>> to memref<512x256xf32>
  }
}
