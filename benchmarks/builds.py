#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares builds of the compiler on a benchmark: the same configurations of each, by turns in one process.

    builds.py BENCHMARK FOLDER FOLDER ... [-- options of BENCHMARK's run]

BENCHMARK is a script of this folder (attention_family, recurrent, experts, quantized, operators), each FOLDER what its `pack --bin`
made with one build, unpacked. The first build says which configuration is the fastest of each problem; this one then runs as all builds
compiled it. A line gives the milliseconds of the first build, and for each other one the time of the first over its own: above 1, the
other build is faster. The median of the pairs (--pairs, 6) and their range. The last lines are the geometric means. Only the first
build's results are compared with the reference. The clock follows the power of what ran before: runs one after the other differ by 3 %
without a change.
"""

import importlib
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench import bench as benching  # noqa: E402


class Builds(benching.Bench):
    """A Bench whose launches run the kernels of the build that is current."""

    folders = []

    def __init__(self, options, **others):
        super().__init__(options, **others)
        self.runtimes = [self.runtime] + [self.launching.Runtime(folder) for folder in self.folders[1:]]
        self.current, self.ratios, self.texts = 0, [], []

    def bind(self, program, tensors, scalars=None):
        bound = []
        for runtime in self.runtimes:
            self.runtime = runtime
            bound.append(super().bind(program, tensors, scalars))
        self.runtime = self.runtimes[0]
        return lambda: bound[self.current]()

    def of_build(self, index, launch):
        def run():
            self.current = index
            launch()

        return run

    def fastest(self, launches, finalists=4, rounds=3):
        self.current = 0
        best, times = super().fastest(launches, finalists, rounds)
        turns = [self.of_build(index, launches[best]) for index in range(len(self.runtimes))]
        measured = self.timing.alternate(turns, self.options.pairs, self.options.rep, bench=self.time)
        self.current = 0
        ratios = [self.timing.ratio(own, measured[0]) for own in measured[1:]]
        self.ratios.append([middle for middle, _, _ in ratios])
        name = best if isinstance(best, str) else best.ident()
        text = "  ".join(f"{middle:.3f} ({low:.3f}-{high:.3f})" for middle, low, high in ratios)
        print(f"{statistics.median(measured[0]):9.4f} ms  {text}  {name}", flush=True)
        return best, times


def main():
    if len(sys.argv) < 4 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    rest = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    Builds.folders, options = sys.argv[2:rest], sys.argv[rest + 1 :]
    for folder in Builds.folders:
        if not (pathlib.Path(folder) / "index.json").is_file():
            sys.exit(f"builds.py: expected folders that a benchmark's pack made, unpacked, found no index.json in {folder}")
    made = []

    class Kept(Builds):
        def __init__(self, *args, **others):
            super().__init__(*args, **others)
            made.append(self)

    benching.Bench = Kept
    module = importlib.import_module(sys.argv[1])
    if hasattr(module, "Bench"):
        module.Bench = Kept
    sys.argv = [f"{sys.argv[1]}.py", "run", Builds.folders[0], "--quick", *options]
    try:
        module.main()
    finally:
        rows = made[0].ratios if made else []
        for index in range(len(Builds.folders) - 1):
            values = [row[index] for row in rows]
            print(f"{Builds.folders[index + 1]}: geomean {statistics.geometric_mean(values):.3f} of {len(values)}" if values else "nothing measured")


if __name__ == "__main__":
    main()
