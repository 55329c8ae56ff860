# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gemm kernels of the matrix: types, transposes, tiles, pipelines, shapes, epilogues.

Those for whole warpgroups and clusters are in matrix_warpgroups.py. See generate.py for what a kernel's description holds.
"""

import math

from shapes import uneven, whole_run

HEAD = "#shared = #gpu.address_space<workgroup>\n"
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i8": 8, "i32": 32, "f8E4M3FN": 8, "f8E5M2": 8}
# Unit of the rounding error of one accumulation, by operand type: what the tensor cores keep of a
# sum (they truncate, so one bit less than the type), and for tf32 the truncated operands.
UNIT = {"f16": 2.0**-22, "bf16": 2.0**-22, "f32": 2.0**-22, "f64": 2.0**-52, "i8": 0.0,
        "f8E4M3FN": 2.0**-12, "f8E5M2": 2.0**-12}
# Integers up to here, and their sums, are exact in accumulators; tensor cores keep 14 bits of sums of fp8.
EXACT = {"f16": 2**11, "f32": 2**24, "f64": 2**53}
# Smallest K step of the instruction.
K_STEP = {"f16": 8, "bf16": 8, "f32": 4, "f64": 4, "i8": 16, "f8E4M3FN": 16, "f8E5M2": 16}


def memref(shape, element, space="", strided=False):
    dims = "".join(f"{d}x" for d in shape)
    layout = ""
    if strided:
        layout = ", strided<[" + ", ".join(["?"] * (len(shape) - 1) + ["1"]) + "]>"
    return f"memref<{dims}{element}{layout}{', ' + space if space else ''}>"


def fills(a, c, precision, small):
    """What the operands are filled with: integers whose sums of products an accumulator holds exactly, and one that
    is narrower, or operands that are rounded on the way, do not. `small`: what comes after multiplies or sums them up."""
    if small:
        return "smallint", "smallint"
    if c == "f16":
        return "range:-2:3", "range:-2:3"
    if precision == "ieee":
        return "range:-4095:4096", "range:-3:4"  # 12 bits: tf32 has 11
    found = {"f16": "range:-31:32", "bf16": "range:-63:64", "f32": "range:-63:64", "f64": "range:-1000000:1000000",
             "i8": "range:-128:128"}.get(a, "smallint")
    return found, found


def constant(element):
    return "0" if element.startswith("i") else "0.0"


def gemm(name, a="f16", b=None, c="f32", out=None, ta=False, tb=False, tile=(128, 128, 32), warps=4,
         stages=3, policy=None, aligned=True, assume=None, strided=False, static=None, runs=None,
         epilogue=None, panel=None, precision=None, unsigned=(False, False), group="gemm",
         clear=False, random=True, wgmma=None, tcgen05=None, a_fragment=False, promote_every=None,
         split=None, stream=None, cluster=False, persistent=False, pair=None, specialize=False):
    """C = op(A) op(B), followed by `epilogue`. `wgmma` says, for sm_90a alone, whether it multiplies, `tcgen05` for sm_100a,
    `pair` whether two blocks do so together. `cluster` is one of two blocks that share B, or of so many beside and above
    each other."""
    b, out = b or a, out or c
    bm, bn, bk = tile
    frag, shared = "#tile.fragment", "#shared"
    a_dims, b_dims = (["K", "M"] if ta else ["M", "K"]), (["N", "K"] if tb else ["K", "N"])
    extents = dict(zip("MNK", static)) if static else {}

    def shape(dims):
        return [extents.get(d, "?") for d in dims]

    types = {"A": memref(shape(a_dims), a, strided=strided), "B": memref(shape(b_dims), b, strided=strided),
             "C": memref(shape("MN"), out, strided=strided)}
    c_type = memref([bm, bn], c, frag)
    as_type = memref([bk, bm] if ta else [bm, bk], a, shared)
    bs_type = memref([bn, bk] if tb else [bk, bn], b, shared)
    note = " {tile.alignment = 16}" if aligned else ""
    params = [f"%{n}: {types[n]}{note}" for n in "ABC"]
    fill_a, fill_b = fills(a, c, precision, out.startswith("f8") or epilogue in ("rowsum", "colsum", "normalize"))
    args = [dict(name="A", type=a, shape=a_dims, access="r", fill=fill_a), dict(name="B", type=b, shape=b_dims, access="r", fill=fill_b),
            dict(name="C", type=out, shape=["M", "N"], access="w")]
    for arg in args:
        arg["strided"] = strided
    acc_ref = f"A{'.T' if ta else ''} @ B{'.T' if tb else ''}"
    size_ref = f"abs(A){'.T' if ta else ''} @ abs(B){'.T' if tb else ''}"
    unit = UNIT[a]
    terms = "(K + 4)"
    if c == "f16":
        unit = 2.0**-11
    if a == "f32" and precision != "ieee":
        unit, terms = 2.0**-9, "1"
    ref = [f"{x} = {x} % 256" for x, on in zip("AB", unsigned) if on]
    ref += [f"acc = {acc_ref}", f"size = {size_ref}", f"mag = {terms} * size"]
    lines, tail = [], []
    use_scalars = ""

    if epilogue == "relu":
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %y = arith.maximumf %x, %zero : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        ref += ["acc = maximum(acc, 0)"]
    elif epilogue == "bias":
        params.append(f"%bias: memref<?x{c}>")
        args.append(dict(name="bias", type=c, shape=["N"], access="r", strided=False))
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %jj = arith.addi %n, %j : index
    %N = memref.dim %bias, %c0 : memref<?x{c}>
    %in = arith.cmpi ult, %jj, %N : index
    %bv = scf.if %in -> {c} {{
      %v = memref.load %bias[%jj] : memref<?x{c}>
      scf.yield %v : {c}
    }} else {{
      scf.yield %zero : {c}
    }}
    %y = arith.addf %x, %bv : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        ref += ["acc = acc + bias", "size, mag = size + abs(bias), mag + abs(bias)"]
    elif epilogue == "bias_fragment":
        params.append(f"%bias: memref<?x{c}>")
        args.append(dict(name="bias", type=c, shape=["N"], access="r", strided=False))
        v_type = memref([bn], c, frag)
        tail += [f"%bf = tile.alloc : {v_type}", f"tile.copy %bias[%n] to %bf : memref<?x{c}> to {v_type}"]
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %bv = memref.load %bf[%j] : {v_type}
    %y = arith.addf %x, %bv : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        ref += ["acc = acc + bias", "size, mag = size + abs(bias), mag + abs(bias)"]
    elif epilogue == "residual":
        params.append(f"%R: memref<?x?x{out}>{note}")
        args.append(dict(name="R", type=out, shape=["M", "N"], access="r", strided=False))
        r_type = memref([bm, bn], c, frag)
        tail += [f"%rf = tile.alloc : {r_type}", f"tile.copy %R[%m, %n] to %rf : memref<?x?x{out}> to {r_type}"]
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %r = memref.load %rf[%i, %j] : {r_type}
    %y = arith.addf %x, %r : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        ref += ["acc = acc + R", "size, mag = size + abs(R), mag + abs(R)"]
    elif epilogue == "scale":
        params.append("%s: f32")
        args.append(dict(name="s", type="f32", scalar=0.5))
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %y = arith.mulf %x, %s : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        ref += ["acc = acc * s", "mag = mag * abs(s)"]
    elif epilogue in ("rowsum", "rowmax", "colsum", "colmax"):
        row, kind = epilogue[:3] == "row", epilogue[3:]
        count = bm if row else bn
        v_type = memref([count], c, frag)
        s_dims = ["cdiv(N, %d)" % bn, "M"] if row else ["cdiv(M, %d)" % bm, "N"]
        params.append(f"%S: memref<?x?x{c}>")
        args.append(dict(name="S", type=c, shape=s_dims, access="w", strided=False))
        where = "%bx, %m" if row else "%by, %n"
        tail += [f"%red = tile.alloc : {v_type}",
                 f"tile.reduce {kind} %acc to %red dim({1 if row else 0}) : {c_type} to {v_type}",
                 f"tile.copy %red to %S[{where}] sizes [1, {count}] : {v_type} to memref<?x?x{c}>"]
        blocks = f"row_blocks(acc, {bn})" if row else f"col_blocks(acc, {bm})"
        ref += [f"S = {blocks}.{kind}(-1)", f"mag_S = {blocks.replace('acc', 'mag')}.{'sum(-1) * 2' if kind == 'sum' else 'max(-1)'}",
                f"size = {blocks.replace('acc', 'size')}.{kind}(-1)"]
    elif epilogue == "subrowmax":
        v_type = memref([bm], c, frag)
        tail += [f"%red = tile.alloc : {v_type}",
                 f"tile.reduce max %acc to %red dim(1) : {c_type} to {v_type}"]
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %r = memref.load %red[%i] : {v_type}
    %y = arith.subf %x, %r : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        def widest(x):
            return f"row_blocks({x}, {bn}).max(-1).T.repeat({bn}, 1)[:, :N]"

        ref += [f"acc = acc - {widest('acc')}", f"mag = mag + {widest('mag')}", "size = 2 * size"]
    elif epilogue == "normalize":
        # The exponentials of softmax left out: (x - rowmax)^2 / (1 + rowsum of it), all in fragments.
        v_type = memref([bm], c, frag)
        tail += [f"%one = arith.constant 1.0 : {c}", f"%red = tile.alloc : {v_type}", f"%sum = tile.alloc : {v_type}",
                 f"tile.reduce max %acc to %red dim(1) : {c_type} to {v_type}"]
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %r = memref.load %red[%i] : {v_type}
    %d = arith.subf %x, %r : {c}
    %y = arith.mulf %d, %d : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        tail += [f"tile.reduce sum %acc to %sum dim(1) : {c_type} to {v_type}"]
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %r = memref.load %sum[%i] : {v_type}
    %d = arith.addf %r, %one : {c}
    %y = arith.divf %x, %d : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        assert static and static[1] == bn
        # The squares are exact; a sum of N of them has N - 1 roundings, adding 1 and dividing have one each.
        ref += ["e = (acc - acc.max(1, keepdims=True)) ** 2", "acc = e / (1 + e.sum(1, keepdims=True))",
                "mag, size = np.full_like(acc, 64.0 * K), (2 * size) ** 2", "bound_C = (N + 2) * 2.0**-23 * acc"]
    elif epilogue == "quantize":
        # Scaled and cast, and the largest magnitude of each row so far.
        params += ["%s: f32", f"%P: memref<?x{c}>"]
        args += [dict(name="s", type="f32", scalar=0.5), dict(name="P", type=c, shape=["M"], access="rw", strided=False, fill="range:-40:120")]
        v_type = memref([bm], c, frag)
        tail += [f"%red = tile.alloc : {v_type}", f"tile.reduce absmax %acc to %red dim(1) : {c_type} to {v_type}",
                 f"tile.atomic max %red to %P[%m] : {v_type} to memref<?x{c}>"]
        tail += parallel(bm, bn, f"""%x = memref.load %acc[%i, %j] : {c_type}
    %y = arith.mulf %x, %s : {c}
    memref.store %y, %acc[%i, %j] : {c_type}""")
        ref += ["P = maximum(P, abs(acc).max(-1))", "mag_P = mag.max(-1)", "acc = acc * s", "mag = mag * abs(s)"]
    elif epilogue == "atomic":
        args[2]["access"] = "rw"
        ref += ["acc = acc + C", "size, mag = size + abs(C), mag + abs(C)"]
    elif epilogue == "shared":
        # The result leaves through shared memory.
        o_type = memref([bm, bn], out, shared)
        tail += [f"%Cs = tile.alloc : {o_type}", f"tile.copy %acc to %Cs : {c_type} to {o_type}"]

    attributes = []
    if ta:
        attributes.append("transpose_a")
    if tb:
        attributes.append("transpose_b")
    if unsigned[0]:
        attributes.append("unsigned_a")
    if unsigned[1]:
        attributes.append("unsigned_b")
    if clear:
        attributes.append("clear")
    if policy:
        attributes.append(f"policy = #tile.warp_policy<{policy}>")
    if promote_every:
        attributes.append(f"promote_every = {promote_every} : i64")
    if precision:
        attributes.append(f"precision = #tile.precision<{precision}>")
    attributes = " {" + ", ".join(attributes) + "}" if attributes else ""

    assume = aligned and not strided and not static if assume is None else assume
    steps = dict.fromkeys("MNK", 1)
    if assume:
        for arg, extent, bits in (("A", a_dims[1], BITS[a]), ("B", b_dims[1], BITS[b]), ("C", "N", BITS[out])):
            lines += [f"%d{arg} = memref.dim %{arg}, %c1 : {types[arg]}",
                      f"tile.assume %d{arg} {{divisible_by = {max(128 // bits, 1)} : i64}} : index"]
            steps[extent] = math.lcm(steps[extent], max(128 // bits, 1))
    a_at, b_at = ("%k, %m" if ta else "%m, %k"), ("%n, %k" if tb else "%k, %n")
    if static:
        grid = f"({static[1]} ceildiv {bn}, {static[0]} ceildiv {bm})"
    else:
        grid = f"(dim(%C, 1) ceildiv {bn}, dim(%C, 0) ceildiv {bm})"
    if cluster is True:
        cluster = (1, 2)
        grid = f"(dim(%C, 1) ceildiv {bn}, (dim(%C, 0) ceildiv {2 * bm}) * 2)"
    elif cluster and not persistent:
        x, y = cluster
        grid = f"((dim(%C, 1) ceildiv {x * bn}) * {x}, (dim(%C, 0) ceildiv {y * bm}) * {y})"
    lines += [f"%As = tile.alloc : {as_type}", f"%Bs = tile.alloc : {bs_type}", f"%acc = tile.alloc : {c_type}"]
    if not clear:
        lines.append(f"tile.fill %acc with %zero : {c_type}, {c}")
    loop = [f"tile.copy %A[{a_at}] to %As : {types['A']} to {as_type}",
            f"tile.copy %B[{b_at}] to %Bs : {types['B']} to {bs_type}",
            f"tile.gemm %As, %Bs, %acc{attributes} : {as_type}, {bs_type}, {c_type}"]
    if a_fragment:
        af_type = memref([bk, bm] if ta else [bm, bk], a, frag)
        lines.append(f"%Af = tile.alloc : {af_type}")
        loop[2:] = [f"tile.copy %As to %Af : {as_type} to {af_type}",
                    f"tile.gemm %Af, %Bs, %acc{attributes} : {af_type}, {bs_type}, {c_type}"]
    if clear:
        lines += ["%k = arith.constant 0 : index"] + loop
    else:
        lines.append(f"tile.pipelined %k = %c0 to %K step %cbk stages({stages}) {{")
        lines += ["  " + line for line in loop] + ["}"]
    lines += tail
    if epilogue == "atomic":
        lines.append(f"tile.atomic add %acc to %C[%m, %n] : {c_type} to {types['C']}")
    elif epilogue == "shared":
        lines.append(f"tile.copy %Cs to %C[%m, %n] : {o_type} to {types['C']}")
    else:
        lines.append(f"tile.copy %acc to %C[%m, %n] : {c_type} to {types['C']}")
    ref += ["C = acc", "mag_C = mag"]
    stated = [f"{key} = {value} : i64" for key, value in (("panel", panel), ("persistent", int(persistent)), ("split", split), ("stream_k", stream)) if value]
    stated += ["tile.stream_least = 0 : i64"] * bool(stream) + ["specialize = true"] * specialize
    extra = f" attributes {{{', '.join(stated)}}}" if stated else ""
    text = HEAD + f"""tile.kernel @{name}({', '.join(params)})
    grid(%bx, %by) = {grid} threads({warps * 32}){f" cluster({cluster[0]}, {cluster[1]})" if cluster else ""}{extra} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cbk = arith.constant {bk} : index
  %cbm = arith.constant {bm} : index
  %cbn = arith.constant {bn} : index
  %zero = arith.constant {constant(c)} : {c}
  %K = memref.dim %A, %c{0 if ta else 1} : {types['A']}
  %m = arith.muli %by, %cbm : index
  %n = arith.muli %bx, %cbn : index
