# Runs a gemm kernel for element types x transposes x shapes on the CPU, and
# fails where a result differs from the meaning in f64.
# usage: gemm_matrix.py TILE_RUN SCRATCH_DIR [tile-run options...]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import pathlib
import sys

from batch import count, run_batch

SHARED = "#gpu.address_space<workgroup>"
TYPES = [
    ("f16", "f16", "f32", ""),
    ("f16", "f16", "f16", ""),
    ("bf16", "bf16", "f32", ""),
    ("f32", "f32", "f32", ""),
    ("f32", "f32", "f32", "precision = #tile.precision<ieee>"),
    ("f64", "f64", "f64", ""),
    ("i8", "i8", "i32", ""),
    ("i8", "i8", "i32", "unsigned_a, unsigned_b"),
    ("f8E4M3FN", "f8E4M3FN", "f32", ""),
    ("f8E5M2", "f8E4M3FN", "f32", ""),
    ("f8E5M2", "f8E5M2", "f16", ""),
]
# Below, at and above the tile of 64 x 32 x 16 in each extent; K = 0.
SHAPES = [(65, 33, 17), (1, 1, 1), (64, 32, 48), (5, 40, 0)]


def gemm(a, b, c, transpose_a, transpose_b, attribute):
    m, n, k = 64, 32, 16
    tile_a = f"memref<{k}x{m}x{a}, {SHARED}>" if transpose_a else f"memref<{m}x{k}x{a}, {SHARED}>"
    tile_b = f"memref<{n}x{k}x{b}, {SHARED}>" if transpose_b else f"memref<{k}x{n}x{b}, {SHARED}>"
    tile_c = f"memref<{m}x{n}x{c}, #tile.fragment>"
    attributes = ["transpose_a"] * transpose_a + ["transpose_b"] * transpose_b
    attributes += [attribute] if attribute else []
    text = " {" + ", ".join(attributes) + "}" if attributes else ""
    zero = "0.0" if c[0] == "f" else "0"
    return f"""
tile.kernel @gemm(%A: memref<?x?x{a}>, %B: memref<?x?x{b}>, %C: memref<?x?x{c}>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv {n}, dim(%C, 0) ceildiv {m}) threads(128) {{
  %c0 = arith.constant 0 : index
  %kDim = arith.constant {0 if transpose_a else 1} : index
  %step = arith.constant {k} : index
  %rows = arith.constant {m} : index
  %columns = arith.constant {n} : index
  %zero = arith.constant {zero} : {c}
  %K = memref.dim %A, %kDim : memref<?x?x{a}>
  %m = arith.muli %by, %rows : index
  %n = arith.muli %bx, %columns : index
  %As = tile.alloc : {tile_a}
  %Bs = tile.alloc : {tile_b}
  %acc = tile.alloc : {tile_c}
  tile.fill %acc with %zero : {tile_c}, {c}
  tile.pipelined %k = %c0 to %K step %step stages(3) {{
    tile.copy %A[{"%k, %m" if transpose_a else "%m, %k"}] to %As : memref<?x?x{a}> to {tile_a}
    tile.copy %B[{"%n, %k" if transpose_b else "%k, %n"}] to %Bs : memref<?x?x{b}> to {tile_b}
    tile.gemm %As, %Bs, %acc{text} : {tile_a}, {tile_b}, {tile_c}
  }}
  tile.copy %acc to %C[%m, %n] : {tile_c} to memref<?x?x{c}>
}}
"""


def main():
    tool, folder, options = sys.argv[1], pathlib.Path(sys.argv[2]), " ".join(sys.argv[3:])
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, ((a, b, c, attribute), (ta, tb)) in enumerate(
        itertools.product(TYPES, itertools.product((0, 1), (0, 1)))
    ):
        source = folder / f"{number}.mlir"
        source.write_text(gemm(a, b, c, ta, tb, attribute))
        # Each combination takes two shapes, in turn, with either kind of data.
        for shape in (number % 4, (number + 1) % 4):
            m, n, k = SHAPES[shape]
            fill = ("smallint", "uniform")[(number + shape) % 2]
            args = f"A={k}x{m}:{fill}" if ta else f"A={m}x{k}:{fill}"
            args += f",B={n}x{k}:{fill}" if tb else f",B={k}x{n}:{fill}"
            name = f"{a}_{b}_{c}_{'nt'[ta]}{'nt'[tb]}_{m}x{n}x{k}_{number}"
            lines.append(f"{source} --name={name} --args={args},C={m}x{n} --check --workers=1 {options}")
    print(count(run_batch(tool, folder, lines), lines))


if __name__ == "__main__":
    main()
