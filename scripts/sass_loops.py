#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what the loops of a kernel execute: a line for each loop of the machine code, with its most frequent instructions.

    scripts/sass_loops.py PROGRAM.mlir [--arch sm_90a] [--bin build/release/bin]
    scripts/sass_loops.py CODE.cubin
    scripts/sass_loops.py CODE.sass        (what `nvdisasm -c` printed)

No GPU is needed. A program goes through tile-translate and ptxas first; nvdisasm (--nvdisasm, else on PATH) disassembles: the package
nvidia-cuda-nvdisasm of PyPI has it. Loops are named by their label, outer ones count the instructions of inner ones.
Signs of trouble that the line names: R2UR (a descriptor of the tensor cores that ptxas keeps in registers of each thread, though it is
the same in all: one or two for each instruction), LDL and STL (spills), and WARPGROUP.DEPBAR behind each HGMMA (serialized, C75xx).
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


def describe(instructions, most):
    counts = collections.Counter(opcode(i).split(".")[0] for i in instructions)
    text = ", ".join(f"{name} {count}" for name, count in counts.most_common(most))
    products = sum(count for name, count in counts.items() if name.endswith("MMA"))
    waits = sum("WARPGROUP.DEPBAR" in i for i in instructions)
    signs = [f"{counts['R2UR']} R2UR"] * (counts["R2UR"] > products / 2 > 0)
    signs += [f"{counts['LDL'] + counts['STL']} LDL and STL"] * bool(counts["LDL"] + counts["STL"])
    signs += ["serialized"] * (1 < products <= waits)
    return text + (f"; {', '.join(signs)}" if signs else "")


def execute(command):
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        sys.exit(f"sass_loops.py: expected {command[0]} to be installed, found none")
    except subprocess.CalledProcessError as error:
        sys.exit(f"sass_loops.py: {command[0]} failed: {(error.stderr or error.stdout).strip()}")


def disassembly(options, folder):
    path = options.file
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
    parser.add_argument("file", type=pathlib.Path, help="a program (.mlir), machine code (.cubin) or its disassembly (.sass)")
    parser.add_argument("--arch", default="sm_90a", help="of a program")
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"), help="folder of tile-translate")
    parser.add_argument("--nvdisasm", default="nvdisasm", help="the disassembler")
    parser.add_argument("--most", type=int, default=8, help="how many instructions a line names")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = loops(disassembly(options, pathlib.Path(folder)))
    for function, label, instructions in found:
        print(f"{function} {label}: {len(instructions)} instructions: {describe(instructions, options.most)}")
    if not found:
        print("no loops")


if __name__ == "__main__":
    main()
