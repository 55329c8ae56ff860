// Attributes that an operation does not have are refused, since a misspelled one
// would change nothing. Those with the name of another dialect are its own.
// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error @+1 {{'tile.kernel' op unknown attribute 'persistant', did you mean 'persistent'?}}
tile.kernel @kernel() grid(%b) = (1) threads(32) attributes {persistant = 1 : i64} {
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @copy(%A: memref<64x64xf16>) grid(%b) = (1) threads(32) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  // expected-error @+1 {{'tile.copy' op unknown attribute 'disable_tmaa', did you mean 'disable_tma'?}}
  tile.copy %A to %s {disable_tmaa} : memref<64x64xf16> to memref<64x64xf16, #shared>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @alloc() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{'tile.alloc' op unknown attribute 'colour'}}
  %s = tile.alloc {colour = "red"} : memref<64x64xf16, #shared>
}

// -----

// In the generic form, on operations without a verifier, on terminators.
"tile.kernel"() <{sym_name = "k", arg_types = [], arg_names = [], arg_attrs = [], grid = affine_map<() -> (1)>, grid_operands = array<i64>, threads = 32 : i64}> ({
^bb0(%bx: index):
  // expected-error @+1 {{'tile.return' op unknown attribute 'last'}}
  "tile.return"() {last} : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{unknown attribute 'tile.choosen' of the tile dialect, did you mean 'tile.chosen'?}}
tile.kernel @prefixed() grid(%b) = (1) threads(32) attributes {tile.choosen = {}} {
}

// -----

// Not near anything.
// expected-error-re @+1 {{'tile.kernel' op unknown attribute 'x'{{$}}}}
tile.kernel @far() grid(%b) = (1) threads(32) attributes {x} {
}

// -----

tile.kernel @others() grid(%b) = (1) threads(32) attributes {my.note = "kept", mlir_tile.mark} {
}

// -----

// A decision about roles is a unit, on a kernel.
// expected-error @+1 {{expected 'tile.roles' to be a unit on a kernel, got true}}
tile.kernel @k() grid(%b) = (1) threads(128) attributes {tile.roles = true} {
}

// -----

// Of another dialect's operations in kernels, too.
tile.kernel @in_a_kernel(%A: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'memref.load' op unknown attribute 'eviction_policy'}}
  %v = memref.load %A[%c0] {eviction_policy = 3 : i32} : memref<8xf32>
}

// -----

tile.kernel @misspelled_in_a_kernel(%A: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %v = memref.load %A[%c0] {my.note} : memref<8xf32>
  // expected-error @+1 {{'memref.store' op unknown attribute 'nontemporl', did you mean 'nontemporal'?}}
  memref.store %v, %A[%c0] {nontemporl = true} : memref<8xf32>
}

// -----

tile.kernel @stages_of_a_loop(%n: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op unknown attribute 'stages'}}
  scf.for %i = %c0 to %n step %c1 {
  } {stages = 3 : i64}
}
