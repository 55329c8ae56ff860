// Which loops that index a fragment are written out: short ones of constant bounds, where each thread then holds what it accesses.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts | FileCheck %s

// Rows in registers of the same thread.
// CHECK-LABEL: tile.kernel @short
// CHECK-NOT:     scf.for
// CHECK-COUNT-4: memref.load %{{.*}} : memref<4x256xf32, #tile.fragment>
// CHECK-NOT:     scf.for

// More than 64 rounds stay a loop, and read the fragment in shared memory.
// CHECK-LABEL: tile.kernel @long
// CHECK:         scf.for
// CHECK:         memref.load %{{.*}} : memref<65x64xf32, #gpu.address_space<workgroup>>

// A number of rounds that only the run knows, too.
// CHECK-LABEL: tile.kernel @unknown
// CHECK:         scf.for
// CHECK:         memref.load %{{.*}} : memref<4x256xf32, #gpu.address_space<workgroup>>

tile.kernel @short(%A: memref<4x256xf32> {tile.alignment = 16}, %C: memref<256xf32> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<4x256xf32, #tile.fragment>
  %sum = tile.alloc : memref<256xf32, #tile.fragment>
  tile.copy %A to %x : memref<4x256xf32> to memref<4x256xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<256xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %end step %c1 {
    tile.parallel (%j) in (256) {
      %a = memref.load %x[%k, %j] : memref<4x256xf32, #tile.fragment>
      %s = memref.load %sum[%j] : memref<256xf32, #tile.fragment>
      %t = arith.addf %s, %a : f32
      memref.store %t, %sum[%j] : memref<256xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %C : memref<256xf32, #tile.fragment> to memref<256xf32>
}

tile.kernel @long(%A: memref<65x64xf32> {tile.alignment = 16}, %C: memref<64xf32> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 65 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<65x64xf32, #tile.fragment>
  %sum = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %A to %x : memref<65x64xf32> to memref<65x64xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %end step %c1 {
    tile.parallel (%j) in (64) {
      %a = memref.load %x[%k, %j] : memref<65x64xf32, #tile.fragment>
      %s = memref.load %sum[%j] : memref<64xf32, #tile.fragment>
      %t = arith.addf %s, %a : f32
      memref.store %t, %sum[%j] : memref<64xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %C : memref<64xf32, #tile.fragment> to memref<64xf32>
}

tile.kernel @unknown(%A: memref<4x256xf32> {tile.alignment = 16}, %C: memref<256xf32> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<4x256xf32, #tile.fragment>
  %sum = tile.alloc : memref<256xf32, #tile.fragment>
  tile.copy %A to %x : memref<4x256xf32> to memref<4x256xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<256xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %n step %c1 {
    tile.parallel (%j) in (256) {
      %a = memref.load %x[%k, %j] : memref<4x256xf32, #tile.fragment>
      %s = memref.load %sum[%j] : memref<256xf32, #tile.fragment>
      %t = arith.addf %s, %a : f32
      memref.store %t, %sum[%j] : memref<256xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %C : memref<256xf32, #tile.fragment> to memref<256xf32>
}
