// Atomic updates of one element by many iterations of a loop are combined first.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_80 --tile-combine-updates=remarks -verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[ALL:.*]] = tile.alloc : memref<64x128xf32, #tile.fragment>
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (64, 128) {
// CHECK:   memref.store %{{.*}}, %[[ALL]][%[[I]], %[[J]]]
// CHECK-NOT: atomic_rmw
// CHECK: %[[SUM:.*]] = tile.alloc : memref<64xf32, #tile.fragment>
// CHECK: tile.reduce sum %[[ALL]] to %[[SUM]] dim(1)
// CHECK: tile.parallel (%[[R:.*]]) in (64) {
// CHECK:   %[[AT:.*]] = arith.addi %[[R]], %bx : index
// CHECK:   %[[X:.*]] = memref.load %[[SUM]][%[[R]]]
// CHECK:   memref.atomic_rmw addf %[[X]], %acc[%[[AT]]]
tile.kernel @rows(%A: memref<64x128xf32>, %acc: memref<128xf32>) grid(%bx) = (8) threads(128) {
  // expected-remark @below {{128 updates of one element are combined before one of them is made}}
  tile.parallel (%i, %j) in (64, 128) {
    %x = memref.load %A[%i, %j] : memref<64x128xf32>
    %at = arith.addi %i, %bx : index
    %old = memref.atomic_rmw addf %x, %acc[%at] : (f32, memref<128xf32>) -> f32
  }
}

// -----

// All of a loop into one element, as unsigned numbers; NaN stays NaN in the other.
// CHECK-LABEL: tile.kernel @one
// CHECK: tile.reduce max %{{.*}} to %[[HALF:.*]] dim(1) {is_unsigned} : memref<32x32xi32, #tile.fragment> to memref<32xi32, #tile.fragment>
// CHECK: tile.reduce max %[[HALF]] to %{{.*}} dim(0) {is_unsigned} : memref<32xi32, #tile.fragment> to memref<1xi32, #tile.fragment>
// CHECK: tile.parallel (%{{.*}}) in (1) {
// CHECK: tile.reduce min %{{.*}} to %{{.*}} dim(0) {propagate_nan}
tile.kernel @one(%A: memref<32x32xi32>, %X: memref<64xf32>, %m: memref<1xi32>, %n: memref<1xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  // expected-remark @below {{1024 updates of one element are combined}}
  tile.parallel (%i, %j) in (32, 32) {
    %x = memref.load %A[%i, %j] : memref<32x32xi32>
    %old = memref.atomic_rmw maxu %x, %m[%c0] : (i32, memref<1xi32>) -> i32
  }
  // expected-remark @below {{64 updates of one element are combined}}
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf32>
    %old = memref.atomic_rmw minimumf %x, %n[%c0] : (f32, memref<1xf32>) -> f32
  }
}

// -----

// Elements of their own, old values that are used, sums that round by update, indices from memory, and fragments
// that have no room stay as they are.
// CHECK-LABEL: tile.kernel @others
// CHECK-NOT: tile.reduce
tile.kernel @others(%A: memref<64x64xf32>, %H: memref<64xf16>, %h: memref<1xf16>, %rows: memref<64xi32>,
                    %acc: memref<64x64xf32>, %big: memref<512x512xf32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %A[%i, %j] : memref<64x64xf32>
    %old = memref.atomic_rmw addf %x, %acc[%i, %j] : (f32, memref<64x64xf32>) -> f32
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %A[%i, %j] : memref<64x64xf32>
    %old = memref.atomic_rmw addf %x, %acc[%i, %c0] : (f32, memref<64x64xf32>) -> f32
    memref.store %old, %A[%i, %j] : memref<64x64xf32>
  }
  tile.parallel (%i) in (64) {
    %x = memref.load %H[%i] : memref<64xf16>
    %old = memref.atomic_rmw addf %x, %h[%c0] : (f16, memref<1xf16>) -> f16
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %A[%i, %j] : memref<64x64xf32>
    %row = memref.load %rows[%i] : memref<64xi32>
    %at = arith.index_cast %row : i32 to index
    %old = memref.atomic_rmw addf %x, %acc[%at, %c0] : (f32, memref<64x64xf32>) -> f32
  }
  tile.parallel (%i, %j) in (512, 512) {
    %x = memref.load %big[%i, %j] : memref<512x512xf32>
    // expected-remark @below {{512 updates of one element are not combined first: their values take 8192 registers of a thread}}
    %old = memref.atomic_rmw addf %x, %big[%i, %c0] : (f32, memref<512x512xf32>) -> f32
  }
}

// -----

// Written as a load, a sum and a store, under a condition: iterations that add nothing add zero. The fragment's element is
// each iteration's own behind the reduction.
// CHECK-LABEL: tile.kernel @written
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (64, 128) {
// CHECK:   memref.store %{{.*}}, %[[ALL:.*]][%[[I]], %[[J]]]
// CHECK:   scf.if
// CHECK:     %[[X:.*]] = memref.load %A[%[[I]], %[[J]]]
// CHECK:     %[[N:.*]] = arith.negf %[[X]]
// CHECK:     memref.store %[[N]], %[[ALL]][%[[I]], %[[J]]]
// CHECK: tile.reduce sum %[[ALL]] to %[[SUM:.*]] dim(1)
// CHECK: tile.parallel (%[[R:.*]]) in (64) {
// CHECK:   %[[NEW:.*]] = memref.load %[[SUM]][%[[R]]]
// CHECK:   %[[OLD:.*]] = memref.load %[[ACC:.*]][%[[R]]]
// CHECK:   %[[BOTH:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK:   memref.store %[[BOTH]], %[[ACC]][%[[R]]]
tile.kernel @written(%A: memref<64x128xf32>, %n: index) grid(%bx) = (8) threads(128) {
  %acc = tile.alloc : memref<64xf32, #tile.fragment>
  // expected-remark @below {{128 updates of one element are combined before one of them is made}}
  tile.parallel (%i, %j) in (64, 128) {
    %c = arith.cmpi slt, %j, %n : index
    scf.if %c {
      %x = memref.load %A[%i, %j] : memref<64x128xf32>
      %old = memref.load %acc[%i] : memref<64xf32, #tile.fragment>
      %new = arith.subf %old, %x : f32
      memref.store %new, %acc[%i] : memref<64xf32, #tile.fragment>
    }
  }
}
