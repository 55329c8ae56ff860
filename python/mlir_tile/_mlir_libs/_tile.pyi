# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tile compiler: dialects, passes, compilation, targets."""

from typing import Any

from ..ir import DialectRegistry, Module, Operation

def register_dialects(registry: DialectRegistry) -> None:
    """Adds the tile dialect and those that kernels use beside it."""

def compiler_version() -> str:
    """Names the compiler and LLVM's version; part of every cache key."""

def compile(
    source: str | bytes | Module,
    *,
    arch: str = "",
    output: str = "artifact",
    optimize: bool = True,
    line_info: bool = False,
    remarks: bool = False,
    ptxas: str = "",
    source_name: str = "",
    versions: bool = True,
    fast_math: bool = False,
    shape_hints: str = "",
    tunables: str = "",
    roles: str = "",
    device: str = "",
) -> tuple[bytes | None, str]:
    """Compiles MLIR text, bytecode or a module to artifact, ptx, cubin, llvmir or nvvm. Returns
    the bytes (None where it failed) and the diagnostics as text. Other Python threads run
    meanwhile; the module must not change."""

def target_figures(arch: str, device: str = "") -> dict[str, Any]:
    """Limits of an architecture and figures of a GPU; ValueError for names that are not known."""

def archs() -> list[str]:
    """Names of the architectures that there is code for."""

def kernel_estimate(
    kernel: Operation, arch: str, device: str = "", hints: str = ""
) -> dict[str, Any]:
    """What a tile.kernel without tunables costs, as written, by the model that chooses tiles;
    ValueError where it cannot run."""
