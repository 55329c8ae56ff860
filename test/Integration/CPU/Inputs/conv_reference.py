# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution programs (benchmarks/tilebench/conv.py) on the CPU against plain loops written here; see printed.py."""

import dataclasses
import itertools
import math

import printed
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


def check(program, images, size, channels, filters):
    program = dataclasses.replace(program, tile=TILE, threads=128, stages=3)
    run = program.run(images, size, channels, filters)
    shapes = {
        name: [d if isinstance(d, int) else run[d] for d in shape] for name, _, shape, _, _ in program.arguments()
    }
    args = ",".join(
        f"{name}={'x'.join(map(str, shape))}" + ("" if name == "Y" else f":normal:{seed}")
        for seed, (name, shape) in enumerate(shapes.items(), 1)
    )
    found = printed.results(program, ("m", "n"), TILE[:2], args)
    if isinstance(found, str):
        return found
    got = {}
    for (m, n), i, j, value in found:
        if m + i < run["pixels"] and n + j < filters:
            got[m + i, n + j] = value
        elif value != 0:
            return f"at {m + i, n + j}, outside of the result: expected 0, got {value}"
    data = [printed.normal(seed, math.prod(shapes[name]), program.element) for seed, name in enumerate("XW", 1)]
    want, mag = convolution(program, *data, images, size, channels, filters)
    return printed.compare(got, want, lambda at: 1e-5 * mag[at] + 1e-6)


printed.main(CASES, check)
