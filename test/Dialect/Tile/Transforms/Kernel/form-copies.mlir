// Loops that load from global memory and store to shared memory, or the other way round, are copies of regions.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-form-copies=remarks -verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
// A region of a tensor, at an offset computed in the loop; then the way back.
// CHECK-LABEL: tile.kernel @both_ways
// CHECK: %[[ROW:.*]] = arith.muli %bx, %{{.*}} : index
// CHECK: tile.copy %A[%[[ROW]], %{{.*}}] sizes [128, 32] to %[[TILE:[0-9]+]] {coalesced_width = 4 : i64} : memref<1024x64xf16>
// CHECK: tile.copy %[[TILE]] to %C[%c1{{.*}}, %{{.*}}, %{{.*}}] sizes [1, 128, 32]
// CHECK-NOT: tile.parallel
tile.kernel @both_ways(%A: memref<1024x64xf16>, %C: memref<2x1024x64xf16>) grid(%bx) = (8) threads(128) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %s = tile.alloc : memref<128x32xf16, #shared>
  // expected-remark @below {{the loop is a copy of a region}}
  tile.parallel (%i, %k) in (128, 32) attributes {coalesced_width = 4 : i64} {
    %row = arith.muli %bx, %c128 : index
    %m = arith.addi %row, %i : index
    %n = arith.addi %k, %c32 : index
    %a = memref.load %A[%m, %n] : memref<1024x64xf16>
    memref.store %a, %s[%i, %k] : memref<128x32xf16, #shared>
  }
  // expected-remark @below {{the loop is a copy of a region}}
  tile.parallel (%i, %k) in (128, 32) {
    %row = arith.muli %bx, %c128 : index
    %m = arith.addi %row, %i : index
    %a = memref.load %s[%i, %k] : memref<128x32xf16, #shared>
    memref.store %a, %C[%c1, %m, %k] : memref<2x1024x64xf16>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// Dimensions of extent one count nowhere.
// CHECK-LABEL: tile.kernel @one_row
// CHECK: tile.copy %A[%bx, %{{.*}}] sizes [1, 64] to %{{[0-9]+}} :
tile.kernel @one_row(%A: memref<8x64xf32>) grid(%bx) = (8) threads(32) {
  %s = tile.alloc : memref<1x64xf32, #shared>
  // expected-remark @below {{the loop is a copy of a region}}
  tile.parallel (%one, %k) in (1, 64) {
    %a = memref.load %A[%bx, %k] : memref<8x64xf32>
    memref.store %a, %s[%one, %k] : memref<1x64xf32, #shared>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// A transposition, a stride, a table of columns and a diagonal are no regions.
// CHECK-LABEL: tile.kernel @others
// CHECK-COUNT-4: tile.parallel
// CHECK-NOT: tile.copy
tile.kernel @others(%A: memref<128x128xf32>, %columns: memref<64xi32>) grid(%bx) = (1) threads(32) {
  %c2 = arith.constant 2 : index
  %s = tile.alloc : memref<64x64xf32, #shared>
  // expected-remark @below {{stays a loop: indices of a copy run along dimensions of both buffers, one each, in one order}}
  tile.parallel (%i, %j) in (64, 64) {
    %a = memref.load %A[%j, %i] : memref<128x128xf32>
    memref.store %a, %s[%i, %j] : memref<64x64xf32, #shared>
  }
  // expected-remark @below {{stays a loop}}
  tile.parallel (%i, %j) in (64, 64) {
    %n = arith.muli %j, %c2 : index
    %a = memref.load %A[%i, %n] : memref<128x128xf32>
    memref.store %a, %s[%i, %j] : memref<64x64xf32, #shared>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %column = memref.load %columns[%j] : memref<64xi32>
    %n = arith.index_cast %column : i32 to index
    %a = memref.load %A[%i, %n] : memref<128x128xf32>
    memref.store %a, %s[%i, %j] : memref<64x64xf32, #shared>
  }
  // expected-remark @below {{stays a loop}}
  tile.parallel (%i) in (64) {
    %a = memref.load %A[%i, %i] : memref<128x128xf32>
    memref.store %a, %s[%bx, %i] : memref<64x64xf32, #shared>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// Arithmetic is no copy, and a stated layout says which thread moves what.
// CHECK-LABEL: tile.kernel @not_copies
// CHECK-COUNT-3: tile.parallel
// CHECK-NOT: tile.copy
tile.kernel @not_copies(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<64xf32, #shared>
  tile.parallel (%i) in (64) {
    %a = memref.load %A[%i] : memref<64xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %s[%i] : memref<64xf32, #shared>
  }
  tile.parallel (%i) in (64) layout(#tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>) {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %s[%i] : memref<64xf32, #shared>
  }
  // Global to global memory: registers are the way.
  tile.parallel (%i) in (64) {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %B[%i] : memref<64xf32>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// What a loop adds to global memory, element by element, is an atomic of a region; from a fragment, and from a shared tile.
// CHECK-LABEL: tile.kernel @sums
// CHECK: %[[ROW:.*]] = arith.muli %bx, %{{.*}} : index
// CHECK: tile.atomic add %[[FRAGMENT:[0-9]+]] to %C[%{{.*}}, %[[ROW]], %{{.*}}] sizes [1, 64, 32] : memref<64x32xf32, #tile.fragment>
// CHECK: tile.atomic add %{{.*}} to %C{{.*}} : memref<64x32xf32, #gpu.address_space<workgroup>>
// CHECK: tile.atomic max %{{.*}} to %D{{.*}} {is_unsigned}
// CHECK-NOT: tile.parallel
tile.kernel @sums(%C: memref<2x1024x32xf32>, %D: memref<64xi32>) grid(%bx) = (8) threads(128) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = tile.alloc : memref<64x32xf32, #tile.fragment>
  %s = tile.alloc : memref<64x32xf32, #shared>
  %u = tile.alloc : memref<64xi32, #tile.fragment>
  // expected-remark @below {{the loop is an atomic of a region}}
  tile.parallel (%i, %k) in (64, 32) {
    %row = arith.muli %bx, %c64 : index
    %m = arith.addi %row, %i : index
    %x = memref.load %f[%i, %k] : memref<64x32xf32, #tile.fragment>
    memref.atomic_rmw addf %x, %C[%c1, %m, %k] : (f32, memref<2x1024x32xf32>) -> f32
  }
  // expected-remark @below {{the loop is an atomic of a region}}
  tile.parallel (%i, %k) in (64, 32) {
    %x = memref.load %s[%i, %k] : memref<64x32xf32, #shared>
    memref.atomic_rmw addf %x, %C[%c1, %i, %k] : (f32, memref<2x1024x32xf32>) -> f32
  }
  // expected-remark @below {{the loop is an atomic of a region}}
  tile.parallel (%i) in (64) {
    %x = memref.load %u[%i] : memref<64xi32, #tile.fragment>
    memref.atomic_rmw maxu %x, %D[%i] : (i32, memref<64xi32>) -> i32
  }
}

// -----

// A maximum of floating point has arith's rules for NaN, a width says how elements are spread, sums of 16-bit integers
// are no atomics of the GPU, the indices are transposed: these stay, and the pass says why.
// CHECK-LABEL: tile.kernel @stay
// CHECK-COUNT-6: tile.parallel
// CHECK-NOT: tile.atomic
// CHECK: tile.return
tile.kernel @stay(%C: memref<64xf32>, %D: memref<64xf32>, %E: memref<64xi16>, %F: memref<64x64xf32>) grid(%bx) = (8) threads(64) {
  %f = tile.alloc : memref<64xf32, #tile.fragment>
  %h = tile.alloc : memref<64xi16, #tile.fragment>
  %t = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{stays a loop: `tile.atomic` has no 'maxnumf'}}
  tile.parallel (%i) in (64) {
    %x = memref.load %f[%i] : memref<64xf32, #tile.fragment>
    memref.atomic_rmw maxnumf %x, %C[%i] : (f32, memref<64xf32>) -> f32
  }
  // Two accesses of global memory are no region: nothing is said.
  tile.parallel (%i) in (64) {
    %x = memref.load %f[%i] : memref<64xf32, #tile.fragment>
    %old = memref.atomic_rmw addf %x, %C[%i] : (f32, memref<64xf32>) -> f32
    memref.store %old, %D[%i] : memref<64xf32>
  }
  // expected-remark @below {{stays a loop: the value from before the update is used, which `tile.atomic` does not give}}
  tile.parallel (%i) in (64) {
    %x = memref.load %f[%i] : memref<64xf32, #tile.fragment>
    %old = memref.atomic_rmw addf %x, %C[%i] : (f32, memref<64xf32>) -> f32
    %twice = arith.addf %old, %old : f32
  }
  // expected-remark @below {{stays a loop: it states how many elements a thread takes at a time, which `tile.atomic` cannot say}}
  tile.parallel (%i) in (64) attributes {coalesced_width = 2 : i64} {
    %x = memref.load %f[%i] : memref<64xf32, #tile.fragment>
    memref.atomic_rmw addf %x, %C[%i] : (f32, memref<64xf32>) -> f32
  }
  // expected-remark @below {{stays a loop: `tile.atomic add` has no elements of type i16}}
  tile.parallel (%i) in (64) {
    %x = memref.load %h[%i] : memref<64xi16, #tile.fragment>
    memref.atomic_rmw addi %x, %E[%i] : (i16, memref<64xi16>) -> i16
  }
  // expected-remark @below {{stays a loop: indices of an atomic run along dimensions of both buffers, one each, in one order}}
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %t[%i, %j] : memref<64x64xf32, #tile.fragment>
    memref.atomic_rmw addf %x, %F[%j, %i] : (f32, memref<64x64xf32>) -> f32
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// A whole tile whose dimension of one element is the last: the other side's extents do not tell its own.
// CHECK-LABEL: tile.kernel @last_of_one
// CHECK: tile.copy %{{[0-9]+}}[%{{.*}}, %{{.*}}] sizes [4, 1] to %Y[%bx, %{{.*}}, %{{.*}}] sizes [1, 1, 4] :
// CHECK: tile.copy %{{[0-9]+}}[%{{.*}}, %{{.*}}] sizes [4, 1] to %Z[%{{.*}}] sizes [4] :
tile.kernel @last_of_one(%Y: memref<8x6x4xi32>, %Z: memref<4xi32>) grid(%bx) = (8) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<4x1xi32, #shared>
  // expected-remark @below {{the loop is a copy of a region}}
  tile.parallel (%k) in (4) {
    %v = memref.load %s[%k, %c0] : memref<4x1xi32, #shared>
    memref.store %v, %Y[%bx, %c1, %k] : memref<8x6x4xi32>
  }
  // expected-remark @below {{the loop is a copy of a region}}
  tile.parallel (%k) in (4) {
    %v = memref.load %s[%k, %c0] : memref<4x1xi32, #shared>
    memref.store %v, %Z[%k] : memref<4xi32>
  }
}
