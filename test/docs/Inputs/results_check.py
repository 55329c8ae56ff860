#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/results.py and the option --jsonl of the benchmark scripts, without a GPU. usage: results_check.py ROOT"""

import json
import pathlib
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "benchmarks"))
import results  # noqa: E402
from tilebench.bench import Bench  # noqa: E402
from tilebench.sets import SETS  # noqa: E402

CHECKS = []


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: expected {want!r}, got {got!r}")
    CHECKS.append(what)


def row(mode, problem, ours, peer, ratio):
    peers = {peer: dict(rate=ours / ratio, ratio=ratio, low=ratio - 0.01, high=ratio + 0.01)}
    return dict(mode=mode, problem=problem, ours=ours, peers=peers)


def recorded(mode, rows):
    """The lines that a script adds after a mode."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "results.jsonl"
        options = types.SimpleNamespace(jsonl=str(file), commit=None)
        bench = types.SimpleNamespace(options=options, commit="abc1234", rows=rows)
        Bench.record(bench, mode)
        found = results.read(file)
        check(f"{mode}: fields", {(line["commit"], len(line["date"])) for line in found}, {("abc1234", 10)})
        return {line["set"]: line for line in found}


def refused(line):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "results.jsonl"
        file.write_text(json.dumps(line) + "\n")
        try:
            results.read(file)
        except ValueError as error:
            return str(error)
    return ""


measured = ((4096, "KxN", 0.96), (4096, "NxK", 1.04), (8192, "KxN", 1.25))
lines = recorded("headline", [row("headline", f"{m}x{m}x{m} {b}", 600.0, "cublas", r) for m, b, r in measured])
check("sets of a mode", list(lines), ["gemm-4096", "gemm-8192"])
check("geometric mean", round(lines["gemm-4096"]["ratio"], 4), round((0.96 * 1.04) ** 0.5, 4))
ends = [lines["gemm-8192"][k] for k in ("ours", "low", "high")]
check("one problem has the range of its pairs", ends, [600.0, 1.24, 1.26])
check("below the bar", results.verdict(SETS["gemm-4096"], lines["gemm-4096"]), False)
check("above the bar", results.verdict(SETS["gemm-8192"], lines["gemm-8192"]), True)
lines = recorded("sm_90", [row("sm_90", "8192", rate, "cublas", rate / 660) for rate in (390.0, 430.0, 410.0)])
check("the best configuration", lines["sm90-8192"]["ours"], 430.0)
check("unknown set", refused(dict(set="gem", date="2026-11-22", commit="a")).split(";")[0], "results.jsonl:1: unknown set 'gem'")
check("unknown field", refused(dict(set="conv", who="me")).split(";")[0], "results.jsonl:1: unknown field 'who'")
print(f"{len(CHECKS)} checks of results.py passed")
