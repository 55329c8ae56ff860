# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: one generator for the process, others by `Generator`."""

import numpy as np

from ._dtypes import TYPES
from ._tensor import Tensor


class Generator:
    """A seeded source of numbers."""

    def __init__(self, device=None):
        self.source = np.random.default_rng(0)

    def manual_seed(self, seed):
        """Starts anew from `seed`."""
        self.source = np.random.default_rng(abs(int(seed)))
        return self


default_generator = Generator()


def manual_seed(seed):
    """Seeds the process's generator."""
    return default_generator.manual_seed(seed)


manual_seed_all = seed_everything = manual_seed


def _source(generator):
    return (generator or default_generator).source


def _shape(sizes):
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    return tuple(int(s) for s in sizes)


def _made(values, dtype):
    kind = dtype or TYPES["float32"]
    return Tensor._of(np.asarray(values, np.float32).astype(kind.held), kind)


def randn(*size, dtype=None, device=None, generator=None, requires_grad=False, **_):
    """Normal numbers."""
    return _made(_source(generator).standard_normal(_shape(size), np.float32), dtype)


def rand(*size, dtype=None, device=None, generator=None, requires_grad=False, **_):
    """Uniform numbers in [0, 1)."""
    return _made(_source(generator).random(_shape(size), np.float32), dtype)


def randint(low, high=None, size=None, *, dtype=None, device=None, generator=None, **_):
    """Uniform integers in [low, high)."""
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    kind = dtype or TYPES["int64"]
    values = _source(generator).integers(int(low), int(high), _shape((size,)))
    return Tensor._of(np.asarray(values).astype(kind.held), kind)


def randperm(n, *, dtype=None, device=None, generator=None):
    """The numbers below n in random order."""
    kind = dtype or TYPES["int64"]
    return Tensor._of(_source(generator).permutation(n).astype(kind.held), kind)


def bernoulli(input, *, generator=None):
    """Ones with the given probabilities."""
    draws = _source(generator).random(input.shape) < input._a
    return Tensor._of(draws.astype(input._a.dtype), input._t)


def normal(mean=0.0, std=1.0, size=(), *, dtype=None, device=None, generator=None):
    """Normal numbers of a mean and deviation."""
    return _made(_source(generator).normal(mean, std, _shape((size,))), dtype)


def fill_normal(self, mean=0.0, std=1.0, *, generator=None):
    """Normal numbers in place."""
    self._a[...] = _source(generator).normal(mean, std, self._a.shape).astype(self._a.dtype)
    return self


def fill_uniform(self, low=0.0, high=1.0, *, generator=None):
    """Uniform numbers in place."""
    self._a[...] = _source(generator).uniform(low, high, self._a.shape).astype(self._a.dtype)
    return self
