#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shrinks a program that shows a finding: what is left shows the same.

    shrink.py SEED --path scheduled:sm_90a --bin build/release/bin -o small.mlir
    shrink.py FILE.mlir --args A=64x64:smallint,... --path ptx:sm_90a --bin build/release/bin -o small.mlir

The finding is what the program shows now: wrong numbers, a fault or hang, or a refusal of the same class. The program of a seed stays
sane, as numpy says what each smaller one computes. A file goes through tile-reduce and is compared with itself as written: a
smaller one may read what nothing wrote, so look at what comes out before you believe it.
"""

import argparse
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import fuzz  # noqa: E402
import table  # noqa: E402
from outcomes import RIGHT, WRONG  # noqa: E402
from programs import generate  # noqa: E402
from reduce import reduced  # noqa: E402


def signature(outcome):
    """What has to stay as it is."""
    return f"{outcome.kind} {outcome.group if outcome.kind != WRONG else ''}".strip()


def case_outcome(text, options, folder):
    case = ("0.0", text, options.path)
    if options.path.split(":")[0] in ("ptx", "artifact"):
        return fuzz.assemble(case, options, folder)
    return fuzz.run_batch([case], options, folder)[0]


def program_outcome(program, expected, options, folder):
    path, results = folder / "p.mlir", folder / "p.table.mlir"
    path.write_text(program.text(comment=False))
    results.write_text(table.text(program, program.runs[0], expected[0]))
    return case_outcome(f"{path} --source={results} --args={program.options(program.runs[0])} --check", options, folder)


def shrink_seed(options, folder):
    program, expected = generate(int(options.program))
    found = program_outcome(program, expected, options, folder)
    if found.kind == RIGHT:
        sys.exit("nothing to shrink: right")
    wanted = signature(found)
    print(f"keeping: {wanted}")
    small = reduced(program, lambda p, e: signature(program_outcome(p, e, options, folder)) == wanted)
    return f"// {wanted}\n// --args={small.options(small.runs[0])}\n" + small.text(comment=False)


def file_outcome(path, options, folder):
    found = case_outcome(f"{path} --args={options.args} --check", options, folder)
    if found.kind == RIGHT or options.path.startswith(("ptx", "artifact", "source")):
        return signature(found)
    plain = fuzz.run_batch([("0.0", f"{path} --args={options.args} --check", "source")], options, folder)[0]
    return signature(found) if plain.kind == RIGHT else "no program"


def shrink_file(options, folder):
    wanted = file_outcome(options.program, options, folder)
    if options.wanted is not None:  # as the script of tile-reduce: 1 is interesting
        sys.exit(1 if wanted == options.wanted else 0)
    if wanted.startswith((RIGHT, "no program")):
        sys.exit(f"nothing to shrink: {wanted}")
    print(f"keeping: {wanted}")
    script = folder / "test.sh"
    words = [sys.executable, __file__, f"--path={options.path}", f"--args={options.args}", f"--bin={options.bin}",
             f"--timeout={options.timeout}", f"--wanted={wanted}"]
    script.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$1"\n')
    script.chmod(0o755)
    tree = f"-reduction-tree=traversal-mode=0 test={script}"
    done = subprocess.run([options.bin / "tile-reduce", options.program, tree], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tile-reduce: {done.stderr[:500]}")
    return f"// {wanted}\n// --args={options.args}\n" + done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="a seed, or a file")
    parser.add_argument("--path", required=True, help="as of fuzz.py")
    parser.add_argument("--args", default="", help="tile-run's, for a file")
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--timeout", type=int, default=20)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--wanted", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.jobs, options.bin = 1, options.bin.resolve()
    options.ptxas = shutil.which("ptxas")
    if options.path.startswith(("ptx", "artifact")) and not options.ptxas:
        sys.exit(f"expected ptxas on PATH for the path {options.path}")
    with tempfile.TemporaryDirectory() as folder:
        text = (shrink_seed if options.program.isdigit() else shrink_file)(options, pathlib.Path(folder))
    if options.output:
        options.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
