# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the kernels of TileLang's benchmark/compile_speed, cold, and prints core-seconds.

    python test/python/acceptance/zoo.py --repo TILELANG.git [--target cuda:sm_90a] [--workers N]

No GPU is needed: the kernels are compiled for the target and not run. A kernel that does not
compile counts as a miss and is named.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import resource
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402


def core_seconds() -> float:
    """CPU time of this process and of those it waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Compiles the zoo; exits with 1 where a kernel did not compile."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commit", default=run.COMMIT)
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--scale", type=int, default=3)
    parser.add_argument("--workers", type=int)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "torch_stub"))
    from mlir_tile import cache, compat
    from mlir_tile.autotuner.compiling import compile_all
    from mlir_tile.jit import compile

    compat.install()
    cache.disable()
    with tempfile.TemporaryDirectory() as folder:
        run.unpack(options.repo, options.commit, Path(folder))
        sys.path.insert(0, str(Path(folder) / "benchmark" / "compile_speed"))
        start, used = time.perf_counter(), core_seconds()
        functions = importlib.import_module("kernel_zoo").build_zoo(options.scale)
        traced = core_seconds() - used
        made = list(
            compile_all(
                [{"func": function} for _, function in functions],
                lambda config: compile(config["func"], target=options.target),
                workers=options.workers,
            )
        )
    used, seconds = core_seconds() - used, time.perf_counter() - start
    errors = [one.error for one in made if one.error is not None]
    for error, count in collections.Counter(map(run.reason, map(str, errors))).most_common():
        print(f"{count:4} missed: {error}")
    print(
        f"{len(made) - len(errors)} of {len(made)} kernels for {options.target}: {seconds:.1f} s, "
        f"{used / len(made):.3f} core-seconds a kernel ({traced / len(made):.3f} of them tracing)"
    )
    raise SystemExit(bool(errors))


if __name__ == "__main__":
    main()
