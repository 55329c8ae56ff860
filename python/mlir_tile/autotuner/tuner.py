# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`AutoTuner`: compiles configurations in parallel, measures them one at a time, keeps the best."""

from __future__ import annotations

import concurrent.futures
import importlib
import inspect
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlir_tile.errors import ArgumentError

from .. import cache
from ..profiler import TensorSupplyType
from .compiling import Portable, compile_all, portable_of
from .inputs import get_autotune_inputs
from .measuring import Bench, ProfileArgs
from .progress import Progress
from .results import Store, cache_folder, digest

__all__ = ["AutoTuner", "AutotuneResult", "CompileArgs"]

_LOG = logging.getLogger("mlir_tile.autotuner")


@dataclass
class CompileArgs:
    """How configurations are compiled; see `mlir_tile.jit.compile`."""

    out_idx: list[int] | int | None = None
    target: Any = None
    verbose: bool = False
    pass_configs: dict[Any, Any] | None = None


@dataclass
class AutotuneResult:
    """What tuning found.

    Attributes:
      latency: milliseconds of the best configuration; ref_latency: of the reference program.
      config: the best configuration; kernel: its kernel.
      latencies: configuration and milliseconds of all that ran, best first.
      failures: configuration and reason of those that did not compile, run or compare.
      interrupted: whether Ctrl-C ended the search early.
    """

    latency: float | None = None
    config: dict[str, Any] | None = None
    ref_latency: float | None = None
    kernel: Any = None
    latencies: list[tuple[dict[str, Any], float]] = field(default_factory=list)
    failures: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    interrupted: bool = False
    from_cache: bool = False

    @property
    def libcode(self) -> str:
        """The best kernel's PTX."""
        return self.kernel.get_kernel_source()

    @property
    def func(self) -> Any:
        """The best kernel's prim_func."""
        return getattr(self.kernel, "prim_func", None)


def _identity(function: Callable[..., Any]) -> list[Any]:
    """What tells one function from another: its code and the values that it closes over."""
    function = inspect.unwrap(getattr(function, "func", function))
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        source = repr(function) if code is None else code.co_code.hex() + repr(code.co_consts)
    cells = getattr(function, "__closure__", None) or ()
    values = []
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            values.append((name, cell.cell_contents))
        except ValueError:
            values.append((name, "unset"))
    return [function.__qualname__, source, values]


def _device(target: Any) -> str:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return f"{target} on the CPU"
    return f"{target} on {torch.cuda.get_device_name()}"


