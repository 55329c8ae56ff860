# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiler of a kernel: inputs for its parameters, its time, comparison with a reference."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from mlir_tile.errors import ArgumentError

from .bench import do_bench
from .outcomes import both_outcomes, copied
from .supply import TensorSupplyType, as_list, assert_close, get_tensor_supply

__all__ = ["Profiler", "TensorSupplyType", "do_bench", "get_tensor_supply"]


class Profiler:
    """Measures and checks one kernel.

    Args:
      params: the kernel's parameters in order, each with `.dtype` and `.shape`.
      result_idx: places of the parameters that the kernel returns; the others are its inputs.
      supply_type: what inputs are filled with.
      adapter: the kernel: takes the inputs, returns the results.
    """

    def __init__(
        self,
        params: list[Any],
        result_idx: list[int] | int | None,
        supply_type: TensorSupplyType = TensorSupplyType.Auto,
        adapter: Callable[..., Any] | None = None,
    ) -> None:
        self.params = list(params)
        self.result_idx = _places(result_idx, len(self.params))
        self.supply_type = supply_type
        self.supply = get_tensor_supply(supply_type)
        self.adapter = adapter

    def with_default_adapter(self, adapter: Callable[..., Any]) -> Profiler:
        """Measures `adapter` from now on; returns the profiler."""
        self.adapter = adapter
        return self

    @property
    def func(self) -> Callable[..., Any]:
        """The kernel."""
        if self.adapter is None:
            raise ArgumentError("the profiler has no kernel: use kernel.get_profiler()")
        return self.adapter

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the kernel."""
        return self.func(*args, **kwargs)

    def _get_inputs(
        self,
        with_output: bool = False,
        dynamic_symbolic_constraints: dict[str, int] | None = None,
    ) -> list[Any]:
        supply = self.supply
        kind = str(getattr(self.adapter, "target", "")).partition(":")[0]
        if kind in ("cpu", "lowered") and "torch" not in sys.modules:
            from .arrays import array_supply

            supply = array_supply(self.supply_type)
        return [
            supply(param, dynamic_symbolic_constraints)
            for place, param in enumerate(self.params)
            if with_output or place not in self.result_idx
        ]

    def _get_params(self, with_output: bool = False) -> list[Any]:
        return [p for i, p in enumerate(self.params) if with_output or i not in self.result_idx]

    def _both(self, reference: Callable[..., Any], inputs: list[Any] | None) -> tuple[list, list]:
        inputs = self._get_inputs() if inputs is None else inputs
        return both_outcomes(self.func, reference, inputs)

    def assert_allclose(
        self,
        reference_program: Callable[..., Any],
        input_tensors: list[Any] | None = None,
        atol: float = 1e-2,
        rtol: float = 1e-2,
        max_mismatched_ratio: float = 0.01,
    ) -> None:
        """Raises AssertionError unless the kernel's results are those of the reference.

        Of a kernel that returns nothing they are the arguments that it writes, which the reference
        returns, or writes in its own copies.

        Args:
          input_tensors: what both get; without it, tensors of `supply_type`.
          atol, rtol: tolerances; `max_mismatched_ratio` of the elements may miss them.
        """
        for actual, expected in zip(*self._both(reference_program, input_tensors), strict=True):
            if actual is not None and expected is not None:
                assert_close(
                    actual,
                    expected,
                    rtol=rtol,
                    atol=atol,
                    max_mismatched_ratio=max_mismatched_ratio,
                    base_name="kernel",
                    ref_name="reference",
                    check_dtype=False,
                )

    def manual_assert_close(
        self,
        reference_program: Callable[..., Any],
        input_tensors: list[Any] | None = None,
        manual_check_prog: Callable[[list, list], Any] | None = None,
    ) -> None:
        """Gives the kernel's and the reference's results to `manual_check_prog`."""
        if manual_check_prog is None:
            raise ArgumentError("manual_assert_close needs manual_check_prog, a function of two lists")
        manual_check_prog(*self._both(reference_program, input_tensors))

    def assert_consistent(self, repeat: int = 10) -> None:
        """Raises AssertionError unless `repeat` further runs on the same inputs agree."""
        inputs = self._get_inputs()
        first = [copied(tensor) for tensor in self._results(inputs)]
        for _ in range(repeat):
            for actual, expected in zip(self._results(inputs), first, strict=True):
                assert_close(actual, expected, rtol=1e-5, atol=1e-8, max_mismatched_ratio=0)

    def _results(self, inputs: list[Any]) -> list[Any]:
        """What the kernel returns; of one that returns nothing the tensors that it was given, which
        are copies."""
        if getattr(self.func, "out_idx", None):
            return as_list(self.func(*inputs))
        given = [copied(x) for x in inputs]
        return as_list(self.func(*given)) or [x for x in given if hasattr(x, "shape")]

    def run_once(self, func: Callable[..., Any] | None = None) -> Any:
        """Runs the kernel (or `func`) on inputs of `supply_type`."""
        return (func or self.func)(*self._get_inputs())

    def do_bench(
        self,
        func: Callable[..., Any] | None = None,
        warmup: int = 25,
        rep: int = 100,
        n_warmup: int = 0,
        n_repeat: int = 0,
        input_tensors: list[Any] | None = None,
        backend: str = "event",
        quantiles: list[float] | None = None,
        return_mode: str = "mean",
        dynamic_symbolic_constraints: dict[str, int] | None = None,
        device: Any = None,
        early_stop_baseline: float | None = None,
    ) -> float | list[float]:
        """Milliseconds of the kernel (or of `func`) on inputs of `supply_type`.

        Args:
          input_tensors: inputs in place of those.
          dynamic_symbolic_constraints: sizes by name that are known when the kernel runs only.
          The others are those of `mlir_tile.profiler.do_bench`.
        """
        inputs = input_tensors
        if inputs is None:
            inputs = self._get_inputs(dynamic_symbolic_constraints=dynamic_symbolic_constraints)
        return do_bench(
            functools.partial(func or self.func, *inputs),
            warmup=warmup,
            rep=rep,
            _n_warmup=n_warmup,
            _n_repeat=n_repeat,
            quantiles=quantiles,
            backend=backend,
            return_mode=return_mode,
            device=device,
            early_stop_baseline=early_stop_baseline,
        )


def _places(result_idx: list[int] | int | None, count: int) -> list[int]:
    if result_idx is None:
        return []
    places = [result_idx] if isinstance(result_idx, int) else list(result_idx)
    for place in places:
        if not -count <= place < count:
            raise ArgumentError(f"out_idx {place} is none of the kernel's {count} parameters")
    return [place % count for place in places]
