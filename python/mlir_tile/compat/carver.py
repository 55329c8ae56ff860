# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.carver.template` and `.roller`: tile sizes for a product of matrices or a convolution,
best first by an estimate of time (waves of blocks; products and bytes of a block)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

from .tvm import DataType

__all__ = ["ConvTemplate", "Hint", "MatmulTemplate", "NoRasterization", "Rasterization2DColumn"]


class NoRasterization:
    """Blocks run in the order of their numbers."""


class Rasterization2DColumn:
    """Blocks run in panels of columns."""


@dataclass
class Hint:
    """One choice of tile sizes.

    Attributes:
      block, warp: rows and columns of a block's and of a warp's tile; rstep: elements of K a step.
      pipeline_stage: tiles in flight; rasterization_plan: order of blocks (a class).
    """

    block: list[int]
    warp: list[int]
    rstep: list[int]
    pipeline_stage: int
    rasterization_plan: type = NoRasterization
    use_tc: bool = True
    thread: list[int] = field(default_factory=list)


# Figures of the usual device where the script's architecture object has none.
_SMS, _SHARED_BYTES = 132, 227 << 10
# Bytes of global memory that take as long as one multiply-add of tensor cores, per multiprocessor.
_MACS_PER_BYTE = 150


class _Product:
    """C (M x N) += A (M x K) B (K x N), whatever the operands are made of."""

    def __init__(self, m: int, n: int, k: int, in_dtype: Any) -> None:
        self.m, self.n, self.k = m, n, k
        self.bytes = DataType(str(in_dtype)).itemsize
        self.arch: Any = None

    def with_arch(self, arch: Any) -> Any:
        """Chooses for this architecture; returns the template."""
        self.arch = arch
        return self

    def equivalent_function(self) -> Any:
        """TileLang's templates give a TVM function here; there is none, but the template itself."""
        return self

    def _hints(self) -> list[tuple[float, Hint]]:
        sms = getattr(self.arch, "compute_max_core", _SMS)
        shared = getattr(self.arch, "smem_cap", _SHARED_BYTES)
        found = []
        sizes = itertools.product((64, 128, 256), (64, 128, 256), (32, 64, 128), (2, 3, 4))
        for rows, columns, step, stages in sizes:
            needed = (rows + columns) * step * self.bytes * stages
            if needed > shared or rows * columns > 128 * 256 or step > max(32, self.k):
                continue
            blocks = math.ceil(self.m / rows) * math.ceil(self.n / columns)
            products = rows * columns * self.k
            moved = (rows + columns) * self.k * self.bytes * _MACS_PER_BYTE
            fill = stages * step * (rows + columns) * self.bytes * _MACS_PER_BYTE
            time = math.ceil(blocks / sms) * (max(products, moved) + fill)
            warps = (2, 2) if rows * columns <= 128 * 128 else (2, 4)
            plan = Rasterization2DColumn if blocks > 4 * sms else NoRasterization
            warp = [rows // warps[0], columns // warps[1]]
            found.append((time, Hint([rows, columns], warp, [step], stages, plan)))
        return found

    def recommend_hints(self, topk: int = 10) -> list[Hint]:
        """The `topk` best choices, best first."""
        return [hint for _, hint in sorted(self._hints(), key=lambda pair: pair[0])[:topk]]


class MatmulTemplate(_Product):
    """Tile sizes of a product of matrices."""

    def __init__(self, M: int, N: int, K: int, in_dtype: Any = "float16", **_: Any) -> None:
        super().__init__(M, N, K, in_dtype)


class ConvTemplate(_Product):
    """Tile sizes of a convolution of N images (H x W, C channels) with F filters (K x K)."""

    def __init__(
        self, N: int, C: int, H: int, W: int, F: int, K: int, S: int = 1, D: int = 1, P: int = 0,
        in_dtype: Any = "float16", **_: Any,
    ) -> None:  # fmt: skip
        height = (H + 2 * P - D * (K - 1) - 1) // S + 1
        width = (W + 2 * P - D * (K - 1) - 1) // S + 1
        super().__init__(N * height * width, F, C * K * K, in_dtype)
