#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the matrix of kernels on the CPU with `tile-run --check`, at small shapes.

Each kernel runs twice, at one of its runs' shapes each: by turns as written and scheduled for
sm_80 (--stage=scheduled), and scheduled for sm_90a (or for sm_100a alone), by turns eager and with asynchronous
operations put off until they are awaited, as it is and made persistent, with few blocks and
many. So layouts, rings, roles and tokens are tested numerically without a GPU: slots of rings
are overwritten when they are released, and uses, deadlocks and awaits are checked. The last
line counts.
"""

import re
import subprocess

import runner

LARGEST = 9000  # elements of one argument


def arguments(kernel, run, largest=LARGEST):
    """tile-run's --args, or None where the shapes are not for this test."""
    names = {key: value for key, value in run.items() if key != "pad"}
    names["cdiv"] = lambda a, b: -(-a // b)
    found = []
    for arg in kernel["args"]:
        if "scalar" in arg:
            found.append(f"{arg['name']}={arg['scalar']}")
            continue
        shape = [eval(dim, {}, names) for dim in arg["shape"]]
        size = 1
        for extent in shape:
            size *= extent
        if size > largest or not all(shape):
            return None
        strides = ""
        if arg["strided"] and run.get("pad"):
            steps, step = [0] * len(shape), 1
            for d in reversed(range(len(shape))):
                steps[d] = step
                step *= shape[d] + (run["pad"] if d == len(shape) - 1 else 0)
            strides = "@" + "x".join(map(str, steps))
        fill = "" if arg["access"] == "w" else ":smallint"
        found.append(f"{arg['name']}={'x'.join(map(str, shape))}{strides}{fill}")
    return ",".join(found)


def persistent(kernel, folder):
    """The kernel's file with `persistent`; as it is where it has attributes already."""
    path = folder / kernel["file"]
    text, count = re.subn(r"(threads\(\d+\)) \{", r"\1 attributes {persistent = 1} {", path.read_text(), count=1)
    if not count:
        return path
    path = folder / f"persistent_{kernel['file']}"
    path.write_text(text)
    return path


def run(path, options, text, modes):
    """What is wrong, or an empty text."""
    command = [options.bin / "tile-run", path, "--target=cpu", "--check", "--workers=1", *modes, f"--args={text}"]
    case = f"{path.name} {' '.join(modes)} {text}"
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=180)
    except subprocess.TimeoutExpired:
        return f"{case}: no result in 180 s"
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if re.search("error|expected|FAIL|wrong|differ", line)]
        return f"{case}: exits with {done.returncode}: {(lines or ['no message'])[0][:300]}"
    return ""


def check(index, kernel, options, folder):
    candidates = [text for shape in kernel["runs"] if (text := arguments(kernel, shape))]
    if not candidates:
        return None
    arch = f"sm_{max(80, kernel['min_arch'])}"
    stage = "scheduled" if index % 3 else "source"
    latest = "sm_100a" if kernel.get("archs") == ["sm_100a"] else "sm_90a"
    hopper = ["--stage=scheduled", f"--arch={latest}", f"--blocks={index % 4}"]
    if index % 2:
        hopper.append("--lazy-async")
    path = persistent(kernel, folder) if index // 2 % 2 else folder / kernel["file"]
    wrong = [
        run(folder / kernel["file"], options, candidates[index % len(candidates)], [f"--stage={stage}", f"--arch={arch}"]),
        run(path, options, candidates[(index + 1) % len(candidates)], hopper),
    ]
    return [text for text in wrong if text]


def cases(kernels, options, folder):
    found = [kernel for kernel in kernels if "compile_only" not in kernel]
    for index, kernel in enumerate(found):
        yield kernel["name"], check, (index, kernel, options, folder)


if __name__ == "__main__":
    runner.main("matrix-cpu", __doc__.splitlines()[0], "tile-run", cases)
