// What has no expansion is an error that names the operation and its type.
// RUN: not tile-opt %s --tile-expand-math 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-expand-math --verify-diagnostics

// TARGET: error: expected 'tile.target' on the module (`--tile-set-target=arch=...`)

func.func @quad(%x: f128) -> f128 {
  // expected-error @+1 {{expected an operation that NVPTX has code for, got 'math.exp' on 'f128'}}
  %0 = math.exp %x : f128
  return %0 : f128
}

func.func @extended(%x: f80) -> f80 {
  // expected-error @+1 {{expected an operation that NVPTX has code for, got 'arith.addf' on 'f80'}}
  %0 = arith.addf %x, %x : f80
  return %0 : f80
}

func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error @+1 {{expected an operation that NVPTX has code for, got 'math.tanh' on 'vector<[4]xf32>'}}
  %0 = math.tanh %x : vector<[4]xf32>
  return %0 : vector<[4]xf32>
}

func.func @rounding(%x: f32) -> f8E4M3FN {
  // expected-error @+1 {{expected an operation that NVPTX has code for, got 'arith.truncf' on 'f32'}}
  %0 = arith.truncf %x toward_zero : f32 to f8E4M3FN
  return %0 : f8E4M3FN
}

func.func @wide_power(%x: i128) -> i128 {
  // expected-error @+1 {{expected an operation that NVPTX has code for, got 'math.ipowi' on 'i128'}}
  %0 = math.ipowi %x, %x : i128
  return %0 : i128
}
