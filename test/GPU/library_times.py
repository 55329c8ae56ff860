# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest for `libraries.py`: which tests run, and times of benchmarks' kernels.

LIBRARY_EVERY takes each N-th test, LIBRARY_ONLY those that a file names. With LIBRARY_TIMES, a file,
TileOPs' benchmarks time their own kernels only, in default configurations: the modules of their
baselines are stand-ins, and nothing is tuned. LIBRARY_CASES is how many cases of each function run;
LIBRARY_WARM calls the kernels once and times nothing.
"""

import collections
import importlib.machinery
import json
import os
import pathlib
import sys
import types

EVERY = int(os.environ.get("LIBRARY_EVERY", "1"))
ONLY = os.environ.get("LIBRARY_ONLY")
TIMES = os.environ.get("LIBRARY_TIMES")
WARM = os.environ.get("LIBRARY_WARM") == "1"
CASES = int(os.environ.get("LIBRARY_CASES", "1"))
BASELINES = {
    "fla", "flag_gems", "flash_attn", "flash_attn_interface", "flashinfer", "sgl_kernel", "vllm",
}  # fmt: skip
_case = None


class _StandIn(types.ModuleType):
    """Has every name: a constant by its own name, a function that gives a function."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return name if name.isupper() else lambda *_, **__: lambda *_, **__: None


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


def _time(function, arguments):
    import torch
    from triton.testing import do_bench

    with torch.no_grad():
        if WARM:
            function(*arguments)
            torch.cuda.synchronize()
            return None
        call = lambda: function(*arguments)  # noqa: E731
        return do_bench(call, warmup=10, rep=40, return_mode="median") * 1e3


def _record(tag, microseconds):
    if microseconds is not None:
        with open(TIMES, "a", encoding="utf-8") as file:
            line = {"case": _case, "tag": str(tag), "us": microseconds}
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


if TIMES:
    sys.modules["benchmarks.baselines"] = _StandIn("benchmarks.baselines")
    sys.meta_path.append(_Finder())
    import benchmarks.benchmark_base
    import tileops.kernels.kernel_base

    benchmarks.benchmark_base.BenchmarkBase.compare = _compare
    benchmarks.benchmark_base.BenchmarkBase.profile = _profile
    tileops.kernels.kernel_base.Kernel.autotune = lambda self, *_, **__: None


def pytest_runtest_setup(item):
    global _case
    _case = item.nodeid.rpartition("/")[2]


def _chosen(items):
    if ONLY:
        names = set(pathlib.Path(ONLY).read_text(encoding="utf-8").splitlines())
        return [x for x in items if _name(x) in names]
    if not TIMES:
        return items[::EVERY]
    groups = collections.defaultdict(list)
    for item in items:
        groups[item.path, item.originalname].append(item)
    chosen = []
    for group in groups.values():
        step = max(1, len(group) // CASES)
        chosen += group[::step][:CASES]
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
