# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the matrix on elements of half a byte (i4, f4E2M1FN): copies, conversions, loops, gemms.

See generate.py for what a kernel's description holds.
"""

import pathlib
import sys

from matrix_gemm import memref
from matrix_misc import FR, MN, SH, arg, copy, kernel, runs
from shapes import uneven, whole_run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "benchmarks"))

from tilebench.weights import Weights  # noqa: E402

PACKED = ("i4", "f4E2M1FN")
ALIGNED = " {tile.alignment = 16}"
OFFSETS = """%cm = arith.constant {bm} : index
%cn = arith.constant {bn} : index
%m = arith.muli %by, %cm : index
%n = arith.muli %bx, %cn : index
"""
# Rows of odd and even length, parts of tiles, whole tiles, nothing.
SIZES = [(70, 102), (64, 64), (33, 257), (1, 1), (0, 8), (5, 96)]
# Ties and what lies between; beyond 6, where fp4 ends.
QUARTERS = "np.arange(M * N) * 13 % 62 / 4 - 7.75"


def aligned_copy(element, via, tile=(64, 128)):
    """Y = X with rows that are known to be whole pieces of 16 bytes."""
    bm, bn = tile
    g = memref("??", element)
    body = "%c1 = arith.constant 1 : index\n" + OFFSETS.format(bm=bm, bn=bn)
    for name in "XY":
        body += f"%d{name} = memref.dim %{name}, %c1 : {g}\n"
        body += f"tile.assume %d{name} {{divisible_by = 32 : i64}} : index\n"
    at, here, where = "%X", g, "[%m, %n]"
    for index, space in enumerate(via):
        t = memref(tile, element, SH if space == "s" else FR)
        body += f"%t{index} = tile.alloc : {t}\ntile.copy {at}{where} to %t{index} : {here} to {t}\n"
        at, here, where = f"%t{index}", t, ""
    body += f"tile.copy {at}{where} to %Y[%m, %n] : {here} to {g}\n"
    found = kernel(f"packed_copy_{element}_aligned_{via}", [f"%X: {g}{ALIGNED}", f"%Y: {g}{ALIGNED}"],
                   [f"dim(%X, 1) ceildiv {bn}", f"dim(%X, 0) ceildiv {bm}"], 128, body,
                   [arg("X", element, MN, "r"), arg("Y", element, MN, "w")], runs([(100, 160), (128, 128), (3, 32), (64, 160)]),
                   "Y = X", "packed", dict(M=bm, N=bn), u=0.0, expect={"cp_async": via[0] == "s"})
    return found


def cast(source, target, ops, ref, tile=(64, 64), aligned=False, u=0.0, **more):
    """Y = ops(X) in fragments: %x becomes %y. `more` is of the argument X."""
    bm, bn = tile
    gs, gt = memref("??", source), memref("??", target)
    fs, ft = memref(tile, source, FR), memref(tile, target, FR)
    body = "%c1 = arith.constant 1 : index\n" + OFFSETS.format(bm=bm, bn=bn)
    if aligned:
        for name, g in (("X", gs), ("Y", gt)):
            body += f"%d{name} = memref.dim %{name}, %c1 : {g}\n"
            body += f"tile.assume %d{name} {{divisible_by = 32 : i64}} : index\n"
    body += f"""%x = tile.alloc : {fs}
%y = tile.alloc : {ft}
tile.copy %X[%m, %n] to %x : {gs} to {fs}
"""
    if ops:
        body += f"tile.parallel (%i, %j) in ({bm}, {bn}) {{\n  %x0 = memref.load %x[%i, %j] : {fs}\n"
        body += "".join(f"  {op}\n" for op in ops) + f"  memref.store %y0, %y[%i, %j] : {ft}\n}}\n"
    else:
        body += f"tile.copy %x to %y : {fs} to {ft}\n"
    body += f"tile.copy %y to %Y[%m, %n] : {ft} to {gt}\n"
    note = ALIGNED if aligned else ""
    name = f"packed_{source}_to_{target}{'' if ops else '_copy'}{'_aligned' if aligned else ''}"
    found = [(100, 96), (128, 128), (64, 32)] if aligned else SIZES
    return kernel(name, [f"%X: {gs}{note}", f"%Y: {gt}{note}"], [f"dim(%X, 1) ceildiv {bn}", f"dim(%X, 0) ceildiv {bm}"],
                  128, body, [arg("X", source, MN, "r", **more), arg("Y", target, MN, "w")], runs(found), ref, "packed", dict(M=bm, N=bn), u=u)


def sum_of(element, op, guarded):
    """Y = X0 + X1 in a loop over global memory: each store is half a byte where rows may be odd."""
    bm, bn = 32, 64
    g = memref("??", element)
    body = OFFSETS.format(bm=bm, bn=bn) + "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
    body += f"%M = memref.dim %Y, %c0 : {g}\n%N = memref.dim %Y, %c1 : {g}\n"
    body += f"""tile.parallel (%i, %j) in ({bm}, {bn}) {{
  %r = arith.addi %m, %i : index
  %c = arith.addi %n, %j : index
  %a = arith.cmpi ult, %r, %M : index
  %b = arith.cmpi ult, %c, %N : index
  %in = arith.andi %a, %b : i1
  scf.if %in {{
    %x0 = memref.load %X0[%r, %c] : {g}
    %x1 = memref.load %X1[%r, %c] : {g}
    %y = {op} %x0, %x1 : {element}
    memref.store %y, %Y[%r, %c] : {g}
  }}
}}
"""
    return kernel(f"packed_sum_{element}", [f"%X0: {g}", f"%X1: {g}", f"%Y: {g}"],
                  [f"dim(%Y, 1) ceildiv {bn}", f"dim(%Y, 0) ceildiv {bm}"], 128, body,
                  [arg("X0", element, MN, "r"), arg("X1", element, MN, "r"), arg("Y", element, MN, "w")], runs(SIZES),
                  "Y = X0 + X1", "packed", dict(M=bm, N=bn), u=0.0)


def shared_loop(element):
    """Y = the rows of X reversed, through shared memory in loops: stores of single elements."""
    bm, bn = 32, 64
    g, s = memref([bm, bn], element), memref([bm, bn], element, SH)
    body = f"""%last = arith.constant {bn - 1} : index
