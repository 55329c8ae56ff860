// Indices that are constants inside of their buffers are not checked; what many checks say is one message.
// RUN: tile-opt %s --tile-to-cpu="check-accesses" | FileCheck %s
// RUN: tile-opt %s --tile-to-cpu="check-accesses" | grep -c "llvm.mlir.global" | FileCheck %s --check-prefix=MESSAGES
// RUN: not tile-run %s --args=X=8:zeros,n=8,Y=8 --check 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tile-run %s --args=X=8:zeros,n=7,Y=8 --check | FileCheck %s --check-prefix=RIGHT
// MESSAGES: 1
// OUTSIDE: expected indices inside the buffer of 8xf32 at {{.*}}check-accesses.mlir:24:10
// RIGHT: PASS
// CHECK: llvm.mlir.global internal constant @tile.message.[[HASH:[0-9A-F]+]]("expected indices inside the buffer of 8xf32
// CHECK: llvm.func @k
// CHECK: llvm.mlir.addressof @tile.message.[[HASH]]
// CHECK-COUNT-2: llvm.call @tile_cpu_assert_failed
// CHECK-NOT: llvm.call @tile_cpu_assert_failed
#at = loc("check-accesses.mlir":24:10)
tile.kernel @k(%X: memref<8xf32>, %Y: memref<8xf32>, %n: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  tile.parallel (%i) in (1) {
    %x = memref.load %X[%c0] : memref<8xf32>
    %y = memref.load %X[%c7] : memref<8xf32>
    %s = arith.addf %x, %y : f32
    memref.store %s, %Y[%c7] : memref<8xf32>
    // Two checks at one place.
    %z = memref.load %X[%n] : memref<8xf32> loc(#at)
    memref.store %z, %Y[%n] : memref<8xf32> loc(#at)
  }
}
