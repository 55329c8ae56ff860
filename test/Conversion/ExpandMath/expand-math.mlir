// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-expand-math | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-expand-math | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-expand-math=fast-math | FileCheck %s --check-prefix=FAST

// The example of the pass description.
// CHECK-LABEL: func @approximate_exp
// CHECK: %[[C:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[C]] : f32
// CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X]]) : (f32) -> f32
// CHECK: return %[[Y]]
func.func @approximate_exp(%x: f32) -> f32 {
  %0 = math.exp %x fastmath<afn> : f32
  return %0 : f32
}

// Accurate: Cody and Waite's reduction, a polynomial, no approximate instruction,
// and no flags that would let anything be reordered.
// CUDA's steps: 2^n by the exponent's bits, 2^f by the special function unit.
// CHECK-LABEL: func @accurate_exp
// CHECK-NOT: math.exp
// CHECK-NOT: fastmath
// CHECK: %[[P:.*]] = math.fma %[[X:.*]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[S:.*]] = llvm.call_intrinsic "llvm.nvvm.saturate.f"(%[[P]])
// CHECK: %[[N:.*]] = llvm.call_intrinsic "llvm.nvvm.fma.rm.f"(%[[S]], %{{.*}}, %{{.*}})
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK: arith.mulf
// CHECK-NEXT: return
// FAST-LABEL: func @accurate_exp
// FAST: "llvm.nvvm.ex2.approx.ftz.f32"
func.func @accurate_exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// Other flags do not make a function approximate.
// CHECK-LABEL: func @other_flags
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
func.func @other_flags(%x: f32) -> f32 {
  %0 = math.log %x fastmath<nnan, contract> : f32
  return %0 : f32
}

// The special function unit has no f64.
// CHECK-LABEL: func @approximate_f64
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
func.func @approximate_f64(%x: f64) -> f64 {
  %0 = math.exp2 %x fastmath<afn> : f64
  return %0 : f64
}

// Narrow types compute in f32, once.
// CHECK-LABEL: func @half_tanh
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-NOT: truncf
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: return
// FAST-LABEL: func @half_tanh
// FAST: llvm.intr.tanh(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
func.func @half_tanh(%x: f16) -> f16 {
  %0 = math.tanh %x : f16
  return %0 : f16
}

// Instructions stay.
// CHECK-LABEL: func @instructions
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.roundeven
// CHECK-NEXT: math.fma
// CHECK-NEXT: arith.maximumf
// CHECK-NEXT: arith.divf
// CHECK-NEXT: return
// FAST-LABEL: func @instructions
// FAST: "llvm.nvvm.sqrt.approx.ftz.f"
// FAST: "llvm.nvvm.div.full"
func.func @instructions(%x: f32, %y: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.roundeven %0 : f32
  %2 = math.fma %0, %1, %y : f32
  %3 = arith.maximumf %2, %y : f32
  %4 = arith.divf %3, %y : f32
  return %4 : f32
}

// Vectors go element by element.
// CHECK-LABEL: func @vector
// CHECK-COUNT-4: vector.extract
// CHECK: vector.from_elements
// CHECK-NEXT: return
func.func @vector(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.rsqrt %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// Large arguments of sine take a branch; small ones three subtractions.
// CHECK-LABEL: func @sine
// CHECK: scf.if
// CHECK: arith.muli
// CHECK: } else {
// CHECK-NOT: arith.muli
// CHECK: return
// FAST-LABEL: func @sine
// FAST-NOT: scf.if
// FAST: "llvm.nvvm.sin.approx.ftz.f"
func.func @sine(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// A constant exponent is multiplications; others are not.
// CHECK-LABEL: func @square
// CHECK: arith.mulf %[[A:.*]], %[[A]] : f32
// CHECK-NEXT: return
func.func @square(%x: f32) -> f32 {
  %c2 = arith.constant 2 : i32
  %0 = math.fpowi %x, %c2 : f32, i32
  return %0 : f32
}

// LLVM's own expansion of a remainder is wrong for large quotients.
// CHECK-LABEL: func @remainder
// CHECK-NOT: arith.remf
// CHECK: scf.while
func.func @remainder(%x: f32, %y: f32) -> f32 {
  %0 = arith.remf %x, %y : f32
  return %0 : f32
}

// fp8: cvt where there is one, two elements each; integer arithmetic elsewhere.
// CHECK-LABEL: func @to_fp8
// SM90-COUNT-2: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %{{.*}} {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
// SM90-NOT: nvvm.convert
// SM90: arith.bitcast %{{.*}} : vector<4xi8> to vector<4xf8E4M3FN>
// SM80-NOT: nvvm.convert
// SM80: arith.bitcast %{{.*}} : vector<4xi8> to vector<4xf8E4M3FN>
func.func @to_fp8(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
  %0 = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// CHECK-LABEL: func @from_fp8
// SM90: nvvm.convert.f8x2.to.f16x2
// SM90: arith.extf %{{.*}} : f16 to f32
// SM80-NOT: nvvm.convert
// SM80-NOT: f8E5M2 to f32
// SM80: return
func.func @from_fp8(%x: f8E5M2) -> f32 {
  %0 = arith.extf %x : f8E5M2 to f32
  return %0 : f32
}

// An f64 is rounded once: to odd on the way.
// CHECK-LABEL: func @double_to_fp8
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.ori
// CHECK: return
func.func @double_to_fp8(%x: f64) -> f8E4M3FN {
  %0 = arith.truncf %x : f64 to f8E4M3FN
  return %0 : f8E4M3FN
}

// Arithmetic on fp8 is f32 arithmetic, rounded.
// CHECK-LABEL: func @add_fp8
// CHECK-NOT: arith.addf %{{.*}} : f8E4M3FN
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: arith.addf %{{.*}} : f8E4M3FN
// CHECK: return
func.func @add_fp8(%x: f8E4M3FN, %y: f8E4M3FN) -> f8E4M3FN {
  %0 = arith.addf %x, %y : f8E4M3FN
  return %0 : f8E4M3FN
}
