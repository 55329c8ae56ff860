# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the matrix that are no gemm: element-wise, copies, reductions, atomics, control flow.

See generate.py for what a kernel's description holds.
"""

from matrix_gemm import EXACT, HEAD, memref
from shapes import uneven, whole_run

FR, SH = "#tile.fragment", "#shared"


def kernel(name, params, grid, threads, body, args, runs, ref, group, tile, u=2.0**-22, exact=True, not_on_gpu=None,
           attributes="", min_arch=80, expect=None, registers=100, **more):
    blocks = ", ".join(["%bx", "%by", "%bz"][: len(grid)])
    text = HEAD + f"tile.kernel @{name}({', '.join(params)}) grid({blocks}) = ({', '.join(grid)}) threads({threads}){attributes} {{\n"
    text += "".join(f"  {line}\n" for line in body.strip().splitlines()) + "}\n"
    found = dict(name=name, group=group, text=text, args=args, runs=runs, ref=ref, u=u, exact=exact,
                 expect=expect or {}, registers=registers, min_arch=min_arch, operands=[], tile=tile, **more)
    if not_on_gpu:
        found["not_on_gpu"] = not_on_gpu
    return found


def arg(name, element, shape, access, strided=False, **more):
    return dict(name=name, type=element, shape=shape, access=access, strided=strided, **more)


MN = ["M", "N"]
SIZES = [(128, 128), (1, 1), (33, 257), (0, 8)]


def runs(sizes=SIZES, names="MN", tile=()):
    """Runs of some sizes, and the one of whole tiles and parts of them."""
    found = [dict(zip(names, size)) for size in sizes]
    return [whole_run(dict(zip(names, tile))), *found] if tile else found


def elementwise(name, element, ops, ref, tile=(64, 64), threads=128, inputs=1, guarded=False, u=2.0**-22, exact=True):
    """Y = ops(X0, X1): the inputs in %x0, %x1, the result in %y."""
    bm, bn = tile
    params = [f"%X{i}: memref<?x?x{element}>" for i in range(inputs)] + [f"%Y: memref<?x?x{element}>"]
    f = memref(tile, element, FR)
    g = f"memref<?x?x{element}>"
    body = f"%cm = arith.constant {bm} : index\n%cn = arith.constant {bn} : index\n"
    body += "%m = arith.muli %by, %cm : index\n%n = arith.muli %bx, %cn : index\n"
    if guarded:
        # Straight between global buffers, every access guarded by hand.
        body += "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        body += f"%M = memref.dim %Y, %c0 : {g}\n%N = memref.dim %Y, %c1 : {g}\n"
        body += f"tile.parallel (%i, %j) in ({bm}, {bn}) {{\n  %r = arith.addi %m, %i : index\n  %c = arith.addi %n, %j : index\n"
        body += "  %a = arith.cmpi ult, %r, %M : index\n  %b = arith.cmpi ult, %c, %N : index\n  %in = arith.andi %a, %b : i1\n  scf.if %in {\n"
        for i in range(inputs):
            body += f"    %x{i} = memref.load %X{i}[%r, %c] : {g}\n"
        body += "".join(f"    {op}\n" for op in ops) + f"    memref.store %y, %Y[%r, %c] : {g}\n  }}\n}}\n"
    else:
        for i in range(inputs):
            body += f"%f{i} = tile.alloc : {f}\ntile.copy %X{i}[%m, %n] to %f{i} : {g} to {f}\n"
        body += f"tile.parallel (%i, %j) in ({bm}, {bn}) {{\n"
        for i in range(inputs):
            body += f"  %x{i} = memref.load %f{i}[%i, %j] : {f}\n"
        body += "".join(f"  {op}\n" for op in ops)
        body += f"  memref.store %y, %f0[%i, %j] : {f}\n}}\ntile.copy %f0 to %Y[%m, %n] : {f} to {g}\n"
    args = [arg(f"X{i}", element, MN, "r") for i in range(inputs)] + [arg("Y", element, MN, "w")]
    return kernel(name, params, [f"dim(%Y, 1) ceildiv {bn}", f"dim(%Y, 0) ceildiv {bm}"], threads, body, args, runs(tile=tile), ref,
                  "elementwise", dict(zip(MN, tile)), u, exact)


def copy(name, source, target, via, tile=(64, 64), threads=128, transpose=False, strided=False):
    """Y = X through shared memory and fragments as `via` says ('' is straight)."""
    bm, bn = tile
    gs, gt = memref("??", source, strided=strided), memref("??", target, strided=strided)
    body = f"%cm = arith.constant {bm} : index\n%cn = arith.constant {bn} : index\n"
    body += "%m = arith.muli %by, %cm : index\n%n = arith.muli %bx, %cn : index\n"
    at, here, where = "%X", gs, "[%m, %n]"
    for index, space in enumerate(via):
        t = memref(tile, source, SH if space == "s" else FR)
        body += f"%t{index} = tile.alloc : {t}\ntile.copy {at}{where} to %t{index} : {here} to {t}\n"
        at, here, where = f"%t{index}", t, ""
    if transpose:
        t = memref([bn, bm], source, SH)
        body += f"%tt = tile.alloc : {t}\ntile.parallel (%i, %j) in ({bm}, {bn}) {{\n"
        body += f"  %v = memref.load {at}[%i, %j] : {here}\n  memref.store %v, %tt[%j, %i] : {t}\n}}\n"
        body += f"tile.copy %tt to %Y[%n, %m] : {t} to {gt}\n"
    else:
        sizes = f" sizes [{bm}, {bn}]" if not via else ""
        body += f"tile.copy {at}{where}{sizes} to %Y[%m, %n] : {here} to {gt}\n"
    # Numbers that the target rounds, where it is the narrower type.
    fill = dict(fill="range:-60000:60000") if source == "f32" and target != "f32" else {}
    args = [arg("X", source, MN, "r", strided, **fill), arg("Y", target, ["N", "M"] if transpose else MN, "w", strided)]
    found = runs(tile=tile)
    if strided:
        for index, run in enumerate(found):
            run["pad"] = (3, 8, 0)[index % 3]
    return kernel(name, [f"%X: {gs}", f"%Y: {gt}"], [f"dim(%X, 1) ceildiv {bn}", f"dim(%X, 0) ceildiv {bm}"], threads, body,
                  args, found, "Y = X.T" if transpose else "Y = X", "copy", dict(zip(MN, tile)), u=0.0)


def reduction(name, element, kind, dim, shape, threads=128, accumulate=False, space=FR, source_space=FR):
    """Each block reduces one tile of a stack of them."""
    rest = [e for d, e in enumerate(shape) if d != dim]
    f, r = memref(shape, element, source_space), memref(rest, element, space)
    gx, gy = memref(["?", *shape], element), memref(["?", *rest], element)
    zeros, ones = ", ".join(["%c0"] * len(shape)), ", ".join(["%c0"] * len(rest))
    body = f"%c0 = arith.constant 0 : index\n%x = tile.alloc : {f}\n%r = tile.alloc : {r}\n"
    sizes = "[1, " + ", ".join(map(str, shape)) + "]"
    rests = "[1, " + ", ".join(map(str, rest)) + "]"
    body += f"tile.copy %X[%bx, {zeros}] sizes {sizes} to %x : {gx} to {f}\n"
    if accumulate:
        body += f"tile.copy %Y[%bx, {ones}] sizes {rests} to %r : {gy} to {r}\n"
    body += f"tile.reduce {kind} %x to %r dim({dim}){' accumulate' if accumulate else ''} : {f} to {r}\n"
    body += f"tile.copy %r to %Y[%bx, {ones}] sizes {rests} : {r} to {gy}\n"
    call = {"sum": f"X.sum({dim + 1})", "max": f"X.max({dim + 1})", "min": f"X.min({dim + 1})",
            "abssum": f"abs(X).sum({dim + 1})", "absmax": f"abs(X).max({dim + 1})"}[kind]
    if accumulate:
        call = {"sum": f"Y + {call}", "max": f"maximum(Y, {call})", "min": f"minimum(Y, {call})",
                "abssum": f"Y + {call}", "absmax": f"maximum(Y, {call})"}[kind]
    size = f"{'abs(Y) + ' * accumulate}abs(X).{'sum' if kind.endswith('sum') else 'max'}({dim + 1})"
    ref = f"size = {size}\nmag_Y = abs(X).sum({dim + 1}) + 9\nY = {call}"
    fill = dict(fill="range:-60:61") if element == "f16" else {}
    args = [arg("X", element, ["B", *map(str, shape)], "r", **fill), arg("Y", element, ["B", *map(str, rest)], "rw" if accumulate else "w")]
    unit = {"f32": 2.0**-19, "f64": 2.0**-48, "f16": 2.0**-8, "i32": 0.0}[element]
    if kind in ("max", "min", "absmax"):
        unit = 0.0
    return kernel(name, [f"%X: {gx}", f"%Y: {gy}"], ["dim(%X, 0)"], threads, body, args, [dict(B=3), dict(B=1), dict(B=0)], ref,
                  "reduce", {"B": 1}, unit, even={"B": "a block has one tile, which is constant"}, exact_to=EXACT.get(element, 2**31))


def atomic(name, element, kind, tile=(64, 64), threads=128):
    """Each block combines its tile of X into one of Y of the same columns: rows collide."""
    bm, bn = tile
    f, g = memref(tile, element, FR), memref("??", element)
    body = f"""%c0 = arith.constant 0 : index
