// Roles that are asked for and not possible: one error, by the kernel's attribute or by the option, with its cause.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-infer-layouts --tile-select-copies --tile-pipeline=roles=on --split-input-file --verify-diagnostics
#shared = #gpu.address_space<workgroup>
// expected-error @+1 {{cannot be specialized, which `roles=on` asks for: no copy runs ahead in a pipelined loop of several stages}}
tile.kernel @none(%A: memref<64xf32>) grid(%bx) = (1) threads(128) {
}

// -----

// What the kernel says counts more.
#shared = #gpu.address_space<workgroup>
tile.kernel @never(%A: memref<64xf32>) grid(%bx) = (1) threads(128) attributes {specialize = false} {
}

// -----

// Rows that the kernel computes are not known to others.
#shared = #gpu.address_space<workgroup>
// expected-error @+1 {{cannot be specialized, which `specialize` asks for: the choice of copies depends on the shared buffer, which the kernel fills}}
tile.kernel @rows(%X: memref<?x64xf16> {tile.alignment = 16}, %I: memref<64xi32>, %n: index) grid(%bx) = (1) threads(128) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %list = tile.alloc : memref<64xi32, #shared>
  %s = tile.alloc : memref<64x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.copy %I to %list : memref<64xi32> to memref<64xi32, #shared>
  tile.pipelined %k = %c0 to %n step %c1 stages(2) {
    // expected-note @+1 {{because of this}}
    tile.gather %X[%c0] rows %list[%c0] to %s : memref<?x64xf16>, memref<64xi32, #shared> to memref<64x64xf16, #shared>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }
}

// -----

// Copies from what the kernel writes.
#shared = #gpu.address_space<workgroup>
// expected-error @+1 {{'A' is written by the kernel that copies from it}}
tile.kernel @written(%A: memref<64x64xf16> {tile.alignment = 16}, %n: index) grid(%bx) = (1) threads(128) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.pipelined %k = %c0 to %n step %c1 stages(2) {
    tile.copy %A[%c0, %c0] to %s : memref<64x64xf16> to memref<64x64xf16, #shared>
    tile.copy %s to %f : memref<64x64xf16, #shared> to memref<64x64xf16, #tile.fragment>
  }
  // expected-note @+1 {{because of this}}
  tile.copy %f to %A[%c0, %c0] : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
}
