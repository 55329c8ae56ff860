# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.jit.adapter`: the class that TileLang's kernels are called through, for libraries that
patch it. Kernels here are called without it, so a patch has no effect."""

from __future__ import annotations

from typing import Any

__all__ = ["BaseKernelAdapter"]


class BaseKernelAdapter:
    """What a kernel's arguments and outputs are.

    `params` are the kernel's parameters, `result_idx` the positions of its outputs: a number, a
    list or None; negative ones count from the end.
    """

    def __init__(self, mod: Any = None, params: Any = (), result_idx: Any = None) -> None:
        self.mod, self.params = mod, list(params)
        self.result_idx = self._legalize_result_idx(result_idx)

    def _legalize_result_idx(self, result_idx: Any) -> list[int]:
        """Positions from zero. Raises ValueError for what is no position."""
        from mlir_tile.jit.kernel import _positions

        return _positions(result_idx, len(self.params), type(self).__name__)
