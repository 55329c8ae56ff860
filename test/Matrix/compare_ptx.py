#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the PTX of two builds of the compiler: for changes that must not change any kernel.

    python3 test/Matrix/compare_ptx.py --bin OLD/bin --write /tmp/ptx      # the PTX of every case, once
    python3 test/Matrix/compare_ptx.py --bin NEW/bin --against /tmp/ptx    # which cases differ

The cases are the matrix of kernels (each for the architectures that ptx_test.py chooses), the examples and the gallery, and
random programs (test/Fuzz), the last three for sm_80, sm_90a and sm_100a. Virtual registers and labels are numbered anew in
the order in which they appear, so that only another instruction, operand or order counts as a difference. A case that is
refused is compared by its first error. The exit status is zero where nothing differs; the last line counts.
"""

import argparse
import concurrent.futures
import difflib
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

import generate
import ptx_test

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Fuzz"))
ARCHS = ("sm_80", "sm_90a", "sm_100a")
NAMES = re.compile(r"(%[a-z]+|\$L_{1,2}[A-Za-z_]*)(\d+(?:_\d+)*)\b")
DECLARATION = re.compile(r"^\s*\.reg \..*<\d+>;\n", re.MULTILINE)


def normalized(text):
    """PTX whose virtual registers and labels are numbered in the order of their first use; comments and the counts of
    registers are left out."""
    numbers = {}

    def renumber(found):
        kind = numbers.setdefault(found[1], {})
        return f"{found[1]}{kind.setdefault(found[2], len(kind))}"

    text = re.sub(r"//.*", "", text)
    return NAMES.sub(renumber, DECLARATION.sub("", text))


def cases(folder, seeds):
    """Name, file and architecture of every case."""
    found = generate.write(folder / "matrix")
    for kernel, arch in ptx_test.jobs(found, ptx_test.TURNS, False):
        yield f"matrix.{kernel['name']}.{arch}", folder / "matrix" / kernel["file"], arch
    for where in ("examples", "examples/gallery"):
        for file in sorted((ROOT / where).glob("*.mlir")):
            for arch in ARCHS:
                yield f"{file.parent.name}.{file.stem}.{arch}", file, arch
    if seeds:
        import fuzz
    for seed in seeds:
        runs = fuzz.write(seed, folder)
        archs = (runs[0][2] if runs else None) or ARCHS
        for arch in archs if archs is not ARCHS else (ARCHS[seed % 3],):
            yield f"random.{seed}.{arch}", folder / f"p{seed}.mlir", arch


def compile_case(case, tool, timeout):
    """The normalized PTX, or the first error."""
    _, file, arch = case
    command = [str(tool), str(file), "--tile-to-ptx", f"--arch={arch}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "no result in time\n"
    if done.returncode:
        return "refused: " + re.sub(r"^.*?:\d+:\d+: ", "", ptx_test.first_error(done.stderr)) + "\n"
    return normalized(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-translate")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--write", type=pathlib.Path, help="writes the PTX into this folder")
    way.add_argument("--against", type=pathlib.Path, help="compares with the PTX of this folder")
    parser.add_argument("--seeds", default="0:150", help="random programs, FIRST:END (default: 0:150)")
    parser.add_argument("--only", default="", help="only cases whose name matches this expression")
    parser.add_argument("--show", type=int, default=0, help="shows so many lines of each difference")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=300, help="seconds that a compilation may take")
    options = parser.parse_args()
    first, end = map(int, options.seeds.split(":"))
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
    different = same = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = [case for case in cases(pathlib.Path(folder), range(first, end)) if re.search(options.only, case[0])]
        tool = options.bin / "tile-translate"
        texts = pool.map(lambda case: compile_case(case, tool, options.timeout), todo)
        for (name, *_), text in zip(todo, texts):
            if options.write:
                with gzip.open(options.write / f"{name}.ptx.gz", "wt", compresslevel=3) as file:
                    file.write(text)
                same += 1
                continue
            saved = options.against / f"{name}.ptx.gz"
            if not saved.exists():
                print(f"{name}: expected its PTX in {options.against}, found none; write it there with the older build")
                different += 1
                continue
            with gzip.open(saved, "rt") as file:
                before = file.read()
            if before == text:
                same += 1
                continue
            different += 1
            lines = list(difflib.unified_diff(before.splitlines(), text.splitlines(), "before", "after", lineterm="", n=1))
            print(f"{name}: {sum(line[0] in '+-' for line in lines[2:])} lines differ", flush=True)
            for line in lines[2 : 2 + options.show]:
                print(f"    {line}")
    print(f"{same} {'written' if options.write else 'the same'}, {different} different")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
