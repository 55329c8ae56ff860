# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tile dialect: operations, enumerations and attributes."""

from ._tile_enum_gen import *
from ._tile_ops_gen import *
from ._tile_ops_gen import _Dialect
