// A table that the module holds is read on the CPU; on a GPU an error says what to write instead.
// RUN: tile-run %s --args=Y=8 --check | FileCheck %s --check-prefix=CPU
// CPU: PASS
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_90a -o %t.ptx 2>&1 | FileCheck %s
// CHECK: buffers-tables.mlir:[[#@LINE+5]]:10: error: 'memref.load' op reads the table @tab, which only the CPU can: on a GPU, make it an argument of the kernel, or compute its elements
memref.global "private" constant @tab : memref<8xi32> = dense<[3, 1, 4, 1, 5, 9, 2, 6]>
tile.kernel @k(%Y: memref<8xi32>) grid(%b) = (1) threads(32) {
  %t = memref.get_global @tab : memref<8xi32>
  tile.parallel (%i) in (8) {
    %v = memref.load %t[%i] : memref<8xi32>
    memref.store %v, %Y[%i] : memref<8xi32>
  }
}
