#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Math functions of f32 on the GPU, on every argument there is.

    PYTHONPATH=build/release/python python3 test/GPU/all_arguments.py [--only exp,tanh]

Each function of one argument in test/Conversion/ExpandMath/Inputs/functions.inc is applied to all
2^32 floats (a second a function on an H200) and compared with PyTorch's of double: the largest
error in units of the last place, where it is, and how many results differ in their bits from
PyTorch's of f32 where that has the function. A result above the table's bound is a failure; the
last line counts. What PyTorch's double adds to the error is below 2^-28 units.
"""

import argparse
import pathlib
import re
import sys

import torch

from mlir_tile import execution

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "test/Conversion/ExpandMath/Inputs/functions.inc"
COUNT = 1 << 26  # floats at a time
KERNEL = """
tile.kernel @apply(%X: memref<{count}xf32>, %Y: memref<{count}xf32>) grid(%b) = ({count} ceildiv 1024) threads(128) {{
  %c = arith.constant 1024 : index
  %m = arith.muli %b, %c : index
  %x = tile.alloc : memref<1024xf32, #tile.fragment>
  tile.copy %X[%m] to %x : memref<{count}xf32> to memref<1024xf32, #tile.fragment>
  tile.parallel (%i) in (1024) {{
    %v = memref.load %x[%i] : memref<1024xf32, #tile.fragment>
    %r = math.{function} %v : f32
    memref.store %r, %x[%i] : memref<1024xf32, #tile.fragment>
  }}
  tile.copy %x to %Y[%m] : memref<1024xf32, #tile.fragment> to memref<{count}xf32>
}}
"""
# What PyTorch has as a combination of others.
REFERENCES = {"cbrt": lambda x: torch.copysign(x.abs() ** (1 / 3), x)}


def reference(name):
    return REFERENCES.get(name) or getattr(torch, name)


def units(result, exact):
    """The distance of f32 results from doubles, in units of the last place of the exact ones."""
    rounded = exact.to(torch.float32)
    _, exponent = torch.frexp(exact)
    exponent = (exponent - 1).clamp(-126, 127)
    distance = torch.ldexp((result.double() - exact).abs(), 23 - exponent)
    same = (result == rounded) & result.isinf() | (result == 0) & (rounded == 0)
    distance = torch.where(same, 0, distance)
    early = result.isinf() & ~rounded.isinf() & (exact.abs() >= torch.finfo(torch.float32).max)
    distance = torch.where(early, 1, distance)
    distance = torch.where(result.isnan() & exact.isnan(), 0, distance)
    signs = (result == 0) & (exact == 0) & (result.signbit() != exact.signbit())
    return torch.where(signs, torch.inf, torch.nan_to_num(distance, nan=torch.inf, posinf=torch.inf))


def run(name, bound):
    source = KERNEL.format(count=COUNT, function=name)
    kernel = execution.compile(source, target="cuda")
    exact_of, worst, where, differing = reference(name), -1.0, 0.0, 0
    result = torch.empty(COUNT, device="cuda")
    for start in range(-(1 << 31), 1 << 31, COUNT):
        bits = torch.arange(start, start + COUNT, dtype=torch.int64, device="cuda")
        x = bits.to(torch.int32).view(torch.float32)
        result.fill_(torch.nan)
        kernel(x, result)
        error = units(result, exact_of(x.double()))
        largest = error.max().item()
        if largest > worst:
            worst, where = largest, x[error.argmax()].item()
        if name not in REFERENCES:
            other = exact_of(x)
            different = (result.view(torch.int32) != other.view(torch.int32)) & ~(
                result.isnan() & other.isnan()
            )
            differing += different.sum().item()
    text = f"{name:6} {worst:.3f} units at {where!r}, bound {bound}"
    if name not in REFERENCES:
        text += f"; {differing} bits unlike PyTorch's"
    print(text + ("" if worst <= bound else "  EXCEEDED"), flush=True)
    return worst <= bound


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=lambda x: x.split(","), help="functions, by commas")
    options = parser.parse_args()
    if execution.gpu_count() == 0:
        sys.exit("expected a GPU that the driver knows, found none")
    rows = re.findall(r"^UNARY\((\w+), .*, ([\d.]+), [\d.]+\)$", TABLE.read_text(), re.M)
    rows = [(name, float(bound)) for name, bound in rows]
    rows = [row for row in rows if not options.only or row[0] in options.only]
    if not rows:
        sys.exit(f"expected functions of {TABLE}, found none of {options.only}")
    passed = sum(run(*row) for row in rows)
    print(f"{passed} passed, {len(rows) - passed} failed")
    sys.exit(passed != len(rows))


if __name__ == "__main__":
    main()
