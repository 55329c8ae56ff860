# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the extension modules that lie in one library with `_mlir`.

MLIR's bindings are several extension modules (`_mlir`, `_mlirDialectsGPU`, ...).
Here they are one shared library, because they share nanobind's tables; each of the
others has a Python file of its name that calls `load`.
"""

import importlib.machinery
import importlib.util
import sys

from . import _mlir


def load(name):
    """Puts the extension module `name` (`mlir_tile._mlir_libs._tile`) in the place of
    the Python module that asks for it."""
    loader = importlib.machinery.ExtensionFileLoader(name, _mlir.__file__)
    spec = importlib.util.spec_from_file_location(name, _mlir.__file__, loader=loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
