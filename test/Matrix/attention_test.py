#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the attention programs of benchmarks/tilebench at small sizes and compares with numpy in float64.

    attention_test.py --bin build/release/bin [--cases 'forward*'] [--paths source,lowered] [--seed 1] [--jobs 1]

`source` is the program as written, on the CPU; `lowered` what becomes PTX for sm_90a, thread by thread (docs/Lowered.md). Outputs
start as NaN, so that an element that nothing stores is wrong. The last line counts.
"""

import argparse
import concurrent.futures
import fnmatch
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "benchmarks"))

from attention_cases import CASES  # noqa: E402

PATHS = {"source": [], "lowered": ["--stage=lowered", "--arch=sm_90a"], "scheduled": ["--stage=scheduled", "--arch=sm_90a"]}
SECONDS = 300


def complaint(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line or "FAIL" in line), lines[0] if lines else "no message")[:400]


def differences(name, got, value, error):
    """What is wrong with an output, in a line; None where nothing is. Infinities are equal to themselves only."""
    if got.shape != value.shape:
        return f"{name}: its shape is {got.shape}, expected {value.shape}"
    with np.errstate(invalid="ignore"):
        right = (np.abs(got - value) <= error) | (got == value)
    if right.all():
        return None
    at = tuple(map(int, np.argwhere(~right)[0]))
    return f"{name}: {(~right).sum()} of {got.size} wrong; the first at {list(at)} is {got[at]:.9g}, expected {value[at]:.9g} within {error[at]:.3g}"


def run_step(step, data, folder, options, modes):
    """Runs one kernel on the arrays of `data`, which its outputs go back to; an error, or None."""
    program, arguments, outputs = step
    source = folder / f"{program.ident()}.mlir"
    source.write_text(program.text())
    given = []
    for name, value in arguments.items():
        value = data[value] if isinstance(value, str) else value
        value = value(data) if callable(value) else value
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            given.append(f"{name}=@{folder}/{name}.npy")
        else:
            given.append(f"{name}={value!r}")
    command = [options.bin / "tile-run", source, *modes, f"--args={','.join(given)}"]
    command += [f"--save={name}:{folder}/{name}.out.npy" for name in outputs]
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no result in {SECONDS} s"
    if done.returncode:
        return f"tile-run exits with {done.returncode}: {complaint(done.stderr + done.stdout)}"
    for name, key in outputs.items():
        data[key] = np.load(folder / f"{name}.out.npy")
    return None


def run(case, path, options):
    """What is wrong, or None, and the seconds."""
    start = time.time()
    rng = np.random.default_rng([options.seed, zlib.crc32(case.name.encode())])
    problem = case.make(rng)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for step in problem.steps:
            wrong = run_step(step, problem.data, folder, options, PATHS[path])
            if wrong:
                return f"{step[0].ident()}: {wrong}", time.time() - start
    for name, (value, error) in problem.expected.items():
        wrong = differences(name, problem.decode(name), value, np.broadcast_to(error, value.shape))
        if wrong:
            return wrong, time.time() - start
    return None, time.time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-run")
    parser.add_argument("--cases", default="*", help="only cases whose names match one of these patterns, with commas between")
    parser.add_argument("--paths", default="source,lowered")
    parser.add_argument("--all", action="store_true", help="every case on every path, also those that are left to `source`")
    parser.add_argument("--seed", type=int, default=1, help="of the data")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print every case with its seconds")
    options = parser.parse_args()
    patterns = options.cases.split(",")
    chosen = [c for c in CASES if any(fnmatch.fnmatch(c.name, p) for p in patterns)]
    todo = [(c, path) for path in options.paths.split(",") for c in chosen if path == "source" or c.lowered or options.all]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (case, path), (wrong, seconds) in zip(todo, pool.map(lambda job: run(*job, options), todo)):
            failed += wrong is not None
            if wrong or options.verbose:
                print(f"{'FAIL' if wrong else 'pass'} {case.name} {path} {seconds:.2f} s{': ' + wrong if wrong else ''}", flush=True)
    print(f"{len(todo) - failed} passed, {failed} failed")
    return 1 if failed or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
