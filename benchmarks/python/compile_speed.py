#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles TileLang's zoo of kernels (benchmark/compile_speed/kernel_zoo.py) from a cold cache.

    benchmarks/python/compile_speed.py PATH/OF/tilelang [--arch sm_90a] [--workers 4]

The zoo is read from TileLang's repository, untouched; nothing of it is here. Printed are
core-seconds a kernel (of all processes and threads, tracing the Python functions and assembling
included), by family, and what did not compile, by reason. Failures count as kernels.
"""

import argparse
import collections
import concurrent.futures
import importlib.util
import json
import pathlib
import resource
import sys
import tempfile
import time


def core_seconds():
    """Of this process and of those that it has waited for (ptxas)."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


def load_zoo(path):
    spec = importlib.util.spec_from_file_location("kernel_zoo", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_one(entry, target):
    """The family, seconds of this thread, and why it failed (None: it did not)."""
    import mlir_tile

    name, function = entry
    family = name.split("_")[0]
    start = time.thread_time()
    failure = None
    try:
        mlir_tile.compile(function, target=target)
    except mlir_tile.Error as error:
        failure = str(error).splitlines()[0]
    return name, family, time.thread_time() - start, failure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=pathlib.Path, help="TileLang's, or kernel_zoo.py")
    parser.add_argument("--scale", type=int, default=3, help="3: 126 kernels")
    parser.add_argument("--only", default="", help="a family: gemm, gqa, rmsnorm, silu, softmax")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--workers", type=int, default=1, help="threads that compile")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    path = options.repository
    if path.is_dir():
        path = path / "benchmark/compile_speed/kernel_zoo.py"
    if not path.is_file():
        parser.error(f"expected kernel_zoo.py of TileLang, found none at {path}")
    from mlir_tile import cache, compat

    cache.configure(directory=tempfile.mkdtemp(prefix="compile-speed-"))
    compat.install()
    target = f"cuda:{options.arch}"
    # What is done once in a process is not a kernel's: the compiler's library is loaded.
    compile_one(load_zoo(path).build_zoo(scale=1, salt=99)[-1], target)

    before, start = core_seconds(), time.perf_counter()
    zoo = [entry for entry in load_zoo(path).build_zoo(scale=options.scale)]
    zoo = [entry for entry in zoo if entry[0].startswith(options.only)]
    traced = core_seconds() - before
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        results = list(pool.map(lambda entry: compile_one(entry, target), zoo))
    spent, wall = core_seconds() - before, time.perf_counter() - start

    families = collections.defaultdict(list)
    reasons = collections.defaultdict(list)
    for name, family, seconds, failure in results:
        families[family].append(seconds)
        if failure:
            reasons[failure].append(name)
    failed = sum(map(len, reasons.values()))
    report = {
        "kernels": len(results),
        "compiled": len(results) - failed,
        "core_seconds_a_kernel": spent / max(1, len(results)),
        "tracing_a_kernel": traced / max(1, len(results)),
        "wall_seconds": wall,
        "families": {
            family: {"kernels": len(times), "mean": sum(times) / len(times), "longest": max(times)}
            for family, times in families.items()
        },
        "failures": reasons,
    }
    if options.json:
        print(json.dumps(report, indent=1))
        return 1 if failed else 0
    print(
        f"{report['compiled']} of {report['kernels']} kernels for {options.arch}: "
        f"{report['core_seconds_a_kernel']:.3f} core-seconds a kernel "
        f"({report['tracing_a_kernel'] * 1e3:.1f} ms of them tracing), {wall:.1f} s in all"
    )
    for family, facts in report["families"].items():
        print(
            f"  {family:10s} {facts['kernels']:4d} kernels, mean {facts['mean']:.3f} s, "
            f"longest {facts['longest']:.3f} s"
        )
    for reason, names in reasons.items():
        print(f"  FAILED {len(names)} ({names[0]}, ...): {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
