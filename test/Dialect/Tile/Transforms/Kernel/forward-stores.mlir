// RUN: tile-opt --tile-forward-stores %s | FileCheck %s
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @forwarded
tile.kernel @forwarded(%x: memref<64xf32>, %y: memref<64xf32>) grid(%bx) = (1) threads(64) {
  %s = tile.alloc : memref<64xf32, #shared>
  %t = tile.alloc : memref<64xf32, #shared>
  // CHECK: tile.parallel
  tile.parallel (%i) in (64) {
    // CHECK: %[[V:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<64xf32>
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %s[%i] : memref<64xf32, #shared>
    // Another tile does not matter, nor does a branch that writes it.
    %some = arith.cmpf ogt, %v, %v : f32
    scf.if %some {
      memref.store %v, %t[%i] : memref<64xf32, #shared>
    }
    // CHECK: scf.if
    // CHECK: scf.if
    scf.if %some {
      // CHECK-NOT: memref.load
      // CHECK: memref.store %[[V]], %{{.*}} : memref<64xf32>
      %w = memref.load %s[%i] : memref<64xf32, #shared>
      memref.store %w, %y[%i] : memref<64xf32>
    }
  }
}

// CHECK-LABEL: tile.kernel @not_forwarded
tile.kernel @not_forwarded(%x: memref<64xf32>, %y: memref<64xf32> {tile.may_alias}, %z: memref<64xf32> {tile.may_alias})
    grid(%bx) = (1) threads(64) {
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %s = tile.alloc : memref<64xf32, #shared>
  tile.parallel (%i) in (64) {
    %v = memref.load %x[%i] : memref<64xf32>
    // Another element.
    // CHECK: memref.store
    // CHECK: memref.load %{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %s[%i] : memref<64xf32, #shared>
    %j = arith.subi %c63, %i : index
    %a = memref.load %s[%j] : memref<64xf32, #shared>
    // Memory that may be the same.
    memref.store %a, %y[%i] : memref<64xf32>
    memref.store %v, %z[%i] : memref<64xf32>
    // CHECK: memref.load %{{.*}} : memref<64xf32>
    %b = memref.load %y[%i] : memref<64xf32>
    memref.store %b, %x[%i] : memref<64xf32>
    // A loop may wait for another thread's store.
    // CHECK: scf.for
    scf.for %k = %c1 to %c63 step %c1 {
      // CHECK: memref.load
      %c = memref.load %x[%i] : memref<64xf32>
      memref.store %c, %s[%k] : memref<64xf32, #shared>
    }
    // An atomic may wait for another thread's.
    memref.store %v, %x[%i] : memref<64xf32>
    %old = memref.atomic_rmw addf %v, %z[%i] : (f32, memref<64xf32>) -> f32
    // CHECK: memref.atomic_rmw
    // CHECK: memref.load
    %d = memref.load %x[%i] : memref<64xf32>
    memref.store %d, %z[%i] : memref<64xf32>
  }
}
