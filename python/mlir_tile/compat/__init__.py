# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs scripts of TileLang untouched: `python -m mlir_tile.compat script.py arguments`.

`install()` makes `import tilelang` and its submodules find this package's modules, in this process
only; no package of that name is ever installed. What a script asks for and is not there gives one
error that names it.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any

from .._names import NAMES

__all__ = ["MODULES", "install"]

_HERE = "mlir_tile.compat"

# TileLang's modules and what stands for each.
MODULES = {
    "tilelang.language": "mlir_tile.language",
    "tilelang.language.dtypes": "mlir_tile.language.dtypes",
    "tilelang.language.fp8": "mlir_tile.compat.fp8",
    "tilelang.testing": "mlir_tile.testing",
    "tilelang.testing.perf_regression": "mlir_tile.testing.regression",
    "tilelang.profiler": "mlir_tile.profiler",
    "tilelang.profiler.bench": "mlir_tile.profiler.bench",
    "tilelang.autotuner": "mlir_tile.autotuner",
    "tilelang.autotuner.tuner": "mlir_tile.autotuner",
    "tilelang.autotuner.capture": "mlir_tile.autotuner.inputs",
    "tilelang.autotuner.param": "mlir_tile.autotuner",
    "tilelang.jit": "mlir_tile.jit",
    "tilelang.jit.kernel": "mlir_tile.jit",
    "tilelang.jit.param": "mlir_tile.jit",
    "tilelang.jit.adapter": f"{_HERE}.adapter",
    "tilelang.jit.adapter.base": f"{_HERE}.adapter",
    "tilelang.utils": f"{_HERE}.utils",
    "tilelang.utils.tensor": f"{_HERE}.utils",
    "tilelang.utils.device": f"{_HERE}.utils",
    "tilelang.utils.language": f"{_HERE}.utils",
    "tilelang.utils.target": f"{_HERE}.target",
    "tilelang.utils.deprecated": f"{_HERE}.env",
    "tilelang.layout": f"{_HERE}.layout",
    "tilelang.layout.layout": f"{_HERE}.layout",
    "tilelang.layout.fragment": f"{_HERE}.layout",
    "tilelang.layout.swizzle": f"{_HERE}.layout",
    "tilelang.math": f"{_HERE}.arithmetic",
    "tilelang.env": f"{_HERE}.env",
    "tilelang.cache": f"{_HERE}.env",
    "tilelang.transform": f"{_HERE}.passes",
    "tilelang.transform.simplify": f"{_HERE}.passes",
    "tilelang.transform.pass_config": f"{_HERE}.passes",
    "tilelang.engine": f"{_HERE}.engine",
    "tilelang.engine.lower": f"{_HERE}.engine",
    "tilelang.engine.callback": f"{_HERE}.engine",
    "tilelang.engine.param": f"{_HERE}.engine",
    "tilelang.tools": f"{_HERE}.tools",
    "tilelang.dtypes": "mlir_tile.language.dtypes",
    "tilelang.carver": f"{_HERE}.hardware",
    "tilelang.carver.arch": f"{_HERE}.hardware",
    "tilelang.carver.arch.driver": f"{_HERE}.hardware",
    "tilelang.carver.template": f"{_HERE}.carver",
    "tilelang.carver.roller": f"{_HERE}.carver",
    "tilelang.carver.roller.rasterization": f"{_HERE}.carver",
    "tilelang.contrib": f"{_HERE}.contrib",
    "tilelang.contrib.nvcc": f"{_HERE}.target",
    "tilelang.backend": f"{_HERE}.contrib",
    "tilelang.backend.target": f"{_HERE}.target",
    "tilelang.cuda": f"{_HERE}.dialects",
    "tilelang.cuda.language": "mlir_tile.language",
    "tilelang.cpu": f"{_HERE}.dialects",
    "tilelang.cpu.language": "mlir_tile.language",
    "tilelang.cuda.target": f"{_HERE}.target",
    "tilelang.cuda.intrinsics": f"{_HERE}.mma_layouts",
    "tilelang.cuda.intrinsics.sparse_layout": f"{_HERE}.sparse_layout",
    "tilelang.cuda.intrinsics.layout": f"{_HERE}.mma_layouts",
    "tilelang.cuda.intrinsics.layout.mma_layout": f"{_HERE}.mma_layouts",
    "tilelang.cuda.intrinsics.layout.utils": f"{_HERE}.mma_layouts",
    "tilelang.cuda.intrinsics.macro": f"{_HERE}.mma",
    "tilelang.cuda.intrinsics.macro.mma_macro_generator": f"{_HERE}.mma",
    "tilelang.rocm": f"{_HERE}.contrib",
    "tilelang.rocm.target": f"{_HERE}.target",
    "tilelang.tvm": f"{_HERE}.tvm",
    "tilelang.tvm.target": f"{_HERE}.target",
}
# TVM's own name is served only where TVM is not installed.
_TVM = {
    "tvm": f"{_HERE}.tvm",
    "tvm.target": f"{_HERE}.target",
    "tvm.ir": f"{_HERE}.tvm",
    "tvm.tirx": f"{_HERE}.tirx",
    "tvm.tirx.expr": f"{_HERE}.tirx",
    "tvm.tirx.stmt_functor": f"{_HERE}.functions",
    "tvm.script": f"{_HERE}.tvm",
    "tvm.script.ir_builder": f"{_HERE}.tvm",
    "tvm.script.ir_builder.base": f"{_HERE}.tvm",
}
MODULES_AND_TVM = {**MODULES, **_TVM}


