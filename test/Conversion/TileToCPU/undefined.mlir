// What shows that a result is right by chance: new tiles are overwritten, loops
// over elements run from last to first.
// RUN: tile-opt %s --convert-tile-to-cpu | FileCheck %s --check-prefix=PLAIN
// RUN: tile-opt %s --convert-tile-to-cpu="poison backwards" | FileCheck %s
// RUN: tile-opt %s --convert-tile-to-cpu="poison poison-pattern=1" | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %s --convert-tile-to-cpu="poison poison-pattern=2" | FileCheck %s --check-prefix=TWO

// PLAIN-NOT: tile_cpu_poison
// PLAIN-NOT: arith.subi

// CHECK-LABEL: func.func @kernel.cpu
// CHECK:         %[[TILE:.*]] = memref.alloc() {{.*}} : memref<4x8xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// An alloc is a new tile each time that it is reached.
// CHECK:             %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[TILE]]
// CHECK-DAG:         %[[BYTES:.*]] = arith.constant 128 : index
// CHECK-DAG:         %[[NAN:.*]] = arith.constant 255 : index
// CHECK:             call @tile_cpu_poison(%{{.*}}, %[[ADDRESS]], %[[BYTES]], %[[NAN]])
// CHECK:             scf.for %[[I:.*]] =
// CHECK:               %[[LASTI:.*]] = arith.constant 3 : index
// CHECK:               %[[BACKI:.*]] = arith.subi %[[LASTI]], %[[I]] : index
// CHECK:               scf.for %[[J:.*]] =
// CHECK:                 %[[LASTJ:.*]] = arith.constant 7 : index
// CHECK:                 %[[BACKJ:.*]] = arith.subi %[[LASTJ]], %[[J]] : index
// CHECK:                 memref.store %{{.*}}, %[[TILE]][%[[BACKI]], %[[BACKJ]]]
// An i1 has one bit to be overwritten.
// CHECK:             arith.constant 1 : index
// CHECK:             call @tile_cpu_poison

// ONE: arith.constant 66 : index
// ONE: call @tile_cpu_poison
// ONE: arith.constant 32 : index
// ONE-NEXT: arith.constant 0 : index
// ONE-NEXT: call @tile_cpu_poison
// TWO: arith.constant 193 : index
// TWO: call @tile_cpu_poison
// TWO: arith.constant 32 : index
// TWO-NEXT: arith.constant 1 : index
// TWO-NEXT: call @tile_cpu_poison
tile.kernel @kernel(%x: f32) grid(%b) = (4) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %k = %c0 to %c2 step %c1 {
    %t = tile.alloc : memref<4x8xf32, #tile.fragment>
    tile.parallel (%i, %j) in (4, 8) {
      memref.store %x, %t[%i, %j] : memref<4x8xf32, #tile.fragment>
    }
    %flags = tile.alloc : memref<32xi1, #tile.fragment>
  }
}
