#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of examples/gallery on random data and compares with numpy (references.py, products.py); compiles them.

    gallery_test.py --bin build/release/bin [--kernels 'softmax*,rope'] [--paths 'source,ptx*'] [--seed 1] [--junit FILE]
    gallery_test.py --cuda --bin DIR        on this machine's GPU; needs Python and numpy, and tile-run in DIR

The paths: `source` and `scheduled` execute on the CPU what is written and what is scheduled for sm_90a, `lowered:ARCH`
what becomes PTX (docs/Lowered.md), and `ptx:ARCH` compiles and lets ptxas assemble: a spill, or a warning C75xx
(serialized asynchronous instructions), is a failure. Without ptxas these are skipped, if --without-ptxas allows that.
`originals` are the kernels before they were written for the gallery: `ptx:ARCH` compiles them, too.
Outputs start as NaN. The last line counts.
"""

import argparse
import concurrent.futures
import fnmatch
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent / "Matrix"))

import assembler  # noqa: E402
from kernels import KERNELS  # noqa: E402
import assembler  # noqa: E402
from report import Skipped, report  # noqa: E402

EXECUTED = {
    "source": [],
    "scheduled": ["--stage=scheduled", "--arch=sm_90a"],
    **{f"lowered:{arch}": ["--stage=lowered", f"--arch={arch}"] for arch in ("sm_80", "sm_90a", "sm_100a")},
}
COMPILED = tuple(f"ptx:{arch}" for arch in ("sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120a"))
SECONDS = 300  # for one run


def call(command):
    """Runs a program: its exit status, and its output with its errors."""
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return -1, f"error: no result in {SECONDS} s"
    return done.returncode, done.stderr + done.stdout


def complaint(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if re.search("error|FAIL", line)), lines[0] if lines else "no message")[:400]


def differences(got, value, error):
    """What is wrong with an output, in a line, or nothing. NaN differs from every number."""
    if got.shape != np.shape(value):
        return [f"its shape is {got.shape}, expected {np.shape(value)}"]
    distance = np.abs(got - value)
    bad = np.argwhere(~(distance <= error))
    if not len(bad):
        return []
    at = tuple(bad[0])
    bound = np.broadcast_to(error, got.shape)[at]
    return [f"{len(bad)} of {got.size} elements wrong; the first at {list(map(int, at))} is {got[at]:.9g}, expected {value[at]:.9g} within {bound:.3g}"]


def argument(name, value, folder):
    """An argument for tile-run: a number, or a file that it reads."""
    if isinstance(value, np.ndarray):
        np.save(folder / f"{name}.npy", value)
        return f"{name}=@{folder}/{name}.npy"
    return f"{name}={value!r}" if isinstance(value, int) else f"{name}={float(value)!r}"


def execute(kernel, shape, modes, options, folder):
    """What is wrong with a kernel's results."""
    rng = np.random.default_rng([options.seed, zlib.crc32(kernel.name.encode())])
    case = kernel.case(rng, **shape)
    arguments = ",".join(argument(name, value, folder) for name, value in case.arguments.items())
    command = [options.bin / "tile-run", options.gallery / f"{kernel.name}.mlir", *modes, f"--args={arguments}"]
    command += [f"--save={name}:{folder}/{name}.out.npy" for name in case.outputs]
    status, text = call(command)
    if status:
        return [f"tile-run exits with {status}: {complaint(text)}", shlex.join(map(str, command))]
    found = {}
    for name in case.outputs:
        raw = np.load(folder / f"{name}.out.npy")
        found[name] = case.decode[name](raw) if name in case.decode else raw.astype(np.float64)
    if case.wrong:
        return list(filter(None, [case.wrong(**found)]))
    return [f"{name}: {line}" for name, (value, error) in case.expected.items() for line in differences(found[name], value, error)]


def run(kernel, shape, modes, options):
    with tempfile.TemporaryDirectory() as folder:
        return execute(kernel, shape, modes, options, pathlib.Path(folder))


