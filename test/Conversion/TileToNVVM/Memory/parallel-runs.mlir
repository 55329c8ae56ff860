// Loops of a thread inside a parallel loop: few iterations that load are written out, operation by operation where none touches
// what another writes, so that neighbours become one access; else one after the other.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a --split-input-file | FileCheck %s
// RUN: rm -rf %t && split-file %s %t
// RUN: tile-run %t/pieces.mlir --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/odd.mlir --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/carried.mlir --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %t/long.mlir --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS

//--- pieces.mlir
// Eight neighbours of a row, found by division, through a row of the thread: two loads and two stores of 16 bytes.
// CHECK-LABEL: llvm.func @pieces
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-NOT: {{llvm.(load|store).*!llvm.ptr<1>|llvm.cond_br}}
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NOT: {{llvm.(load|store).*!llvm.ptr<1>|llvm.cond_br}}
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-NOT: {{llvm.(load|store).*!llvm.ptr<1>|llvm.cond_br}}
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NOT: {{llvm.(load|store).*!llvm.ptr<1>|llvm.cond_br}}
// CHECK: llvm.return
tile.kernel @pieces(%A: memref<32x64xbf16> {tile.alignment = 16}, %B: memref<32x64xbf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %row = tile.alloc : memref<128x8xbf16, #tile.fragment>
  tile.parallel (%i) in (128) {
    scf.for %k = %c0 to %c2 step %c1 {
      %far = arith.muli %k, %c1024 : index
      %near = arith.muli %i, %c8 : index
      %first = arith.addi %far, %near : index
      scf.for %v = %c0 to %c8 step %c1 {
        %e = arith.addi %first, %v : index
        %r = arith.divui %e, %c64 : index
        %c = arith.remui %e, %c64 : index
        %x = memref.load %A[%r, %c] : memref<32x64xbf16>
        memref.store %x, %row[%i, %v] : memref<128x8xbf16, #tile.fragment>
      }
      scf.for %v = %c0 to %c8 step %c1 {
        %x = memref.load %row[%i, %v] : memref<128x8xbf16, #tile.fragment>
        %y = arith.addf %x, %x : bf16
        memref.store %y, %row[%i, %v] : memref<128x8xbf16, #tile.fragment>
      }
      scf.for %v = %c0 to %c8 step %c1 {
        %e = arith.addi %first, %v : index
        %r = arith.divui %e, %c64 : index
        %c = arith.remui %e, %c64 : index
        %x = memref.load %row[%i, %v] : memref<128x8xbf16, #tile.fragment>
        memref.store %x, %B[%r, %c] : memref<32x64xbf16>
      }
    }
  }
}

// -----

//--- odd.mlir
// Rows of 60: a run of eight may cross the end of a row, a run of four does not.
// CHECK-LABEL: llvm.func @odd
// CHECK-NOT: vector<8xf16>
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
// CHECK-NOT: vector<8xf16>
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<1>
// CHECK-NOT: vector<8xf16>
// CHECK: llvm.return
tile.kernel @odd(%A: memref<16x60xf16> {tile.alignment = 16}, %B: memref<16x60xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c60 = arith.constant 60 : index
  tile.parallel (%i) in (120) {
    scf.for %v = %c0 to %c8 step %c1 {
      %near = arith.muli %i, %c8 : index
      %e = arith.addi %near, %v : index
      %r = arith.divui %e, %c60 : index
      %c = arith.remui %e, %c60 : index
      %x = memref.load %A[%r, %c] : memref<16x60xf16>
      memref.store %x, %B[%r, %c] : memref<16x60xf16>
    }
  }
}

// -----

//--- carried.mlir
// What an iteration reads, the one before has written: one after the other.
// CHECK-LABEL: llvm.func @carried
// CHECK-NOT: !llvm.ptr<1> -> vector
// CHECK: llvm.return
tile.kernel @carried(%A: memref<64x9xf32> {tile.alignment = 16}, %B: memref<64x9xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%i) in (64) {
    memref.store %zero, %B[%i, %c0] : memref<64x9xf32>
    scf.for %v = %c1 to %c9 step %c1 {
      %before = arith.subi %v, %c1 : index
      %x = memref.load %A[%i, %v] : memref<64x9xf32>
      %y = memref.load %B[%i, %before] : memref<64x9xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %B[%i, %v] : memref<64x9xf32>
    }
  }
}

// -----

//--- long.mlir
// Many iterations stay a loop.
// CHECK-LABEL: llvm.func @long
// CHECK-COUNT-1: llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: llvm.return
tile.kernel @long(%A: memref<128x64xf32> {tile.alignment = 16}, %B: memref<128x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.parallel (%i) in (128) {
    scf.for %v = %c0 to %c64 step %c1 {
      %x = memref.load %A[%i, %v] : memref<128x64xf32>
      memref.store %x, %B[%i, %v] : memref<128x64xf32>
    }
  }
}
