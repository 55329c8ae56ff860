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
    guards: bool = True,
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

def arch_of_capability(major: int, minor: int) -> str | None:
    """Names the newest architecture that the compiler knows and a GPU of this compute capability
    runs, 'sm_90a'; None where there is none."""

def device_of_name(name: str, major: int, minor: int, multiprocessors: int) -> str:
    """Names the figures that choices are made for, by the driver's name of a GPU: 'H200'; '' where
    nothing more is known of it."""

def compile_program(
    source: bytes,
    *,
    kind: str = "cpu",
    arch: str = "",
    device: str = "",
    source_name: str = "",
    shape_hints: str = "",
    tunables: str = "",
    remarks: bool = False,
    check_accesses: bool = False,
    poison: bool = False,
    lazy_async: bool = False,
    blocks: int = 0,
    allow_addresses: bool = False,
    optimize: bool = True,
    versions: bool = True,
    fast_math: bool = False,
    roles: str = "",
    seed: int = 1,
) -> tuple[Any | None, list[str], str]:
    """Compiles MLIR text or bytecode to run on this machine's CPU: by the dialect's meaning
    ('cpu') or as checked lowered code ('lowered'). Returns the program for _launch.host_kernel
    (None where it failed), the manifest of each kernel as JSON, and the diagnostics as text."""
