# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and rows by index of the matrix: the programs of benchmarks/tilebench, compiled for every architecture.

test/GPU/run_hopper.py runs them on a GPU. See generate.py.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "benchmarks"))

from tilebench.conv import Conv  # noqa: E402
from tilebench.rows import Rows  # noqa: E402

SMALL = dict(tile=(64, 64, 32), threads=128, stages=2)
TILE = dict(zip(("pixels", "F", "C"), SMALL["tile"]))
# What the spatial extents are, by their number: at least a whole tile of pixels in one or two images, and a part.
SIZES = {1: (701,), 2: (14, 11), 3: (6, 5, 4)}


def describe(program, args, ref, runs, tile, cp_async, even):
    expect = {"mma": True} | ({"cp_async": cp_async} if cp_async is not None else {})
    return dict(name=program.ident(), group="core", text=program.text(), args=args, runs=runs, ref=ref, u=0.0, exact=True,
                expect=expect, registers=100, min_arch=80, operands=[], tile=tile, even=even, exact_to=2**24,
                not_on_gpu="run_hopper.py runs it")


def conv(program, cp_async):
    fill = dict(fill="range:-7:8")
    args = [dict(name=name, type=type_, shape=list(map(str, shape)), access=access, strided=strided, **fill)
            for name, type_, shape, access, strided in program.arguments()]
    strides, dilations, lower, upper = program.geometry()
    where = f"strides={strides}, dilations={dilations}, lower={lower}, upper={upper}"
    ref = f"Y = conv(X, W, {where})\nsize = conv(abs(X), abs(W), {where})" + "\nY = maximum(Y, 0)" * program.relu
    more = 8 if program.promise else 5
    runs = [program.run(2, SIZES[program.rank()], 32 + more, 64 + more), program.run(1, (5,) * program.rank(), 8, 8)]
    return describe(program, args, ref, runs, TILE, cp_async, {})


def rows(program, cp_async):
    args = [dict(name=name, type=type_, shape=shape, access=access, strided=strided)
            for name, type_, shape, access, strided in program.arguments()]
    for arg in args:
        if arg["name"] in "XW":
            arg["fill"] = "range:-31:32"
    args[1]["data"], args[3]["data"] = "np.arange(M) * 7 % (T + 4) - 2", "some_rows(M, U)"
    more = 8 if program.promise else 5
    runs = [dict(M=71, N=64 + more, K=96 + more, T=50, U=60), dict(M=9, N=8, K=8, T=20, U=30)]
    return describe(program, args, "X = rows_of(X, I)\nY = put_rows(Y, J, X @ W)\nsize = abs(X) @ abs(W)", runs,
                    dict(zip("MNK", program.tile)), cp_async, {})


def kernels():
    found = []
    for fields in (dict(pad=(1, 1)), dict(strides=(2, 2), dilations=(2, 1), pad=(2, 1)), dict(kernel=(3,), strides=(9,)),
                   dict(kernel=(3, 3, 3), pad=(1, 1, 1)), dict(kernel=(1, 1), element="bf16", out="f32", relu=True)):
        found.append(conv(Conv(**fields, **SMALL), True))
        found.append(conv(Conv(**fields, **SMALL, promise=False), None))
    for indices in ("global", "shared", "fragment"):
        found.append(rows(Rows(indices=indices, **SMALL), True))
        found.append(rows(Rows(indices=indices, index="i64", promise=False, **SMALL), None))
    return found
