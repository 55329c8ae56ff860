// Scheduled IR: a ring of three stages filled one use ahead. The copy that a use
// refers to is use mod stages, so any trip count works; the reference executes the
// same ring in f64.
// RUN: tile-run %s --args=A=70:normal,C=70 --check | FileCheck %s
// RUN: tile-run %s --args=A=1:normal,C=1 --check | FileCheck %s
// RUN: tile-run %s --args=A=0,C=0 --check | FileCheck %s
// RUN: tile-run %s --args=A=16:iota,C=16 --check | FileCheck %s --check-prefix=EXACT
// CHECK: check C: {{max error|0 elements equal}}
// CHECK: PASS
// EXACT: check C: 16 elements equal
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<3 x [memref<8xf16, #shared>, memref<8xf32, #shared>], cp_async -> threads>
tile.kernel @scale(%A: memref<?xf16>, %C: memref<?xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf16>
  %uses = arith.ceildivsi %n, %c8 : index
  %ring = tile.ring.create : !ring
  %first, %fill = tile.ring.acquire %ring[%c0] : !ring
  tile.copy %A[%c0] to %first : memref<?xf16> to memref<8xf16, #shared>
  tile.fill %fill with %two : memref<8xf32, #shared>, f32
  tile.ring.commit %ring[%c0] : !ring
  scf.for %use = %c0 to %uses step %c1 {
    %next = arith.addi %use, %c1 : index
    %more = arith.cmpi slt, %next, %uses : index
    scf.if %more {
      %p, %q = tile.ring.acquire %ring[%next] : !ring
      %at = arith.muli %next, %c8 : index
      tile.copy %A[%at] to %p : memref<?xf16> to memref<8xf16, #shared>
      tile.fill %q with %two : memref<8xf32, #shared>, f32
    }
    tile.ring.commit %ring[%next] : !ring
    %x, %y = tile.ring.wait %ring[%use] {in_flight = 1 : i64} : !ring
    %z = tile.alloc : memref<8xf32, #shared>
    tile.parallel (%i) in (8) {
      %a = memref.load %x[%i] : memref<8xf16, #shared>
      %s = memref.load %y[%i] : memref<8xf32, #shared>
      %w = arith.extf %a : f16 to f32
      %r = arith.mulf %w, %s : f32
      memref.store %r, %z[%i] : memref<8xf32, #shared>
    }
    tile.ring.release %ring[%use] : !ring
    %to = arith.muli %use, %c8 : index
    tile.copy %z to %C[%to] : memref<8xf32, #shared> to memref<?xf32>
  }
}
