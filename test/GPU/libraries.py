#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries that others wrote in TileLang, untouched: their own tests, and their benchmarks' kernels.

    test/GPU/libraries.py --wheel WHEEL --packages FOLDER --library tileops=ARCHIVE --out FOLDER

`--wheel` is this package; `--packages` a folder of wheels that the tests import besides PyTorch
(pytest-xdist, execnet, pytest-timeout, einops, PyYAML); ARCHIVE what `git archive HEAD` wrote of the
library's repository. Each library's tests run in its own process tree, `tilelang` being this package
(`mlir_tile.compat`), on the machine's GPU, several at a time; tests that found no memory beside the
others run once more, two at a time. `--every N` takes each N-th test. The outcome is
FOLDER/LIBRARY.json (counts, and failures by message) and a line on the terminal.

`--times FILE` times the kernels of the library's benchmarks instead, in their default configurations
and without their baselines (`library_times.py`); with `--tilelang SITE`, a folder with TileLang
itself, that is what runs. Two such files are compared by `--compare OURS THEIRS`.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# By library: its repository, where its packages are, its tests and how pytest is to run them.
LIBRARIES = {
    "tileops": {
        "repository": "tile-ai/TileOPs",
        "paths": [".", "src"],
        "tests": ["tests/ops", "tests/kernels", "-m", "smoke"],
        "benchmarks": ["benchmarks/ops"],
    },
    "tilekernels": {
        "repository": "deepseek-ai/TileKernels",
        "paths": ["."],
        "tests": ["tests", "-p", "no:benchmark"],
        "benchmarks": ["tests", "-p", "no:benchmark", "-m", "benchmark", "--run-benchmark"],
    },
}
SITE_CUSTOMIZE = "import mlir_tile.compat\nmlir_tile.compat.install()\n"
# TileKernels asks for a module by a name that TileLang 0.1.15 no longer has.
SITE_CUSTOMIZE_TILELANG = """
import importlib, importlib.machinery, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "tilelang.utils.target":
            return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return importlib.import_module("tilelang.backend.target")

    def exec_module(self, module):
        pass

sys.meta_path.append(Finder())
"""


