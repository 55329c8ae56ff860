// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm -split-input-file -verify-diagnostics
#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
tile.kernel @no_slot(%A: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#rows) : memref<128x64xf16, #shared>
  // expected-error @+1 {{expected a slot of a ring as target: run --tile-pipeline}}
  tile.copy %A[%c0, %c0] to %s decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<4096x4096xf16> to memref<128x64xf16, #shared>
}

// -----
#shared = #gpu.address_space<workgroup>
#padded = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:72)]>
tile.kernel @padded_rows(%C: memref<4096x4096xf16> {tile.alignment = 16}) grid(%bx) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#padded) : memref<128x64xf16, #shared>
  // expected-error @+1 {{expected a region that tensor copies can move: expected copies to start at multiples of 128 bytes, got byte 144}}
  tile.copy %s to %C[%c0, %c0] decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<128x64xf16, #shared> to memref<4096x4096xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
tile.kernel @not_one_run(%C: memref<4096x64xf16> {tile.alignment = 16}) grid(%bx) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#rows) : memref<128x64xf16, #shared>
  // expected-error @+1 {{expected a region that is one run of bytes: the shared buffer's layout is swizzled}}
  tile.copy %s to %C[%c0, %c0] decided {plan = #tile.copy_plan<bulk, bytes = 2>} : memref<128x64xf16, #shared> to memref<4096x64xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>
tile.kernel @converts(%C: memref<4096x4096xbf16> {tile.alignment = 16}) grid(%bx) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#rows) : memref<128x64xf16, #shared>
  // expected-error @+1 {{expected a tensor or bulk copy between a kernel argument and shared memory, of one element type, padded with zero}}
  tile.copy %s to %C[%c0, %c0] decided {plan = #tile.copy_plan<tma, bytes = 2>} : memref<128x64xf16, #shared> to memref<4096x4096xbf16>
}
