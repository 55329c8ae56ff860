// Rows of fragments that only their own iteration uses, by indices known at run time, become a thread's local memory.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_80 --tile-privatize-fragments=remarks -verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[A:.*]] = tile.alloc : memref<8xf16, #tile.local>
// CHECK: memref.store %{{.*}}, %[[A]][%[[K:.*]]] : memref<8xf16, #tile.local>
// CHECK: memref.load %[[A]][%{{.*}}] : memref<8xf16, #tile.local>
tile.kernel @rows(%A: memref<1024xf16> {tile.alignment = 16}, %C: memref<128xf16>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-remark @+1 {{each thread keeps the rows of its iterations in local memory}}
  %a = tile.alloc : memref<128x8xf16, #tile.fragment>
  tile.parallel (%i) in (128) {
    %first = arith.muli %i, %c8 : index
    scf.for %k = %c0 to %c8 step %c1 {
      %at = arith.addi %first, %k : index
      %v = memref.load %A[%at] : memref<1024xf16>
      memref.store %v, %a[%i, %k] : memref<128x8xf16, #tile.fragment>
    }
    %x = memref.load %a[%i, %c0] : memref<128x8xf16, #tile.fragment>
    %y = memref.load %a[%i, %c1] : memref<128x8xf16, #tile.fragment>
    %z = arith.addf %x, %y : f16
    memref.store %z, %C[%i] : memref<128xf16>
  }
}

// -----

// Constants within a row: registers of the fragment.
// CHECK-LABEL: tile.kernel @constants
// CHECK: tile.alloc : memref<128x8xf16, #tile.fragment>
tile.kernel @constants(%C: memref<128xf16>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<128x8xf16, #tile.fragment>
  tile.parallel (%i) in (128) {
    memref.store %zero, %a[%i, %c0] : memref<128x8xf16, #tile.fragment>
    %x = memref.load %a[%i, %c0] : memref<128x8xf16, #tile.fragment>
    memref.store %x, %C[%i] : memref<128xf16>
  }
}

// -----

// Two loops hand the rows on.
// CHECK-LABEL: tile.kernel @two
// CHECK: tile.alloc : memref<128x8xf16, #tile.fragment>
tile.kernel @two(%C: memref<128xf16>, %n: index) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<128x8xf16, #tile.fragment>
  tile.parallel (%i) in (128) {
    memref.store %zero, %a[%i, %n] : memref<128x8xf16, #tile.fragment>
  }
  tile.parallel (%i) in (128) {
    %x = memref.load %a[%i, %n] : memref<128x8xf16, #tile.fragment>
    memref.store %x, %C[%i] : memref<128xf16>
  }
}

// -----

// The rows last from one run of the loop to the next.
// CHECK-LABEL: tile.kernel @again
// CHECK: tile.alloc : memref<128x8xf16, #tile.fragment>
tile.kernel @again(%C: memref<128xf16>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<128x8xf16, #tile.fragment>
  scf.for %k = %c0 to %c8 step %c1 {
    tile.parallel (%i) in (128) {
      memref.store %zero, %a[%i, %k] : memref<128x8xf16, #tile.fragment>
      %x = memref.load %a[%i, %n] : memref<128x8xf16, #tile.fragment>
      memref.store %x, %C[%i] : memref<128xf16>
    }
  }
}

// -----

// An iteration reads another's row.
// CHECK-LABEL: tile.kernel @others
// CHECK: tile.alloc : memref<128x8xf16, #tile.fragment>
tile.kernel @others(%C: memref<128xf16>, %n: index) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<128x8xf16, #tile.fragment>
  tile.parallel (%i) in (128) {
    memref.store %zero, %a[%i, %n] : memref<128x8xf16, #tile.fragment>
    %x = memref.load %a[%n, %n] : memref<128x8xf16, #tile.fragment>
    memref.store %x, %C[%i] : memref<128xf16>
  }
}