def unzip(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


class Run:
    """A library, unpacked, with what its tests import."""

    def __init__(self, name, archive, options):
        self.name, self.options, self.library = name, options, LIBRARIES[name]
        self.out = options.out.resolve()
        self.source = self.out / f"{name}-source"
        shutil.rmtree(self.source, ignore_errors=True)
        self.source.mkdir(parents=True)
        with tarfile.open(archive) as files:
            files.extractall(self.source, filter="data")
        self.site = self.out / ("site-tilelang" if options.tilelang else "site")
        shutil.rmtree(self.site, ignore_errors=True)
        self.site.mkdir()
        for wheel in sorted(options.packages.glob("*.whl")):
            unzip(wheel, self.site)
        customize = SITE_CUSTOMIZE_TILELANG if options.tilelang else SITE_CUSTOMIZE
        (self.site / "sitecustomize.py").write_text(customize, encoding="utf-8")
        if not options.tilelang:
            unzip(options.wheel, self.site)

    def pytest(self, log, limit, *arguments):
        paths = [HERE, self.site, *(self.source / x for x in self.library["paths"])]
        if self.options.tilelang:
            paths.append(self.options.tilelang.resolve())
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
        with open(self.out / log, "w", encoding="utf-8") as file:
            try:
                subprocess.run(
                    [*command, *map(str, arguments)], cwd=self.source, timeout=limit,
                    env=environment, stdout=file, stderr=subprocess.STDOUT,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                print(f"{self.name}: {limit} s were over")

    def tests(self):
        """Runs the tests; what became of each."""
        report = self.out / f"{self.name}.xml"
        common = [*self.library["tests"], "-p", "library_times", f"--junitxml={report}"]
        common += ["--timeout", 120, "--library-every", self.options.every]
        select = ["-k", self.options.select] if self.options.select else []
        limit = self.options.limit
        report.unlink(missing_ok=True)  # of a run before
        self.pytest(f"{self.name}.log", limit, *common, *select, "-n", self.options.workers)
        results = outcomes(report)
        again = [test for test, text in results.items() if text and "OutOfMemoryError" in text]
        if again:
            chosen = self.out / f"{self.name}-again.txt"
            chosen.write_text("\n".join(again), encoding="utf-8")
            only = ["--library-only", chosen]
            self.pytest(f"{self.name}-again.log", limit, *common, *only, "-n", 2)
            results.update(outcomes(report))
        self.summarize(results)

    def summarize(self, results):
        counts = collections.Counter()
        failures = collections.defaultdict(list)
        for test, text in results.items():
            counts["skipped" if text == "" else "failed" if text else "passed"] += 1
            if text:
                failures[message_of(text)].append(test)
        summary = {
            "library": self.library["repository"], "every": self.options.every, **counts,
            "failures": dict(sorted(failures.items(), key=lambda x: -len(x[1]))),
        }  # fmt: skip
        (self.out / f"{self.name}.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
        print(f"{self.name}: " + ", ".join(f"{n} {state}" for state, n in sorted(counts.items())))
        for message, tests in summary["failures"].items():
            print(f"  {len(tests):5} {message[:200]}  {tests[0][:120]}")

    def times(self):
        """Times the benchmarks' kernels: compiled by several processes first, then one by one."""
        common = [*self.library["benchmarks"], "-p", "library_times", "--timeout", 200]
        common += ["--library-times", self.options.times.resolve()]
        common += ["--library-cases", self.options.cases]
        limit = self.options.limit
        self.pytest("compile.log", limit, *common, "--library-warm", "-n", self.options.workers)
        self.pytest("times.log", limit, *common)


def outcomes(report):
    """By test: None where it passed, "" where it was skipped, else the text of its failure."""
    results = {}
    if not report.exists():
        return results
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        problems = [*case.findall("failure"), *case.findall("error")]
        if problems:
            results[name] = problems[0].text or problems[0].get("message") or "failed"
        else:
            results[name] = "" if case.find("skipped") is not None else None
    return results


def message_of(text):
    """The last line that names an error, without places and numbers."""
    lines = [x[1:].strip() for x in text.splitlines() if x.startswith("E ")]
    named = [x for x in lines if "Error" in x or "error:" in x] or lines or text.splitlines()
    line = re.sub(r"/\S*/", "", named[-1])
    return re.sub(r"\d+", "N", line)[:240]


def compare(ours, theirs):
    """The table of two files of times: ours, theirs, the ratio."""

    def read(path):
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return {(x["case"], x["tag"]): x["us"] for x in lines}

    a, b = read(ours), read(theirs)
    rows = sorted((b[key] / a[key], key) for key in a.keys() & b.keys())
    for ratio, key in rows:
        print(f"{ratio:6.2f}  {a[key]:9.1f} {b[key]:9.1f}  {key[0]} {key[1]}")
    if rows:
        mean = math.exp(sum(math.log(ratio) for ratio, _ in rows) / len(rows))
        slower = sum(ratio < 0.99 for ratio, _ in rows)
        print(f"{len(rows)} cases: geometric mean {mean:.3f}, {slower} slower here")
    print(f"only here: {len(a.keys() - b.keys())}, only there: {len(b.keys() - a.keys())}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--packages", type=pathlib.Path)
    parser.add_argument("--library", action="append", default=[], metavar="NAME=ARCHIVE")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("libraries"))
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--select", help="pytest's -k")
    parser.add_argument("--limit", type=int, default=400, help="seconds for a run of pytest")
    parser.add_argument("--times", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=1, help="of each benchmark function")
    parser.add_argument("--tilelang", type=pathlib.Path)
    parser.add_argument("--compare", type=pathlib.Path, nargs=2, metavar=("OURS", "THEIRS"))
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare)
    if not options.packages or not options.library or not (options.wheel or options.tilelang):
        parser.error("expected --wheel or --tilelang, --packages and --library, or --compare")
    options.out.mkdir(parents=True, exist_ok=True)
    for given in options.library:
        name, _, archive = given.partition("=")
        if name not in LIBRARIES or not archive:
            parser.error(f"expected --library NAME=ARCHIVE, NAME of {', '.join(LIBRARIES)}: {given}")
        run = Run(name, archive, options)
        if options.times:
            run.times()
        else:
            run.tests()


if __name__ == "__main__":
    main()