%cm = arith.constant {bm} : index
%cn = arith.constant {bn} : index
%m = arith.muli %by, %cm : index
%n = arith.muli %bx, %cn : index
%x = tile.alloc : {f}
tile.copy %X[%m, %n] to %x : {g} to {f}
tile.atomic {kind} %x to %Y[%c0, %n] : {f} to {g}"""
    combine = {"add": "Y = Y + blocks.sum(0)", "max": "Y = maximum(Y, blocks.max(0))", "min": "Y = minimum(Y, blocks.min(0))"}[kind]
    ref = f"blocks = X.reshape(-1, {bm}, X.shape[1])\nsize = mag_Y = abs(Y) + abs(blocks).sum(0)\n{combine}"
    # In any order: sums stay exact.
    fill = dict(fill={"f16": "range:-250:251", "bf16": "range:-50:51"}.get(element, "range:-1000:1001"))
    unit = {"f32": 2.0**-20, "f64": 2.0**-48, "f16": 2.0**-8, "bf16": 2.0**-5, "i32": 0.0, "i64": 0.0}[element]
    args = [arg("X", element, ["M", "N"], "r", **fill), arg("Y", element, [str(bm), "N"], "rw", **fill)]
    return kernel(name, [f"%X: {g}", f"%Y: {g}"], [f"dim(%X, 1) ceildiv {bn}", f"dim(%X, 0) ceildiv {bm}"], threads, body, args,
                  runs([(3 * bm, bn + 6), (bm, bn), (2 * bm, 1)]), ref, "atomic", dict(M=bm, N=bn), unit if kind == "add" else 0.0,
                  even={"M": "every block has all rows of Y"}, exact_to={"bf16": 2**8, "i32": 2**31, "i64": 2**53}.get(element) or EXACT[element])


def control():
    """Guards, nested loops, several loops, fills."""
    g, g16 = "memref<?x?xf32>", "memref<?x?xf16>"
    f = memref([64, 64], "f32", FR)
    sh = memref([64, 32], "f16", SH)
    head = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c32 = arith.constant 32 : index
%c64 = arith.constant 64 : index
%zero = arith.constant 0.0 : f32
%one = arith.constant 1.0 : f32
%m = arith.muli %by, %c64 : index
%n = arith.muli %bx, %c64 : index
"""
    params = [f"%A: {g16}", f"%B: {g16}", f"%C: {g}"]
    grid = ["dim(%C, 1) ceildiv 64", "dim(%C, 0) ceildiv 64"]
    args = [arg("A", "f16", ["M", "K"], "r", fill="range:-31:32"), arg("B", "f16", ["N", "K"], "r", fill="range:-31:32"), arg("C", "f32", MN, "w")]
    # Seven iterations, more than any ring's slots and more than the first of two loops has.
    sizes = runs([(71, 71, 199), (128, 64, 64), (100, 70, 50), (1, 1, 1), (64, 64, 0), (64, 130, 161)], "MNK")

    def loop(a="%A", b="%B", lower="%c0", upper="%K", stages=3, indent="", suffix=""):
        return "".join(indent + line + "\n" for line in f"""tile.pipelined %k{suffix} = {lower} to {upper} step %c32 stages({stages}) {{
  tile.copy {a}[%m, %k{suffix}] to %As : {g16} to {sh}
  tile.copy {b}[%n, %k{suffix}] to %Bs : {g16} to {sh}
  tile.gemm %As, %Bs, %acc {{transpose_b}} : {sh}, {sh}, {f}
}}""".splitlines())

    buffers = f"""%K = memref.dim %A, %c1 : {g16}
%As = tile.alloc : {sh}
%Bs = tile.alloc : {sh}
%acc = tile.alloc : {f}
tile.fill %acc with %zero : {f}, f32
"""
    store = f"tile.copy %acc to %C[%m, %n] : {f} to {g}\n"
    mag = "\nsize = 4 * (abs(A) @ abs(B).T)\nmag_C = (K + 4) * size"
    out = []

    def add(name, body, ref, **kw):
        out.append(kernel(name, kw.pop("params", params), kw.pop("grid", grid), 128, head + body, kw.pop("args", args),
                          kw.pop("runs", sizes), ref + mag, "control", dict(M=64, N=64, K=32), registers=32 + 24 + 32 * 3, exact_to=2**24, **kw))

    add("control_two_loops", buffers + loop(suffix="0") + loop(suffix="1", stages=2) + store, "C = 2 * (A @ B.T)")
    add("control_nested", buffers + "scf.for %t = %c0 to %c2 step %c1 {\n" + loop(indent="  ") + "}\n" + store, "C = 2 * (A @ B.T)")
    add("control_guarded_loop", buffers + "%big = arith.cmpi ugt, %K, %c32 : index\nscf.if %big {\n" + loop(indent="  ") + "}\n" + store,
        "C = A @ B.T if K > 32 else np.zeros((M, N))")
    add("control_block_guard", buffers + "%first = arith.cmpi eq, %by, %c0 : index\nscf.if %first {\n" + loop(indent="  ") + "} else {\n"
        + f"  tile.fill %acc with %one : {f}, f32\n" + "}\n" + store,
        "C = A @ B.T\nC[64:] = 1")
    add("control_split_loops", buffers + "%half = arith.minui %K, %c64 : index\n" + loop(upper="%half", suffix="0")
        + loop(lower="%half", suffix="1", stages=4) + store, "C = A @ B.T")
    add("control_read_back", buffers + loop() + f"""tile.parallel (%i, %j) in (64, 64) {{
  %x = memref.load %acc[%i, %j] : {f}
  %p = arith.cmpf ogt, %x, %zero : f32
  %y = scf.if %p -> f32 {{
    %d = arith.addf %x, %x : f32
    scf.yield %d : f32
  }} else {{
    scf.yield %x : f32
  }}
  memref.store %y, %acc[%i, %j] : {f}
}}
""" + store, "acc = A @ B.T\nC = where(acc > 0, 2 * acc, acc)")
    # Fills.
    for element, space in (("f32", FR), ("f32", SH), ("f16", FR), ("i8", SH)):
        t, gt = memref([64, 48], element, space), f"memref<?x?x{element}>"
        value = "3" if element[0] == "i" else "1.5"
        out.append(kernel(f"fill_{element}_{'fragment' if space == FR else 'shared'}", [f"%C: {gt}"],
                          ["dim(%C, 1) ceildiv 48", "dim(%C, 0) ceildiv 64"], 64, f"""%cm = arith.constant 64 : index
%cn = arith.constant 48 : index
%v = arith.constant {value} : {element}
%m = arith.muli %by, %cm : index
%n = arith.muli %bx, %cn : index
%t = tile.alloc : {t}
tile.fill %t with %v : {t}, {element}
tile.copy %t to %C[%m, %n] : {t} to {gt}""", [arg("C", element, MN, "w")], runs(tile=(64, 48)),
                          f"C = np.full((M, N), {value})", "control", dict(M=64, N=48), u=0.0))
    out.append(kernel("fill_global", ["%C: memref<?x?xf32>"], ["dim(%C, 1) ceildiv 48", "dim(%C, 0) ceildiv 64"], 64,
                      """%cm = arith.constant 64 : index
%cn = arith.constant 48 : index
%v = arith.constant 1.5 : f32
%m = arith.muli %by, %cm : index
%n = arith.muli %bx, %cn : index
tile.fill %C[%m, %n] sizes [64, 48] with %v : memref<?x?xf32>, f32""", [arg("C", "f32", MN, "w")], runs(tile=(64, 48)),
                      "C = np.full((M, N), 1.5)", "control", dict(M=64, N=48), u=0.0))
    out.append(kernel("print_assert", ["%C: memref<?x?xf32>"], ["dim(%C, 0) ceildiv 8"], 32, """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
%zero = arith.constant 0.0 : f32
%N = memref.dim %C, %c1 : memref<?x?xf32>
%m = arith.muli %bx, %c8 : index
%t = tile.alloc : memref<8x4xf32, #tile.fragment>
tile.copy %C[%m, %c0] to %t : memref<?x?xf32> to memref<8x4xf32, #tile.fragment>
%ok = arith.cmpi ugt, %N, %c0 : index
tile.assert %ok, "expected columns"
tile.print "columns" %N : index
tile.print "tile" %t : memref<8x4xf32, #tile.fragment>
tile.copy %t to %C[%m, %c0] : memref<8x4xf32, #tile.fragment> to memref<?x?xf32>""", [arg("C", "f32", MN, "rw")], [dict(M=13, N=7)],
                      "C = C", "control", dict(M=8, N=4), not_on_gpu="it prints", registers=1000))
    return out


