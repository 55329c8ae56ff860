# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution programs (benchmarks/tilebench/conv.py) on the CPU against plain loops written here, in doubles.

usage: conv_reference.py SOURCE_DIR TILE_RUN WORK_FILE [tile-run options]

Inputs and printed results are those of attention_reference.py.
"""

import dataclasses
import itertools
import pathlib
import re
import subprocess
import sys

from attention_reference import normal
from tilebench.conv import Conv

TILE = (32, 16, 16)
# program, images, spatial extents, channels, filters
CASES = [
    (Conv(pad=(1, 1)), 2, (5, 6), 16, 8),
    (Conv(strides=(2, 3), dilations=(2, 1), pad=(2, 1)), 2, (7, 9), 24, 24),
    (Conv(kernel=(2, 3), pad=(0, 2), pad_upper=(1, 0), promise=False), 3, (4, 3), 5, 3),
    (Conv(kernel=(1, 1), strides=(2, 2)), 1, (7, 5), 8, 8),
    (Conv(kernel=(3,), strides=(2,), pad=(1,)), 3, (11,), 8, 16),
    (Conv(kernel=(2, 1, 3), strides=(1, 2, 1), pad=(1, 0, 1)), 2, (3, 4, 3), 8, 8),
    (Conv(kernel=(5, 5)), 1, (4, 9), 8, 8),  # no output
]


def offset(index, shape):
    at = 0
    for i, extent in zip(index, shape):
        at = at * extent + i
    return at


def convolution(program, x, w, images, size, channels, filters):
    """The result, and the same of absolute values, by pixel and filter."""
    strides, dilations, lower, _ = program.geometry()
    out, mag = {}, {}
    pixels = itertools.product(range(images), *map(range, program.outputs(size)))
    for pixel, (image, *p) in enumerate(pixels):
        for f in range(filters):
            total = magnitude = 0.0
            for tap in itertools.product(*map(range, program.kernel)):
                at = [a * s + t * d - lo for a, s, t, d, lo in zip(p, strides, tap, dilations, lower)]
                if not all(0 <= a < extent for a, extent in zip(at, size)):
                    continue
                xs = offset([image, *at], [images, *size]) * channels
                ws = offset([f, *tap], [filters, *program.kernel]) * channels
                for c in range(channels):
                    product = x[xs + c] * w[ws + c]
                    total, magnitude = total + product, magnitude + abs(product)
            out[pixel, f], mag[pixel, f] = total, magnitude
    return out, mag


def instrumented(program):
    text = program.text()
    at = text.rindex("  tile.copy %acc to %Y")
    kind = f"memref<{program.tile[0]}x{program.tile[1]}xf32, #tile.fragment>"
    return (
        text[:at]
        + f'  tile.print "m" %m : index\n  tile.print "n" %n : index\n  tile.print "acc" %acc : {kind}\n'
        + text[at:]
    )


def check(case, runner, path, options):
    program, images, size, channels, filters = case
    path.write_text(instrumented(program))
    run = program.run(images, size, channels, filters)
    shapes = {
        name: [d if isinstance(d, int) else run[d] for d in shape] for name, _, shape, _, _ in program.arguments()
    }
    args = ",".join(
        f"{name}={'x'.join(map(str, shape))}" + ("" if name == "Y" else f":normal:{seed}")
        for seed, (name, shape) in enumerate(shapes.items(), 1)
    )
    done = subprocess.run(
        [str(c) for c in [runner, path, "--workers=1", f"--args={args}", *options]], capture_output=True, text=True
    )
    if done.returncode:
        return f"tile-run: {done.stderr.splitlines()[:1]}"
    got, m, n = {}, 0, 0
    for line in (done.stdout + done.stderr).splitlines():
        if found := re.match(r"(m|n): (\d+)", line):
            m, n = (int(found[2]), n) if found[1] == "m" else (m, int(found[2]))
        elif found := re.match(r"acc\[(\d+), (\d+)\]: (\S+)", line):
            i, j = m + int(found[1]), n + int(found[2])
            if i < run["pixels"] and j < filters:
                got[i, j] = float(found[3])
            elif float(found[3]) != 0:
                return f"at {i, j}, outside of the result: expected 0, got {found[3]}"
    data = []
    for seed, name in enumerate("XW", 1):
        count = 1
        for extent in shapes[name]:
            count *= extent
        data.append(normal(seed, count, program.element))
    want, size_of = convolution(program, *data, images, size, channels, filters)
    if got.keys() != want.keys():
        return f"expected {len(want)} results, got {len(got)}"
    for at, value in got.items():
        if not abs(value - want[at]) <= 1e-5 * size_of[at] + 1e-6:
            return f"at {at}: expected {want[at]:.6g}, got {value:.6g}"
    return None


def main():
    runner, path, failed = sys.argv[2], pathlib.Path(sys.argv[3]), 0
    for program, *shape in CASES:
        case = (dataclasses.replace(program, tile=TILE, threads=128, stages=3), *shape)
        wrong = check(case, runner, path, sys.argv[4:])
        failed += bool(wrong)
        if wrong:
            print(f"FAIL {case}: {wrong}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
