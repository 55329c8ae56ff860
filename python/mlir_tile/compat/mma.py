# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`TensorCoreIntrinEmitter`: products by warps' instructions, which are T.gemm here.

A script loads operands of a warp (`ldmatrix_a`, `ldmatrix_b`), multiplies (`mma`) and stores
(`stmatrix`). The compiler does all of it by itself for T.gemm of the parts that were loaded, and
chooses instruction and layouts; so the memory of threads that the script declares for operands
stays unused, and that of the result becomes a fragment.
"""

from __future__ import annotations

from typing import Any

from ..language.buffers import Buffer, Region, region_of
from ..language.builder import current
from ..language.errors import fail, unsupported
from ..language.gemming import gemm
from ..language.loop import Parallel
from ..language.statements import Store, Tile
from ..language.values import Load

__all__ = ["TensorCoreIntrinEmitter"]

_K_OF_BITS = {64: 4, 32: 8, 16: 16, 8: 32}


class TensorCoreIntrinEmitter:
    """Products of tiles of a block of `block_row_warps` x `block_col_warps` warps.

    `warp_row_tiles`, `warp_col_tiles`: rows and columns of the result that a warp has; `chunk`:
    the depth of the tiles in shared memory.
    """

    def __init__(
        self,
        a_dtype: Any = "float16",
        b_dtype: Any = "float16",
        accum_dtype: Any = "float16",
        a_transposed: bool = False,
        b_transposed: bool = False,
        block_row_warps: int = 2,
        block_col_warps: int = 2,
        warp_row_tiles: int = 8,
        warp_col_tiles: int = 8,
        chunk: int = 16,
        **_: Any,
    ) -> None:
        from ..language.dtypes import dtype

        self.a_dtype, self.b_dtype = dtype(a_dtype), dtype(b_dtype)
        self.accum_dtype = dtype(accum_dtype)
        self.a_transposed, self.b_transposed = a_transposed, b_transposed
        self.rows = block_row_warps * warp_row_tiles
        self.columns = block_col_warps * warp_col_tiles
        self.chunk, self.micro_size_k = chunk, _K_OF_BITS[self.a_dtype.bits]
        self.micro_size_x = self.micro_size_y = 16
        self._loaded: dict[int, tuple[Region, Any, Any]] = {}

    def ldmatrix_a(self, local: Buffer, shared: Any, ki: Any, rk: Any = 0) -> None:
        """The part `ki` of depth of A, for `mma`."""
        self._load(local, shared, ki, rk, depth=0 if self.a_transposed else 1)

    def ldmatrix_b(self, local: Buffer, shared: Any, ki: Any, rk: Any = 0) -> None:
        """The part `ki` of depth of B, for `mma`."""
        self._load(local, shared, ki, rk, depth=1 if self.b_transposed else 0)

    def _load(self, local: Buffer, shared: Any, ki: Any, rk: Any, depth: int) -> None:
        region = region_of(shared, "ldmatrix")
        rank, step = len(region.extents), self.micro_size_k
        offsets, extents = list(region.offsets), list(region.extents)
        at = rank - 2 + depth
        offsets[at] = offsets[at] + rk * self.chunk + ki * step
        extents[at] = step
        part = Region(region.buffer, offsets, extents)
        self._loaded[id(local)] = part, local, current("ldmatrix").block

    def mma(self, a_local: Buffer, b_local: Buffer, c_local: Buffer, k_inner: Any = 0) -> None:
        """C += A B for the parts that were loaded in the same block of statements."""
        block = current("mma").block
        parts = []
        for local, name in ((a_local, "ldmatrix_a"), (b_local, "ldmatrix_b")):
            found = self._loaded.get(id(local))
            if found is None or found[2] is not block:
                unsupported(
                    f"mma of an operand that {name} did not load in the same block of statements",
                    "load and multiply in one iteration, or use T.gemm",
                )
            parts.append(found[0])
        self._become_fragment(c_local)
        gemm(*parts, c_local, self.a_transposed, self.b_transposed)

    def _become_fragment(self, local: Buffer) -> None:
        """The result's memory of threads as the fragment of the block: only fills touched it so far."""
        if local.space == "fragment":
            return
        if not isinstance(local, Buffer) or local.space != "local":
            fail(f"mma: expected memory of threads (T.alloc_local) for the result, got {local!r}")
        whole = local.shape
        local.shape = (self.rows, self.columns)
        local.space, local.scope_name = "fragment", "local.fragment"
        for statement in _statements(current("mma").kernel.body):
            places = [statement.buffer] if type(statement) is Store else []
            if type(statement) is Tile:
                places = [getattr(x, "buffer", x) for x in statement.operands.values()]
            if not any(x is local for x in places):
                continue
            region = statement.operands.get("target") if type(statement) is Tile else None
            if region is None or statement.name != "fill" or tuple(region.extents) != whole:
                unsupported(
                    f"elements of {local.name}, which mma adds to, by thread",
                    "clear it as a whole, and read it by stmatrix",
                )
            statement.operands["target"] = Region(local, (0, 0), local.shape)

    def stmatrix(self, c_local: Buffer, target: Any, pid_m: Any = None, pid_n: Any = None) -> None:
        """Stores the result: to tiles of 16 x 16 in shared memory, or to part (pid_m, pid_n)."""
        self._become_fragment(c_local)
        builder = current("stmatrix")
        region = region_of(target, "stmatrix")
        x, y = self.micro_size_x, self.micro_size_y
        for i, j in Parallel(self.rows, self.columns).run(builder):
            if pid_m is None or pid_n is None:
                place = (i // x, j // y, i % x, j % y)
            else:
                place = (pid_m * self.rows + i, pid_n * self.columns + j)
            front = region.offsets[: len(region.offsets) - len(place)]
            indices = [*front, *(o + p for o, p in zip(region.offsets[len(front) :], place))]
            builder.store(region.buffer, tuple(indices), Load(c_local, (i, j)))


def _statements(block):
    for statement in block:
        yield statement
        for inner in statement.blocks:
            yield from _statements(inner)
