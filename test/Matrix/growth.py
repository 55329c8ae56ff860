#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the time of a compile grows with the size of a program: kernels of 100 to 3,000 equal statements, to PTX.

    growth.py --bin build/release/bin [--series shared:sm_90a,...] [--sizes 100,300,1000,3000] [--repeat 3] [--phases]
    growth.py --print fragment --sizes 100        # the kernel

For each series: seconds of CPU (the least of some runs, those of the smallest size repeated more often), and the exponent x for
which time grows as n^x from the first size to the last. `--phases` says the same of the passes, of LLVM's optimizer and of its code
generation, from --time-report (elapsed time). Nothing is asserted: another program on the machine may double a time.

A series is a statement and whether rows are known (`known-...`) or of run time:
  fragment   copies from global memory to a fragment and back     shared   the same through shared memory (from sm_90a on by TMA)
  loops      loops over 64x64 elements from global memory to global memory     scalars  operations of one loop over elements
"""

import argparse
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SERIES = "shared:sm_90a,known-shared:sm_90a,known-shared:sm_80,fragment:sm_80,known-fragment:sm_80,loops:sm_80,known-loops:sm_80,known-scalars:sm_80"  # fmt: skip
PHASES = {"own passes together": "own passes", "LLVM -O3": "LLVM's optimizer", "LLVM code generation": "LLVM's code generation"}


def program(statement, size):
    known = statement.startswith("known-")
    kind = statement.removeprefix("known-")
    matrix = f"memref<{'4096' if known else '?'}x64xf32>"
    grid = "64" if known else "dim(%X, 0) ceildiv 64"
    lines = [f"tile.kernel @k(%X: {matrix} {{tile.alignment = 16}}, %Y: {matrix} {{tile.alignment = 16}}) grid(%b) = ({grid}) threads(128) {{",
             "  %c0 = arith.constant 0 : index", "  %c64 = arith.constant 64 : index", "  %m = arith.muli %b, %c64 : index"]  # fmt: skip
    if kind in ("fragment", "shared"):
        tile = f"memref<64x64xf32, {'#tile.fragment' if kind == 'fragment' else '#gpu.address_space<workgroup>'}>"
        lines.append(f"  %t = tile.alloc : {tile}")
        for _ in range(size // 2):
            lines += [f"  tile.copy %X[%m, %c0] to %t : {matrix} to {tile}", f"  tile.copy %t to %Y[%m, %c0] : {tile} to {matrix}"]
    elif kind == "loops":
        for i in range(size):
            lines += [f"  tile.parallel (%i{i}, %j{i}) in (64, 64) {{", f"    %g{i} = arith.addi %m, %i{i} : index",
                      f"    %v{i} = memref.load %X[%g{i}, %j{i}] : {matrix}", f"    memref.store %v{i}, %Y[%g{i}, %j{i}] : {matrix}", "  }"]  # fmt: skip
    elif kind == "scalars":
        lines += ["  tile.parallel (%i, %j) in (64, 64) {", "    %g = arith.addi %m, %i : index",
                  f"    %v0 = memref.load %X[%g, %j] : {matrix}"]  # fmt: skip
        for i in range(size):
            lines.append(f"    %v{i + 1} = arith.{('addf', 'mulf')[i % 2]} %v{i}, %v{max(0, i - 1)} : f32")
        lines += [f"    memref.store %v{size}, %Y[%g, %j] : {matrix}", "  }"]
    else:
        sys.exit(f"{statement}: expected fragment, shared, loops or scalars, or known- in front of one")
    return "\n".join([*lines, "}", ""])


def run(command):
    """Seconds of CPU, and what the tool wrote to standard error."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if process.returncode:
        sys.exit(f"{command}: {text[:500]}")
    return used.ru_utime + used.ru_stime, text


def measure(tool, file, arch, times, phases):
    """The least seconds of each part."""
    best = {}
    for _ in range(times):
        seconds, text = run([tool, file, "--tile-to-ptx", f"--arch={arch}", "-o", "/dev/null", *(["--time-report"] if phases else [])])
        found = {"all": seconds}
        for name, milliseconds in re.findall(r"^\s*(\S.*?)\s+(\d+\.\d+)\s*$", text, re.M) if phases else []:
            if name in PHASES:
                found[PHASES[name]] = float(milliseconds) / 1000
        for name, value in found.items():
            best[name] = min(best.get(name, value), value)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--series", default=SERIES)
    parser.add_argument("--sizes", default="100,300,1000,3000")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--phases", action="store_true")
    parser.add_argument("--print", metavar="STATEMENT")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.print:
        print(program(options.print, sizes[0]), end="")
        return
    with tempfile.TemporaryDirectory() as folder:
        for series in options.series.split(","):
            statement, arch = series.split(":")
            times = {}
            for size in sizes:
                file = pathlib.Path(folder) / f"{statement}-{size}.mlir"
                file.write_text(program(statement, size))
                repeat = options.repeat * (3 if size == sizes[0] else 1)
                times[size] = measure(options.bin / "tile-translate", file, arch, repeat, options.phases)
            for part in times[sizes[0]]:
                values = [times[size][part] for size in sizes]
                growth = f", n^{math.log(values[-1] / values[0]) / math.log(sizes[-1] / sizes[0]):.2f}" if len(sizes) > 1 else ""
                print(f"{statement} {arch}, {part}: {', '.join(f'{value:.3g}' for value in values)} s{growth}", flush=True)


if __name__ == "__main__":
    main()
