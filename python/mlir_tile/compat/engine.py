# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.lower` and `tilelang.engine`: a kernel's code without a launcher; `.engine.callback`."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from ..errors import Error

__all__ = [
    "CompiledArtifact",
    "KernelParam",
    "lower",
    "register_c_postproc_callback",
    "register_cuda_postproc_callback",
    "register_hip_postproc_callback",
]


@dataclass
class KernelParam:
    """A parameter of a kernel: element type and shape."""

    dtype: Any
    shape: list[Any]
    name: str = ""


@dataclass
class CompiledArtifact:
    """What `lower` returns: the kernel and its code."""

    kernel: Any
    params: list[Any]

    @property
    def kernel_source(self) -> str:
        """PTX."""
        return self.kernel.get_kernel_source()


def lower(func: Any, target: Any = "auto", **options: Any) -> CompiledArtifact:
    """Compiles a prim_func for `target`; options of TileLang's host code have no meaning here."""
    kept = {key: options[key] for key in ("pass_configs",) if key in options}
    kernel = importlib.import_module("mlir_tile.jit").compile(func, target=target, **kept)
    return CompiledArtifact(kernel, kernel.params)


def _no_text(name: str) -> Any:
    """A function of `tilelang.engine.callback`: scripts that import it run until they use it."""

    def function(*_: Any, **__: Any) -> Any:
        raise Error(
            f"{name}: there is no C text here that a function could change; kernels are PTX"
        )

    function.__name__ = name
    function.__doc__ = "Raises: there is no text of C or CUDA C here."
    return function


register_cuda_postproc_callback = _no_text("register_cuda_postproc_callback")
register_c_postproc_callback = _no_text("register_c_postproc_callback")
register_hip_postproc_callback = _no_text("register_hip_postproc_callback")
