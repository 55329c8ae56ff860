# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests in TileLang's style import: marks for pytest, seeds, comparison, timing of cases."""

from __future__ import annotations

import inspect
import operator
import random
import sys
from collections.abc import Callable
from importlib import util
from typing import Any

from ..profiler.supply import assert_close as torch_assert_close
from .regression import process_func, regression

__all__ = [
    "main",
    "process_func",
    "regression",
    "requires_cdna",
    "requires_cuda",
    "requires_cuda_compute_version",
    "requires_cuda_compute_version_eq",
    "requires_cuda_compute_version_ge",
    "requires_cuda_compute_version_gt",
    "requires_cuda_compute_version_le",
    "requires_cuda_compute_version_lt",
    "requires_cuda_or_cdna",
    "requires_gfx950",
    "requires_llvm",
    "requires_metal",
    "requires_package",
    "requires_rocm",
    "set_random_seed",
    "torch_assert_close",
]

_COMPARE = {name: getattr(operator, name) for name in ("ge", "gt", "le", "lt", "eq")}


def _capability() -> tuple[int, int]:
    """Compute capability of the first GPU; (0, 0) without one."""
    try:
        import torch
    except ImportError:
        return (0, 0)
    if not torch.cuda.is_available():
        return (0, 0)
    return tuple(torch.cuda.get_device_capability())


def _skip_unless(condition: bool, reason: str) -> Callable[[Callable], Callable]:
    import pytest

    return pytest.mark.skipif(not condition, reason=reason)


def requires_cuda(func: Callable) -> Callable:
    """Skips the test without an NVIDIA GPU (or a process that maps "cuda" to the CPU)."""
    return _skip_unless(_capability() > (0, 0), "needs an NVIDIA GPU")(func)


def requires_llvm(func: Callable) -> Callable:
    """The test itself: the CPU target is always there."""
    return func


def _other_vendor(name: str) -> Callable[[Callable], Callable]:
    def mark(func: Callable) -> Callable:
        return _skip_unless(False, f"{name}: this compiler is for NVIDIA GPUs")(func)

    return mark


requires_rocm, requires_metal = _other_vendor("ROCm"), _other_vendor("Metal")
requires_cdna, requires_gfx950 = _other_vendor("CDNA"), _other_vendor("gfx950")
requires_cuda_or_cdna = requires_cuda


def requires_package(*names: str) -> Callable[[Callable], Callable]:
    """Skips the test unless all packages can be imported."""
    missing = [name for name in names if util.find_spec(name) is None]
    return _skip_unless(not missing, f"needs {', '.join(missing)}")


def requires_cuda_compute_version(
    major_version: int, minor_version: int = 0, mode: str = "ge"
) -> Callable[[Callable], Callable]:
    """Skips the test unless the GPU's compute capability compares as asked.

    Args:
      mode: "ge", "gt", "le", "lt" or "eq".
    """
    if mode not in _COMPARE:
        raise ValueError(f"mode is one of {', '.join(_COMPARE)}; got {mode!r}")
    wanted, found = (major_version, minor_version), _capability()
    holds = found > (0, 0) and _COMPARE[mode](found, wanted)
    return _skip_unless(holds, f"needs compute capability {mode} {wanted}, this is {found}")


def _version_mark(mode: str) -> Callable[..., Callable]:
    def mark(major_version: int, minor_version: int = 0) -> Callable:
        return requires_cuda_compute_version(major_version, minor_version, mode)

    return mark


requires_cuda_compute_version_ge = _version_mark("ge")
requires_cuda_compute_version_gt = _version_mark("gt")
requires_cuda_compute_version_le = _version_mark("le")
requires_cuda_compute_version_lt = _version_mark("lt")
requires_cuda_compute_version_eq = _version_mark("eq")


def set_random_seed(seed: int = 42) -> None:
    """Seeds Python's random, and numpy and PyTorch where they are imported."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def main() -> None:
    """Runs the tests of the calling file with pytest; arguments of the process are pytest's."""
    import pytest

    sys.exit(pytest.main([inspect.getsourcefile(sys._getframe(1)), *sys.argv[1:]]))
