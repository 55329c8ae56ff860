# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests `test_tilelang_*.py` import: the stand-in for torch, this package under TileLang's
names, on the CPU."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "torch_stub"))

import mlir_tile as tilelang  # noqa: E402
import mlir_tile.jit  # noqa: E402
import mlir_tile.language as T  # noqa: E402
import torch  # noqa: E402

mlir_tile.jit.set_default_target("cpu")

__all__ = ["T", "tilelang", "torch"]
