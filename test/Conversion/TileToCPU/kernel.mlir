// RUN: tile-opt %s --convert-tile-to-cpu | FileCheck %s
// RUN: tile-opt %s --convert-tile-to-cpu=widen | FileCheck %s --check-prefix=WIDE
// RUN: tile-opt %s --tile-to-cpu | FileCheck %s --check-prefix=LLVM
#shared = #gpu.address_space<workgroup>

// The blocks of a two-dimensional grid, the first dimension fastest; negative
// extents run nothing; tiles are allocated once, before the loop over blocks.
// CHECK-LABEL: func.func @zero.cpu(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[S:.*]]: f16, %[[W:[^:]*]]: index, %[[WS:[^:]*]]: index, %{{[^:]*}}: index)
// CHECK:         %[[T:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK:         %[[GX:.*]] = arith.maxsi
// CHECK:         %[[GY:.*]] = arith.maxsi
// CHECK:         %[[BLOCKS:.*]] = arith.muli %[[GX]], %[[GY]]
// CHECK:         scf.for %[[B:.*]] = %[[W]] to %[[BLOCKS]] step %[[WS]] {
// CHECK:           arith.remui %[[B]], %[[GX]]
// CHECK:           arith.divui %[[B]], %[[GX]]
// CHECK-NOT:       memref.alloc
// CHECK:         memref.dealloc %[[T]]
// CHECK-NOT:     tile.
// CHECK-NOT:     #gpu
// WIDE-LABEL:  func.func @zero.cpu(
// WIDE-SAME:     memref<?x?xf64>, %{{[^:]*}}: f64
// WIDE-NOT:      f32
// WIDE-NOT:      arith.extf
// LLVM:        llvm.func @zero.cpu
// LLVM-NOT:    builtin.unrealized_conversion_cast
tile.kernel @zero(%A: memref<?x?xf32>, %s: f16)
    grid(%bx, %by) = (dim(%A, 1) ceildiv 8, dim(%A, 0) ceildiv 4) threads(32) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %m = arith.muli %by, %c4 : index
  %n = arith.muli %bx, %c8 : index
  %x = arith.extf %s : f16 to f32
  %t = tile.alloc : memref<4x8xf32, #shared>
  tile.fill %t with %x : memref<4x8xf32, #shared>, f32
  tile.copy %t to %A[%m, %n] : memref<4x8xf32, #shared> to memref<?x?xf32>
}

// A kernel may be called what a library function is called.
// CHECK-LABEL: func.func @free.cpu
// LLVM:        llvm.func @free.cpu
tile.kernel @free() grid(%b) = (1) threads(32) {
}
