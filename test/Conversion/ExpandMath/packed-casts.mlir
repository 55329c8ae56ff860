// Casts from i4, i8 and fp4 by arithmetic on bits: no conversion instruction, two
// elements in 32 bits where a vector offers two.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-expand-math | FileCheck %s

// CHECK-LABEL: func.func @one
// CHECK:         %[[W:.*]] = arith.extui %{{.*}} : i4 to i16
// CHECK:         %[[X:.*]] = arith.xori %[[W]], %{{.*}} : i16
// CHECK:         %[[F:.*]] = arith.bitcast %[[X]] : i16 to f16
// CHECK:         arith.subf %[[F]], %{{.*}} : f16
// CHECK-NOT:     sitofp
func.func @one(%x: i4) -> f16 {
  %y = arith.sitofp %x : i4 to f16
  return %y : f16
}

// CHECK-LABEL: func.func @two
// CHECK:         arith.constant 1678271496 : i32
// CHECK:         llvm.bitcast %{{.*}} : i32 to vector<2xf16>
// CHECK:         arith.constant dense<1.032000e+03> : vector<2xf16>
// CHECK:         arith.subf {{.*}} : vector<2xf16>
// CHECK-NOT:     sitofp
func.func @two(%x: vector<2xi4>) -> vector<2xf16> {
  %y = arith.sitofp %x : vector<2xi4> to vector<2xf16>
  return %y : vector<2xf16>
}

// Unsigned: the top bit is a number's.
// CHECK-LABEL: func.func @unsigned
// CHECK:         arith.constant dense<1.024000e+03> : vector<2xf16>
// CHECK-NOT:     uitofp
func.func @unsigned(%x: vector<2xi4>) -> vector<2xf16> {
  %y = arith.uitofp %x : vector<2xi4> to vector<2xf16>
  return %y : vector<2xf16>
}

// CHECK-LABEL: func.func @three_bf16
// CHECK:         math.fma {{.*}} : vector<2xbf16>
// CHECK:         math.fma {{.*}} : bf16
// CHECK-NOT:     sitofp
func.func @three_bf16(%x: vector<3xi4>) -> vector<3xbf16> {
  %y = arith.sitofp %x : vector<3xi4> to vector<3xbf16>
  return %y : vector<3xbf16>
}

// CHECK-LABEL: func.func @fp4
// CHECK:         arith.mulf {{.*}} : vector<2xf16>
// CHECK-NOT:     arith.extf
func.func @fp4(%x: vector<2xf4E2M1FN>) -> vector<2xf16> {
  %y = arith.extf %x : vector<2xf4E2M1FN> to vector<2xf16>
  return %y : vector<2xf16>
}

// Eight bits fit into the mantissa of f16, with the top bit of a signed one flipped: 1024 + 128 comes off.
// CHECK-LABEL: func.func @bytes
// CHECK:         arith.constant 1686135936 : i32
// CHECK:         arith.constant dense<1.152000e+03> : vector<2xf16>
// CHECK:         arith.subf {{.*}} : vector<2xf16>
// CHECK-NOT:     sitofp
func.func @bytes(%x: vector<2xi8>) -> vector<2xf16> {
  %y = arith.sitofp %x : vector<2xi8> to vector<2xf16>
  return %y : vector<2xf16>
}

// They do not fit into that of bf16, and wider integers into none: these have a cvt of their own.
// CHECK-LABEL: func.func @converted
// CHECK:         arith.sitofp {{.*}} : i8 to bf16
// CHECK:         arith.sitofp {{.*}} : i16 to f16
func.func @converted(%x: i8, %y: i16) -> (bf16, f16) {
  %a = arith.sitofp %x : i8 to bf16
  %b = arith.sitofp %y : i16 to f16
  return %a, %b : bf16, f16
}

// Four codes of four bits become signed bytes in one word: their top bits flipped, 8 comes off under a flipped top bit of each byte.
// CHECK-LABEL: func.func @signed_bytes
// CHECK:         %[[BYTES:.*]] = arith.constant -2004318072 : i32
// CHECK:         arith.xori %{{.*}}, %[[BYTES]] : i32
// CHECK:         arith.subi {{.*}} : i32
// CHECK:         arith.xori {{.*}} : i32
// CHECK:         llvm.bitcast %{{.*}} : i32 to vector<4xi8>
// The fifth is left over.
// CHECK:         llvm.inline_asm {{.*}}"bfe.s32 $0, $1, 0, 4;"
// CHECK-NOT:     llvm.inline_asm
// CHECK-NOT:     arith.extsi
func.func @signed_bytes(%x: vector<5xi4>) -> vector<5xi8> {
  %y = arith.extsi %x : vector<5xi4> to vector<5xi8>
  return %y : vector<5xi8>
}

// Two in a word of 16 bits each; unsigned ones need no arithmetic, and single ones are LLVM's.
// CHECK-LABEL: func.func @halves
// CHECK:         arith.constant -2146926584 : i32
// CHECK:         llvm.bitcast %{{.*}} : i32 to vector<2xi16>
// CHECK-NOT:     arith.subi
// CHECK:         llvm.bitcast %{{.*}} : i32 to vector<4xi8>
// CHECK:         arith.extui %{{.*}} : i4 to i8
func.func @halves(%x: vector<2xi4>, %y: vector<4xi4>, %z: i4) -> (vector<2xi16>, vector<4xi8>, i8) {
  %a = arith.extsi %x : vector<2xi4> to vector<2xi16>
  %b = arith.extui %y : vector<4xi4> to vector<4xi8>
  %c = arith.extui %z : i4 to i8
  return %a, %b, %c : vector<2xi16>, vector<4xi8>, i8
}
