# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and measures one compiled configuration at a time."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..profiler import TensorSupplyType
from ..profiler.outcomes import both_outcomes
from ..profiler.supply import as_list, assert_close

__all__ = ["ProfileArgs", "Bench", "TimeoutException"]


class TimeoutException(Exception):
    """A configuration took longer than its time limit."""


@dataclass
class ProfileArgs:
    """How configurations are checked and measured.

    Attributes:
      warmup, rep: milliseconds of calls before and while measuring.
      timeout: seconds for one configuration; 0 is no limit.
      supply_type, supply_prog: what inputs are: random ones, or what `supply_prog(params)` gives.
      ref_prog: gives the right results for the inputs; compared by rtol, atol,
        max_mismatched_ratio, or by manual_check_prog(results, right ones), unless skip_check.
      cache_input_tensors: measures all configurations with the same inputs.
    """

    warmup: int = 25
    rep: int = 100
    timeout: float = 30
    supply_type: TensorSupplyType = TensorSupplyType.Auto
    ref_prog: Callable[..., Any] | None = None
    supply_prog: Callable[..., Any] | None = None
    rtol: float = 1e-2
    atol: float = 1e-2
    max_mismatched_ratio: float = 0.01
    skip_check: bool = False
    manual_check_prog: Callable[[list, list], Any] | None = None
    cache_input_tensors: bool = False
    backend: str = "event"


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutException in its block after `seconds`; in the main thread only, and not
    before the running call of C returns."""
    if seconds <= 0 or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(*_: Any) -> None:
        raise TimeoutException(f"longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run_with_timeout(func: Callable[..., Any], timeout: float, *args: Any, **kwargs: Any) -> Any:
    """`func(*args, **kwargs)`, or TimeoutException after `timeout` seconds (`time_limit`)."""
    with time_limit(timeout):
        return func(*args, **kwargs)


class Bench:
    """Measures kernels by the same arguments, one after the other.

    Args:
      inputs: tensors that are given; None takes them from the arguments.
    """

    def __init__(self, args: ProfileArgs, inputs: list[Any] | None = None) -> None:
        self.args, self.given = args, inputs
        self.kept: list[Any] | None = None
        self.expected: list[Any] | None = None
        self.ref_latency: float | None = None

    def _inputs(self, profiler: Any) -> list[Any]:
        if self.given is not None:
            return self.given
        if self.kept is not None and self.args.cache_input_tensors:
            return self.kept
        if self.args.supply_prog is not None:
            self.kept = list(self.args.supply_prog(profiler._get_params()))
        else:
            self.kept = profiler._get_inputs()
        return self.kept

    def measure(self, kernel: Any, early_stop_baseline: float | None = None) -> float:
        """Milliseconds of one call. Raises where the results are wrong or time is up."""
        args = self.args
        with time_limit(args.timeout):
            profiler = kernel.get_profiler(tensor_supply_type=args.supply_type)
            inputs = self._inputs(profiler)
            if args.ref_prog is not None and not args.skip_check:
                self._check(kernel, inputs)
            return profiler.do_bench(
                warmup=args.warmup,
                rep=args.rep,
                input_tensors=inputs,
                backend=args.backend,
                early_stop_baseline=early_stop_baseline,
            )

    def _check(self, kernel: Any, inputs: list[Any]) -> None:
        args = self.args
        same = self.given is not None or args.cache_input_tensors
        # A kernel that returns nothing writes its inputs: the reference has to see what it saw.
        if not getattr(kernel, "out_idx", None):
            actual, expected = both_outcomes(kernel, args.ref_prog, inputs)
        else:
            if self.expected is None or not same:
                self.expected = as_list(args.ref_prog(*inputs))
            actual, expected = as_list(kernel(*inputs)), self.expected
        if args.manual_check_prog is not None:
            args.manual_check_prog(actual, expected)
            return
        if len(actual) != len(expected):
            raise AssertionError(
                f"the kernel returns {len(actual)} tensors, the reference {len(expected)}"
            )
        for one, other in zip(actual, expected, strict=True):
            if one is None or other is None:
                continue
            ratio = args.max_mismatched_ratio
            assert_close(
                one, other, args.rtol, args.atol, ratio, base_name="kernel", check_dtype=False
            )

    def reference(self) -> float | None:
        """Milliseconds of the reference program on the last inputs; None without one."""
        inputs = self.given if self.given is not None else self.kept
        if self.args.ref_prog is None or inputs is None:
            return None
        if self.ref_latency is None:
            from ..profiler import do_bench

            ref = self.args.ref_prog
            self.ref_latency = do_bench(lambda: ref(*inputs), self.args.warmup, self.args.rep)
        return self.ref_latency