def _value(place: str) -> Any:
    module, _, attribute = place.partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


class _StandIn(types.ModuleType):
    """A module of TileLang's: its names are looked up in ours when they are used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        value = self._find(name)
        super().__setattr__(name, value)
        return value

    def _find(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        try:
            return getattr(importlib.import_module(MODULES_AND_TVM[self.__name__]), name)
        except AttributeError:
            if full in MODULES_AND_TVM:
                return importlib.import_module(full)
        raise AttributeError(f"{full} is not supported; see docs/TileLangCompatibility.md")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`tilelang.jit` is a module and a decorator."""
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(MODULES_AND_TVM[self.__name__]))


class _TileLang(_StandIn):
    """The module `tilelang`: its names are those of the table."""

    def _find(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        if full in MODULES and ":" not in NAMES.get(name, ""):
            return importlib.import_module(full)
        if name in NAMES:
            return _value(NAMES[name])
        raise AttributeError(f"{full} is not supported; see docs/TileLangCompatibility.md")

    def __setattr__(self, name: str, value: Any) -> None:
        # Importing tilelang.jit makes the import system bind the module, which would hide the
        # decorator of that name.
        if not (isinstance(value, types.ModuleType) and ":" in NAMES.get(name, "")):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(NAMES)


class _Loader(importlib.abc.Loader):
    """Makes the stand-ins."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """A stand-in of the asked name."""
        return (_TileLang if spec.name == "tilelang" else _StandIn)(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Imports what the module stands for, so that what is missing shows here."""
        if module.__name__ == "tilelang":
            package = importlib.import_module("mlir_tile")
            module.__version__ = getattr(package, "__version__", "0")
            module.__file__ = package.__file__
        else:
            importlib.import_module(MODULES_AND_TVM[module.__name__])


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `tilelang` and its modules by the table."""

    def __init__(self, table: dict[str, str]) -> None:
        self.table = table

    def find_spec(self, fullname: str, path: Any = None, target: Any = None):
        """A spec for the names of the table; an error for other parts of tilelang."""
        if fullname == "tilelang" or fullname in self.table:
            return importlib.machinery.ModuleSpec(fullname, _Loader(), is_package=True)
        if fullname.startswith("tilelang."):
            message = f"{fullname} is not supported; see docs/TileLangCompatibility.md"
            raise ModuleNotFoundError(message, name=fullname)
        return None


def install(target: str | None = None) -> None:
    """Makes `import tilelang` find this package, in this process.

    Args:
      target: used wherever a script names none, "auto" or a GPU ("cpu" runs scripts that say
        target="cuda" without one). None leaves targets as they are.
    """
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        table = dict(MODULES)
        try:
            missing = importlib.util.find_spec("tvm") is None
        except (ImportError, ValueError):
            missing = True
        table.update(_TVM if missing else {})
        sys.meta_path.insert(0, _Finder(table))
    if target is not None:
        importlib.import_module("mlir_tile.jit").set_default_target(target)
