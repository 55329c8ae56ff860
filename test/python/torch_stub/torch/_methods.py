# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators, functions as methods, changes in place and short conversions of `Tensor`."""

import numpy as np

from . import _ops
from ._dtypes import ALIASES, TYPES
from ._random import fill_normal, fill_uniform
from ._tensor import Tensor, array_of, widened, wrap

_OPERATORS = {
    "add": _ops.add,
    "sub": _ops.sub,
    "mul": _ops.mul,
    "truediv": _ops.div,
    "floordiv": _ops.floor_divide,
    "mod": _ops.remainder,
    "pow": _ops.pow,
    "and": _ops.bitwise_and,
    "or": _ops.bitwise_or,
    "xor": _ops.bitwise_xor,
    "lshift": _ops.bitwise_left_shift,
    "rshift": _ops.bitwise_right_shift,
    "matmul": _ops.matmul,
}
_COMPARISONS = {name: _ops.FUNCTIONS[name] for name in ("eq", "ne", "lt", "le", "gt", "ge")}


def _in_place(function):
    def apply(self, *args, **kwargs):
        result = function(self, *args, **kwargs)
        self._a[...] = widened(result._a).astype(self._a.dtype)
        return self

    return apply


def _install():
    for name, function in _OPERATORS.items():
        setattr(Tensor, f"__{name}__", lambda self, other, f=function: f(self, other))
        setattr(
            Tensor, f"__r{name}__", lambda self, other, f=function: f(_tensor(other, self), self)
        )
        setattr(Tensor, f"__i{name}__", _in_place(function))
    for name, function in _COMPARISONS.items():
        setattr(Tensor, f"__{name}__", lambda self, other, f=function: f(self, other))
    for name, function in _ops.METHODS.items():
        if not hasattr(Tensor, name):
            setattr(Tensor, name, function)
        if not hasattr(Tensor, name + "_"):
            setattr(Tensor, name + "_", _in_place(function))
    for name in [*TYPES, *ALIASES]:
        kind = TYPES[ALIASES.get(name, name)]
        setattr(Tensor, name, lambda self, kind=kind: self.to(kind))
    Tensor.__neg__ = lambda self: _ops.FUNCTIONS["neg"](self)
    Tensor.__abs__ = lambda self: _ops.FUNCTIONS["abs"](self)
    Tensor.__invert__ = lambda self: _ops.FUNCTIONS["bitwise_not"](self)


def _tensor(value, like):
    """A Python scalar on the left as a tensor of rank 0 that ranks like the scalar does."""
    if isinstance(value, Tensor):
        return value
    floats = isinstance(value, float)
    kind = like._t if not floats or like._t.is_floating_point else TYPES["float32"]
    return wrap(np.asarray(value), kind)


def _fill(self, value):
    self._a[...] = np.asarray(widened(np.asarray(array_of(value)))).astype(self._a.dtype)
    return self


def _copy(self, source, non_blocking=False):
    return _fill(self, source)


def _new(function):
    def apply(self, *size, dtype=None, device=None):
        size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
        return Tensor._of(function(size, (dtype or self._t).held), dtype or self._t)

    return apply


_install()
Tensor.__hash__ = lambda self: id(self)
Tensor.t = lambda self: self.T
Tensor.fill_, Tensor.copy_ = _fill, _copy
Tensor.zero_ = lambda self: _fill(self, 0)
Tensor.normal_, Tensor.uniform_ = fill_normal, fill_uniform
Tensor.view_as = lambda self, other: self.view(*other.shape)
Tensor.expand_as = lambda self, other: self.expand(*other.shape)
Tensor.type_as = lambda self, other: self.to(other._t)
Tensor.unbind = lambda self, dim=0: tuple(self.select(dim, i) for i in range(self.shape[dim]))
Tensor.select = lambda self, dim, i: (
    self.transpose(0, dim)[i] if dim in (0, 1) else Tensor._of(np.take(self._a, i, dim), self._t)
)
Tensor.new_empty, Tensor.new_zeros = _new(np.zeros), _new(np.zeros)
Tensor.new_ones = _new(np.ones)
Tensor.unflatten = lambda self, dim, sizes: self.reshape(
    *self.shape[: dim % self.ndim], *sizes, *self.shape[dim % self.ndim + 1 :]
)
