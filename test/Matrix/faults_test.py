#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts faults into lowered kernels and expects `tile-run --stage=lowered --check` to find each.

faults.py lists the programs and the faults: barriers, fences, commits and waits left out, counts, bytes, parities,
addresses, descriptors and maps that are wrong. The programs without a fault must pass with three seeds. An edit that does
not apply is a failure, as is one that leaves a text that cannot be read. The last line counts.
"""

import re
import subprocess

import runner
from faults import FAULTS, PROGRAMS

SEEDS = (1, 2, 3)


def lower(program, options, folder):
    """The lowered text of a program."""
    command = [options.bin / "tile-opt", folder / f"{program.kernel}.mlir", f"--tile-to-nvvm=arch={program.arch}{program.options}"]
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120, check=True).stdout


def run(program, path, seed, options, folder):
    """Exit status and messages of a lowered file."""
    command = [options.bin / "tile-run", path, f"--source={folder / program.kernel}.mlir", "--stage=lowered",
               f"--arch={program.arch}", "--check", f"--seed={seed}", f"--args={program.args}"]
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "no result in 300 s"
    return done.returncode, done.stderr + done.stdout


def check_program(name, program, options, folder):
    path = folder / f"{name}.lowered.mlir"
    wrong = []
    for seed in SEEDS:
        status, messages = run(program, path, seed, options, folder)
        if status != 0:
            wrong.append(f"seed {seed} without a fault: {messages.strip()[-300:]}")
    return wrong


def check_fault(fault, program, text, options, folder):
    edited = fault.edit(text)
    if edited is None or edited == text:
        return ["the pattern does not match the lowered text"]
    path = folder / f"{fault.program}.{fault.name}.mlir"
    path.write_text(edited)
    for seed in SEEDS:  # a race may be none in the order of one seed
        status, messages = run(program, path, seed, options, folder)
        if status != 0:
            break
    if status is None or status < 0:
        return [messages if status is None else f"ended by signal {-status}"]
    if status == 0:
        return ["was not found"]
    found = re.search(r"^tile-run: error: .*|^check .* wrong, .*", messages, re.MULTILINE)
    if not found:
        return [f"the edited text cannot be run: {messages.strip()[:300]}"]
    if not re.search(fault.finds, found.group(0)):
        return [f"expected '{fault.finds}', got: {found.group(0)[:300]}"]
    return []


def cases(_, options, folder):
    texts = {}
    for name, program in PROGRAMS.items():
        texts[name] = lower(program, options, folder)
        (folder / f"{name}.lowered.mlir").write_text(texts[name])
        if re.search(options.only, name):
            yield f"program_{name}", check_program, (name, program, options, folder)
    for fault in FAULTS:
        if re.search(options.only, f"{fault.program}.{fault.name}"):
            program = PROGRAMS[fault.program]
            yield f"{fault.program}.{fault.name}", check_fault, (fault, program, texts[fault.program], options, folder)


if __name__ == "__main__":
    runner.main("matrix-faults", __doc__.splitlines()[0], "tile-run", cases)
