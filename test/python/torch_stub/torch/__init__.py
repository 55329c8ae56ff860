# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: F401
"""A stand-in for torch over numpy, for tests of this project only: what scripts and tests in
TileLang's style use of it. Every device, "cuda" among them, is this machine's memory; there are no
gradients. It is called `torch` only where the folder above it is put on sys.path."""

import contextlib
import math as _math
import sys

from . import _creation, _methods, _ops, _random
from ._dtypes import ALIASES, TYPES, Size, device, dtype, finfo, iinfo
from ._random import Generator, bernoulli, manual_seed, normal, rand, randint, randn, randperm
from ._tensor import Tensor

__version__ = "2.11.0+stub"
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
strided, contiguous_format, preserve_format = "strided", "contiguous", "preserve"
globals().update(TYPES)
globals().update({alias: TYPES[name] for alias, name in ALIASES.items()})
globals().update(_ops.FUNCTIONS)
globals().update(_creation.FUNCTIONS)
FloatTensor = Tensor


def LongTensor(data):
    """int64 numbers."""
    return _creation.tensor(data, dtype=TYPES["int64"])


def IntTensor(data):
    """int32 numbers."""
    return _creation.tensor(data, dtype=TYPES["int32"])


class no_grad(contextlib.ContextDecorator):
    """Nothing to switch off: there are no gradients."""

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


inference_mode = enable_grad = set_grad_enabled = no_grad


def compile(function=None, **_):
    """The function itself."""
    return function if function is not None else lambda f: f


def set_printoptions(**_):
    """Nothing: numpy prints."""


def set_default_device(_):
    """Nothing: there is one device."""


def set_default_dtype(_):
    """Only float32 is supported as the default."""


def get_default_dtype():
    """float32."""
    return TYPES["float32"]


def set_num_threads(_):
    """Nothing: numpy decides."""


def is_grad_enabled():
    """Always false."""
    return False


from . import (  # noqa: E402
    autograd,
    backends,
    cuda,
    nn,
    profiler,
    random,
    testing,
    utils,
    version,
)

conv2d = nn.functional.conv2d
torch = sys.modules[__name__]
