# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tile a block works on next, for kernels that loop over tiles themselves."""

from .dtypes import dtype
from .loop import ceildiv
from .mathematics import max as _max
from .mathematics import min as _min
from .memory import alloc_var

_INT = dtype("int32")



class BaseTileScheduler:
    """Tiles of a matrix in the order of a number, and where a worker is in that order.

    A subclass says by `update_current_idx` which tile a number is, and by `_total_tiles` how many
    there are. `stateful=False`: only what needs no variables of the kernel.
    """

    def __init__(self, stateful=True, name=None):
        self._stateful, self._total_tiles = stateful, 0
        if stateful:
            self._m_idx, self._n_idx = alloc_var(_INT), alloc_var(_INT)
            self._linear_idx, self._current_iter = alloc_var(_INT), alloc_var(_INT)
            for key in ("m_idx", "n_idx", "linear_idx", "current_iter"):
                if name:
                    getattr(self, f"_{key}").name = f"{name}_{key}"

    @property
    def m_idx(self):
        """The tile's row."""
        return self._m_idx[0]

    @property
    def n_idx(self):
        """The tile's column."""
        return self._n_idx[0]

    @property
    def linear_idx(self):
        """The tile's number."""
        return self._linear_idx[0]

    @property
    def current_iter(self):
        """How many tiles this worker has had before."""
        return self._current_iter[0]

    def update_current_idx(self, linear_idx):
        raise NotImplementedError("a scheduler says by update_current_idx which tile a number is")

    def init(self, linear_init):
        """Begins with this number."""
        self._current_iter[0] = 0
        self._move_to(linear_init)

    def next_tile(self, step):
        """Goes on by so many numbers."""
        self._current_iter[0] = self.current_iter + 1
        self._move_to(self.linear_idx + step)

    def valid(self):
        """Whether there is such a tile."""
        return self.linear_idx < self._total_tiles

    def _move_to(self, number):
        self._linear_idx[0] = number
        self.update_current_idx(self.linear_idx)


class PersistentTileScheduler(BaseTileScheduler):
    """Tiles of a grid, dealt out to `num_workers` blocks in turn (by default one for each
    multiprocessor, divided by `cluster_size`).

    The order goes down columns (`column_major`) or along rows, in panels that are `swizzle_size`
    wide in the other direction. With `cluster_size`, a row is one of so many rows of tiles, which
    blocks of a cluster share out by their rank.
    """

    def __init__(
        self,
        num_m_tiles,
        num_n_tiles,
        num_workers=None,
        swizzle_size=1,
        column_major=True,
        cluster_size=1,
        stateful=True,
        name=None,
    ):
        super().__init__(stateful, name)
        if num_workers is None:
            from mlir_tile.compat.hardware import get_num_sms

            num_workers = get_num_sms() // cluster_size
        self.num_workers, self.swizzle_size = num_workers, swizzle_size
        self.cluster_size = cluster_size
        rows = ceildiv(num_m_tiles, cluster_size)
        self._total_tiles = rows * num_n_tiles
        self._column_major = column_major
        self._along, self._across = (rows, num_n_tiles) if column_major else (num_n_tiles, rows)

    def coord(self, tile_id):
        """Row and column of the tile with this number."""
        panel = tile_id // (self._along * self.swizzle_size)
        first = panel * self.swizzle_size
        # The last panel may be narrower; behind the last tile there is none.
        width = _max(1, _min(self.swizzle_size, self._across - first))
        place = tile_id - panel * (self._along * self.swizzle_size)
        along, across = place // width, first + place % width
        return (along, across) if self._column_major else (across, along)

    def update_current_idx(self, linear_idx):
        for variable, value in zip((self._m_idx, self._n_idx), self.coord(linear_idx)):
            variable[0] = value

    def next_tile(self):
        super().next_tile(self.num_workers)
