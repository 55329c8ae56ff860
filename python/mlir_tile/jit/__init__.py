# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling kernels when they are needed: `jit` (also this module itself, called), `compile`,
`JITKernel`."""

import sys
import types

from .jit import JITImpl, compile, elaborate, jit, lazy_jit
from .kernel import JITKernel
from .targets import default_target, resolve_target, set_default_target

__all__ = [
    "JITImpl",
    "JITKernel",
    "compile",
    "default_target",
    "elaborate",
    "jit",
    "lazy_jit",
    "par_compile",
    "resolve_target",
    "set_default_target",
]


def __getattr__(name):
    if name == "par_compile":
        from mlir_tile.autotuner import par_compile

        return par_compile
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Callable(types.ModuleType):
    """`mlir_tile.jit` is a package and a decorator."""

    def __call__(self, *arguments, **keywords):
        return jit(*arguments, **keywords)


sys.modules[__name__].__class__ = _Callable
