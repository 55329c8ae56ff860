# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one float that the language has under the name of MLIR's `math` operation."""

FLOAT_FUNCTIONS = (
    *("exp", "exp2", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "erf"),
    *("sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("ceil", "floor", "trunc", "round"),
)
