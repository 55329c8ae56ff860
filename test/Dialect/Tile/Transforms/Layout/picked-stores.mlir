// A store under a condition to an element that several iterations name: threads that hold the element get what another
// thread's iteration writes.
// RUN: tile-opt %s --tile-to-layouts=arch=sm_80 | FileCheck %s

// The threads of a row hold its element and have parts of it each: the element goes through shared memory.
// CHECK-LABEL: tile.kernel @through_shared
// CHECK: tile.parallel
// CHECK:   memref.store %{{.*}}, %[[TWIN:.*]][%{{.*}}] : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK: tile.copy %[[TWIN]] to
tile.kernel @through_shared(%A: memref<64x64xf32>, %O: memref<64xf32>, %n: index) grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<64x64xf32, #tile.fragment>
  %one = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %A to %x : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  tile.fill %one with %zero : memref<64xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (64, 64) {
    %c = arith.cmpi eq, %j, %n : index
    scf.if %c {
      %v = memref.load %x[%i, %j] : memref<64x64xf32, #tile.fragment>
      memref.store %v, %one[%i] : memref<64xf32, #tile.fragment>
    }
  }
  tile.copy %one to %O : memref<64xf32, #tile.fragment> to memref<64xf32>
}

// One thread has a row, as the loop's layout says: it stays in registers.
// CHECK-LABEL: tile.kernel @in_registers
// CHECK-NOT: #gpu.address_space<workgroup>
tile.kernel @in_registers(%A: memref<128x4xf32>, %O: memref<128xf32>, %n: index) grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %one = tile.alloc : memref<128xf32, #tile.fragment>
  tile.fill %one with %zero : memref<128xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (128, 4) layout(#tile.fragment_layout<shape [128, 4] reg [(4, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>) {
    %c = arith.cmpi eq, %j, %n : index
    scf.if %c {
      %v = memref.load %A[%i, %j] : memref<128x4xf32>
      memref.store %v, %one[%i] : memref<128xf32, #tile.fragment>
    }
  }
  tile.copy %one to %O : memref<128xf32, #tile.fragment> to memref<128xf32>
}

// Under a condition, in another layout than the loop's: elements that no iteration writes come along.
// CHECK-LABEL: tile.kernel @converted
// CHECK: tile.convert_layout %[[F:.*]] to %[[T:.*]] :
// CHECK: tile.parallel
// CHECK:   memref.store %{{.*}}, %[[T]][
// CHECK: tile.convert_layout %[[T]] to %[[F]] :
tile.kernel @converted(%A: memref<128x4xf32>, %O: memref<128x4xf32>, %n: index) grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %f = tile.alloc layout(#tile.fragment_layout<shape [128, 4] reg [(4, 0:32)] lane [(4, 1:1), (8, 0:1)] warp [(4, 0:8)]>) : memref<128x4xf32, #tile.fragment>
  tile.fill %f with %zero : memref<128x4xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (128, 4) layout(#tile.fragment_layout<shape [128, 4] reg [(4, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>) {
    %c = arith.cmpi eq, %j, %n : index
    scf.if %c {
      %v = memref.load %A[%i, %j] : memref<128x4xf32>
      memref.store %v, %f[%i, %j] : memref<128x4xf32, #tile.fragment>
    }
  }
  tile.copy %f to %O : memref<128x4xf32, #tile.fragment> to memref<128x4xf32>
}
