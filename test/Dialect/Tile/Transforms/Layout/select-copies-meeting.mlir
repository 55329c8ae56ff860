// Blocks that meet may read what others have stored, which a barrier orders for threads and not for tensor copies: a buffer
// that nothing writes is loaded by TMA; one that is written, under whatever name, is not.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-select-copies=remarks=true --mlir-print-op-on-diagnostic=false -split-input-file -verify-diagnostics

#shared = #gpu.address_space<workgroup>
tile.kernel @only_read(%A: memref<64x64xf16> {tile.alignment = 16}, %C: memref<64x64xf16> {tile.alignment = 16}) grid(%bx) = (2) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<64x64xf16, #shared>
  // expected-remark @below {{copy: tma}}
  tile.copy %A[%c0, %c0] to %a : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.grid_barrier
  // expected-remark @below {{the blocks meet, at a `tile.grid_barrier` or in their cluster, which orders no tensor copies, and 'C' is written}}
  tile.copy %a to %C[%c0, %c0] : memref<64x64xf16, #shared> to memref<64x64xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
// Through a view of the argument, in a loop of single elements.
tile.kernel @through_a_view(%A: memref<64x64xf16> {tile.alignment = 16}) grid(%bx) = (2) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<64x64xf16, #shared>
  // expected-remark @below {{orders no tensor copies, and 'A' is written}}
  tile.copy %A[%c0, %c0] to %a : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.grid_barrier
  %flat = tile.view %A : memref<64x64xf16> to memref<4096xf16>
  tile.parallel (%i) in (128) {
    memref.store %zero, %flat[%i] : memref<4096xf16>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// Through an address: the program promises that no argument lies there, unless it says so of the argument.
tile.kernel @through_an_address(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16, tile.may_alias}, %at: i64) grid(%bx) = (2) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<64x64xf16, #shared>
  // expected-remark @below {{copy: tma}}
  tile.copy %A[%c0, %c0] to %a : memref<64x64xf16> to memref<64x64xf16, #shared>
  // expected-remark @below {{orders no tensor copies, and 'B' is written}}
  tile.copy %B[%c0, %c0] to %a : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.grid_barrier
  %there = tile.from_address %at : memref<4096xf16>
  tile.parallel (%i) in (128) {
    memref.store %zero, %there[%i] : memref<4096xf16>
  }
}
