// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// kernel-13
// expected-error @+1 {{[kernel-13] expected tunables with names of their own, got 'A'}}
"tile.kernel"() ({
^bb0(%A: memref<8xf32>, %bx: index, %b: index):
  "tile.return"() : () -> ()
}) {sym_name = "name", arg_types = [memref<8xf32>], arg_names = ["A"], arg_attrs = [{}], grid = affine_map<() -> (1)>,
    grid_operands = array<i64>, threads = 32 : i64, tunables = [#tile.tunable<"A" in [1]>]} : () -> ()

// -----

// kernel-13
// expected-error @+1 {{[kernel-13] expected 1 to 64 distinct values in [0, 65536] of 'b', got #tile.tunable<"b" in[64, 64]>}}
tile.kernel @twice() tunable(%b in [64, 64]) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-13
// expected-error @+1 {{[kernel-13] expected 1 to 64 distinct values in [0, 65536] of 'b', got #tile.tunable<"b" in[-1]>}}
tile.kernel @negative() tunable(%b in [-1]) grid(%bx) = (1) threads(32) {
}

// -----

// expected-error @+1 {{[kernel-13] expected 1 to 64 distinct values in [0, 65536] of 'b', got #tile.tunable<"b" in[9223372036854775807]>}}
tile.kernel @negative() tunable(%b in [9223372036854775807]) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-13
// expected-error @+1 {{[kernel-13] expected at most 4096 combinations of the tunables' values}}
tile.kernel @many() tunable(%a in [0, 1, 2, 3, 4, 5, 6, 7], %b in [0, 1, 2, 3, 4, 5, 6, 7], %c in [0, 1, 2, 3, 4, 5, 6, 7],
                            %d in [0, 1, 2, 3, 4, 5, 6, 7], %e in [0, 1]) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-14
// expected-error @+1 {{[kernel-14] expected `tuned` to name integer attributes of the kernel once, got 'grid_operands'}}
tile.kernel @structural() tunable(%b in [1]) grid(%bx) = (1) threads(32) tuned(grid_operands = %b) {
}

// -----

// kernel-14
// expected-error @+2 {{[kernel-14] expected 'panel' once, got it twice}}
tile.kernel @both(%A: memref<8xf32>) tunable(%b in [1])
    grid(%bx, %by) = (1, 1) threads(32) tuned(panel = %b) attributes {panel = 2 : i64} {
}

// -----

// kernel-14
// expected-error @+1 {{[kernel-14] expected 'threads' to be tuned to 1 expressions of 1 tunables, got affine_map<()[s0, s1] -> (s1)>}}
"tile.kernel"() ({
^bb0(%bx: index, %b: index):
  "tile.return"() : () -> ()
}) {sym_name = "symbols", arg_types = [], arg_names = [], arg_attrs = [], grid = affine_map<() -> (1)>,
    grid_operands = array<i64>, threads = 32 : i64, tunables = [#tile.tunable<"b" in [32]>],
    tuned = [#tile.tuned<"threads" = affine_map<()[s0, s1] -> (s1)>>]} : () -> ()

// -----

// kernel-15
// expected-error @+1 {{[kernel-15] expected 'threads' at its value for the first value of every tunable, 32 : i64}}
"tile.kernel"() ({
^bb0(%bx: index, %b: index):
  "tile.return"() : () -> ()
}) {sym_name = "first", arg_types = [], arg_names = [], arg_attrs = [], grid = affine_map<() -> (1)>,
    grid_operands = array<i64>, threads = 64 : i64, tunables = [#tile.tunable<"b" in [32, 64]>],
    tuned = [#tile.tuned<"threads" = affine_map<()[s0] -> (s0)>>]} : () -> ()

// -----

// kernel-15
// expected-error @+2 {{[kernel-15] expected `panel` to be a number for the first values of all tunables}}
tile.kernel @nothing() tunable(%b in [0])
    grid(%bx, %by) = (1, 1) threads(32) tuned(panel = 8 ceildiv %b) {
}

// -----

// kernel-2: the header is checked at the first values.
// expected-error @+1 {{[kernel-2] expected a multiple of 32 threads in [32, 1024], got 48}}
tile.kernel @threads() tunable(%b in [48, 64]) grid(%bx) = (1) threads(%b) {
}

// -----

// Only tunables stand where numbers do.
// expected-error @+1 {{expected numbers and tunables of the kernel, got '%n'}}
tile.kernel @argument(%n: index) tunable(%b in [1]) grid(%bx) = (1) threads(%n) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] expected `tile.shape_hint` to be an `array<i64>` of positive sizes that 'memref<?x8xf32>' can have, or the value of an integer scalar, or a list of them, got array<i64: 4, 16> on argument 'A'}}
tile.kernel @hint(%A: memref<?x8xf32> {tile.shape_hint = array<i64: 4, 16>}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] expected `tile.shape_hint`}}
tile.kernel @float(%s: f32 {tile.shape_hint = array<i64: 4>}) grid(%bx) = (1) threads(32) {
}

// -----

// alloc-1: nothing may be open where there is no tunable,
tile.kernel @closed(%n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-1] expected a memref of static shape without a layout map, got 'memref<?xf32, #tile.fragment>'}}
  %x = tile.alloc(%n) : memref<?xf32, #tile.fragment>
}

// -----

// alloc-1: and what is open has an operand.
tile.kernel @operands() tunable(%b in [1]) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-1] expected an operand for each extent that is open, 2, got 1}}
  %x = tile.alloc(%b) : memref<?x?xf32, #tile.fragment>
}

// -----

// parallel-6
tile.kernel @parallel_closed(%n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-6] expected extents that are numbers in a kernel without tunables}}
  tile.parallel (%i) in (%n) {
  }
}

// -----

// parallel-6
tile.kernel @parallel_operands() tunable(%b in [1]) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-6] expected an operand for each open extent, 1, got 0}}
  "tile.parallel"() <{extents = array<i64: -9223372036854775808>}> ({
  ^bb0(%i: index):
    "tile.yield"() : () -> ()
  }) : () -> ()
}

// -----

// pipelined-3
tile.kernel @pipelined_closed(%n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[pipelined-3] expected stages that are a number in a kernel without tunables, and the attribute at 1 in one with them, got 1}}
  tile.pipelined %k = %n to %n step %n stages(%n) {
  }
}

// -----

// What is known of open tiles has to fit.
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm() tunable(%b in [64]) grid(%bx) = (1) threads(128) {
  %A = tile.alloc(%b) : memref<?x64xf16, #shared>
  %B = tile.alloc(%b) : memref<32x?xf16, #shared>
  %C = tile.alloc(%b, %b) : memref<?x?xf32, #tile.fragment>
  // expected-error @+1 {{[gemm-2] expected (M x K) * (K x N) = (M x N)}}
  tile.gemm %A, %B, %C : memref<?x64xf16, #shared>, memref<32x?xf16, #shared>, memref<?x?xf32, #tile.fragment>
}

// -----

// expected-error @+1 {{expected 'tile.chosen' to be a dictionary of integers on a kernel, got {b = "x"}}}
tile.kernel @chosen() grid(%bx) = (1) threads(32) attributes {tile.chosen = {b = "x"}} {
}
