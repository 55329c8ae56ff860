// Tiles that stand in front of a loop, each of whose iterations overwrites them
// before it uses them: they share bytes with others of the iteration, where the
// kernel does not fit a block otherwise (99 KiB on sm_89).
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_89 --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 --split-input-file | FileCheck %s --check-prefix=ROOM

#shared = #gpu.address_space<workgroup>
// 64 KiB that outlive the loop, and two tiles of 32 KiB.
// CHECK-LABEL: llvm.func @follow_each_other
// CHECK-SAME:    mlir_tile.shared_bytes = 98304 : i64
// ROOM-LABEL:  llvm.func @follow_each_other
// ROOM-SAME:     mlir_tile.shared_bytes = 131072 : i64
tile.kernel @follow_each_other(%A: memref<128x128xf32>, %B: memref<128x128xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %kept = tile.alloc : memref<128x128xf32, #shared>
  %s = tile.alloc : memref<64x128xf32, #shared>
  %t = tile.alloc : memref<64x128xf32, #shared>
  tile.copy %A to %kept : memref<128x128xf32> to memref<128x128xf32, #shared>
  scf.for %i = %c0 to %c128 step %c64 {
    tile.copy %A[%i, %c0] to %s : memref<128x128xf32> to memref<64x128xf32, #shared>
    tile.copy %s to %B[%i, %c0] : memref<64x128xf32, #shared> to memref<128x128xf32>
    tile.copy %A[%c0, %c0] to %t : memref<128x128xf32> to memref<64x128xf32, #shared>
    tile.copy %t to %B[%i, %c0] : memref<64x128xf32, #shared> to memref<128x128xf32>
  }
  tile.copy %kept to %B : memref<128x128xf32, #shared> to memref<128x128xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// The iteration reads %t before it writes it: it holds what the last one wrote.
// ROOM-LABEL:  llvm.func @carried
// expected-error@+2 {{expected at most 101376 bytes of shared memory on sm_89, got 131072}}
// expected-note@+1 {{use smaller tiles or fewer stages}}
tile.kernel @carried(%A: memref<128x128xf32>, %B: memref<128x128xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %kept = tile.alloc : memref<128x128xf32, #shared>
  %s = tile.alloc : memref<64x128xf32, #shared>
  %t = tile.alloc : memref<64x128xf32, #shared>
  tile.copy %A to %kept : memref<128x128xf32> to memref<128x128xf32, #shared>
  tile.copy %A[%c0, %c0] to %t : memref<128x128xf32> to memref<64x128xf32, #shared>
  scf.for %i = %c0 to %c128 step %c64 {
    tile.copy %A[%i, %c0] to %s : memref<128x128xf32> to memref<64x128xf32, #shared>
    tile.copy %s to %B[%i, %c0] : memref<64x128xf32, #shared> to memref<128x128xf32>
    tile.copy %t to %B[%i, %c0] : memref<64x128xf32, #shared> to memref<128x128xf32>
    tile.copy %A[%i, %c0] to %t : memref<128x128xf32> to memref<64x128xf32, #shared>
  }
  tile.copy %kept to %B : memref<128x128xf32, #shared> to memref<128x128xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// Not every iteration overwrites %t.
// ROOM-LABEL:  llvm.func @sometimes
// expected-error@+2 {{expected at most 101376 bytes of shared memory on sm_89, got 131072}}
// expected-note@+1 {{use smaller tiles or fewer stages}}
tile.kernel @sometimes(%A: memref<128x128xf32>, %B: memref<128x128xf32>, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %kept = tile.alloc : memref<128x128xf32, #shared>
  %s = tile.alloc : memref<64x128xf32, #shared>
  %t = tile.alloc : memref<64x128xf32, #shared>
  tile.copy %A to %kept : memref<128x128xf32> to memref<128x128xf32, #shared>
  scf.for %i = %c0 to %c128 step %c64 {
    tile.copy %A[%i, %c0] to %s : memref<128x128xf32> to memref<64x128xf32, #shared>
    tile.copy %s to %B[%i, %c0] : memref<64x128xf32, #shared> to memref<128x128xf32>
    %some = arith.cmpi slt, %i, %n : index
    scf.if %some {
      tile.copy %A[%i, %c0] to %t : memref<128x128xf32> to memref<64x128xf32, #shared>
    }
    tile.copy %t to %B[%i, %c0] : memref<64x128xf32, #shared> to memref<128x128xf32>
  }
  tile.copy %kept to %B : memref<128x128xf32, #shared> to memref<128x128xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// What is read behind the loop lives throughout it.
// ROOM-LABEL:  llvm.func @behind
// expected-error@+2 {{expected at most 101376 bytes of shared memory on sm_89, got 131072}}
// expected-note@+1 {{use smaller tiles or fewer stages}}
tile.kernel @behind(%A: memref<128x128xf32>, %B: memref<128x128xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %kept = tile.alloc : memref<128x128xf32, #shared>
  %s = tile.alloc : memref<64x128xf32, #shared>
  %t = tile.alloc : memref<64x128xf32, #shared>
  tile.copy %A to %kept : memref<128x128xf32> to memref<128x128xf32, #shared>
  scf.for %i = %c0 to %c128 step %c64 {
    tile.copy %A[%i, %c0] to %s : memref<128x128xf32> to memref<64x128xf32, #shared>
    tile.copy %s to %B[%i, %c0] : memref<64x128xf32, #shared> to memref<128x128xf32>
    tile.copy %A[%i, %c0] to %t : memref<128x128xf32> to memref<64x128xf32, #shared>
  }
  tile.copy %t to %B[%c0, %c0] : memref<64x128xf32, #shared> to memref<128x128xf32>
  tile.copy %kept to %B : memref<128x128xf32, #shared> to memref<128x128xf32>
}