class AutoTuner:
    """Finds the fastest of a kernel's configurations.

    Args:
      fn: a function of the tunable parameters that returns a prim_func.
      configs: a list of dictionaries (parameter -> value), or a function that returns one.
    """

    def __init__(self, fn: Callable[..., Any], configs: Any) -> None:
        self.fn, self.configs = fn, configs
        self.compile_args, self.profile_args = CompileArgs(), ProfileArgs()
        self.inputs: list[Any] | None = None
        self.key_parts: list[Any] = []
        # How a configuration becomes a kernel; the decorator puts its own here.
        self.make: Callable[[dict[str, Any]], Any] = self._make
        self.portable: Callable[[dict[str, Any]], Portable] = self._portable
        self.cache_dir = cache_folder()
        off = os.environ.get("TILELANG_AUTO_TUNING_DISABLE_CACHE", "0").lower()
        self.use_cache = off not in ("1", "true", "yes", "on")

    @classmethod
    def from_kernel(cls, kernel: Callable[..., Any], configs: Any) -> AutoTuner:
        """A tuner of `kernel`, a function of the tunable parameters."""
        return cls(kernel, configs)

    def set_compile_args(
        self,
        out_idx: list[int] | int | None = None,
        target: Any = None,
        execution_backend: str | None = None,
        target_host: Any = None,
        verbose: bool | None = None,
        pass_configs: dict[Any, Any] | None = None,
    ) -> AutoTuner:
        """How to compile; execution_backend and target_host have no meaning here."""
        self.compile_args = CompileArgs(out_idx, target, bool(verbose), pass_configs)
        return self

    def set_profile_args(
        self,
        warmup: int = 25,
        rep: int = 100,
        timeout: float = 30,
        supply_type: TensorSupplyType = TensorSupplyType.Auto,
        ref_prog: Callable[..., Any] | None = None,
        supply_prog: Callable[..., Any] | None = None,
        rtol: float = 1e-2,
        atol: float = 1e-2,
        max_mismatched_ratio: float = 0.01,
        skip_check: bool = False,
        manual_check_prog: Callable[..., Any] | None = None,
        cache_input_tensors: bool = False,
        backend: str = "event",
    ) -> AutoTuner:
        """How to check and to measure (see `ProfileArgs`). Takes the tensors of
        `set_autotune_inputs` where it is called in such a block."""
        self.inputs = get_autotune_inputs()
        if self.inputs is not None and supply_prog is not None:
            _LOG.warning("supply_prog is not used: set_autotune_inputs gives the tensors")
        self.profile_args = ProfileArgs(
            warmup, rep, timeout, supply_type, ref_prog, supply_prog, rtol, atol,
            max_mismatched_ratio, skip_check, manual_check_prog, cache_input_tensors, backend,
        )  # fmt: skip
        return self

    def set_kernel_parameters(self, *parts: Any) -> AutoTuner:
        """What else the results depend on: the other arguments of the tuned function."""
        self.key_parts = list(parts)
        return self

    def _make(self, config: dict[str, Any]) -> Any:
        args = self.compile_args
        pass_configs = {**(args.pass_configs or {}), **config.get("pass_configs", {})}
        parameters = {name: value for name, value in config.items() if name != "pass_configs"}
        program = self.fn(**parameters)
        if hasattr(program, "get_profiler"):  # the function is a jitted one and compiled itself
            return program
        options = {"out_idx": args.out_idx, "pass_configs": pass_configs or None}
        if args.target is not None:
            options["target"] = args.target
        return importlib.import_module("mlir_tile.jit").compile(program, **options)

    def _portable(self, config: dict[str, Any]) -> Portable:
        args = self.compile_args
        pass_configs = {**(args.pass_configs or {}), **config.get("pass_configs", {})}
        program = self.fn(**{key: value for key, value in config.items() if key != "pass_configs"})
        elaborate = importlib.import_module("mlir_tile.jit").elaborate
        return portable_of(elaborate(program, args.target, pass_configs or None))

    def _configurations(self) -> list[dict[str, Any]]:
        configs = self.configs() if callable(self.configs) else self.configs
        configs = [dict(config) for config in configs or ()]
        if not configs:
            raise ArgumentError("there are no configurations to tune: configs is empty")
        known = self._parameters()
        for config in configs if known is not None else ():
            unknown = sorted(set(config) - known - {"pass_configs"})
            if unknown:
                raise ArgumentError(
                    f"configuration {config}: {', '.join(unknown)} is no parameter of the kernel "
                    f"(it has {', '.join(sorted(known))})"
                )
        return configs

    def _parameters(self) -> set[str] | None:
        try:
            signature = getattr(self.fn, "signature", None) or inspect.signature(self.fn)
        except (TypeError, ValueError):
            return None
        kinds = [parameter.kind for parameter in signature.parameters.values()]
        return None if inspect.Parameter.VAR_KEYWORD in kinds else set(signature.parameters)

    def _store(self, inputs: list[Any] | None) -> Store:
        args, profile = self.compile_args, self.profile_args
        checks = (profile.ref_prog, profile.skip_check, profile.rtol, profile.atol)
        device = _device(args.target)
        key = digest(
            _identity(self.fn), self.key_parts, inputs, args.out_idx, str(args.target),
            {str(k): v for k, v in (args.pass_configs or {}).items()}, checks, device, cache.build_id(),
        )  # fmt: skip
        about = {"kernel": getattr(self.fn, "__qualname__", str(self.fn)), "device": device}
        return Store(self.cache_dir if self.use_cache else None, key, about)

    def run(
        self,
        warmup: int | None = None,
        rep: int | None = None,
        timeout: float | None = None,
        *,
        early_stop: bool = False,
        early_stop_factor: float = 2.0,
        executor: concurrent.futures.Executor | None = None,
        workers: int | None = None,
        progress: str = "auto",
        use_pipeline: bool = True,
        keep: int | None = None,
        **_: Any,
    ) -> AutotuneResult:
        """Compiles and measures all configurations; returns what was found.

        Args:
          warmup, rep, timeout: milliseconds, milliseconds, seconds a configuration.
          early_stop: measures a configuration only roughly whose first estimate is longer than
            early_stop_factor times the best.
          executor: where to compile (any concurrent.futures.Executor); None is threads.
          progress: "auto", "rich", "tqdm" or "log".
          use_pipeline: on a GPU, measures while others compile.
          keep: measures only so many configurations, those that the cost model estimates fastest.
        Raises RuntimeError if no configuration works. Ctrl-C ends the search with what was found.
        """
        if early_stop and early_stop_factor < 1:
            raise ArgumentError(f"early_stop_factor is at least 1; got {early_stop_factor}")
        given = {"warmup": warmup, "rep": rep, "timeout": timeout}
        given = {name: value for name, value in given.items() if value is not None}
        inputs = self.inputs if self.inputs is not None else get_autotune_inputs()
        configs = self._configurations()
        if keep is not None and keep < len(configs):
            from .ranking import ranked

            order = [index for _, index in ranked(configs, self.portable)]
            configs = [configs[index] for index in order[: max(1, keep)]]
        search = _Search(self, configs, self._store(inputs), progress)
        search.bench = Bench(replace(self.profile_args, **given), inputs)
        search.factor = early_stop_factor if early_stop else None
        return search.run(executor, workers, use_pipeline)

    def __call__(self) -> AutotuneResult:
        """Runs the search."""
        return self.run()


