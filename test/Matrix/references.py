# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels of the matrix compute, in numpy, and the comparison with what a run gives.

A kernel's `ref` are statements over float64 arrays named like its arguments (generate.py); nothing here has seen the
compiler. `expected` executes them, `difference` compares. The data are integers (halves, quarters) that every step holds
exactly, so that results are compared bit by bit, rounded once to the output's type; `exact_to` and a statement `size = ...`,
the largest sum that the data can give in any order, prove it before anything runs. Where a kernel rounds on the way (a
division), a statement `bound_C = ...` is the error that it may have, and why stands beside it in the generator.
Needs numpy; travels with run_gpu_matrix.py.
"""

import itertools
import pathlib
import re
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Fuzz"))

from elements import ELEMENTS, fill  # noqa: E402
from formats import FORMATS, decode, rounded  # noqa: E402

# What each type is filled with where an argument does not say: integers it holds, most of them different, so that an
# element that comes from a wrong place shows.
FILLS = {"f64": "range:-1000000:1000000", "f32": "range:-1000:1001", "f16": "range:-1000:1001", "bf16": "range:-120:121",
         "f8E4M3FN": "smallint", "f8E5M2": "smallint", "f4E2M1FN": "smallint", "i64": "range:-1000000:1000000",
         "i32": "range:-1000000:1000000", "i8": "range:-128:128", "i4": "range:-8:8"}
# Outputs of integers have no NaN: numbers that results are not. Of a byte and less all may be results: then every element
# has another one.
POISON = {"i64": "range:-2000000001:-2000000000", "i32": "range:-2000000001:-2000000000", "i8": "range:-128:128", "i4": "range:-8:8"}


def cdiv(a, b):
    return -(-a // b)


def row_blocks(x, n):
    """[columns / n, rows, n]: blocks of n columns, padded with zeros."""
    count = cdiv(x.shape[1], n)
    padded = np.zeros((x.shape[0], count * n))
    padded[:, : x.shape[1]] = x
    return padded.reshape(x.shape[0], count, n).transpose(1, 0, 2)


def col_blocks(x, n):
    """[rows / n, columns, n]: blocks of n rows, padded with zeros."""
    return row_blocks(x.T, n)


def conv(x, w, strides, dilations, lower, upper):
    """x [images, ..., C] * w [F, ..., C]: [pixels, F], channels last, pixels of all images row by row."""
    x = np.pad(x, [(0, 0), *zip(lower, upper), (0, 0)])
    taps, sizes = w.shape[1:-1], x.shape[1:-1]
    out = [max(0, (size - d * (k - 1) - 1) // s + 1) for size, k, s, d in zip(sizes, taps, strides, dilations)]
    found = np.zeros((x.shape[0], *out, w.shape[0]))
    for tap in itertools.product(*map(range, taps)):
        places = tuple(slice(t * d, t * d + (o - 1) * s + 1, s) if o else slice(0, 0)
                       for t, d, o, s in zip(tap, dilations, out, strides))
        found += x[(slice(None), *places)] @ w[(slice(None), *tap)].T
    return found.reshape(-1, w.shape[0])


def rows_of(x, indices):
    """The rows that indices name; one that x does not have counts as zeros."""
    indices = indices.astype(np.int64)
    exists = (indices >= 0) & (indices < x.shape[0])
    return x[np.where(exists, indices, 0)] * exists[:, None]


def put_rows(y, indices, values):
    """y with the rows that indices name replaced; one that y does not have is not stored."""
    indices, found = indices.astype(np.int64), y.copy()
    exists = (indices >= 0) & (indices < y.shape[0])
    found[indices[exists]] = values[exists]
    return found


def some_rows(count, rows):
    """`count` different indices of rows, out of order; some name no row."""
    found = np.arange(count) * 5 % count if count % 5 else np.arange(count)[::-1].copy()
    found[::7] = -1
    found[3::11] = rows
    return found


def sparse(kept, places, group, per, unsigned):
    """A with its zeros: of each `group` columns half are kept; an element of `places` tells of `per` columns."""
    kept, words = (np.where(kept < 0, kept + 256, kept) if unsigned else kept), places.astype(np.int64)
    whole, rows = np.zeros((kept.shape[0], 2 * kept.shape[1])), np.arange(kept.shape[0])
    for column in range(0, whole.shape[1], group):
        bits = words[:, column // per] >> (column % per // group * 4)
        for n in range(group // 2):
            place = (bits >> (2 * n) & 3) // (4 // group)
            whole[rows, column + place] = kept[:, column // 2 + n]
    return whole


NAMES = dict(np=np, abs=np.abs, maximum=np.maximum, minimum=np.minimum, where=np.where, rounded=rounded, cdiv=cdiv,
             row_blocks=row_blocks, col_blocks=col_blocks, conv=conv, rows_of=rows_of, put_rows=put_rows, some_rows=some_rows, sparse=sparse)


def extents(kernel, run):
    """The shapes of a run's arguments by name; scalars have none."""
    names = {key: value for key, value in run.items() if key != "pad"} | {"cdiv": cdiv}
    return {arg["name"]: tuple(eval(dim, {}, names) for dim in arg["shape"]) for arg in kernel["args"] if "scalar" not in arg}


