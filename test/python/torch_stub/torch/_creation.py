# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that make tensors."""

import numpy as np

from . import _random
from ._dtypes import TYPES, of_python
from ._random import _shape
from ._tensor import Tensor, array_of, promoted, widened, wrap


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A copy of numbers in nested lists, arrays or tensors."""
    if isinstance(data, Tensor):
        return data.clone().to(dtype or data._t)
    if isinstance(data, (list, tuple)) and any(isinstance(d, Tensor) for d in data):
        data = [d.tolist() if isinstance(d, Tensor) else d for d in data]
    a = np.array(data)
    if dtype is None and not isinstance(data, (np.ndarray, np.generic)) and a.dtype == np.float64:
        dtype = TYPES["float32"]
    return wrap(a, dtype)


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, without a copy where it can be."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return (
        from_numpy(data)
        if isinstance(data, np.ndarray) and not dtype
        else tensor(data, dtype=dtype)
    )


def from_numpy(array):
    """A tensor over the memory of a numpy array."""
    return wrap(array)


def _filled(value):
    def make(*size, dtype=None, device=None, requires_grad=False, **_):
        kind = of_python(dtype) or TYPES["float32"]
        return Tensor._of(np.full(_shape(size), value, np.float32).astype(kind.held), kind)

    return make


zeros, ones = _filled(0), _filled(1)
# What torch leaves undefined is a pattern here, so that a kernel that writes too little shows.
_empty = _filled(77)


def empty(*size, dtype=None, device=None, **kwargs):
    """Memory that nobody has written: NaN, or 77."""
    result = _empty(*size, dtype=dtype)
    if result._t.is_floating_point and result._t.itemsize > 1:
        result._a[...] = np.nan
    return result


def full(size, fill_value, *, dtype=None, device=None, **_):
    """All elements the same."""
    kind = dtype or promoted(array_of(fill_value))
    size = _shape((size,)) if not isinstance(size, int) else (size,)
    return Tensor._of(
        np.full(size, widened(np.asarray(array_of(fill_value)))).astype(kind.held), kind
    )


def _like(make):
    def apply(input, *args, dtype=None, device=None, **kwargs):
        return make(tuple(input.shape), *args, dtype=dtype or input._t, **kwargs)

    return apply


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)
full_like, rand_like, randn_like = _like(full), _like(_random.rand), _like(_random.randn)


def randint_like(input, low, high=None, *, dtype=None, device=None):
    """Uniform integers of the shape of `input`."""
    return _random.randint(low, high, tuple(input.shape), dtype=dtype or input._t)


def empty_strided(size, stride, *, dtype=None, device=None):
    """Memory with stated strides (in elements)."""
    span = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    return empty(max(span, 1), dtype=dtype).as_strided(size, stride)


def arange(start, end=None, step=1, *, dtype=None, device=None, **_):
    """Numbers at equal distances, the end not among them."""
    start, end = (0, start) if end is None else (start, end)
    parts = [v.item() if isinstance(v, Tensor) else v for v in (start, end, step)]
    a = np.arange(*parts)
    return wrap(a, dtype or TYPES["int64" if a.dtype.kind == "i" else "float32"])


def linspace(start, end, steps, *, dtype=None, device=None):
    """`steps` numbers at equal distances, the end among them."""
    return wrap(np.linspace(start, end, steps), dtype or TYPES["float32"])


def eye(n, m=None, *, dtype=None, device=None):
    """Ones on the diagonal."""
    return wrap(np.eye(n, m), dtype or TYPES["float32"])


def meshgrid(*tensors, indexing="ij"):
    """Coordinates of a grid."""
    return tuple(wrap(a) for a in np.meshgrid(*(t._a for t in tensors), indexing=indexing))


FUNCTIONS = {
    name: globals()[name]
    for name in [
        "tensor",
        "as_tensor",
        "from_numpy",
        "zeros",
        "ones",
        "empty",
        "full",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "rand_like",
        "randn_like",
        "randint_like",
        "empty_strided",
        "arange",
        "linspace",
        "eye",
        "meshgrid",
    ]
}
