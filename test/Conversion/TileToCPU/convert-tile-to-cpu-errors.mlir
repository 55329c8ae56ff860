// RUN: tile-opt %s --convert-tile-to-cpu --verify-diagnostics --split-input-file

// kernel-16: a function would be compiled and found by name
// expected-error @+1 {{'func.func' op [kernel-16] expected nothing but kernels, and constant `memref.global` with values, in a module with kernels}}
func.func @malloc(%n: index) -> index {
  return %n : index
}
tile.kernel @kernel(%n: index) grid(%b) = (1) threads(32) {
}
