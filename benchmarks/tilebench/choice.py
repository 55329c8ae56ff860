# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler's cost model chooses for a problem: where the compiler is.

The tunable variant of a program goes through `tile-choose-tunables` with the problem's sizes as hints; what was chosen is
read from the kernel (`tile.chosen`) and made into the program with these numbers, which is then packed like any other.
"""

import dataclasses
import re
import subprocess

CHOSEN = re.compile(r"tile\.chosen = \{([^}]*)\}")
VALUE = re.compile(r"(\w+) = (\d+) : i64")
PREDICTED = re.compile(r"chose .*?: predicted ([0-9.]+) us")


def sizes(program, problem):
    """Hints: each buffer argument's extents."""
    extents = dict(M=problem.m, N=problem.n, K=problem.k, batch=problem.batch)
    return ",".join(
        f"{name}=" + "x".join(str(extents[d]) for d in shape)
        for name, _, shape, _, _ in program.arguments()
        if shape is not None
    )


def choose(program, problem, bin_dir, arch, values=""):
    """The program with the tunables' values that the model picks, and the time it predicts in microseconds.

    values: tunables that are decided, as of the pass's option.
    """
    open_program = dataclasses.replace(program, tunable=True)
    options = f"hints={sizes(open_program, problem)} remarks=true" + (f" values={values}" if values else "")
    done = subprocess.run(
        [f"{bin_dir}/tile-opt", f"--tile-set-target=arch={arch}", f"--tile-choose-tunables={options}"],
        input=open_program.text(),
        capture_output=True,
        text=True,
        check=False,
    )
    chosen = CHOSEN.search(done.stdout)
    predicted = PREDICTED.search(done.stderr)
    if done.returncode or not chosen or not predicted:
        lines = done.stderr.splitlines() or ["no choice in what tile-opt printed"]
        raise RuntimeError(f"{problem.label()}: {lines[0]}")
    value = {name: int(number) for name, number in VALUE.findall(chosen[1])}
    fixed = dataclasses.replace(
        program,
        tunable=False,
        tile=(value["bm"], value["bn"], value["bk"]),
        stages=value["stages"],
        threads=128 * value["groups"],
        cluster=(value["cx"], value["cy"]),
        panel=value["panel"],
    )
    return fixed, float(predicted[1])


def choices(problems, program, bin_dir, arch):
    """(problem, program, predicted microseconds) of each; `program` for the problem's layout of B."""
    return [(q, *choose(dataclasses.replace(program, tb=q.tb), q, bin_dir, arch)) for q in problems]
