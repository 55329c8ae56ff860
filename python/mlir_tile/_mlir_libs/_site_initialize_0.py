# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each new `Context` of this package knows (see `_mlir_libs/__init__.py`)."""

from ._tile import register_dialects as register_dialects
