# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the matrix share: options, kernels written to a folder, a pool of checks."""

import argparse
import concurrent.futures
import contextlib
import itertools
import pathlib
import re
import sys
import tempfile

import generate
from report import report


@contextlib.contextmanager
def kernels(summary, tool):
    """The options of a test, the matrix (all of it) and the folder where its files lie."""
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help=f"folder of {tool}")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only kernels whose names match this expression")
    parser.add_argument("--junit", type=pathlib.Path, help="write the results here, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        yield options, generate.write(folder), folder


def main(suite, summary, tool, cases):
    """Runs the checks of a suite and exits with its status.

    `cases(kernels, options, folder)` gives, for kernels whose files lie in `folder`, triples of a name, a function and
    its arguments; the function returns what is wrong, a list of texts.
    """
    with kernels(summary, tool) as (options, found, folder):
        found = list(cases([kernel for kernel in found if re.search(options.only, kernel["name"])], options, folder))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda case: case[1](*case[2]), found))
    sys.exit(report(suite, [(name, wrong) for (name, *_), wrong in zip(found, results)], options.junit))


def execute(suite, summary, cases_of, execute_all):
    """The same of cases that tile-run executes together: `cases_of(index, kernel, folder)` gives a kernel's, which
    depend on its place in the matrix, and `execute_all(cases, options, folder)` what is wrong with each."""
    with kernels(summary, "tile-run") as (options, found, folder):
        chosen = [(kernel["name"], cases_of(index, kernel, folder)) for index, kernel in enumerate(found) if re.search(options.only, kernel["name"])]
        wrong = iter(execute_all([case for _, cases in chosen for case in cases], options, folder))
        results = [(name, list(itertools.chain(*itertools.islice(wrong, len(cases))))) for name, cases in chosen]
    sys.exit(report(suite, results, options.junit))
