# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latencies of the cases of a `regression_*.py` script, printed as TileLang's collectors read."""

from __future__ import annotations

import inspect
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["process_func", "regression"]

_MARK = "__TILELANG_PERF_RESULTS_JSON__="


class _Results:
    """What the cases of one script measured."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.case: str | None = None


_RESULTS = _Results()


def process_func(func: Callable[..., float], name: str | None = None, /, **kwargs: Any) -> None:
    """Calls `func(**kwargs)`, which returns a latency, and keeps it under `name`."""
    name = name or getattr(func, "__module__", "<unknown>")
    latency = float(func(**kwargs))
    if latency <= 0:
        print(f"{name}: latency {latency} is none, not kept", file=sys.stderr)
        return
    row = {"name": name.removeprefix("regression_"), "latency": latency}
    _RESULTS.rows.append(row if _RESULTS.case is None else {**row, "case": _RESULTS.case})


def _selected(name: str) -> bool:
    only = os.environ.get("TL_PERF_REGRESSION_ONLY", "").strip()
    return not only or any(part.strip().lower() in name.lower() for part in only.split(","))


def regression(prefixes: Sequence[str] = ("regression_",), verbose: bool = True) -> None:
    """Calls every function of the calling module whose name starts with a prefix; prints latencies.

    TL_PERF_REGRESSION_ONLY chooses cases by parts of their names (separated by commas);
    TL_PERF_REGRESSION_FORMAT=json prints one line of JSON behind a mark.
    """
    caller = inspect.currentframe().f_back.f_globals
    cases = sorted(
        (name, value)
        for name, value in caller.items()
        if callable(value) and name.startswith(tuple(prefixes)) and _selected(name)
    )
    _RESULTS.rows.clear()
    for name, function in cases:
        _RESULTS.case = name.removeprefix("regression_")
        start = time.perf_counter()
        try:
            function()
        finally:
            _RESULTS.case = None
        if verbose:
            print(f"{name}: {time.perf_counter() - start:.2f} s", flush=True)
    if os.environ.get("TL_PERF_REGRESSION_FORMAT", "").strip().lower() == "json":
        print(_MARK + json.dumps(_RESULTS.rows, separators=(",", ":")))
        return
    for row in _RESULTS.rows:
        print(f"{row['name']}: {row['latency']}")
