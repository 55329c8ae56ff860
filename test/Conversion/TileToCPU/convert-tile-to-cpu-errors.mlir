// RUN: tile-opt %s --convert-tile-to-cpu --verify-diagnostics --split-input-file

<<<<<<< HEAD
tile.kernel @foreign(%n: index) grid(%b) = (1) threads(32) {
  // expected-error @+1 {{'builtin.unrealized_conversion_cast' op has no meaning on the CPU}}
  %x = builtin.unrealized_conversion_cast %n : index to i32
=======
tile.kernel @barrier() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{'gpu.barrier' op has no meaning on the CPU}}
  gpu.barrier
>>>>>>> 19cec6938d6988101a4b4cd6d85e21e5863f5313
}
