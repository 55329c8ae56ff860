# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest for `libraries.py`: which tests run, and times of benchmarks' kernels.

--library-every takes each N-th test, --library-only those that a file names. With --library-times FILE,
benchmarks time the library's own kernels: those of TileOPs in default configurations, with stand-ins
for the modules of their baselines, and nothing is tuned. A time is the median of a CUDA graph's, so
that the host is not in it; where a function cannot be captured, what the profiler counts of its
kernels, else of calls ("how" says which).
--library-cases is how many cases of each function run; --library-warm calls the kernels once and times
nothing.
"""

import collections
import importlib.machinery
import json
import pathlib
import sys
import types

BASELINES = {
    "fla", "flag_gems", "flash_attn", "flash_attn_interface", "flashinfer", "sgl_kernel", "vllm",
}  # fmt: skip
_options = _case = None
_timed = 0  # functions of the case


def pytest_addoption(parser):
    group = parser.getgroup("library")
    group.addoption("--library-every", type=int, default=1, metavar="N")
    # Texts: pytest-xdist sends options to its workers.
    group.addoption("--library-only", metavar="FILE")
    group.addoption("--library-times", metavar="FILE")
    group.addoption("--library-cases", type=int, default=1, metavar="N")
    group.addoption("--library-warm", action="store_true")


class _Nothing(dict):
    """What stands for functions of baselines and for what they return."""

    def __call__(self, *_, **__):
        return self


class _StandIn(types.ModuleType):
    """Has every name: a constant by its own name, else nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return name if name.isupper() else _Nothing()


class _Finder:
    """Finds a stand-in for each module of a baseline."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BASELINES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = _StandIn(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


def _time(function, arguments=()):
    """(microseconds, how they were measured); None where nothing is to be timed."""
    import torch
    from triton.testing import do_bench, do_bench_cudagraph

    call = lambda: function(*arguments)  # noqa: E731
    with torch.no_grad():
        call()
        torch.cuda.synchronize()
        if _options.library_warm:
            return None
        try:
            return do_bench_cudagraph(call, rep=20, return_mode="median") * 1e3, "graph"
        except Exception:  # noqa: BLE001  it synchronizes, or asks for a value of the GPU
            torch.cuda.synchronize()
        measured = _kernels(call)
        if measured:
            return measured, "kernels"
        return do_bench(call, warmup=10, rep=40, return_mode="median") * 1e3, "calls"


def _kernels(call, calls=20):
    """Microseconds of a call's kernels, as the profiler counts them: the host is not in them."""
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
    return sum(x.self_device_time_total for x in profile.key_averages()) / calls


def _record(tag, measured):
    if measured is not None:
        with open(_options.library_times, "a", encoding="utf-8") as file:
            line = {"case": _case, "tag": str(tag), "us": measured[0], "how": measured[1]}
            file.write(json.dumps(line) + "\n")


def _compare(self, functors, *inputs, record_as=None, params=None):
    for tag, value in functors.items():
        if "tileops" in str(tag).lower():
            function, arguments = value if isinstance(value, tuple) else (value, inputs)
            _record(tag, _time(function, arguments))
    return {tag: {} for tag in functors}


def _profile(self, functor, *inputs):
    _record("tileops", _time(functor, inputs))
    return {"device_busy_ms": 1.0, "latency_ms": 1.0, "gap_ms": 0.0}


def _do_bench(function, **_):
    """What stands for TileLang's do_bench, in milliseconds."""
    global _timed
    measured = _time(function)
    _timed += 1
    _record(_timed, measured)
    return 1.0 if measured is None else measured[0] / 1e3


def pytest_configure(config):
    global _options
    _options = config.option
    if not _options.library_times:
        return
    if not pathlib.Path("benchmarks").is_dir():  # TileKernels': its fixtures import this by name
        import tilelang.profiler.bench

        tilelang.profiler.bench.do_bench = _do_bench
        return
    sys.modules["benchmarks.baselines"] = _StandIn("benchmarks.baselines")
    sys.meta_path.append(_Finder())
    import benchmarks.benchmark_base
    import tileops.kernels.kernel_base

    kernel = tileops.kernels.kernel_base.Kernel
    init = kernel.init_config
    kernel.init_config = lambda self, config=None, tune=False: init(self, config, tune=False)
    kernel.autotune = lambda self, *_, **__: None
    benchmarks.benchmark_base.BenchmarkBase.compare = _compare
    benchmarks.benchmark_base.BenchmarkBase.profile = _profile


def pytest_runtest_setup(item):
    global _case, _timed
    _timed, _case = 0, item.nodeid.rpartition("/")[2]


def _chosen(items):
    if _options.library_only:
        names = set(pathlib.Path(_options.library_only).read_text(encoding="utf-8").splitlines())
        return [x for x in items if _name(x) in names]
    if not _options.library_times:
        return items[:: _options.library_every]
    groups = collections.defaultdict(list)
    for item in items:
        groups[item.path, item.originalname].append(item)
    chosen = []
    for group in groups.values():
        step = max(1, len(group) // _options.library_cases)
        chosen += group[::step][: _options.library_cases]
    return chosen


def _name(item):
    """The name that a report in JUnit's format gives a test."""
    path, *rest = item.nodeid.split("::")
    return "::".join([".".join([path.removesuffix(".py").replace("/", "."), *rest[:-1]]), rest[-1]])


def pytest_collection_modifyitems(config, items):
    chosen = _chosen(items)
    kept = set(map(id, chosen))
    config.hook.pytest_deselected(items=[x for x in items if id(x) not in kept])
    items[:] = chosen
