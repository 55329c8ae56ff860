# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of a function in milliseconds: by CUDA events or CUPTI where it runs on a GPU, else by the
clock."""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from mlir_tile.errors import ArgumentError

__all__ = ["do_bench"]

_BACKENDS = ("event", "cupti", "cudagraph")
# The range around what overwrites the cache, in CUPTI's records.
_FLUSH = "mlir_tile::cache_flush"
_AGGREGATES = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "min": min,
    "max": max,
}


class _Clock:
    """Measures on this machine's CPU."""

    def __init__(self) -> None:
        self.started = 0.0

    def clear(self) -> None:
        """Nothing to clear: a kernel on the CPU is much longer than a fill of its caches."""

    def measure(self, function: Callable[[], Any], count: int) -> list[float]:
        """Milliseconds of each of `count` calls."""
        times = []
        for _ in range(count):
            start = time.perf_counter()
            function()
            times.append((time.perf_counter() - start) * 1e3)
        return times


class _Events:
    """Measures on a GPU between two events; the L2 cache is overwritten in front of each call."""

    def __init__(self, torch: Any, cache_mib: int) -> None:
        self.torch = torch
        self.cache = torch.empty(cache_mib << 18, dtype=torch.int32, device="cuda")

    def measure(self, function: Callable[[], Any], count: int) -> list[float]:
        """Milliseconds of each of `count` calls."""
        event = self.torch.cuda.Event
        pairs = [(event(enable_timing=True), event(enable_timing=True)) for _ in range(count)]
        for start, stop in pairs:
            self.cache.zero_()
            start.record()
            function()
            stop.record()
        self.torch.cuda.synchronize()
        return [start.elapsed_time(stop) for start, stop in pairs]


def _bench_with_cupti(fn: Callable[[], Any], cache: Any, n_repeat: int) -> float:
    """Mean milliseconds that the device works for a call, as TileLang's backend "cupti" counts.

    All that `fn` starts on the device counts (kernels, copies, fills), without the gaps between;
    the overwriting of `cache` in front of each call does not. 0 where CUPTI records nothing.
    """
    torch = sys.modules["torch"]
    profiler = torch.profiler
    activities = [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.CUDA]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's about this schedule
        schedule = profiler.schedule(wait=1, warmup=0, active=1, repeat=1)
        with profiler.profile(activities=activities, schedule=schedule) as found:
            for _ in range(2):  # the first round is not recorded
                for _ in range(n_repeat):
                    with profiler.record_function(_FLUSH):
                        cache.zero_()
                    fn()
                torch.cuda.synchronize()  # what a round started ends in it
                found.step()
    microseconds = 0.0
    for event in found.events():
        if getattr(getattr(event, "device_type", None), "name", "") != "CUDA":
            continue
        # A range is recorded on the device, too: as long as what ran in it.
        if not event.is_user_annotation:
            microseconds += event.self_device_time_total
        elif event.key == _FLUSH:
            microseconds -= event.self_device_time_total
    return microseconds / n_repeat * 1e-3


def _source(function: Callable[..., Any], cache_size: int) -> _Clock | _Events:
    torch = sys.modules.get("torch")
    kernel = getattr(function, "func", function)
    on_cpu = str(getattr(kernel, "target", "")).split(":")[0] in ("cpu", "lowered", "llvm", "c")
    if on_cpu or torch is None or not torch.cuda.is_available():
        return _Clock()
    # A process may map "cuda" to the CPU; then there is nothing that events could measure.
    if torch.empty(1, device="cuda").device.type != "cuda":
        return _Clock()
    return _Events(torch, cache_size)


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    _n_warmup: int = 0,
    _n_repeat: int = 0,
    quantiles: list[float] | None = None,
    fast_flush: bool = True,
    backend: str = "event",
    return_mode: str = "mean",
    device: Any = None,
    cache_size: int = 256,
    early_stop_baseline: float | None = None,
) -> float | list[float]:
    """Milliseconds of one call of `fn`.

    Args:
      warmup, rep: about how many milliseconds to spend before and while measuring. The first
        call, which may compile, is not measured, one after it is at least; of a function that
        takes longer than both times together, this is the only one.
      _n_warmup, _n_repeat: numbers of calls in place of these times.
      quantiles: returns these quantiles (0 to 1) in place of one number.
      return_mode: "mean", "median", "min" or "max" of the calls.
      backend: on a GPU, "event" measures from before a call's launch to the kernel's end; "cupti"
        takes the mean time that the device works (by torch.profiler; quantiles and return_mode mean
        nothing there). "cudagraph" measures by events, too.
      cache_size: megabytes to overwrite in front of each call, so that the L2 cache is cold.
      early_stop_baseline: stops after the first estimate where that is longer (milliseconds).
    """
    if return_mode not in _AGGREGATES:
        raise ArgumentError(f"return_mode is one of {', '.join(_AGGREGATES)}; got {return_mode!r}")
    if backend not in _BACKENDS:
        raise ArgumentError(f"backend is one of {', '.join(_BACKENDS)}; got {backend!r}")
    if device is not None and "torch" in sys.modules and isinstance(device, int):
        with sys.modules["torch"].cuda.device(device):
            return do_bench(
                fn, warmup, rep, _n_warmup, _n_repeat, quantiles, fast_flush, backend, return_mode,
                None, cache_size, early_stop_baseline,
            )  # fmt: skip
    source = _source(fn, cache_size)
    fn()  # it may compile in its first call
    first = source.measure(fn, 1)[0]
    if first >= warmup + rep and not _n_repeat:
        return _result([first], quantiles, return_mode)
    few = 2 if first > 10 else 5
    estimate = min(source.measure(fn, few)) or 1e-6
    if early_stop_baseline is not None and estimate > early_stop_baseline:
        return _result([estimate], quantiles, return_mode)
    before = _n_warmup or int(warmup / estimate)
    count = _n_repeat or max(1, int(rep / estimate))
    for _ in range(max(0, min(before, 10_000) - few)):
        fn()
    count = min(count, 10_000)
    if backend == "cupti" and isinstance(source, _Events):
        # A record for each thing that ran: a thousand calls are enough.
        found = _bench_with_cupti(fn, source.cache, min(count, 1000))
        if found > 0:
            return found
        warnings.warn("CUPTI recorded nothing: this time is measured by events", stacklevel=2)
    return _result(source.measure(fn, count), quantiles, return_mode)


def _result(times: list[float], quantiles: list[float] | None, mode: str) -> float | list[float]:
    if quantiles is None:
        return float(_AGGREGATES[mode](times))
    ordered = sorted(times)
    last = len(ordered) - 1
    found = []
    for quantile in quantiles:
        place = quantile * last
        low = int(place)
        high = min(low + 1, last)
        found.append(ordered[low] + (ordered[high] - ordered[low]) * (place - low))
    return found[0] if len(found) == 1 else found