class _Search:
    """One run of a tuner."""

    def __init__(
        self, tuner: AutoTuner, configs: Sequence[dict[str, Any]], store: Store, progress: str
    ) -> None:
        self.tuner, self.configs, self.store = tuner, configs, store
        self.progress_kind = progress
        self.bench: Bench
        self.factor: float | None = None
        self.kernels: dict[int, Any] = {}
        self.found: dict[int, float] = {}
        self.failures: dict[int, str] = {}

    def run(
        self, executor: concurrent.futures.Executor | None, workers: int | None, pipeline: bool
    ) -> AutotuneResult:
        """Searches; see `AutoTuner.run`."""
        todo = []
        for index, config in enumerate(self.configs):
            row = self.store.get(config)
            if row is not None and "latency" in row:
                self.found[index] = row["latency"]
            elif row is not None and self.store.complete:
                self.failures[index] = row["error"]
            else:
                todo.append(index)
        if not self.found:  # what failed may be mended; nothing is lost by another try
            todo, self.failures = list(range(len(self.configs))), {}
        interrupted = False
        if todo:
            self.progress = Progress(len(todo), self.progress_kind)
            try:
                self._measure_all(todo, executor, workers, pipeline)
            except KeyboardInterrupt:
                interrupted = True
            finally:
                self.progress.close()
                self.store.save(complete=not interrupted)
        return self._result(interrupted, from_cache=not todo)

    def _measure_all(self, todo: list[int], executor: Any, workers: Any, pipeline: bool) -> None:
        configs = [self.configs[index] for index in todo]
        stream = compile_all(configs, self.tuner.make, self.tuner.portable, executor, workers)
        waiting = []
        for made in stream:
            index = todo[made.index]
            if made.error is not None:
                self._failed(index, made.error)
            elif pipeline and str(getattr(made.kernel, "target", "")).startswith("cuda"):
                self._measure(index, made.kernel)
            else:
                # On the CPU, compiling others would take the kernel's cores away.
                waiting.append((index, made.kernel))
        for index, kernel in waiting:
            self._measure(index, kernel)

    def _failed(self, index: int, error: BaseException) -> None:
        lines = str(error).strip().splitlines() or [""]
        self.failures[index] = text = f"{type(error).__name__}: {lines[0]}"
        self.store.put(self.configs[index], error=text)
        _LOG.warning("configuration %s is left out: %s", self.configs[index], text)
        self.progress.step(f"{self.configs[index]} failed")

    def _measure(self, index: int, kernel: Any) -> None:
        config = self.configs[index]
        limit = None
        if self.factor is not None and self.found:
            limit = min(self.found.values()) * self.factor
        try:
            latency = self.bench.measure(kernel, limit)
        except Exception as error:
            self._failed(index, error)
            return
        self.found[index] = latency
        self.kernels[index] = kernel
        self.store.put(config, latency=latency)
        self.progress.step(f"{config} {latency:.4g} ms", latency)

    def _result(self, interrupted: bool, from_cache: bool) -> AutotuneResult:
        failures = [(self.configs[i], text) for i, text in sorted(self.failures.items())]
        if not self.found:
            if interrupted:
                raise KeyboardInterrupt
            first = "".join(f"; first: {config}: {text}" for config, text in failures[:1])
            raise RuntimeError(f"none of the {len(self.configs)} configurations works{first}")
        best = min(self.found, key=self.found.__getitem__)
        kernel = self.kernels.get(best)
        if kernel is None:  # measured by an earlier run
            kernel = self.tuner.make(self.configs[best])
        result = AutotuneResult(
            latency=self.found[best],
            config=dict(self.configs[best]),
            ref_latency=None if from_cache else self.bench.reference(),
            kernel=kernel,
            latencies=sorted(
                ((self.configs[i], t) for i, t in self.found.items()), key=lambda row: row[1]
            ),
            failures=failures,
            interrupted=interrupted,
            from_cache=from_cache,
        )
        update = getattr(kernel, "update_tuner_result", None)
        if update is not None:
            update(result.latency, result.config, result.ref_latency)
        return result