%t = tile.alloc : {s}
%r = tile.alloc : {s}
%c0 = arith.constant 0 : index
tile.copy %X[%c0, %c0] to %t : {g} to {s}
tile.parallel (%i, %j) in ({bm}, {bn}) {{
  %k = arith.subi %last, %j : index
  %x = memref.load %t[%i, %j] : {s}
  memref.store %x, %r[%i, %k] : {s}
}}
tile.copy %r to %Y[%c0, %c0] : {s} to {g}
"""
    return kernel(f"packed_reverse_{element}", [f"%X: {g}{ALIGNED}", f"%Y: {g}{ALIGNED}"], ["1"], 128, body,
                  [arg("X", element, [str(bm), str(bn)], "r"), arg("Y", element, [str(bm), str(bn)], "w")], [{}],
                  "Y = X[:, ::-1]", "packed", {}, u=0.0, fixed="constant extents, one tile")


def weight_only(name, **fields):
    """The program of tilebench.weights."""
    program = Weights(name=name, **fields)
    # Products with the scale are rounded to the operands' type once.
    unit = 2.0**-11 if program.element == "f16" else 2.0**-8
    ref = [f"w = rounded(W * S[:, None], '{program.element}')", "acc = A @ w.T", "size = abs(A) @ abs(w).T",
           f"mag = size * (1 + K * {2.0**-22 / unit})"]
    ref += ["acc, mag = acc.T, mag.T"] * program.first + ["C = acc", "mag_C = mag"]
    tile = dict(zip("MNK", program.tile))
    even = uneven(tile, {"K": 32})
    shapes = [whole_run(tile, {"K": 32}, {"K": program.stages + 1})] + runs([(64, 64, 64), (128, 192, 256), (1, 257, 96), (64, 64, 0)], "MNK")
    fills = {"A": "range:-31:32", "W": "range:-8:8" if program.weights == "i4" else "smallint", "S": "smallint"}
    args = [arg(*a) | ({"fill": fills[a[0]]} if a[0] in fills else {}) for a in program.arguments()]
    return dict(name=name, group="packed", text=program.text(), args=args, tile=tile, even=even, exact_to=2**24, runs=shapes, ref="\n".join(ref), u=unit, exact=True, expect={"mma": True, "cp_async": True},
                registers=120, min_arch=80, operands=[])


def kernels():
    out = []
    for element in PACKED:
        for via in ("", "s", "f", "sf"):
            out.append(copy(f"packed_copy_{element}_{via or 'straight'}", element, element, via, tile=(32, 64), strided=True))
        for via in ("s", "f", "sf"):
            out.append(aligned_copy(element, via))
        out.append(copy(f"packed_transpose_{element}", element, element, "s", tile=(32, 64), transpose=True))
        out.append(shared_loop(element))
    out.append(sum_of("i4", "arith.addi", True))
    for target in ("f16", "bf16", "f32", "f64"):
        out.append(cast("i4", target, [f"%y0 = arith.sitofp %x0 : i4 to {target}"], "Y = X", aligned=target == "f16"))
    out.append(cast("i4", "f16", [], "Y = X"))
    out.append(cast("i4", "f32", ["%y0 = arith.uitofp %x0 : i4 to f32"], "Y = X % 16", aligned=True))
    for target in ("i8", "i32"):
        out.append(cast("i4", target, [f"%y0 = arith.extsi %x0 : i4 to {target}"], "Y = X", aligned=target == "i8"))
    out.append(cast("i8", "i4", ["%y0 = arith.trunci %x0 : i8 to i4"], "Y = X"))
    out.append(cast("f16", "i4", [], "Y = np.trunc(X)", aligned=True, data=QUARTERS))
    for target in ("f16", "bf16", "f32"):
        out.append(cast("f4E2M1FN", target, [f"%y0 = arith.extf %x0 : f4E2M1FN to {target}"], "Y = X", aligned=target != "bf16"))
    out.append(cast("f4E2M1FN", "f16", [], "Y = X"))
    # Below 1 the numbers of fp4 are half apart.
    rounded = "Y = X\nmag_Y = np.ones_like(X)"
    out.append(cast("f16", "f4E2M1FN", [], rounded, aligned=True, u=0.25, data=QUARTERS))
    out.append(cast("f32", "f4E2M1FN", [], rounded, u=0.25, data=QUARTERS))
    out.append(weight_only("w4a16"))
    out.append(weight_only("w4a16_bf16", element="bf16", tile=(64, 128, 32), stages=4))
    out.append(weight_only("w4a16_left", tile=(64, 128, 64), first=True))
    out.append(weight_only("w4a16_fp4", weights="f4E2M1FN", tile=(32, 64, 64), stages=2))
    return out
