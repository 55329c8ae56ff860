// RUN: tile-opt %s --tile-expand-small-floats | FileCheck %s

// CHECK-LABEL: func.func @narrow
// CHECK:         arith.bitcast %{{.*}} : f32 to i32
// CHECK:         %[[CODE:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK:         %[[R:.*]] = arith.bitcast %[[CODE]] : i8 to f8E4M3FN
// CHECK:         return %[[R]]
// CHECK-NOT:     arith.truncf
func.func @narrow(%x: f32) -> f8E4M3FN {
  %y = arith.truncf %x : f32 to f8E4M3FN
  return %y : f8E4M3FN
}

// CHECK-LABEL: func.func @widen
// CHECK-NOT:     arith.extf
// CHECK:         arith.bitcast %{{.*}} : vector<4xf8E5M2> to vector<4xi8>
// CHECK:         return %{{.*}} : vector<4xf32>
func.func @widen(%x: vector<4xf8E5M2>) -> vector<4xf32> {
  %y = arith.extf %x : vector<4xf8E5M2> to vector<4xf32>
  return %y : vector<4xf32>
}

// f64 to f16 rounds once: the f32 between is rounded to odd.
// CHECK-LABEL: func.func @once
// CHECK:         %[[N:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK:         arith.ori
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @once(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}

// LLVM rounds to f16 itself.
// CHECK-LABEL: func.func @native
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to f16
func.func @native(%x: f32) -> f16 {
  %y = arith.truncf %x : f32 to f16
  return %y : f16
}

// The upper half of an f32: one shift. By parts, LLVM 22 loses the sign.
// CHECK-LABEL: func.func @upper_half
// CHECK:         %[[CODE:.*]] = arith.bitcast %{{.*}} : bf16 to i16
// CHECK:         %[[WIDE:.*]] = arith.extui %[[CODE]] : i16 to i32
// CHECK:         %[[SHIFTED:.*]] = arith.shli %[[WIDE]], %{{.*}} : i32
// CHECK-NOT:     arith.andi
// CHECK:         %[[R:.*]] = arith.bitcast %[[SHIFTED]] : i32 to f32
// CHECK:         return %[[R]]
func.func @upper_half(%x: bf16) -> f32 {
  %y = arith.extf %x : bf16 to f32
  return %y : f32
}