def kernels():
    out = []
    for element in ("f32", "f16", "bf16", "f64"):
        u = {"f32": 2.0**-22, "f16": 2.0**-9, "bf16": 2.0**-6, "f64": 2.0**-50}[element]
        out.append(elementwise(f"add_{element}", element, [f"%y = arith.addf %x0, %x1 : {element}"],
                               "Y = X0 + X1\nmag_Y = abs(X0) + abs(X1)", inputs=2, u=u))
    for element in ("i8", "i32"):
        out.append(elementwise(f"add_{element}", element, [f"%y = arith.addi %x0, %x1 : {element}"], "Y = X0 + X1", inputs=2, u=0.0))
    out.append(elementwise("relu_odd", "f32", ["%z = arith.constant 0.0 : f32", "%y = arith.maximumf %x0, %z : f32"],
                           "Y = maximum(X0, 0)", tile=(24, 20), threads=96, u=0.0))
    out.append(elementwise("axpy_guarded", "f32", ["%h = arith.constant 0.5 : f32", "%p = arith.mulf %x0, %h : f32",
                                                   "%y = arith.addf %p, %x1 : f32"],
                           "Y = 0.5 * X0 + X1\nmag_Y = abs(X0) + abs(X1)", inputs=2, guarded=True))
    out.append(elementwise("negate_guarded_f16", "f16", ["%y = arith.negf %x0 : f16"], "Y = -X0", guarded=True, u=0.0, threads=256))
    for index, (source, target) in enumerate((("f32", "f32"), ("f16", "f32"), ("f32", "f16"), ("bf16", "f32"), ("f32", "bf16"),
                                              ("i8", "i32"), ("f16", "f16"), ("f64", "f32"), ("i8", "i8"))):
        for via in ("", "s", "f", "sf", "fs") if source == target else ("f", "s"):
            out.append(copy(f"copy_{source}_{target}_{via or 'direct'}", source, target, via, strided=index % 2 == 0,
                            tile=((64, 64), (32, 48), (16, 128))[index % 3]))
    for element in ("f32", "f16", "i8", "f64"):
        out.append(copy(f"transpose_{element}", element, element, "s", transpose=True))
        out.append(copy(f"transpose_{element}_fragment", element, element, "f", transpose=True, tile=(32, 48), threads=64))
    for kind in ("sum", "max", "min", "abssum", "absmax"):
        for dim in (0, 1):
            out.append(reduction(f"reduce_{kind}_{dim}", "f32", kind, dim, [64, 96]))
            out.append(reduction(f"reduce_{kind}_{dim}_accumulate", "f32", kind, dim, [32, 40], threads=64, accumulate=True))
    for dim in (0, 1, 2):
        out.append(reduction(f"reduce_3d_{dim}", "f32", "sum", dim, [8, 12, 16]))
        out.append(reduction(f"reduce_3d_i32_{dim}", "i32", "max", dim, [4, 16, 32], threads=256))
    out.append(reduction("reduce_row_wide", "f32", "sum", 1, [4, 1024]))
    out.append(reduction("reduce_column_tall", "f32", "max", 0, [512, 8], threads=256))
    out.append(reduction("reduce_f64", "f64", "sum", 1, [16, 64]))
    out.append(reduction("reduce_f16", "f16", "sum", 0, [32, 64]))
    out.append(reduction("reduce_shared", "f32", "sum", 1, [32, 64], space=SH, source_space=SH))
    for element in ("f32", "f16", "bf16", "f64", "i32", "i64"):
        out.append(atomic(f"atomic_add_{element}", element, "add"))
    for element in ("f32", "i32", "i64"):
        for kind in ("max", "min"):
            out.append(atomic(f"atomic_{kind}_{element}", element, kind, tile=(32, 32), threads=64))
    out += control()
    return out
