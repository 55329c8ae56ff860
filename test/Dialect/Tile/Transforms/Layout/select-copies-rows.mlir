// Moves whose rows lie at places of their own: im2col, rows by index.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-select-copies=remarks=true --mlir-print-op-on-diagnostic=false -split-input-file -verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
// Tensor copies by images, lines and volumes, in boxes that the shared layout
// has, whatever the tensor's extents.
// CHECK-LABEL: tile.kernel @taken
// CHECK-COUNT-4: plan = #tile.copy_plan<tma, bytes = {{[24]}}>
tile.kernel @taken(%X: memref<?x?x?x64xf16> {tile.alignment = 16}, %L: memref<?x?x32xf32> {tile.alignment = 16}, %V: memref<2x8x8x8x16xf16> {tile.alignment = 16}) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<128x64xf16, #shared>
  %l = tile.alloc : memref<64x32xf32, #shared>
  %v = tile.alloc : memref<64x16xf16, #shared>
  %wide = tile.alloc : memref<512x24xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [3, 3] strides [8, 1] pad_lower [128, 1] pad_upper [127, 1] : memref<?x?x?x64xf16> to memref<128x64xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.im2col %L pixel %bx filter [%c0] channel %c0 to %l kernel [300] pad_lower [299] : memref<?x?x32xf32> to memref<64x32xf32, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.im2col %V pixel %bx filter [%c0, %c0, %c0] channel %c0 to %v kernel [3, 3, 3] dilations [2, 2, 2] : memref<2x8x8x8x16xf16> to memref<64x16xf16, #shared>
  // expected-remark @+1 {{copy: tma}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %wide kernel [1, 1] : memref<?x?x?x64xf16> to memref<512x24xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// What a map or the instruction cannot state, each with its reason.
// CHECK-LABEL: tile.kernel @limits
// CHECK-NOT:     <tma
tile.kernel @limits(%X: memref<?x?x?x64xf16> {tile.alignment = 16}, %V: memref<2x30x8x8x16xf16> {tile.alignment = 16}, %Z: memref<2x4x4x64xf16> {tile.alignment = 16}) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<128x64xf16, #shared>
  %v = tile.alloc : memref<64x16xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 16 bytes; tma not taken: the stride of spatial dimension 1 is 9, more than 8}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [3, 3] strides [1, 9] : memref<?x?x?x64xf16> to memref<128x64xf16, #shared>
  // expected-remark @+1 {{tma not taken: the bounding box of spatial dimension 0 is from -129 to 0 around the tensor, and corners lie between -128 and 127}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [1, 1] pad_lower [129, 0] : memref<?x?x?x64xf16> to memref<128x64xf16, #shared>
  // expected-remark @+1 {{tma not taken: the bounding box of spatial dimension 0 is from 0 to -20 around the tensor, and corners lie between -16 and 15}}
  tile.im2col %V pixel %bx filter [%c0, %c0, %c0] channel %c0 to %v kernel [3, 3, 3] dilations [10, 1, 1] : memref<2x30x8x8x16xf16> to memref<64x16xf16, #shared>
  // expected-remark @+1 {{tma not taken: the filter reaches 256 along spatial dimension 0, and offsets are less than 256}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [3, 3] dilations [128, 1] pad_lower [128, 0] pad_upper [128, 0] : memref<?x?x?x64xf16> to memref<128x64xf16, #shared>
  // expected-remark @+1 {{tma not taken: the convolution has no output along spatial dimension 1}}
  tile.im2col %Z pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [3, 5] : memref<2x4x4x64xf16> to memref<128x64xf16, #shared>
  // expected-remark @+1 {{tma not taken: `disable_tma` is set}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [3, 3] {disable_tma} : memref<?x?x?x64xf16> to memref<128x64xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
// Channels that nothing is promised of: elements one by one, and no tensor map.
// CHECK-LABEL: tile.kernel @promises
tile.kernel @promises(%X: memref<?x?x?x?xf16> {tile.alignment = 16}, %Y: memref<?x?x?x?xf16>) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %a = tile.alloc : memref<128x64xf16, #shared>
  %f = tile.alloc : memref<128x64xf16, #tile.fragment>
  // expected-remark @+1 {{copy: scalar, 2 bytes; tma not taken: the stride of dimension 0 of 'X' is known to be a multiple of 2 bytes only}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [3, 3] : memref<?x?x?x?xf16> to memref<128x64xf16, #shared>
  %channels = memref.dim %X, %c3 : memref<?x?x?x?xf16>
  tile.assume %channels {divisible_by = 4 : i64} : index
  // expected-remark @+1 {{copy: cp_async, 8 bytes; tma not taken: the stride of dimension 0 of 'X' is known to be a multiple of 8 bytes only, not of 16}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [3, 3] : memref<?x?x?x?xf16> to memref<128x64xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 4 bytes}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %a kernel [3, 3] {coalesced_width = 2 : i64} : memref<?x?x?x?xf16> to memref<128x64xf16, #shared>
  // expected-remark @+1 {{copy: vector, 8 bytes}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %f kernel [3, 3] : memref<?x?x?x?xf16> to memref<128x64xf16, #tile.fragment>
}

// -----
#shared = #gpu.address_space<workgroup>
// Rows by index: cp.async and wide stores, no tensor copy before sm_100a.
// CHECK-LABEL: tile.kernel @rows
// CHECK:         tile.gather {{.*}} decided {plan = #tile.copy_plan<cp_async, bytes = 16>}
// CHECK:         tile.scatter {{.*}} decided {plan = #tile.copy_plan<vector, bytes = 16>}
tile.kernel @rows(%X: memref<?x512xf16> {tile.alignment = 16}, %I: memref<?xi32>) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<128x64xf16, #shared>
  // expected-remark @+1 {{copy: cp_async, 16 bytes; tma not taken: sm_90a has no tensor copies of four rows}}
  tile.gather %X[%c0] rows %I[%bx] to %a : memref<?x512xf16>, memref<?xi32> to memref<128x64xf16, #shared>
  // expected-remark @+1 {{copy: vector, 16 bytes; tma not taken: sm_90a has no tensor copies of four rows}}
  tile.scatter %a to %X[%c0] rows %I[%bx] : memref<128x64xf16, #shared> to memref<?x512xf16>, memref<?xi32>
}

// -----
#shared = #gpu.address_space<workgroup>
// Channels of im2col copies start at multiples of 16 bytes, as columns do.
// CHECK-LABEL: tile.kernel @channels
// CHECK-NOT:     <tma
tile.kernel @channels(%X: memref<?x?x?x64xf16> {tile.alignment = 16}, %channel: index) grid(%bx) = (32) threads(128) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = tile.alloc : memref<128x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: the region is known to start at multiples of 8 bytes only along dimension 3 of 'X'}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %c4 to %a kernel [3, 3] : memref<?x?x?x64xf16> to memref<128x32xf16, #shared>
  // expected-remark @+1 {{tma not taken: the region is known to start at multiples of 2 bytes only along dimension 3 of 'X'}}
  tile.im2col %X pixel %bx filter [%c0, %c0] channel %channel to %a kernel [3, 3] : memref<?x?x?x64xf16> to memref<128x32xf16, #shared>
}
