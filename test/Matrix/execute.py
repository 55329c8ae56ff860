# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of the matrix with `tile-run --batch` and compares what they save with numpy references.

Every argument is filled as references.py says, outputs with what results are not; all arguments are saved, so that one that is
only read and changes is found, too.
"""

import dataclasses
import json
import math
import pathlib
import subprocess

import numpy as np

import references
from shapes import is_whole

TIMEOUT = 180  # seconds that a case may take


@dataclasses.dataclass
class Case:
    kernel: dict
    run: dict
    path: pathlib.Path  # of the kernel's file
    modes: list[str]

    def line(self, number, folder):
        """The case as a line of the batch."""
        names = [arg["name"] for arg in self.kernel["args"] if "scalar" not in arg]
        saves = [f"--save={name}:{folder / f'{number}.{name}.npy'}" for name in names]
        return " ".join([f"--name={number}", str(self.path), f"--args={self.arguments(number, folder)}", *saves, *self.modes, "--workers=1"])

    def arguments(self, number, folder):
        shapes, found = references.extents(self.kernel, self.run), []
        for arg in self.kernel["args"]:
            name = arg["name"]
            if "scalar" in arg:
                found.append(f"{name}={arg['scalar']}")
            elif "data" in arg:
                path = folder / f"{number}.{name}.in.npy"
                np.save(path, references.inputs(self.kernel, self.run)[name].astype(FILES[arg["type"]]))
                found.append(f"{name}=@{path}")
            else:
                text = "x".join(map(str, shapes[name]))
                pad = self.run.get("pad", 0) if arg["strided"] else 0
                found.append(f"{name}={text}{strides(shapes[name], pad)}:{references.fill_of(self.kernel, arg, self.run)}")
        return ",".join(found)

    def wrong(self, number, folder):
        """What is wrong with the results."""
        values = references.inputs(self.kernel, self.run)
        results = references.expected(self.kernel, self.run, values)
        found = []
        for arg in self.kernel["args"]:
            if "scalar" in arg:
                continue
            name = arg["name"]
            path = folder / f"{number}.{name}.npy"
            got = references.numbers(np.load(path), arg["type"])
            want, bound = results.get(name, (values[name], None))
            if text := references.difference(name, got, want, bound):
                found.append(text)
            path.unlink()
        return found

    def __str__(self):
        return f"{self.path.name} {' '.join(self.modes)} {self.run}"


@dataclasses.dataclass
class Loaded(Case):
    """The kernel is compiled, loaded and given its arguments, and not launched."""

    def line(self, number, folder):
        return " ".join([f"--name={number}", str(self.path), f"--args={self.arguments(number, folder)}", *self.modes, "--no-launch"])

    def wrong(self, number, folder):
        return []


FILES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64}


def strides(shape, pad):
    """`@STRIDES` of rows that are longer by `pad`, an empty text where they are not."""
    if not pad:
        return ""
    steps, step = [0] * len(shape), 1
    for d in reversed(range(len(shape))):
        steps[d] = step
        step *= shape[d] + (pad if d == len(shape) - 1 else 0)
    return "@" + "x".join(map(str, steps))


def largest(kernel, run):
    """Elements of the largest argument."""
    return max(math.prod(shape) for shape in references.extents(kernel, run).values())


def whole(kernel):
    """The run with whole tiles and parts of them."""
    return next((run for run in kernel["runs"] if is_whole(kernel, run)), kernel["runs"][0])


def small(kernel, limit, index):
    """One of the other runs, of at most `limit` elements an argument, by turns; the whole one where there is no other."""
    found = [run for run in kernel["runs"] if largest(kernel, run) <= limit and run is not whole(kernel)]
    return found[index % len(found)] if found else whole(kernel)


def execute(cases, options, folder):
    """What is wrong with each case, a list of texts."""
    listing = folder / "list"
    listing.write_text("".join(case.line(number, folder) + "\n" for number, case in enumerate(cases)))
    command = [options.bin / "tile-run", f"--batch={listing}", f"--jobs={options.jobs}", f"--timeout={TIMEOUT}", "--json"]
    with open(folder / "messages", "w") as messages:
        process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=messages, text=True)
        found = []
        for line in process.stdout:
            if line.startswith("{"):
                case = cases[len(found)]
                report = json.loads(line)
                wrong = [report["error"]] if "error" in report else case.wrong(len(found), folder)
                wrong += [f"--check: {c['wrong']} elements of {c['name']} wrong" for c in report.get("check", []) if c["wrong"]]
                found.append([f"{case}: {text[:300]}" for text in wrong])
        process.wait()
    if len(found) != len(cases):
        raise SystemExit(f"tile-run gave {len(found)} reports for {len(cases)} cases: {(folder / 'messages').read_text()[-400:]}")
    return found
