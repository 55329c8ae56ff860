# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@autotune(configs=...)` above `@jit`: a kernel that tunes itself where it is first used."""

from __future__ import annotations

import concurrent.futures
import importlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from mlir_tile.errors import ArgumentError

from ..profiler import TensorSupplyType
from .compiling import Portable, compile_all, portable_of
from .results import digest
from .tuner import AutoTuner, AutotuneResult

__all__ = ["TunedFunction", "autotune", "par_compile"]


def _parameters(config: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name != "pass_configs"}


class TunedFunction:
    """A jitted function whose tunable parameters are found by measuring.

    Called like the jitted function without them. Parameters that are given are not tuned.
    """

    def __init__(self, jit_impl: Any, configs: Any, options: dict[str, Any]) -> None:
        self.jit_impl, self.configs, self.options = jit_impl, configs, options
        self._tuner_cache: dict[str, AutotuneResult] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.jit_impl, name)

    def _signature(self) -> inspect.Signature:
        signature = getattr(self.jit_impl, "signature", None)
        return signature or inspect.signature(getattr(self.jit_impl, "func", self.jit_impl))

    def _bound(self, args: tuple, kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments by parameter, and the keywords that are none: sizes of T.const."""
        signature = self._signature()
        own = {name: value for name, value in kwargs.items() if name in signature.parameters}
        sizes = {name: value for name, value in kwargs.items() if name not in own}
        return dict(signature.bind_partial(*args, **own).arguments), sizes

    def _is_eager(self, args: tuple, kwargs: dict[str, Any], config: dict[str, Any]) -> bool:
        """Whether the function below is a kernel itself; it may have to be called to know."""
        mode = getattr(self.jit_impl, "mode", None)
        if mode not in ("lazy", "eager"):
            mode = self.jit_impl._decide(args, {**kwargs, **_parameters(config)})
        return mode == "eager"

    def _configs(self, args: tuple, kwargs: dict[str, Any]) -> list[dict[str, Any]]:
        if not callable(self.configs):
            return list(self.configs)
        parameters = inspect.signature(self.configs).parameters
        if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
            kwargs = {name: value for name, value in kwargs.items() if name in parameters}
        return list(self.configs(*args, **kwargs))

    def _without_seeds(
        self, configs: list[dict[str, Any]], args: tuple, kwargs: dict[str, Any]
    ) -> tuple[tuple, dict[str, Any]]:
        """The call without tuned parameters that `do_not_specialize` names: their values are only
        there so that the signature can be bound."""
        seeds = set(self.options["do_not_specialize"] or ()) & set(configs[0] if configs else ())
        named = dict(zip(self._signature().parameters, args, strict=False))
        if seeds & set(named):
            args, kwargs = (), {**named, **kwargs}
        return args, {name: value for name, value in kwargs.items() if name not in seeds}

    def tune(self, *args: Any, **kwargs: Any) -> AutotuneResult:
        """Finds the best configuration for these arguments (once for each)."""
        configs = self._configs(args, kwargs)
        args, kwargs = self._without_seeds(configs, args, kwargs)
        bound, sizes = self._bound(args, kwargs)
        skipped = set(self.options["do_not_specialize"] or ())
        key_parts = {k: v for k, v in {**bound, **sizes}.items() if k not in skipped}
        key = digest(key_parts)
        if key not in self._tuner_cache:
            if any(set(config) & set(bound) for config in configs[:1]):  # given, not tuned
                found = AutotuneResult(kernel=self.jit_impl.compile(*args, **kwargs))
            else:
                found = self._search(configs, args, kwargs, key_parts)
            self._tuner_cache[key] = found
        return self._tuner_cache[key]

    def _search(self, configs: Any, args: tuple, kwargs: dict[str, Any], key_parts: Any) -> Any:
        implementation, options = self.jit_impl, self.options
        tuner = AutoTuner(implementation, configs)
        tuner.set_compile_args(
            out_idx=getattr(implementation, "out_idx", None),
            target=getattr(implementation, "target", None),
            pass_configs=getattr(implementation, "pass_configs", None),
        )
        tuner.set_profile_args(**options["profile"])
        tuner.set_kernel_parameters(key_parts)
        tuner.make = lambda config: self._compile(args, kwargs, config)
        tuner.portable = lambda config: self._portable(args, kwargs, config)
        if self._is_eager(args, kwargs, configs[0]) and tuner.inputs is None:
            bound, _ = self._bound(args, kwargs)
            tensors = [value for value in bound.values() if hasattr(value, "data_ptr")]
            tuner.inputs = tensors or None
        return tuner.run(**options["run"])

    def _compile(self, args: tuple, kwargs: dict[str, Any], config: dict[str, Any]) -> Any:
        parameters = dict(config)
        extra = parameters.pop("pass_configs", None)
        if extra:
            program = self.jit_impl.get_prim_func(*args, **kwargs, **parameters)
            return importlib.import_module("mlir_tile.jit").compile(
                program,
                out_idx=None if program.out_idx else self.jit_impl.out_idx,
                target=self.jit_impl.target,
                pass_configs={**(self.jit_impl.pass_configs or {}), **extra},
            )
        return self.jit_impl.compile(*args, **kwargs, **parameters)

    def _portable(self, args: tuple, kwargs: dict[str, Any], config: dict[str, Any]) -> Portable:
        parameters = dict(config)
        extra = {**(self.jit_impl.pass_configs or {}), **parameters.pop("pass_configs", {})}
        program = self.jit_impl.get_prim_func(*args, **kwargs, **parameters)
        elaborate = importlib.import_module("mlir_tile.jit").elaborate
        return portable_of(elaborate(program, self.jit_impl.target, extra or None))

    def compile(self, *args: Any, **kwargs: Any) -> Any:
        """The best kernel for these arguments."""
        return self.tune(*args, **kwargs).kernel

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Lazy style: the best kernel. Eager style: its results for the tensors given."""
        return_kernel = kwargs.pop("__return_kernel", False)
        result = self.tune(*args, **kwargs)
        config = _parameters(result.config or {})
        if result.config is not None:
            args, kwargs = self._without_seeds([result.config], args, kwargs)
        if return_kernel or not self._is_eager(args, kwargs, config):
            return result.kernel
        return self.jit_impl(*args, **{**kwargs, **config})


def autotune(
    func: Any = None,
    *,
    configs: Any = None,
    warmup: int = 25,
    rep: int = 100,
    timeout: float = 100,
    supply_type: TensorSupplyType = TensorSupplyType.Auto,
    ref_prog: Callable[..., Any] | None = None,
    supply_prog: Callable[..., Any] | None = None,
    rtol: float = 1e-2,
    atol: float = 1e-2,
    max_mismatched_ratio: float = 0.01,
    skip_check: bool = False,
    manual_check_prog: Callable[..., Any] | None = None,
    cache_input_tensors: bool = False,
    do_not_specialize: Iterable[str] | None = None,
    early_stop: bool = False,
    early_stop_factor: float = 2.0,
    executor: concurrent.futures.Executor | None = None,
    progress: str = "auto",
    keep: int | None = None,
) -> Callable[[Any], TunedFunction]:
    """Decorator above `@jit`: finds the parameters in `configs` by measuring.

    Args:
      configs: list of dictionaries (parameter -> value), or a function of the call's arguments
        that returns one.
      do_not_specialize: parameters whose change does not tune again; of these, the tuned ones are
        tuned although they are given.
      executor, early_stop, early_stop_factor, progress, keep: see `AutoTuner.run`.
      The others: see `ProfileArgs`.
    """
    if func is not None or configs is None:
        raise ArgumentError("write @autotune(configs=[...]) above @jit: it needs configurations")
    profile = {
        "supply_type": supply_type, "ref_prog": ref_prog, "supply_prog": supply_prog,
        "rtol": rtol, "atol": atol, "max_mismatched_ratio": max_mismatched_ratio,
        "skip_check": skip_check, "manual_check_prog": manual_check_prog,
        "cache_input_tensors": cache_input_tensors,
    }  # fmt: skip
    run = {
        "warmup": warmup, "rep": rep, "timeout": timeout, "early_stop": early_stop,
        "early_stop_factor": early_stop_factor, "executor": executor, "progress": progress,
        "keep": keep,
    }  # fmt: skip
    options = {"profile": profile, "run": run, "do_not_specialize": do_not_specialize}

    def decorate(implementation: Any) -> TunedFunction:
        if not hasattr(implementation, "compile"):
            raise ArgumentError("@autotune stands above @jit: the function below it is not jitted")
        return TunedFunction(implementation, configs, options)

    return decorate


def par_compile(
    funcs: Iterable[Any],
    out_idx: list[int] | int | None = None,
    execution_backend: str | None = None,
    target: Any = None,
    target_host: Any = None,
    verbose: bool | None = None,
    pass_configs: dict[Any, Any] | None = None,
    compile_flags: Any = None,
    num_workers: int | None = None,
    ignore_error: bool = False,
) -> list[Any]:
    """Compiles prim_funcs in parallel; returns their kernels in order.

    Args:
      num_workers: threads (default: CPUs of this process).
      ignore_error: gives None for a function that does not compile, in place of an exception.
    """
    funcs = list(funcs)
    options = {"out_idx": out_idx, "pass_configs": pass_configs}
    if target is not None:
        options["target"] = target
    compile_one = importlib.import_module("mlir_tile.jit").compile
    kernels: list[Any] = [None] * len(funcs)
    configs = [{"func": func} for func in funcs]
    for made in compile_all(
        configs, lambda config: compile_one(config["func"], **options), workers=num_workers
    ):
        if made.error is not None and not ignore_error:
            raise made.error
        kernels[made.index] = made.kernel
    return kernels