"""
    text += "".join(f"  {line}\n" for line in lines) + "}\n"
    shapes = dict(tile=dict(zip("MNK", tile)), even=uneven(dict(zip("MNK", tile)), steps))
    if static:
        runs, shapes["fixed"] = [dict(zip("MNK", static))], "constant extents"
    else:
        # One more than the slots of a ring, so that each is filled again.
        whole = whole_run(shapes["tile"], steps, {"K": stages + 1})
        runs = [dict(zip("MNK", run)) for run in runs] if runs else default_runs(tile, aligned_dims=assume)
        if clear:
            shapes["even"]["K"], whole["K"] = "the loop is one iteration", bk
            runs = [dict(run, K=min(run["K"], bk)) for run in runs]
        runs.insert(min(1, len(runs)), whole)
    if strided:
        for index, run in enumerate(runs):
            run["pad"] = (0, 8, 3)[index % 3]
    if epilogue in ("rowmax", "colmax", "quantize"):
        runs = [run for run in runs if run["M"] and run["N"] and run["K"]]
    tensor = (precision != "ieee" and bm % 16 == 0 and bn % 8 == 0 and bk % K_STEP[a] == 0)
    expect = {"mma": tensor}
    if tensor and BITS[a] == 16 and bk % 16 == 0:
        expect["ldmatrix"] = True
    if (aligned and assume or static and aligned and all(e % 16 == 0 for e in static)) and stages > 1 and not clear and \
            all(e * BITS[t] % 128 == 0 for e, t in ((bm if ta else bk, a), (bk if tb else bn, b))):
        expect["cp_async"] = True
    accumulators = bm * bn * max(BITS[c], 32 if c != "f16" else 16) // 32 // (warps * 32)
    registers = accumulators + (bm + bn) * 32 * BITS[a] // 32 // (warps * 32) // 2 + 24
    if epilogue in ("residual", "scale", "shared"):
        registers += accumulators
    if "cp_async" not in expect:
        # Copies go through registers: each element has its value and its 64-bit address.
        registers += (bm + bn) * bk // (warps * 32) * (max(BITS[a] // 32, 1) + 2)
    if wgmma is not None:
        expect = {"wgmma": wgmma}
        if wgmma:
            expect["mma"] = False
            if not a_fragment:
                expect["ldmatrix"] = False
    if tcgen05 is not None:
        expect = dict(tcgen05=True, mma=False, ldmatrix=False) if tcgen05 else dict(tcgen05=False)
    if cluster and wgmma:
        expect["multicast"], expect["two_masks"] = stages > 1, stages > 1 and min(cluster) > 1
    if pair is not None:
        expect["pair"], expect["alone"] = pair, not pair
    archs = {} if wgmma is None and tcgen05 is None else {"archs": ["sm_90a" if tcgen05 is None else "sm_100a"]}
    if split or (cluster and (persistent or cluster[0] * cluster[1] > 2)):
        archs["exhaustive"] = False
    exact = {"exact_to": min(EXACT[c], 2**13 if a.startswith("f8") else 2**53)} if c in EXACT else {}
    return dict(name=name, group=group, text=text, args=args, runs=runs, ref="\n".join(ref), u=unit, **archs, **exact, **shapes,
                expect=expect, registers=registers, min_arch=90 if split else 89 if a.startswith("f8") else 80,
                operands=[a, b, c, out], exact=epilogue != "normalize")


def parallel(bm, bn, body):
    return [f"tile.parallel (%i, %j) in ({bm}, {bn}) {{\n    {body}\n  }}"]


def default_runs(tile, aligned_dims):
    """Even shapes, small ones and none at all; gemm adds the one that is neither."""
    bm, bn, bk = tile
    if aligned_dims:
        up = lambda x: -(-x // 16) * 16
        return [dict(M=up(2 * bm), N=up(2 * bn), K=up(4 * bk)), dict(M=16, N=16, K=16), dict(M=up(bm), N=up(bn), K=0)]
    return [dict(M=2 * bm, N=2 * bn, K=4 * bk), dict(M=1, N=1, K=1), dict(M=bm - 1, N=2 * bn + 1, K=max(bk - 1, 1)),
            dict(M=5, N=9, K=0)]


def chained(name, a="f16", c="f32", m=64, n=64, k=64, d=64, warps=4, policy="full_row", reduce=False, wgmma=False):
    """(A B) D, the first product's accumulator converted to the second's operand in fragments."""
    sh, fr = "#shared", "#tile.fragment"
    t = {"A": [m, k], "B": [k, n], "D": [n, d]}
    lines = [f"%{x}s = tile.alloc : {memref(s, a, sh)}" for x, s in t.items()]
    lines += [f"%s = tile.alloc : {memref([m, n], c, fr)}", f"%p = tile.alloc : {memref([m, n], a, fr)}",
              f"%o = tile.alloc : {memref([m, d], c, fr)}"]
    lines += [f"tile.copy %{x} to %{x}s : {memref(s, a)} to {memref(s, a, sh)}" for x, s in t.items()]
    attr = f"{{clear, policy = #tile.warp_policy<{policy}>}}"
    lines.append(f"tile.gemm %As, %Bs, %s {attr} : {memref(t['A'], a, sh)}, {memref(t['B'], a, sh)}, {memref([m, n], c, fr)}")
    ref = ["S = A @ B", "size = abs(A) @ abs(B)", "mag = (K + 4) * size"]
    if reduce:
        v = memref([m], c, fr)
        lines += [f"%mx = tile.alloc : {v}", f"tile.reduce max %s to %mx dim(1) : {memref([m, n], c, fr)} to {v}"]
        lines += parallel(m, n, f"""%x = memref.load %s[%i, %j] : {memref([m, n], c, fr)}
    %r = memref.load %mx[%i] : {v}
    %y = arith.subf %x, %r : {c}
    memref.store %y, %s[%i, %j] : {memref([m, n], c, fr)}""")
        ref += ["S = S - S.max(1, keepdims=True)", "mag = mag + mag.max(1, keepdims=True)"]
    lines += [f"tile.copy %s to %p : {memref([m, n], c, fr)} to {memref([m, n], a, fr)}",
              f"tile.gemm %p, %Ds, %o {attr} : {memref([m, n], a, fr)}, {memref(t['D'], a, sh)}, {memref([m, d], c, fr)}",
              f"tile.copy %o to %C : {memref([m, d], c, fr)} to {memref([m, d], c)}"]
    # Accumulators become operands: rounded once.
    ref += [f"S = rounded(S, '{a}')", "C = S @ D", "mag_C = mag @ abs(D)", "size = maximum(size.max(), abs(S) @ abs(D))"]
    params = ", ".join(f"%{x}: {memref(s, a)}" for x, s in t.items()) + f", %C: {memref([m, d], c)}"
    text = HEAD + f"tile.kernel @{name}({params}) grid(%bx) = (1) threads({warps * 32}) {{\n"
    text += "".join(f"  {line}\n" for line in lines) + "}\n"
    args = [dict(name=x, type=a, shape=[str(e) for e in s], access="r", strided=False, fill="smallint") for x, s in t.items()]
    args.append(dict(name="C", type=c, shape=[str(m), str(d)], access="w", strided=False))
    only = dict(archs=["sm_90a"]) if wgmma else {}
    return dict(name=name, group="chain", text=text, args=args, runs=[dict(M=m, N=n, K=k)], ref="\n".join(ref),
                tile={}, fixed="constant extents, one tile", exact_to=EXACT[c], u=2.0**-10 if a == "f16" else 2.0**-7, expect={"wgmma": True, "mma": False} if wgmma else {"mma": True}, **only,
                registers=m * n // (warps * 32) * 2 + m * d // (warps * 32) + 60, min_arch=80, operands=[a, a, c, c],
                exact=True)


def byte_kernels():
    """8-bit operands along m or n, which are transposed in pairs of bytes; f64 and fp8 into f16 by the larger instructions."""
    out = []

    def add(name, **kw):
        out.append(gemm(name, **kw))

    for a, c in (("i8", "i32"), ("f8E4M3FN", "f32"), ("f8E5M2", "f16")):
        for ta, tb in ((False, False), (True, False), (True, True)):
            name = f"bytes_{a}_{'nt'[ta]}{'nt'[tb]}"
            add(name, a=a, c=c, ta=ta, tb=tb, tile=(128, 128, 64), warps=8, group="bytes")
            add(name + "_small", a=a, c=c, ta=ta, tb=tb, tile=(32, 32, 32), warps=1, stages=2, aligned=False, group="bytes")
    add("bytes_i8_k16", a="i8", c="i32", ta=True, tile=(64, 64, 16), group="bytes")
    add("bytes_i8_odd", a="i8", c="i32", ta=True, tile=(48, 40, 64), group="bytes")
    add("bytes_u8", a="i8", c="i32", tile=(64, 128, 64), unsigned=(True, False), group="bytes")
    for bk in (4, 8, 16):
        add(f"f64_k{bk}", a="f64", c="f64", tb=bk == 8, tile=(32, 32, bk), group="bytes", stages=2)
    for a, b in (("f8E4M3FN", "f8E5M2"), ("f8E5M2", "f8E5M2")):
        add(f"f8_f16_{a}_{b}", a=a, b=b, c="f16", tb=True, tile=(64, 64, 64), group="bytes")
    # K tiles that are odd multiples of 16.
    for tb in (False, True):
        add(f"bytes_f8_k48_n{'nt'[tb]}", a="f8E4M3FN", b="f8E5M2", tb=tb, tile=(64, 64, 48), group="bytes")
        add(f"bytes_u8_k48_n{'nt'[tb]}", a="i8", c="i32", tb=tb, tile=(64, 64, 48), unsigned=(True, tb), group="bytes")
    add("bytes_f8_f16_k16", a="f8E5M2", c="f16", tb=True, tile=(64, 64, 16), group="bytes")
    return out


def role_kernels():
    """Roles asked for where there is no TMA: warps that copy by cp.async, and by loads and stores, for mma.sync."""
    out = []
    for stages in (2, 3, 5):
        for aligned in (False, True):
            runs = [(64, 64, k) for k in ((0, 16, 32, 48, 64, 80, 128, 176) if aligned else (0, 1, 16, 31, 33, 64, 65, 161))]
            for persistent in (False, True):
                name = f"roles_{stages}_{'aligned' if aligned else 'any'}{'_persistent' * persistent}"
                out.append(gemm(name, tile=(64, 64, 16 if aligned else 32), stages=stages, aligned=aligned, runs=runs,
                                persistent=persistent, specialize=True, tb=True, group="roles"))
    for a, c in (("bf16", "f32"), ("f32", "f32"), ("f64", "f64"), ("i8", "i32")):
        tile = (64, 64, 16) if a == "f64" else (128, 64, 32)
        out.append(gemm(f"roles_{a}", a=a, c=c, tile=tile, tb=True, specialize=True, group="roles", warps=8 if a == "i8" else 4))
    for kernel in out:
        kernel["archs"] = ["sm_80", "sm_89", "sm_90", "sm_90a"]
    return out


def kernels():
    out = []

    def add(name, **kw):
        out.append(gemm(name, **kw))

    # Types and transposes.
    for a, c in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("f32", "f32"), ("f64", "f64"), ("i8", "i32")):
        for ta in (False, True):
            for tb in (False, True):
                tile = (64, 64, 16) if a == "f64" else (128, 64, 32)
                name = f"gemm_{a}_{c}_{'nt'[ta]}{'nt'[tb]}"
                add(name, a=a, c=c, ta=ta, tb=tb, tile=tile, group="core" if not ta and tb else "gemm")
                if ta == tb:
                    add(name + "_any", a=a, c=c, ta=ta, tb=tb, tile=tile, aligned=False)
    for a in ("f8E4M3FN", "f8E5M2"):
        for b in ("f8E4M3FN", "f8E5M2"):
            add(f"gemm_{a}_{b}_nt", a=a, b=b, tb=True, tile=(64, 64, 64))
            add(f"gemm_{a}_{b}_nn", a=a, b=b, tile=(64, 64, 32), aligned=False)
    add("gemm_f8_f16", a="f8E4M3FN", c="f16", tb=True, tile=(64, 64, 64))
    for ta in (False, True):
        for tb in (False, True):
            add(f"gemm_ieee_{'nt'[ta]}{'nt'[tb]}", a="f32", ta=ta, tb=tb, tile=(64, 64, 16), precision="ieee",
                aligned=ta != tb)
    for ua, ub in ((True, True), (True, False), (False, True)):
        add(f"gemm_i8_{'su'[ua]}{'su'[ub]}", a="i8", c="i32", tb=True, tile=(64, 64, 64), unsigned=(ua, ub))
    add("gemm_f16_out16", out="f16", group="core")
    add("gemm_bf16_out16", a="bf16", out="bf16", tb=True)
    add("gemm_quantize", a="bf16", tb=True, out="f8E4M3FN", epilogue="quantize", group="epilogue")
    add("gemm_quantize_any", out="f8E5M2", epilogue="quantize", aligned=False, group="epilogue")
    # Tiles, K steps.
    for bm, bn, bk, warps in ((16, 8, 16, 1), (16, 8, 16, 4), (16, 16, 32, 1), (32, 32, 16, 2), (64, 96, 32, 4),
                              (80, 48, 32, 1), (80, 48, 24, 4), (48, 40, 8, 1), (48, 40, 48, 4), (128, 128, 64, 8),
                              (256, 128, 32, 8), (128, 256, 32, 8), (64, 64, 24, 4), (64, 64, 8, 2),
                              (32, 32, 1, 4), (24, 20, 12, 1), (64, 64, 48, 8)):
        for tb in (False, True):
            add(f"tile_{bm}x{bn}x{bk}_w{warps}_n{'nt'[tb]}", tile=(bm, bn, bk), warps=warps, tb=tb, group="tile",
                aligned=(bm + tb) % 3 != 0, stages=2 + tb)
    for a, c in (("f32", "f32"), ("f64", "f64"), ("i8", "i32"), ("bf16", "f32")):
        for bm, bn, bk, warps in ((16, 8, 16, 1), (48, 40, 16, 1), (64, 32, 8, 2), (80, 48, 48, 4), (32, 16, 64, 8)):
            add(f"tile_{a}_{bm}x{bn}x{bk}_w{warps}", stages=1 if a == "f64" else 3, a=a, c=c, tile=(bm, bn, bk), warps=warps, aligned=False,
                tb=bn == 40, group="tile")
    # Warps and policies.
    for policy in ("square", "full_row", "full_col"):
        for warps in (1, 2, 4, 8):
            add(f"policy_{policy}_w{warps}", tile=(128, 128, 32) if warps > 2 else (64, 32, 32), policy=policy,
                warps=warps, group="policy", tb=warps == 4)
    # Stages and trip counts.
    for stages in (1, 2, 3, 4, 5):
        for aligned in (False, True):
            runs = [(64, 64, k) for k in ((0, 16, 32, 48, 64, 80, 128, 176) if aligned else (0, 1, 16, 31, 33, 64, 65, 161))]
            add(f"stages_{stages}_{'aligned' if aligned else 'any'}", tile=(64, 64, 32 if not aligned else 16),
                stages=stages, aligned=aligned, runs=runs, group="stages", tb=True)
    # Shapes.
    odd = [(1, 1, 1), (1, 257, 33), (129, 1, 64), (64, 64, 1), (127, 65, 31), (0, 64, 32), (64, 0, 32), (64, 64, 0),
           (63, 63, 63), (200, 300, 100)]
    for ta in (False, True):
        for tb in (False, True):
            add(f"odd_{'nt'[ta]}{'nt'[tb]}", tile=(64, 64, 32), ta=ta, tb=tb, aligned=False, runs=odd, group="shape")
            add(f"strided_{'nt'[ta]}{'nt'[tb]}", tile=(64, 64, 32), ta=ta, tb=tb, strided=True, aligned=ta,
                runs=odd[:5] + odd[8:] + [(128, 128, 64)], group="shape")
    for a, c in (("f32", "f32"), ("i8", "i32"), ("f64", "f64"), ("f16", "f16")):
        add(f"strided_{a}", a=a, c=c, tile=(64, 64, 32), strided=True, aligned=False, runs=odd, group="shape")
    for index, static in enumerate(((128, 128, 128), (256, 192, 96), (100, 72, 56), (1, 64, 64), (64, 1, 64),
                                    (64, 64, 1), (33, 35, 37), (128, 128, 16))):
        add(f"static_{'x'.join(map(str, static))}", tile=(64, 64, 32), static=static, tb=index % 2 == 1, group="shape")
    add("unaligned_assumed", aligned=False, assume=True, tile=(64, 64, 32), group="shape")
    add("aligned_unassumed", aligned=True, assume=False, tile=(64, 64, 32), group="shape", runs=odd)
    add("panel_2", panel=2, tile=(64, 64, 32), aligned=False, group="shape", runs=[(64 * 5, 64 * 3, 64), (321, 130, 40), (1, 1, 1), (64, 640, 32)])
    add("panel_8", panel=8, tile=(32, 32, 32), group="shape", runs=[(32 * 13, 32 * 9, 64), (32, 32, 32), (336, 48, 32)])
    add("clear_once", clear=True, tile=(64, 64, 64), group="shape")
    add("clear_any", clear=True, tile=(64, 64, 32), tb=True, aligned=False, group="shape")
    # Epilogues.
    for epilogue in ("relu", "bias", "bias_fragment", "residual", "scale", "rowsum", "rowmax", "colsum", "colmax",
                     "subrowmax", "atomic", "shared"):
        add(f"epilogue_{epilogue}", epilogue=epilogue, tile=(64, 64, 32), aligned=False, group="core" if epilogue == "bias" else "epilogue",
            runs=[(128, 128, 64), (100, 70, 50), (1, 1, 1), (64, 192, 33)])
        add(f"epilogue_{epilogue}_big", epilogue=epilogue, tile=(128, 128, 32), tb=True, warps=8, group="epilogue",
            out=None if epilogue in ("atomic", "rowsum") else "f16")
    add("epilogue_normalize", epilogue="normalize", static=(128, 64, 64), tile=(64, 64, 32), group="epilogue")
    add("epilogue_normalize_1", epilogue="normalize", static=(64, 128, 32), tile=(32, 128, 32), warps=2, group="epilogue")
    out.append(chained("chain_f16"))
    out.append(chained("chain_bf16", a="bf16", m=128, warps=8))
    out.append(chained("chain_reduce", reduce=True))
    out.append(chained("chain_wide", n=32, d=128, reduce=True, warps=2))
    out.append(chained("chain_square", policy="square"))
    return out
