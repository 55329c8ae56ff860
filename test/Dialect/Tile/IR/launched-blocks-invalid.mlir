// RUN: tile-opt %s --split-input-file -verify-diagnostics

// expected-error @below {{expected 'tile.launched_blocks' to be an expression for each dimension of a kernel's grid, of numbers, ["dim", argument, dimension], ["scalar", argument] and [operation, a, b], got [4]}}
tile.kernel @one_missing(%A: memref<?x4xf32>) grid(%bx, %by) = (dim(%A, 0), 4) threads(32) attributes {tile.launched_blocks = [4]} {
}

// -----

// expected-error @below {{to be an expression}}
tile.kernel @no_dimension(%A: memref<?x4xf32>) grid(%bx) = (dim(%A, 0)) threads(32) attributes {tile.launched_blocks = [["dim", 0, 2]]} {
}

// -----

// expected-error @below {{to be an expression}}
tile.kernel @no_argument(%A: memref<?x4xf32>) grid(%bx) = (dim(%A, 0)) threads(32) attributes {tile.launched_blocks = [["scalar", 1]]} {
}

// -----

// expected-error @below {{to be an expression}}
tile.kernel @no_operation(%A: memref<?x4xf32>) grid(%bx) = (dim(%A, 0)) threads(32) attributes {tile.launched_blocks = [["pow", 2, 3]]} {
}

// -----

// expected-error @below {{to be an expression}}
tile.kernel @no_operands(%A: memref<?x4xf32>) grid(%bx) = (dim(%A, 0)) threads(32) attributes {tile.launched_blocks = [["max", 2]]} {
}

// -----

// expected-error @below {{to be an expression}}
tile.kernel @no_list(%A: memref<?x4xf32>) grid(%bx) = (dim(%A, 0)) threads(32) attributes {tile.launched_blocks = "all"} {
}

// -----

// Not in another operation.
module attributes {tile.launched_blocks = [4]} { // expected-error {{to be an expression}}
}
