# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the matrix share: options, kernels written to a folder, a pool of checks."""

import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile

import generate
from report import report


def main(suite, summary, tool, cases):
    """Runs the checks of a suite and exits with its status.

    `cases(kernels, options, folder)` gives, for kernels whose files lie in `folder`, triples of a name, a function and
    its arguments; the function returns what is wrong, a list of texts, or None where there was nothing to run.
    """
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help=f"folder of {tool}")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only kernels whose names match this expression")
    parser.add_argument("--junit", type=pathlib.Path, help="write the results here, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        kernels = [kernel for kernel in generate.write(folder) if re.search(options.only, kernel["name"])]
        found = list(cases(kernels, options, folder))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda case: case[1](*case[2]), found))
    done = [(name, wrong) for (name, *_), wrong in zip(found, results) if wrong is not None]
    if len(done) < len(found):
        print(f"{len(found) - len(done)} kernels have no small shape and were not run")
    sys.exit(report(suite, done, options.junit))