def compile_for(file, arch, options):
    """What is wrong with a file compiled for an architecture; Skipped where only ptxas could say."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "kernel.ptx"
        status, text = call([options.bin / "tile-translate", file, "--tile-to-ptx", f"--arch={arch}", "-o", ptx])
        if status:
            return [f"tile-translate exits with {status}: {complaint(text)}"]
        if not options.ptxas:
            return Skipped(assembler.NONE)
        status, text = call([options.ptxas, f"-arch={arch}", "-v", ptx, "-o", ptx.with_suffix(".cubin")])
    if status:
        return [f"ptxas: {complaint(text)}"]
    wrong = [f"ptxas: {line.strip()}" for line in text.splitlines() if re.search(r"C75\d\d", line)]
    for frame in re.findall(r"\d+ bytes stack frame, \d+ bytes spill stores, \d+ bytes spill loads", text):
        if any(map(int, re.findall(r"\d+", frame))):
            wrong.append(f"ptxas: {frame}")
    return wrong


def cases(kernels, options):
    """Names with functions that say what is wrong."""
    chosen = lambda path: any(fnmatch.fnmatch(path, pattern) for pattern in options.paths.split(","))
    executed = {"cuda": ["--target=cuda"]} if options.cuda else EXECUTED
    for kernel in kernels:
        for number, shape in enumerate(kernel.shapes):
            size = " ".join(f"{name}={'+'.join(map(str, n)) if isinstance(n, tuple) else n}" for name, n in shape.items())
            for path, modes in executed.items():
                if chosen(path) and not (number >= 2 and path.startswith("lowered")):
                    yield f"{kernel.name} {size} {path}", run, (kernel, shape, modes, options)
        for path in () if options.cuda else filter(chosen, COMPILED):
            yield f"{kernel.name} {path}", compile_for, (options.gallery / f"{kernel.name}.mlir", path.partition(":")[2], options)


def originals(patterns, options):
    """The same of the originals: they are compiled only."""
    for file in sorted((HERE / "originals").glob("*.mlir")):
        if any(fnmatch.fnmatch(file.stem, pattern) for pattern in patterns):
            for path in COMPILED:
                if any(fnmatch.fnmatch(path, pattern) for pattern in options.paths.split(",")):
                    yield f"original {file.stem} {path}", compile_for, (file, path.partition(":")[2], options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-run and tile-translate")
    parser.add_argument("--gallery", type=pathlib.Path, default=HERE.parent.parent / "examples" / "gallery", help="folder of the kernels")
    parser.add_argument("--cuda", action="store_true", help="run on this machine's GPU, and nothing else")
    parser.add_argument("--kernels", default="*", help="only kernels whose names match one of these patterns, with commas between")
    parser.add_argument("--paths", default="*", help="only paths that match one of these patterns, with commas between")
    parser.add_argument("--seed", type=int, default=1, help="of the data (default 1)")
    parser.add_argument("--jobs", type=int, default=2)
    assembler.add_options(parser)
    parser.add_argument("--junit", type=pathlib.Path, help="write the results here, too")
    options = parser.parse_args()
    compiles = not options.cuda and any(fnmatch.filter(COMPILED, pattern) for pattern in options.paths.split(","))
    options.ptxas = assembler.find(options, "gallery") if compiles else None
    patterns = options.kernels.split(",")
    kernels = [kernel for kernel in KERNELS if any(fnmatch.fnmatch(kernel.name, pattern) for pattern in patterns)]
    todo = [*cases(kernels, options), *([] if options.cuda else originals(patterns, options))]
    with concurrent.futures.ThreadPoolExecutor(1 if options.cuda else options.jobs) as pool:
        results = list(pool.map(lambda case: case[1](*case[2]), todo))
    sys.exit(report("gallery", [(name, wrong) for (name, *_), wrong in zip(todo, results)], options.junit))


if __name__ == "__main__":
    main()
