# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlir-tile: a tile compiler for NVIDIA GPUs, built on MLIR.

`import mlir_tile as tilelang` takes the place of TileLang in a script: `tilelang.jit`,
`tilelang.language`, `tilelang.autotune`. `mlir_tile.ir`, `mlir_tile.passmanager` and
`mlir_tile.dialects` are MLIR's own bindings. Everything is loaded when it is first asked
for, so that importing the package takes milliseconds.
"""

import importlib

from ._names import NAMES

__version__ = "0.1.0"


def __getattr__(name: str):
    place = NAMES.get(name)
    if place is None:
        raise AttributeError(f"module 'mlir_tile' has no attribute '{name}'")
    module, _, attribute = place.partition(":")
    value = importlib.import_module(module)
    if attribute:
        value = getattr(value, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMES})
