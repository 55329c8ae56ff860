#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what the loops of a kernel execute: a line for each loop of the machine code, with its most frequent instructions.

    scripts/sass_loops.py PROGRAM.mlir ... [--arch sm_90a] [--bin build/release/bin]
    scripts/sass_loops.py CODE.cubin
    scripts/sass_loops.py CODE.sass        (what `nvdisasm -c` printed)

No GPU is needed. A program goes through tile-translate and ptxas first; nvdisasm (--nvdisasm, else on PATH) disassembles: the package
nvidia-cuda-nvdisasm of PyPI has it. Loops are named by their label, outer ones count the instructions of inner ones.
Signs of trouble that the line names: R2UR (a descriptor of the tensor cores that ptxas keeps in registers of each thread, though it is
the same in all: one or two for each instruction), LDL and STL (spills), and WARPGROUP.DEPBAR behind each HGMMA (serialized, C75xx).
With --check nothing is printed but the innermost loops of products that have one of these signs; the exit status is 1 where there is one.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LABEL = re.compile(r"^\s*(\.L_x_\d+):")
FUNCTION = re.compile(r"^\s*\.text\.(\S+):")
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")
BRANCH = re.compile(r"\bBRA\b.*?(\.L_x_\d+)")


def opcode(instruction):
    words = instruction.split()
    return words[1] if words[0].startswith("@") else words[0]


def loops(text):
    """(function, label, instructions) of each loop: from a label to the last branch back to it."""
    found, function, labels, body = {}, "", {}, []
    for line in text.splitlines():
        if match := FUNCTION.match(line):
            function, labels, body = match[1], {}, []
        elif match := LABEL.match(line):
            labels[match[1]] = len(body)
        elif match := INSTRUCTION.search(line):
            body.append(match[1])
            target = BRANCH.search(match[1])
            # A branch to itself is what follows the kernel's end.
            if target and labels.get(target[1], len(body)) < len(body) - 1:
                found[function, target[1]] = body[labels[target[1]] :]
    return [(function, label, instructions) for (function, label), instructions in found.items()]


def count(instructions):
    return collections.Counter(opcode(i).split(".")[0] for i in instructions)


def products_of(counts):
    return sum(number for name, number in counts.items() if name.endswith("MMA"))


def signs_of(instructions):
    counts = count(instructions)
    products = products_of(counts)
    waits = sum("WARPGROUP.DEPBAR" in i for i in instructions)
    signs = [f"{counts['R2UR']} R2UR"] * (counts["R2UR"] > products / 2 > 0)
    signs += [f"{counts['LDL'] + counts['STL']} LDL and STL"] * bool(counts["LDL"] + counts["STL"])
    return signs + ["serialized"] * (1 < products <= waits)


def describe(instructions, most):
    text = ", ".join(f"{name} {number}" for name, number in count(instructions).most_common(most))
    signs = signs_of(instructions)
    return text + (f"; {', '.join(signs)}" if signs else "")


def innermost(found):
    """The shortest loop with products of each function."""
    best = {}
    for function, label, instructions in found:
        if products_of(count(instructions)) and (function not in best or len(instructions) < len(best[function][2])):
            best[function] = (function, label, instructions)
    return list(best.values())


def execute(command):
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        sys.exit(f"sass_loops.py: expected {command[0]} to be installed, found none")
    except subprocess.CalledProcessError as error:
        sys.exit(f"sass_loops.py: {command[0]} failed: {(error.stderr or error.stdout).strip()}")


def disassembly(options, path, folder):
    if not path.exists():
        sys.exit(f"sass_loops.py: expected a file, found no '{path}'")
    if path.suffix == ".sass":
        return path.read_text()
    if path.suffix == ".mlir":
        ptx, cubin = folder / "code.ptx", folder / "code.cubin"
        execute([options.bin / "tile-translate", path, f"--arch={options.arch}", "--tile-to-ptx", "-o", ptx])
        execute([shutil.which("ptxas") or "ptxas", f"-arch={options.arch}", ptx, "-o", cubin])
        path = cubin
    return execute([options.nvdisasm, "-c", path])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=pathlib.Path, nargs="+", metavar="FILE", help="a program (.mlir), machine code (.cubin) or its disassembly (.sass)")
    parser.add_argument("--arch", default="sm_90a", help="of a program")
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"), help="folder of tile-translate")
    parser.add_argument("--nvdisasm", default="nvdisasm", help="the disassembler")
    parser.add_argument("--most", type=int, default=8, help="how many instructions a line names")
    parser.add_argument("--check", action="store_true", help="fail where an innermost loop of products has a sign of trouble")
    options = parser.parse_args()
    troubled = 0
    for path in options.files:
        with tempfile.TemporaryDirectory() as folder:
            found = loops(disassembly(options, path, pathlib.Path(folder)))
        if options.check:
            inner = innermost(found)
            if not inner:
                sys.exit(f"sass_loops.py: expected a loop with products in {path}, found {len(found)} loops without any")
            found = [loop for loop in inner if signs_of(loop[2])]
            troubled += len(found)
        for function, label, instructions in found:
            print(f"{function} {label}: {len(instructions)} instructions: {describe(instructions, options.most)}")
        if not found and not options.check:
            print("no loops")
    return 1 if troubled else 0


if __name__ == "__main__":
    sys.exit(main())
