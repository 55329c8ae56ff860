// RUN: tile-opt %s --convert-tile-to-cpu --verify-diagnostics --split-input-file

tile.kernel @foreign(%n: index) grid(%b) = (1) threads(32) {
  // expected-error @+1 {{'builtin.unrealized_conversion_cast' op has no meaning on the CPU}}
  %x = builtin.unrealized_conversion_cast %n : index to i32
}
