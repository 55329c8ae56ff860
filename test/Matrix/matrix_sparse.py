# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gemm kernels of the matrix whose A is sparse, 2 of 4 (1 of 2 of f32): E holds the places of what A keeps.

See generate.py for what a kernel's description holds.
"""

from matrix_gemm import BITS, EXACT, HEAD, UNIT, constant, fills, memref
from shapes import uneven, whole_run


def sparse(name, a="f16", b=None, c="f32", e="i16", ta=False, tb=False, te=False, tile=(128, 128, 64), warps=4, stages=3, aligned=True,
           unsigned=(False, False), wgmma=True, mma=True):
    """C = A B. `wgmma` and `mma` say whether sm_90a and sm_80 have an instruction that multiplies a sparse A."""
    b = b or a
    bm, bn, bk = tile
    group = 2 if BITS[a] == 32 else 4
    per = group * int(e[1:]) // 4  # columns of A, with zeros, that an element of E tells of
    shapes = {"A": [bk // 2, bm] if ta else [bm, bk // 2], "E": [bk // per, bm] if te else [bm, bk // per],
              "B": [bn, bk] if tb else [bk, bn]}
    elements = {"A": a, "E": e, "B": b, "C": c}
    places = {"A": "%ka, %m" if ta else "%m, %ka", "E": "%ke, %m" if te else "%m, %ke", "B": "%n, %k" if tb else "%k, %n"}
    whole = {x: memref("??", t) for x, t in elements.items()}
    tiles = {x: memref(shapes[x], elements[x], "#shared") for x in "AEB"}
    acc = memref([bm, bn], c, "#tile.fragment")
    words = [word for word, said in (("transpose_a", ta), ("transpose_b", tb), ("transpose_metadata", te), ("unsigned_a", unsigned[0]),
                                     ("unsigned_b", unsigned[1])) if said]
    note = " {tile.alignment = 16}" if aligned else ""
    lines = []
    if aligned:
        for x, t in elements.items():
            lines += [f"%row{x} = memref.dim %{x}, %c1 : {whole[x]}", f"tile.assume %row{x} {{divisible_by = {128 // BITS.get(t, int(e[1:]))} : i64}} : index"]
    lines += [f"%{x}s = tile.alloc : {tiles[x]}" for x in "AEB"]
    lines += [f"%acc = tile.alloc : {acc}", f"tile.fill %acc with %zero : {acc}, {c}",
              f"tile.pipelined %k = %c0 to %K step %cbk stages({stages}) {{", "  %ka = arith.divui %k, %c2 : index",
              "  %ke = arith.divui %k, %cper : index"]
    lines += [f"  tile.copy %{x}[{places[x]}] to %{x}s : {whole[x]} to {tiles[x]}" for x in "AEB"]
    lines += [f"  tile.gemm %As, %Bs, %acc metadata(%Es : {tiles['E']}){' {' + ', '.join(words) + '}' if words else ''} : "
              f"{tiles['A']}, {tiles['B']}, {acc}", "}", f"tile.copy %acc to %C[%m, %n] : {acc} to {whole['C']}"]
    text = HEAD + f"""tile.kernel @{name}({', '.join(f'%{x}: {whole[x]}{note}' for x in 'AEBC')})
    grid(%bx, %by) = (dim(%C, 1) ceildiv {bn}, dim(%C, 0) ceildiv {bm}) threads({warps * 32}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cper = arith.constant {per} : index
  %cbk = arith.constant {bk} : index
  %cbm = arith.constant {bm} : index
  %cbn = arith.constant {bn} : index
  %zero = arith.constant {constant(c)} : {c}
  %K = memref.dim %B, %c{1 if tb else 0} : {whole['B']}
  %m = arith.muli %by, %cbm : index
  %n = arith.muli %bx, %cbn : index
""" + "".join(f"  {line}\n" for line in lines) + "}\n"
    fill_a, fill_b = fills(a, c, None, False)
    args = [dict(name="A", type=a, shape=["K // 2", "M"] if ta else ["M", "K // 2"], access="r", strided=False, fill=fill_a),
            dict(name="E", type=e, shape=[f"K // {per}", "M"] if te else ["M", f"K // {per}"], access="r", strided=False,
                 fill="halves" if group == 2 else "places"),
            dict(name="B", type=b, shape=["N", "K"] if tb else ["K", "N"], access="r", strided=False, fill=fill_b),
            dict(name="C", type=c, shape=["M", "N"], access="w", strided=False)]
    ref = [f"A = sparse({'A.T' if ta else 'A'}, {'E.T' if te else 'E'}, {group}, {per}, {unsigned[0]})"]
    ref += [f"B = where({'B.T' if tb else 'B'} < 0, {'B.T' if tb else 'B'} + 256, {'B.T' if tb else 'B'})" if unsigned[1] else "B = B.T" if tb else "B = B"]
    ref += ["C = A @ B", "size = abs(A) @ abs(B)", f"mag_C = {'1' if a == 'f32' else '(K + 4)'} * size"]
    # Rows of whole 16-byte pieces where the kernel promises them; K in whole elements of E.
    row_e = per * (128 // int(e[1:])) if aligned and not te else per
    rows = 16 if aligned else 1
    steps = {"K": max(row_e, 2 * rows * (8 // min(BITS[a], 8))), "N": rows, "M": rows if ta or te else 1}
    found = dict(zip("MNK", tile))
    runs = [whole_run(found, steps, {"K": stages + 1}), dict(M=2 * bm, N=2 * bn, K=4 * max(bk, steps["K"])),
            dict(M=steps["M"], N=steps["N"], K=steps["K"]), dict(M=steps["M"], N=steps["N"], K=0)]
    # Products of f32 are those of operands truncated to tf32; sums of f16 are rounded to f16.
    unit = 2.0**-9 if a == "f32" else 2.0**-11 if c == "f16" else UNIT.get(a, 0.0)
    exact = {"exact_to": min(EXACT[c], 2**13 if a.startswith("f8") else 2**53)} if c in EXACT else {}
    accumulators = bm * bn * max(BITS[c], 16) // 32 // (warps * 32)
    return dict(name=name, group="sparse", text=text, args=args, runs=runs, ref="\n".join(ref), u=unit, tile=found,
                even=uneven(found, steps), expect={}, registers=accumulators * 2 + 64, min_arch=89 if a.startswith("f8") else 80,
                operands=[a, b, c, c], exact=True, **exact)


def kernels():
    found = [
        sparse("sparse_f16", tile=(128, 128, 128), warps=8),
        sparse("sparse_f16_any", aligned=False),
        sparse("sparse_f16_tt", ta=True, tb=True, te=True, tile=(64, 64, 64)),
        sparse("sparse_f16_f16", c="f16", tb=True, tile=(128, 64, 128), warps=8),
        sparse("sparse_f16_step", tile=(64, 64, 32), aligned=False, stages=2),
        sparse("sparse_f16_three_steps", tile=(64, 64, 96), tb=True, warps=8),
        sparse("sparse_f16_i8", e="i8", tile=(64, 128, 64), tb=True),
        sparse("sparse_f16_i32", e="i32", tile=(64, 64, 64), wgmma=False, mma=False),
        sparse("sparse_bf16", a="bf16", tile=(128, 128, 128), warps=8, tb=True),
        sparse("sparse_bf16_32_rows", a="bf16", tile=(32, 32, 64), warps=2, aligned=False, wgmma=False),
        sparse("sparse_bf16_odd_rows", a="bf16", tile=(40, 40, 64), aligned=False, wgmma=False, mma=False),
        sparse("sparse_f32", a="f32", tile=(64, 64, 64), tb=True, warps=8),
        sparse("sparse_f32_any", a="f32", tile=(64, 64, 32), tb=True, aligned=False, e="i8"),
        sparse("sparse_i8", a="i8", c="i32", e="i32", tile=(128, 128, 128), tb=True, warps=8),
        sparse("sparse_u8_any", a="i8", c="i32", e="i16", tile=(64, 64, 64), tb=True, aligned=False, unsigned=(True, False)),
        sparse("sparse_i8_along_n", a="i8", c="i32", e="i8", tile=(64, 64, 64), aligned=False, wgmma=False),
        sparse("sparse_f8", a="f8E4M3FN", e="i32", tile=(128, 128, 128), tb=True, warps=8, mma=False),
        sparse("sparse_f8_mixed", a="f8E4M3FN", b="f8E5M2", c="f16", e="i16", tile=(64, 64, 64), tb=True, aligned=False, mma=False),
    ]
    for kernel in found:
        kernel["exhaustive"] = False
    return found
