#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of a pack on this machine's GPU, each in a process of its own, and prints what became of them.

    run_pack.py [--jobs 8] [--only REGEX] [--repeat 1] [--modes "--arch=sm_90a" ...] [--report results.jsonl]

Standard library only. A fault of one program ends its own process; the others go on. `--modes` gives tile-run's options,
several for several paths: by default the GPU as it is (`--target=cuda`).
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import outcomes  # noqa: E402
from outcomes import FAULT, HANG, Outcome  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def run(line, mode, options, environment):
    """One case: tile-run in a process of its own, ended with its children when it takes too long."""
    name = re.search(r"--name=(\S+)", line)[1]
    words = line.split()[1:] + mode.split()
    said = f"{options.tile_run} {' '.join(words)}"
    process = subprocess.Popen([str(options.tile_run), *words, "--json", f"--name={name}"], cwd=HERE, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, errors = process.communicate(timeout=options.timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Outcome(name, mode, HANG, f"still running after {options.timeout} seconds", said)
    reports = [found for found in out.splitlines() if found.startswith("{")]
    if reports:
        outcome = outcomes.of_report(reports[-1], mode, said)
        outcome.name = name
        return outcome
    if process.returncode < 0:
        return Outcome(name, mode, FAULT, f"the process ended by signal {-process.returncode}", said)
    message = next((text.split("error: ", 1)[1] for text in errors.splitlines() if "error: " in text), errors.strip()[:200] or "no message")
    return Outcome(name, mode, outcomes.error_kind(message), message, said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=min(12, os.cpu_count() or 1))
    parser.add_argument("--timeout", type=int, default=60, help="seconds that a program may take")
    parser.add_argument("--budget", type=int, default=0, help="seconds after which no further program starts; 0: none")
    parser.add_argument("--only", default="", help="only programs whose names match this expression")
    parser.add_argument("--repeat", type=int, default=1, help="how often each runs: races show in some runs only")
    parser.add_argument("--modes", nargs="*", default=["--target=cuda"], help="tile-run's options, a path each")
    parser.add_argument("--tile-run", type=pathlib.Path, default=HERE / "tile-run")
    parser.add_argument("--report", type=pathlib.Path, default=pathlib.Path("results.jsonl"), help="an outcome a line")
    options = parser.parse_args()
    options.tile_run = options.tile_run.resolve()
    environment = dict(os.environ)
    environment["LD_LIBRARY_PATH"] = ":".join(filter(None, [environment.get("LD_LIBRARY_PATH"), str(HERE / "lib")]))
    lines = [line for line in (HERE / "list.txt").read_text().splitlines() if re.search(options.only, line.split()[0])]
    cases = [(line, mode) for line in lines for mode in options.modes for _ in range(options.repeat)]
    start, found = time.monotonic(), []

    def late():
        return options.budget and time.monotonic() - start > options.budget

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(options.report, "w") as listing:
        for outcome in pool.map(lambda case: None if late() else run(*case, options, environment), cases):
            if outcome is None:
                continue
            found.append(outcome)
            listing.write(json.dumps(vars(outcome)) + "\n")
            listing.flush()
    outcomes.report(found)
    print(f"{len(found)} of {len(cases)} cases in {time.monotonic() - start:.0f} s with {options.jobs} processes")
    bad = sum(o.kind in (outcomes.WRONG, FAULT, HANG) for o in found)
    print(f"{bad} findings")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
