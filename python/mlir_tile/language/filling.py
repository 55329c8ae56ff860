# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One value for every element of a region."""

from .buffers import Buffer, region_of
from .builder import current
from .values import as_value, cast


def fill(buffer, value, annotations=None):
    """Writes `value` to every element of a buffer or region."""
    builder = current("T.fill")
    if isinstance(buffer, Buffer) and buffer.is_var:
        builder.assign(buffer, value)
        return
    region = region_of(buffer, "T.fill")
    if not all(isinstance(x, int) for x in region.extents):
        return _fill_some(builder, region, value)
    builder.tile("fill", target=region, value=cast(as_value(value), region.dtype))


def _fill_some(builder, region, value):
    """A region whose extents are known only at run time, element by element."""
    from .loop import Parallel
    from .statements import Store

    extents = [x for x in region.extents if not (isinstance(x, int) and x == 1)]
    for indices in Parallel(*extents).run(builder):
        left = list(indices) if isinstance(indices, tuple) else [indices]
        place = [
            o if isinstance(x, int) and x == 1 else left.pop(0) + o
            for o, x in zip(region.offsets, region.extents)
        ]
        builder.add(Store(region.buffer, tuple(place), cast(as_value(value), region.dtype)))


def clear(buffer, annotations=None):
    """Writes zeros to every element of a buffer or region."""
    fill(buffer, 0)
