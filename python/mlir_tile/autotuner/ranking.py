# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations in the order of the compiler's cost model, which needs no GPU and no code."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .compiling import Portable

__all__ = ["estimate", "ranked"]


def estimate(task: Portable) -> float:
    """Microseconds that the cost model expects of a configuration's kernels on the task's GPU
    (sm_90a where it is for the CPU); infinity where it has no estimate or they cannot run."""
    from .. import _pipeline
    from .._mlir_libs import _tile

    kind, _, arch = task.target.partition(":")
    arch = arch if arch and kind == "cuda" else "sm_90a"
    device = getattr(task.options, "device", "")
    total = 0.0
    for source, name in task.sources:
        program = _pipeline.Program(source, kernel=name)
        module, _ = program.parse()
        try:
            for op in program.kernels(module):
                total += _tile.kernel_estimate(op.operation, arch, device, "")["microseconds"]
        except ValueError:
            return math.inf
    return total


def ranked(
    configs: Sequence[dict[str, Any]], portable: Callable[[dict[str, Any]], Portable]
) -> list[tuple[float, int]]:
    """Estimate (microseconds) and place in `configs` of each configuration, shortest first. Those
    that do not compile come last."""
    found = []
    for index, config in enumerate(configs):
        try:
            found.append((estimate(portable(config)), index))
        except Exception:
            found.append((math.inf, index))
    return sorted(found)
