# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and rows by index of the matrix: the programs of benchmarks/tilebench, compiled for every architecture.

They are run by test/GPU/run_hopper.py, whose buffers have more dimensions than those of the matrix. See generate.py.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "benchmarks"))

from tilebench.conv import Conv  # noqa: E402
from tilebench.rows import Rows  # noqa: E402

SMALL = dict(tile=(64, 64, 32), threads=128, stages=2)


def describe(program, cp_async):
    expect = {"mma": True} | ({"cp_async": cp_async} if cp_async is not None else {})
    return dict(name=program.ident(), group="core", text=program.text(), args=[], runs=[], ref="", u=0.0, exact=True,
                expect=expect, registers=100, min_arch=80, operands=[], compile_only="run_hopper.py runs it")


def kernels():
    found = []
    for fields in (dict(pad=(1, 1)), dict(strides=(2, 2), dilations=(2, 1), pad=(2, 1)), dict(kernel=(3,), strides=(9,)),
                   dict(kernel=(3, 3, 3), pad=(1, 1, 1)), dict(kernel=(1, 1), element="bf16", out="f32", relu=True)):
        found.append(describe(Conv(**fields, **SMALL), True))
        found.append(describe(Conv(**fields, **SMALL, promise=False), None))
    for indices in ("global", "shared", "fragment"):
        found.append(describe(Rows(indices=indices, **SMALL), True))
        found.append(describe(Rows(indices=indices, index="i64", promise=False, **SMALL), None))
    return found