def fill_of(kernel, arg, run):
    """FILL:SEED of an argument, as tile-run reads it."""
    seed = 1 + [a["name"] for a in kernel["args"]].index(arg["name"])
    if arg["access"] == "w":
        return f"{POISON[arg['type']]}:{seed}" if arg["type"] in POISON else "nan"
    kind = re.sub(r"\{(\w+)\}", lambda match: str(run[match[1]]), arg.get("fill") or FILLS[arg["type"]])
    return f"{kind}:{seed}"


def inputs(kernel, run):
    """What every argument holds before the run."""
    shapes, values = extents(kernel, run), {}
    for arg in kernel["args"]:
        name = arg["name"]
        if "scalar" in arg:
            values[name] = np.float64(arg["scalar"])
        elif "data" in arg:
            values[name] = np.asarray(eval(arg["data"], NAMES | run), dtype=np.float64).reshape(shapes[name])
        elif (text := fill_of(kernel, arg, run)) == "nan":
            values[name] = np.full(shapes[name], 6.0 if arg["type"] == "f4E2M1FN" else np.nan)
        else:
            kind, seed = text.rsplit(":", 1)
            values[name] = fill(kind, int(seed), shapes[name], arg["type"])
    return values


def wrap(values, element):
    """Two's complement of what fits in float64."""
    bits = ELEMENTS[element].bits
    half = 2.0 ** (bits - 1)
    return (values + half) % (2 * half) - half if bits <= 32 else values


def stored(values, element):
    """What a buffer of the type holds of some numbers."""
    return wrap(values, element) if ELEMENTS[element].kind == "int" else rounded(values, element)


def evaluate(kernel, run, values):
    """All names after the statements of the reference."""
    env = NAMES | {key: value for key, value in run.items() if key != "pad"} | values
    with np.errstate(all="ignore"):
        exec(kernel["ref"], env)
    return env


def expected(kernel, run, values):
    """For each argument that the kernel writes: what it holds after the run, and the error it may have (None: none)."""
    env, shapes, found = evaluate(kernel, run, values), extents(kernel, run), {}
    if "exact_to" in kernel:
        size = float(np.max(env["size"], initial=0))
        if size > kernel["exact_to"]:
            raise ValueError(f"{kernel['name']} {run}: sums up to {size}, exact to {kernel['exact_to']} only")
    for arg in kernel["args"]:
        if "w" in arg.get("access", ""):
            want = np.asarray(env[arg["name"]], dtype=np.float64).reshape(shapes[arg["name"]])
            bound = env.get("bound_" + arg["name"])
            if bound is not None and arg["type"] in FORMATS:
                bound = np.abs(bound) + 2.0 ** -(FORMATS[arg["type"]].mantissa + 1) * np.abs(want)
            found[arg["name"]] = stored(want, arg["type"]) if bound is None else want, bound
    return found


def numbers(codes, element):
    """A saved array as float64; types that numpy lacks are saved as their bits."""
    if codes.dtype.kind == "u" and element in FORMATS:
        return decode(codes, FORMATS[element])
    values = codes.astype(np.float64)
    return wrap(values, element) if codes.dtype.kind == "u" else values


def difference(name, got, want, bound):
    """What is wrong with a result, or an empty text."""
    if got.shape != want.shape:
        return f"{name}: expected the shape {want.shape}, got {got.shape}"
    right = (got == want) | (np.isnan(got) & np.isnan(want))
    if bound is not None:
        right |= np.abs(got - want) <= bound
    if right.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~right)[0])
    count = int((~right).sum())
    return f"{name}: {count} of {want.size} elements wrong, first at {list(at)}: expected {want[at]!r}, got {got[at]!r}"
