# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gemm kernels of the matrix that whole warpgroups multiply (wgmma, tcgen05), or the blocks of a cluster together.

See generate.py for what a kernel's description holds.
"""

from matrix_gemm import chained, gemm


def wgmma_kernels():
    """Gemms for warpgroups: each type, operands that lie either way, every kind of N, 1 to 3 warpgroups."""
    out = []

    def add(name, wgmma=True, **kw):
        out.append(gemm("wgmma_" + name, wgmma=wgmma, group="wgmma", **kw))

    for a, c in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32")):
        for ta in (False, True):
            for tb in (False, True):
                add(f"{a}_{c}_{'nt'[ta]}{'nt'[tb]}", a=a, c=c, ta=ta, tb=tb, tile=(128, 128, 64), stages=2 + ta)
                add(f"{a}_{c}_{'nt'[ta]}{'nt'[tb]}_r", a=a, c=c, ta=ta, tb=tb, tile=(64, 64, 32), a_fragment=True,
                    aligned=ta == tb)
    # Operands of 32 and 8 bits along k; the others fall back.
    for a, c, bk in (("f32", "f32", 32), ("i8", "i32", 64), ("f8E4M3FN", "f32", 128), ("f8E4M3FN", "f16", 64)):
        add(f"{a}_{c}_nt", a=a, c=c, tb=True, tile=(128, 64, bk))
        add(f"{a}_{c}_nt_r", a=a, c=c, tb=True, tile=(64, 64, bk), a_fragment=True)
        add(f"{a}_{c}_nn", a=a, c=c, tile=(64, 64, 32), wgmma=False)
        add(f"{a}_{c}_tt", a=a, c=c, ta=True, tb=True, tile=(64, 32, 32), wgmma=False)
    for a, b in (("f8E4M3FN", "f8E5M2"), ("f8E5M2", "f8E4M3FN"), ("f8E5M2", "f8E5M2")):
        add(f"{a}_{b}", a=a, b=b, tb=True, tile=(64, 128, 64))
    for ua, ub in ((True, True), (True, False), (False, True)):
        add(f"i8_{'su'[ua]}{'su'[ub]}", a="i8", c="i32", tb=True, tile=(64, 64, 64), unsigned=(ua, ub))
    for every in (32, 64, 96, 256):
        add(f"promote_{every}", a="f8E4M3FN", tb=True, tile=(64, 128, 128), promote_every=every)
    # N: every instruction's, several instructions, halves of odd multiples.
    for n in (8, 24, 40, 56, 80, 96, 136, 192, 256, 272, 320):
        for tb in (False, True):
            add(f"n{n}_n{'nt'[tb]}", tile=(64, n, 64), tb=tb, warps=4 if n <= 256 else 8, stages=2)
    for n in (8, 24, 40, 48, 56, 96, 144):
        add(f"i8_n{n}", a="i8", c="i32", tb=True, tile=(64, n, 64))
    add("f16_f16_n40", c="f16", tile=(64, 40, 16))
    # Warpgroups, policies, K steps.
    for m, n, warps, policy in ((128, 256, 8, None), (64, 256, 8, None), (192, 128, 12, None), (64, 192, 12, None),
                                (128, 96, 8, "full_row"), (128, 96, 8, "full_col"), (128, 144, 12, "full_col"),
                                (256, 64, 8, None), (128, 160, 16, None), (64, 96, 8, None)):
        for tb in (False, True):
            add(f"m{m}_n{n}_w{warps}_{policy or 'square'}_n{'nt'[tb]}", tile=(m, n, 32), tb=tb, warps=warps,
                policy=policy, stages=2)
        add(f"m{m}_n{n}_w{warps}_{policy or 'square'}_r", tile=(m, n, 32), warps=warps, policy=policy, stages=2,
            a_fragment=True)
    for k in (16, 48, 80, 96, 128, 192):
        add(f"k{k}", tile=(64, 64, k), tb=k % 32 == 0, ta=k in (80, 96), stages=2)
    # What has to fall back.
    for name, tile, warps in (("w2", (64, 64, 32), 2), ("k24", (64, 64, 24), 4), ("n20", (64, 20, 32), 4)):
        add(f"no_{name}", tile=tile, warps=warps, wgmma=False, aligned=False)
    add("no_m16", tile=(16, 64, 32), epilogue="rowmax", wgmma=False, aligned=False)
    # Few rows, with swapped operands.
    for m, n, warps in ((8, 64, 4), (16, 64, 4), (24, 128, 4), (96, 64, 4), (48, 128, 8), (144, 128, 8), (80, 192, 12)):
        for ta in (False, True):
            add(f"swapped_m{m}_n{n}_w{warps}_{'nt'[ta]}{'tn'[ta]}", ta=ta, tb=not ta, tile=(m, n, 64), warps=warps, stages=2)
    for ta in (False, True):
        add(f"swapped_{'nt'[ta]}{'nt'[ta]}", ta=ta, tb=ta, tile=(32, 128, 64), warps=8, aligned=False)
    for a, c, bk in (("bf16", "f32", 64), ("f16", "f16", 64), ("f32", "f32", 32), ("i8", "i32", 64), ("f8E4M3FN", "f32", 128)):
        add(f"swapped_{a}_{c}", a=a, c=c, tb=True, tile=(16, 128, bk), warps=8)
    add("swapped_mixed", a="f8E4M3FN", b="f8E5M2", tb=True, tile=(16, 64, 64))
    for epilogue in ("relu", "bias", "bias_fragment", "residual", "atomic"):
        add(f"swapped_{epilogue}", epilogue=epilogue, tile=(16, 128, 64), warps=8)
    add("relu", epilogue="relu", tile=(128, 128, 64), warps=8, out="f16")
    add("quantize", a="f8E4M3FN", tb=True, out="f8E4M3FN", epilogue="quantize", tile=(128, 128, 64), warps=8)
    add("quantize_persistent", tb=True, out="f8E5M2", epilogue="quantize", tile=(128, 128, 64), warps=8, persistent=True)
    add("rowmax", epilogue="rowmax", tile=(128, 64, 64), aligned=False)
    add("odd", tile=(128, 128, 64), aligned=False)
    add("clear", clear=True, tile=(64, 64, 64), tb=True)
    for m, warps in ((64, 4), (128, 4), (128, 8), (192, 12)):
        out.append(chained(f"wgmma_chain_m{m}_w{warps}", m=m, n=128, d=64, warps=warps, reduce=m == 64, wgmma=True))
    out.append(chained("wgmma_chain_bf16", a="bf16", n=96, d=128, wgmma=True))
    return out


def unaligned_kernels():
    """Gemms for warpgroups in loops over tiles, rows that start anywhere: what ptxas serialized."""
    out = []

    def add(name, **kw):
        out.append(gemm("wgmma_" + name, wgmma=True, group="wgmma", aligned=False, persistent=True, **kw))

    # Constant extents: indices of the epilogue must not be computed between the gemms and their wait.
    for tb in (False, True):
        for a in ("f16", "bf16"):
            add(f"static_{a}_n{'nt'[tb]}", a=a, tb=tb, out=a, tile=(64, 64, 32), static=(77, 101, 105))
        add(f"static_w8_n{'nt'[tb]}", tb=tb, out="f16", tile=(128, 128, 64), warps=8, panel=2, static=(133, 197, 300))
        # 192 accumulators, and copies through registers.
        add(f"m256_n192_any_n{'nt'[tb]}", tb=tb, out="f16", tile=(256, 192, 64), warps=8)
    return out


def square_kernels():
    """Gemms in clusters that share A along one dimension and B along the other: ragged grids, that clusters divide and
    persistent ones that they do not, each type, one slot and several, more in the slots and behind the loop."""
    out = []

    def add(name, cluster=(2, 2), **kw):
        out.append(gemm("square_" + name, wgmma=True, group="wgmma", cluster=cluster, **kw))

    for persistent in (False, True):
        suffix = "_persistent" if persistent else ""
        for ta in (False, True):
            for tb in (False, True):
                add(f"{'nt'[ta]}{'nt'[tb]}{suffix}", ta=ta, tb=tb, tile=(64, 64, 64), stages=3, persistent=persistent)
        for cluster in ((4, 2), (2, 4), (4, 4), (4, 1), (1, 4)):
            add(f"{cluster[0]}x{cluster[1]}{suffix}", cluster=cluster, tile=(64, 64, 32), persistent=persistent, panel=4 if persistent else None)
        for stages in (1, 2, 5):
            add(f"stages{stages}{suffix}", tile=(64, 64, 32), stages=stages, persistent=persistent)
        for a, c in (("i8", "i32"), ("f8E4M3FN", "f32"), ("f32", "f32")):
            add(f"{a}{suffix}", a=a, c=c, tb=True, tile=(64, 64, 32 if a == "f32" else 64), persistent=persistent)
        for epilogue in ("residual", "bias", "atomic"):
            add(f"{epilogue}{suffix}", tile=(64, 64, 64), epilogue=epilogue, persistent=persistent)
        add(f"w8{suffix}", tile=(128, 128, 64), warps=8, out="f16", persistent=persistent)
        add(f"w12{suffix}", tile=(192, 64, 32), warps=12, out="f16", persistent=persistent)
    add("static", tile=(64, 64, 64), static=(192, 320, 200), persistent=True)
    return out


def split_kernels():
    """K loops shared by the blocks of a cluster."""
    out = []

    def add(name, **kw):
        out.append(gemm("split_" + name, **kw))

    # The K loop shared by the blocks of a cluster: fewer iterations than blocks, a K tail, no K at all.
    shared_k = [(64, 64, 32 * trips + tail) for trips, tail in ((0, 0), (1, 0), (2, 8), (4, 0), (7, 16))]
    for blocks in (2, 3, 4, 8):
        add(f"{blocks}", split=blocks, tile=(64, 64, 32), group="shape", runs=shared_k + [(72, 136, 264), (8, 8, 8)])
    add("panel", split=2, panel=2, tile=(32, 32, 32), group="shape", runs=[(96, 64, 104), (8, 40, 32)])
    for epilogue in ("bias", "residual", "rowmax", "normalize"):
        fields = dict(static=(64, 64, 200)) if epilogue == "normalize" else {}
        add(f"{epilogue}", split=3, tile=(64, 64, 32), epilogue=epilogue, group="epilogue", **fields)
    add("f16", split=4, c="f16", tile=(64, 64, 32), group="shape")
    add("i8", a="i8", c="i32", split=3, tile=(64, 64, 64), group="shape")
    add("f64", a="f64", c="f64", split=2, tile=(32, 32, 16), group="shape")
    return out


def stream_kernels():
    """Tiles beyond whole rounds shared by blocks, however few iterations that saves."""
    out = []

    def add(name, **kw):
        out.append(gemm("stream_" + name, **{**dict(tile=(64, 64, 32), persistent=True, group="shape"), **kw}))

    # Fewer iterations than parts, a K tail, no K at all; one tile, several.
    runs = [(64, 64, 0), (64, 64, 32), (72, 136, 264), (8, 8, 8), (200, 192, 32 * 7 + 16)]
    for parts in (2, 3, 8, 16):
        add(f"{parts}", stream=parts, runs=runs)
    add("panel", stream=4, panel=2, tile=(32, 32, 32), runs=[(96, 64, 104), (8, 40, 32)])
    add("cluster", stream=4, cluster=(2, 1), runs=[(200, 192, 104), (8, 40, 32)], wgmma=True, tile=(64, 64, 64))
    for epilogue in ("bias", "residual", "rowmax", "normalize"):
        fields = dict(static=(64, 64, 200)) if epilogue == "normalize" else {}
        add(f"{epilogue}", stream=3, epilogue=epilogue, group="epilogue", **fields)
    add("i8", a="i8", c="i32", stream=3, tile=(64, 64, 64))
    add("f64", a="f64", c="f64", stream=2, tile=(32, 32, 16))
    return out


def tcgen05_kernels():
    """Gemms into tensor memory: each kind, operands that lie either way, every shape, 1 to 4 warpgroups. Compiled and
    assembled only, and run on the CPU: there is no such GPU."""
    out = []

    def add(name, tcgen05=True, **kw):
        out.append(gemm("tcgen05_" + name, tcgen05=tcgen05, group="tcgen05", **kw))

    for a in ("f16", "bf16"):
        for ta in (False, True):
            for tb in (False, True):
                add(f"{a}_{'nt'[ta]}{'nt'[tb]}", a=a, ta=ta, tb=tb, tile=(128, 128, 64), stages=2 + ta)
                add(f"{a}_{'nt'[ta]}{'nt'[tb]}_any", a=a, ta=ta, tb=tb, tile=(128, 32, 64), aligned=False)
    for a, c in (("i8", "i32"), ("f8E4M3FN", "f32")):
        for ta in (False, True):
            for tb in (False, True):
                add(f"{a}_{'nt'[ta]}{'nt'[tb]}", a=a, c=c, ta=ta, tb=tb, tile=(128, 64, 128))
    add("f32_nt", a="f32", tb=True, tile=(128, 64, 32))
    add("f32_nn", a="f32", tile=(128, 64, 32), tcgen05=False)
    for a, b in (("f8E4M3FN", "f8E5M2"), ("f8E5M2", "f8E4M3FN"), ("f8E5M2", "f8E5M2")):
        add(f"{a}_{b}", a=a, b=b, tb=True, tile=(128, 128, 64))
    for ua, ub in ((True, True), (True, False), (False, True)):
        add(f"i8_{'su'[ua]}{'su'[ub]}", a="i8", c="i32", tb=True, tile=(128, 64, 64), unsigned=(ua, ub))
    for n in (16, 48, 80, 112, 160, 192, 240, 272, 320):
        for tb in (False, True):
            add(f"n{n}_n{'nt'[tb]}", tile=(128, n, 64), tb=tb, warps=4 if n <= 160 else 8, stages=2)
    for n in (16, 96, 256):
        add(f"m64_n{n}", tile=(64, n, 64), stages=2)
        add(f"m64_n{n}_w8", tile=(64, n, 64), stages=2, warps=8)
    for m, n, warps, policy in ((128, 256, 8, None), (256, 128, 4, None), (256, 256, 8, None), (256, 128, 16, None),
                                (256, 128, 8, "full_row"), (256, 64, 8, "full_col"), (512, 64, 16, None)):
        add(f"m{m}_n{n}_w{warps}_{policy or 'square'}", tile=(m, n, 32), warps=warps, policy=policy, stages=2)
    for k in (16, 48, 80, 96, 128):
        add(f"k{k}", tile=(128, 64, k), tb=k % 32 == 0, ta=k in (80, 96), stages=2)
    # What has to fall back.
    for name, tile, warps in (("m32", (32, 64, 32), 4), ("m192", (192, 64, 32), 4), ("w2", (128, 64, 32), 2),
                              ("k24", (128, 64, 24), 4), ("n24", (128, 24, 32), 4), ("columns", (512, 256, 16), 16)):
        add(f"no_{name}", tile=tile, warps=warps, tcgen05=False, aligned=False)
    add("no_f16", c="f16", tile=(128, 64, 32), tcgen05=False)
    add("no_promote", a="f8E4M3FN", tb=True, tile=(128, 64, 64), promote_every=64, tcgen05=False)
    add("no_registers", tile=(64, 64, 32), a_fragment=True, tcgen05=False)
    add("relu", epilogue="relu", tile=(128, 128, 64), warps=8, out="f16")
    add("residual", epilogue="residual", tile=(128, 64, 64))
    add("rowmax", epilogue="rowmax", tile=(128, 64, 64), aligned=False)
    add("clear", clear=True, tile=(128, 64, 64), tb=True)
    add("one_stage", tile=(128, 64, 64), stages=1)

    # Operand A from registers through tensor memory.
    add("registers_f16", tile=(128, 64, 32), a_fragment=True)
    add("registers_m256", tile=(256, 64, 48), a_fragment=True, warps=8, policy="full_row", a="bf16")
    add("registers_f32", a="f32", tb=True, tile=(128, 64, 32), a_fragment=True, stages=2)
    add("registers_f8", a="f8E4M3FN", tb=True, tile=(128, 64, 64), a_fragment=True)
    add("registers_i8", a="i8", c="i32", tb=True, tile=(128, 64, 64), a_fragment=True)

    # Pairs of blocks; accumulators in turn where the kernel is persistent and has room for two.
    def add_pair(name, pair=True, **kw):
        add("pair_" + name, cluster=True, pair=pair, **kw)

    for a, c in (("f16", "f32"), ("bf16", "f32"), ("i8", "i32"), ("f8E4M3FN", "f32")):
        for ta in (False, True):
            for tb in (False, True):
                add_pair(f"{a}_{'nt'[ta]}{'nt'[tb]}", a=a, c=c, ta=ta, tb=tb, tile=(128, 128, 64), stages=2 + ta, persistent=tb)
    add_pair("f32_nt", a="f32", tb=True, tile=(128, 64, 32))
    for n in (32, 64, 96, 160, 192, 224, 256):
        for tb in (False, True):
            add_pair(f"n{n}_n{'nt'[tb]}", tile=(128, n, 64), tb=tb, warps=4 if n <= 160 else 8, stages=3, persistent=n % 64 == 0, out="f16")
    add_pair("m256", tile=(256, 128, 64), warps=8, stages=2)
    add_pair("m256_persistent", tile=(256, 128, 64), warps=8, stages=2, persistent=True)
    for stages in (1, 2, 5):
        add_pair(f"stages{stages}", tile=(128, 64, 64), stages=stages, persistent=True)
    add_pair("k16", tile=(128, 64, 16), tb=True, stages=2)
    add_pair("relu", tile=(128, 128, 64), warps=8, epilogue="relu", out="f16", persistent=True)
    add_pair("residual", tile=(128, 64, 64), epilogue="residual", persistent=True)
    for name, tile, warps in (("m64", (64, 64, 32), 4), ("n48", (128, 48, 64), 4), ("n320", (128, 320, 64), 8)):
        add_pair(f"no_{name}", pair=False, tile=tile, warps=warps, stages=2)
    add("turns", tile=(128, 128, 64), persistent=True)
    add("turns_f16", tile=(128, 256, 64), warps=8, persistent=True, out="f16", stages=4)
    add("turns_no_columns", tile=(256, 192, 64), warps=8, persistent=True, stages=2)
    return out
