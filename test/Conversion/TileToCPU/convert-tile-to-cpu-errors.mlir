// RUN: tile-opt %s --convert-tile-to-cpu --verify-diagnostics --split-input-file

tile.kernel @barrier() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{'gpu.barrier' op has no meaning on the CPU}}
  gpu.barrier
}
