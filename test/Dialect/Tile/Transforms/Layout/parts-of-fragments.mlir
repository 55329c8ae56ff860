// Accesses of fragments at constant offsets: threads that hold the elements take them from their registers; where they do not, the accesses go
// through shared memory.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-infer-layouts | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-infer-layouts=remarks=true 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
#shared = #gpu.address_space<workgroup>

// Halves of a product's columns.
// CHECK-LABEL: tile.kernel @halves
// CHECK-NOT:     memref<64x128xf32, #gpu.address_space
// CHECK:         tile.copy %{{.*}} sizes [64, 64] to %{{.*}} : memref<64x128xf32, #tile.fragment> to memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK:         tile.copy %{{.*}} sizes [64, 64] to %{{.*}} : memref<64x128xf32, #tile.fragment> to memref<64x64xf16, #gpu.address_space<workgroup>>
// REMARK-NOT: through shared memory
tile.kernel @halves(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x128xf16> {tile.alignment = 16}, %C: memref<64x64xf16> {tile.alignment = 16}, %D: memref<64x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %Cs = tile.alloc : memref<64x64xf16, #shared>
  %Ds = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x128xf32, #tile.fragment>, f32
  tile.copy %A to %As : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
  tile.copy %acc[%c0, %c0] sizes [64, 64] to %Cs : memref<64x128xf32, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %acc[%c0, %c64] sizes [64, 64] to %Ds : memref<64x128xf32, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %Cs to %C : memref<64x64xf16, #shared> to memref<64x64xf16>
  tile.copy %Ds to %D : memref<64x64xf16, #shared> to memref<64x64xf16>
}

// -----

// Columns from the fourth on are held by other lanes than the first ones: lanes of a quad have two each.
// CHECK-LABEL: tile.kernel @quarter
// CHECK:         tile.alloc {{.*}} : memref<64x8xf32, #gpu.address_space<workgroup>>
// REMARK: remark: accesses a fragment through shared memory
#shared = #gpu.address_space<workgroup>
tile.kernel @quarter(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x8xf16> {tile.alignment = 16}, %C: memref<64x4xf32>) grid(%b) = (1) threads(128) {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x8xf16, #shared>
  %acc = tile.alloc : memref<64x8xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x8xf32, #tile.fragment>, f32
  tile.copy %A to %As : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x8xf16> to memref<64x8xf16, #shared>
  tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x8xf16, #shared>, memref<64x8xf32, #tile.fragment>
  tile.parallel (%i, %j) in (64, 4) {
    %k = arith.addi %j, %c4 : index
    %x = memref.load %acc[%i, %k] : memref<64x8xf32, #tile.fragment>
    memref.store %x, %C[%i, %j] : memref<64x4xf32>
  }
}

// -----

// A loop over the rows that a thread has in registers is written out.
// CHECK-LABEL: tile.kernel @rows
// CHECK-NOT:     scf.for
// CHECK-COUNT-4: memref.load %{{.*}} : memref<4x256xf32, #tile.fragment>
// CHECK-NOT:     memref<4x256xf32, #gpu.address_space
// REMARK: remark: written out: its index says which registers of a fragment are accessed
tile.kernel @rows(%A: memref<4x256xf32> {tile.alignment = 16}, %C: memref<256xf32> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<4x256xf32, #tile.fragment>
  %sum = tile.alloc : memref<256xf32, #tile.fragment>
  tile.copy %A to %x : memref<4x256xf32> to memref<4x256xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<256xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c4 step %c1 {
    tile.parallel (%j) in (256) {
      %a = memref.load %x[%k, %j] : memref<4x256xf32, #tile.fragment>
      %s = memref.load %sum[%j] : memref<256xf32, #tile.fragment>
      %t = arith.addf %s, %a : f32
      memref.store %t, %sum[%j] : memref<256xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %C : memref<256xf32, #tile.fragment> to memref<256xf32>
}

// -----

// Writes at an offset, and reads behind a condition that keeps iterations beyond the fragment from it.
// CHECK-LABEL: tile.kernel @conditional
// CHECK-NOT:     memref<32x64xf32, #gpu.address_space
#shared = #gpu.address_space<workgroup>
tile.kernel @conditional(%A: memref<32x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %C: memref<16x64xf32>, %D: memref<32x64xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<32x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<32x64xf32, #tile.fragment>, f32
  tile.copy %A to %As : memref<32x64xf16> to memref<32x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.gemm %As, %Bs, %acc : memref<32x64xf16, #shared>, memref<64x64xf16, #shared>, memref<32x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 64) {
    %inside = arith.cmpi slt, %i, %c16 : index
    scf.if %inside {
      %k = arith.addi %i, %c16 : index
      %x = memref.load %acc[%k, %j] : memref<32x64xf32, #tile.fragment>
      memref.store %x, %C[%i, %j] : memref<16x64xf32>
      memref.store %zero, %acc[%k, %j] : memref<32x64xf32, #tile.fragment>
    }
  }
  tile.fill %acc[%c16, %c0] sizes [16, 64] with %zero : memref<32x64xf32, #tile.fragment>, f32
  tile.copy %acc to %D : memref<32x64xf32, #tile.fragment> to memref<32x64xf32>
}

// -----

// Rows that threads have for themselves, by the index of a loop of one iteration: written out, in two loops that share the rows. What moves
// between memory and values has loops of its own, in front and behind, where neighbours become vectors.
// CHECK-LABEL: tile.kernel @rows_of_threads
// CHECK-NOT:     memref<128x4xf32, #gpu.address_space
// CHECK:         tile.parallel
// CHECK:           scf.for %[[K:.*]] =
// CHECK:             %[[V:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<512xf32>
// CHECK:             memref.store %[[V]], %{{.*}}[%[[K]]] : memref<4xf32, #tile.local>
// CHECK:           }
// CHECK-COUNT-4:   memref.store %{{.*}} : memref<128x4xf32, #tile.fragment>
// CHECK:         tile.parallel
// CHECK-COUNT-4:   memref.load %{{.*}} : memref<128x4xf32, #tile.fragment>
// CHECK:           scf.for %[[L:.*]] =
// CHECK:             %[[W:.*]] = memref.load %{{.*}}[%[[L]]] : memref<4xf32, #tile.local>
// CHECK:             memref.store %[[W]], %{{.*}}[%{{.*}}] : memref<512xf32>
tile.kernel @rows_of_threads(%A: memref<512xf32> {tile.alignment = 16}, %C: memref<512xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = tile.alloc : memref<128x4xf32, #tile.fragment>
  tile.parallel (%i) in (128) {
    %first = arith.muli %i, %c4 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %at = arith.addi %first, %k : index
      %v = memref.load %A[%at] : memref<512xf32>
      memref.store %v, %x[%i, %k] : memref<128x4xf32, #tile.fragment>
    }
  }
  tile.parallel (%i) in (128) {
    %first = arith.muli %i, %c4 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %at = arith.addi %first, %k : index
      %v = memref.load %x[%i, %k] : memref<128x4xf32, #tile.fragment>
      %w = arith.addf %v, %v : f32
      memref.store %w, %C[%at] : memref<512xf32>
    }
  }
}
