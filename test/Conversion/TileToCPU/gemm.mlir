// RUN: tile-opt %s --convert-tile-to-cpu --canonicalize --split-input-file | FileCheck %s
#shared = #gpu.address_space<workgroup>

// f32 operands are rounded to tf32, ties away from zero: add half of the last kept
// bit, cut the rest. k increases in the innermost loop; each step is one fma.
// CHECK-LABEL: func.func @tf32.cpu
// CHECK-DAG:   %[[HALF:.*]] = arith.constant 4096 : i32
// CHECK-DAG:   %[[MASK:.*]] = arith.constant -8192 : i32
// CHECK:       arith.addi %{{.*}}, %[[HALF]]
// CHECK:       arith.andi %{{.*}}, %[[MASK]]
// CHECK:       %[[R:.*]]:4 = scf.for %[[K:.*]] = %{{.*}} to %c16 step %c1 iter_args
// CHECK:         %[[ROW:.*]] = vector.load %{{.*}}[%[[K]], %{{.*}}] : memref<16x32xf32>, vector<16xf32>
// CHECK:         %[[X:.*]] = memref.load %{{.*}}[%{{.*}}, %[[K]]] : memref<8x16xf32>
// CHECK:         %[[B:.*]] = vector.broadcast %[[X]]
// CHECK:         vector.fma %[[B]], %[[ROW]], %{{.*}} : vector<16xf32>
// CHECK:       vector.store %[[R]]#0
tile.kernel @tf32() grid(%b) = (1) threads(32) {
  %a = tile.alloc : memref<8x16xf32, #shared>
  %x = tile.alloc : memref<16x32xf32, #shared>
  %c = tile.alloc : memref<8x32xf32, #tile.fragment>
  tile.gemm %a, %x, %c : memref<8x16xf32, #shared>, memref<16x32xf32, #shared>, memref<8x32xf32, #tile.fragment>
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: func.func @ieee.cpu
// CHECK-NOT:   arith.bitcast
// CHECK:       vector.fma
tile.kernel @ieee() grid(%b) = (1) threads(32) {
  %a = tile.alloc : memref<8x16xf32, #shared>
  %x = tile.alloc : memref<16x32xf32, #shared>
  %c = tile.alloc : memref<8x32xf32, #tile.fragment>
  tile.gemm %a, %x, %c {precision = #tile.precision<ieee>} : memref<8x16xf32, #shared>, memref<16x32xf32, #shared>, memref<8x32xf32, #tile.fragment>
}

// -----
#shared = #gpu.address_space<workgroup>

// An f16 accumulator is summed in f32 and rounded every 16 steps. Under `clear`
// C is not read.
// CHECK-LABEL: func.func @half.cpu
// CHECK:       arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NOT:   vector.load %{{.*}} : memref<8x32xf16>
// CHECK:       :4 = scf.for
// CHECK:       %[[S:.*]]:4 = scf.for
// CHECK:       vector.fma
// CHECK-NOT:   arith.truncf
// CHECK:       %[[N:.*]] = arith.truncf %[[S]]#0 : vector<16xf32> to vector<16xf16>
// CHECK-NEXT:  arith.extf %[[N]] : vector<16xf16> to vector<16xf32>
tile.kernel @half() grid(%b) = (1) threads(32) {
  %a = tile.alloc : memref<8x32xf16, #shared>
  %x = tile.alloc : memref<32x32xf16, #shared>
  %c = tile.alloc : memref<8x32xf16, #tile.fragment>
  tile.gemm %a, %x, %c {clear} : memref<8x32xf16, #shared>, memref<32x32xf16, #shared>, memref<8x32xf16, #tile.fragment>
}

// -----
#shared = #gpu.address_space<workgroup>

// Signedness is per operand.
// CHECK-LABEL: func.func @bytes.cpu
// CHECK:       arith.extui %{{.*}} : i8 to i32
// CHECK:       arith.extsi %{{.*}} : i8 to i32
// CHECK:       arith.muli %{{.*}} : vector<16xi32>
// CHECK-NEXT:  arith.addi %{{.*}} : vector<16xi32>
tile.kernel @bytes() grid(%b) = (1) threads(32) {
  %a = tile.alloc : memref<8x16xi8, #shared>
  %x = tile.alloc : memref<16x32xi8, #shared>
  %c = tile.alloc : memref<8x32xi32, #tile.fragment>
  tile.gemm %a, %x, %c {unsigned_a} : memref<8x16xi8, #shared>, memref<16x32xi8, #shared>, memref<8x32xi32, #tile.fragment>
}
