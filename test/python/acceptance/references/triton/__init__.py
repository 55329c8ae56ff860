# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for Triton where a script measures a kernel of Triton's beside its own.

A kernel does nothing here: what a script compares with one fails, what it only measures runs.
"""

from . import language

__all__ = ["autotune", "cdiv", "heuristics", "jit", "language", "next_power_of_2"]
__version__ = "3.6.0+reference"


class _Kernel:
    """A function of Triton's: launching it leaves every tensor as it is."""

    def __init__(self, function):
        self.function, self.__name__ = function, function.__name__

    def __getitem__(self, grid):
        return self.launch

    def launch(self, *_, **__):
        """Nothing runs."""


def jit(function=None, **_):
    """A kernel that does nothing."""
    return _Kernel(function) if function is not None else _Kernel


def autotune(*_, **__):
    """The kernel itself."""
    return lambda kernel: kernel


heuristics = autotune


def cdiv(a, b):
    """The quotient, rounded up."""
    return -(-a // b)


def next_power_of_2(n):
    """The least power of two that is at least n."""
    return 1 << max(0, n - 1).bit_length()
