# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One value for every element of a region."""

from .buffers import Buffer, region_of
from .builder import current
from .errors import fail
from .values import as_value, cast


def fill(buffer, value, annotations=None):
    """Writes `value` to every element of a buffer or region."""
    builder = current("T.fill")
    if isinstance(buffer, Buffer) and buffer.is_var:
        builder.assign(buffer, value)
        return
    region = region_of(buffer, "T.fill")
    for x in region.extents:
        if not isinstance(x, int):
            fail(f"T.fill: extents must be known when the kernel is built, got {region!r}")
    builder.tile("fill", target=region, value=cast(as_value(value), region.dtype))


def clear(buffer, annotations=None):
    """Writes zeros to every element of a buffer or region."""
    fill(buffer, 0)
