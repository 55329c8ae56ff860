# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.testing of the stand-in."""

import numpy as np

from ._creation import as_tensor
from ._tensor import Tensor, widened

# Relative and absolute tolerance by element type; what is not listed must be equal.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
}


def assert_close(
    actual,
    expected,
    *,
    rtol=None,
    atol=None,
    equal_nan=False,
    check_dtype=True,
    check_device=True,
    check_stride=False,
    msg=None,
    allow_subclasses=True,
):
    """Raises AssertionError that says how many elements differ, by how much, and where most."""
    if isinstance(actual, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError(f"{len(actual)} tensors, expected {len(expected)}")
        for one, other in zip(actual, expected, strict=True):
            assert_close(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan, msg=msg)
        return
    if not isinstance(actual, Tensor):
        actual, expected = as_tensor(actual), as_tensor(expected)
    if actual.shape != expected.shape:
        raise AssertionError(f"shape {actual.shape}, expected {expected.shape}")
    if check_dtype and actual.dtype is not expected.dtype:
        raise AssertionError(f"dtype {actual.dtype}, expected {expected.dtype}")
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol are given both or none")
    if rtol is None:
        pairs = [_TOLERANCES.get(t.dtype.name, (0, 0)) for t in (actual, expected)]
        rtol, atol = (max(p) for p in zip(*pairs, strict=True))
    _compare(actual, expected, rtol, atol, equal_nan, msg)


def _compare(actual, expected, rtol, atol, equal_nan, msg):
    a, b = (widened(t._a) for t in (actual, expected))
    if a.dtype.kind in "biu":
        a, b = a.astype(np.float64), b.astype(np.float64)
    close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if close.all():
        return
    with np.errstate(all="ignore"):
        gap = np.where(close, 0, np.abs(a - b))
    worst = np.unravel_index(np.nanargmax(np.where(np.isnan(gap), np.inf, gap)), gap.shape)
    place = tuple(int(i) for i in worst)
    wrong = int((~close).sum())
    text = (
        f"{wrong} of {close.size} elements differ (rtol={rtol}, atol={atol}); at {place}: "
        f"{a[worst]} instead of {b[worst]}"
    )
    raise AssertionError(msg(text) if callable(msg) else msg or text)
