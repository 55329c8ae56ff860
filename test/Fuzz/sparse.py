# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose A is sparse, 2 of 4 (1 of 2 of f32), over K and of tiles at hand."""

import numpy as np

import gemms
import loops
from elements import ELEMENTS, Unfit, largest
from expressions import Binary, Dim, Var, const, mul
from moves import Copy, Region
from products import Gemm
from statements import Loop

TYPES = [("f16", "f16", "f32")] * 6 + [("bf16", "bf16", "f32")] * 3 + [
    ("f16", "f16", "f16"), ("f32", "f32", "f32"), ("f32", "f32", "f32"), ("i8", "i8", "i32"), ("i8", "i8", "i32"),
    ("f8E4M3FN", "f8E4M3FN", "f32"), ("f8E4M3FN", "f8E5M2", "f32"), ("f8E5M2", "f8E5M2", "f16")]
# Rows and columns that instructions have, and others.
ROWS = [16, 32, 64, 64, 64, 128, 128, 24, 40]
COLUMNS = [8, 16, 32, 64, 64, 128, 12, 24]


class SparseGemm(Gemm):
    def __init__(self, a, b, c, metadata, transpose_metadata=False, **options):
        super().__init__(a, b, c, **options)
        self.metadata, self.transpose_metadata = metadata, transpose_metadata
        if transpose_metadata:
            self.attributes = [*self.attributes, "transpose_metadata"]

    def emit(self, out):
        self.sparsity = f" metadata(%{self.metadata.name} : {self.metadata.type})"
        super().emit(out)

    def run(self, env):
        a, b, c, e = (env.array(buffer) for buffer in (self.a, self.b, self.c, self.metadata))
        if np.isnan(a).any() or np.isnan(e).any():
            raise Unfit("reads what nothing wrote")
        a, e = a.T if self.transpose_a else a, e.T if self.transpose_metadata else e
        if self.unsigned[0]:
            a = np.where(a < 0, a + 256, a)
        columns = group(self.a.element)
        kept, words = columns // 2, e.astype(np.int64)
        per_word = ELEMENTS[self.metadata.element].bits // 4
        whole = np.zeros((a.shape[0], 2 * a.shape[1]))
        rows = np.arange(a.shape[0])
        for number in range(whole.shape[1] // columns):
            places = words[:, number // per_word] >> 4 * (number % per_word) & 15
            # The first value counts where both say one place.
            for n in reversed(range(kept)):
                at = places >> 2 * n & 3
                whole[rows, number * columns + (at // 2 if columns == 2 else at)] = a[:, number * kept + n]
        Gemm(self.a, self.b, self.c, False, self.transpose_b, self.clear, unsigned=(False, self.unsigned[1])).multiply(whole, b, c)


def group(element):
    return 2 if ELEMENTS[element].bits == 32 else 4


def product(g):
    """C += A B over K, where A and its metadata are copied for each step."""
    a, b, c = g.rng.choice(TYPES)
    element = g.pick("i8", "i16", "i16", "i32")
    columns, per = group(a), group(a) * ELEMENTS[element].bits // 4
    m, n = g.rng.choice(ROWS), g.rng.choice(COLUMNS)
    steps = [s for s in (8, 16, 32, 32, 64, 64, 96, 128) if s % per == 0 and (m + n) * s <= 24576]
    k = g.rng.choice(steps)
    trip = loops.trips(g, 5)[2]
    size, half, words = g.name("K"), g.name("K"), g.name("K")
    for run in g.program.runs:
        # Whole elements of metadata; the last step may be a part.
        extent = max(0, run[trip] * k - (per * g.rng.randrange(0, k // per) if run[trip] and g.chance(0.3) else 0))
        run[size], run[half], run[words] = extent, extent // 2, extent // per
    least = min(run[size] for run in g.program.runs)
    own_m, own_n = g.size("L", [m, 2 * m, m - 3]), g.size("L", [n, 2 * n, n - 3])
    ta, tb, te = g.chance(0.2), g.chance(0.6), g.chance(0.15)
    matrix_a = g.argument([half, own_m] if ta else [own_m, half], a)
    matrix_e = g.argument([words, own_m] if te else [own_m, words], element, kind="halves" if columns == 2 else "places")
    matrix_b = g.argument([own_n, size] if tb else [size, own_n], b)
    tile_a = g.tile([k // 2, m] if ta else [m, k // 2], a, "fragment" if g.chance(0.12) and not ta else "shared", bound=6, layout=g.chance(0.2))
    tile_e = g.tile([k // per, m] if te else [m, k // per], element, g.pick("shared", "shared", "fragment"), layout=False)
    tile_b = g.tile([n, k] if tb else [k, n], b, "shared", bound=6, layout=g.chance(0.2))
    result = g.tile([m, n], c, "fragment", bound=min(largest(c), 36 * 4096), layout=g.chance(0.3))
    g.filled(result, g.rng.randrange(-1, 3) if g.chance(0.3) else 0)
    g.tag("sparse", f"sparse_{a}_{element}")
    # The loop counts steps, of which each has its own columns of A, of B and of the metadata.
    var, body = Var(g.name("k"), bound=4096), []
    row, column = mul(g.by, m), mul(g.bx, n)
    with g.scope(body, least == 0):
        g.loops.append(var)
        at_a, at_e, at_b = mul(var, k // 2), mul(var, k // per), mul(var, k)
        copies = [Copy(Region(matrix_a, [at_a, row] if ta else [row, at_a], sizes=tile_a.shape), Region(tile_a)),
                  Copy(Region(matrix_e, [at_e, row] if te else [row, at_e], sizes=tile_e.shape), Region(tile_e)),
                  Copy(Region(matrix_b, [column, at_b] if tb else [at_b, column], sizes=tile_b.shape), Region(tile_b))]
        g.rng.shuffle(copies)
        gemm = SparseGemm(tile_a, tile_b, result, tile_e, te, transpose_a=ta, transpose_b=tb, clear=g.chance(0.04),
                          attributes=gemms.words(g, "f16"))
        if a == "i8" and g.chance(0.25):
            gemm.unsigned = (g.chance(0.5), g.chance(0.5))
        g.put(*copies)
        for tile in (tile_a, tile_b):
            g.written(tile)
        g.put(*gemms.guarded(g, gemm, var, 1))
        g.loops.pop()
    stages = g.pick(1, 2, 2, 3, 3, 4)
    g.tag("pipelined", f"stages{stages}")
    g.put(Loop(var.name, const(0), Binary("ceildiv", Dim(matrix_b, 1 if tb else 0), const(k)), const(1), stages, body))
    return g.written(result)


def program(g):
    gemms.use_of(g, product(g))
