# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tile dialect: operations, types, attributes, enumerations, and functions that build them.

Classes of operations (`CopyOp`) and their accessors are generated from the definitions.
Functions (`copy`, `parallel`, `kernel`) infer what can be inferred; they take the place of the
generated ones of the same names, so what follows stands in this order.
docs/PythonBindings.md shows them in use.
"""

# ruff: noqa: F401, F403, I001
from .._mlir_libs._mlirDialectsTile import *
from ._tile_enum_gen import *
from ._tile_ops_gen import *
from ._tile_ops_gen import _Dialect
from ._tile_kernel import GridExpr, KernelOp, argument, ceildiv, dim, kernel, tunable
from ._tile_builders import *
from ._tile_schedule import *
from ._tile_atomics import *
from ._tile_barriers import *
