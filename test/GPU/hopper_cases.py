# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What run_hopper.py runs: programs of benchmarks/tilebench, each with the extents it is run for.

`cases()` gives (group, program, runs, core): core ones are the reduced set for compute-sanitizer. A run has M, N, K and,
where the program has them, batch, splits and pad (elements that rows are longer by).
"""

import dataclasses
import math

from tilebench.attention import Attention
from tilebench.conv import Conv
from tilebench.gemm import Gemm
from tilebench.rows import Rows
from tilebench.weights import Weights

PLAIN = Gemm(tile=(128, 128, 64), stages=3)
# Enough tiles that each block of a persistent grid has several: the phases of rings carry over.
MANY = dict(M=1024, N=2560)


def extents(*rows):
    return [dict(zip("MNK", row)) for row in rows]


def default_runs(program):
    """Whole tiles, overhanging ones, fewer than one tile; many tiles; no K at all."""
    m, n, k = program.tile
    step = program.row_multiple()
    up = lambda x: -(-x // step) * step
    m = up(m) if program.ta else m
    return extents(
        (2 * m, 2 * up(n), 4 * up(k)),
        (m + step, up(n) + step, 3 * up(k) + step),
        (step, step, step),
        (12 * m, up(12 * n), up(5 * k)),
        (m, up(n), 0),
    )


def cases():
    found = []

    def add(group, program, runs=None, core=False, **fields):
        program = dataclasses.replace(program, **fields)
        found.append((group, program, default_runs(program) if runs is None else runs, core))

    # Stages and trip counts; one tile a block, several, and roles forbidden.
    for stages in range(1, 9):
        trips = range(0, 2 * stages + 3)
        for fields in (dict(persistent=0), dict(persistent=1), dict(persistent=1, specialize=False)):
            base = dataclasses.replace(PLAIN, tile=(64, 128, 64), threads=128, stages=stages, tb=True, **fields)
            shape = MANY if fields["persistent"] else dict(M=128, N=256)
            runs = [dict(shape, K=64 * t) for t in trips] + [dict(shape, K=64 * t + 8) for t in (0, stages)]
            add("stages", base, runs, core=stages in (1, 3) and fields.get("specialize") is None)
    add("stages", PLAIN, [dict(MANY, K=64 * t) for t in range(0, 9)], core=True)

    # Guarded and nested loops, loops one after the other.
    for persistent in (0, 1):
        for stages in (1, 2, 3, 4):
            runs = [dict(MANY, K=64 * t) for t in (0, 1, 2, 3, stages + 1, 2 * stages + 2)]
            base = dataclasses.replace(PLAIN, stages=stages, persistent=persistent)
            add("guard", base, runs, guard=True, core=stages == 3)
            add("nested", base, runs, nested=3, core=stages == 3)
            # Every ring has memory of its own: smaller tiles.
            add("loops", base, runs, tile=(128, 64, 64), loops=2, core=stages == 3)
            add("loops", base, runs[:4], tile=(64, 64, 64), threads=128, loops=3, nested=2)
            add("guard", base, runs[:4], guard=True, nested=2, specialize=False)

    # Consumer warpgroups and their division of the tile.
    for threads, tiles in (
        (128, ((64, 256, 64), (64, 64, 64), (128, 128, 64))),
        (256, ((128, 256, 64), (256, 128, 64), (128, 128, 128))),
        (384, ((192, 128, 64), (192, 192, 64), (384, 64, 64))),
    ):
        for tile in tiles:
            for tb in (False, True):
                add(
                    "warpgroups",
                    PLAIN,
                    tile=tile,
                    threads=threads,
                    tb=tb,
                    core=tile in ((128, 256, 64), (192, 128, 64)) and tb,
                )
                add("warpgroups", PLAIN, tile=tile, threads=threads, tb=tb, specialize=False, persistent=0)
    for policy in ("full_row", "full_col", "square"):
        add("warpgroups", PLAIN, policy=policy, tile=(128, 256, 64))

    # Swizzles and odd boxes: the step of K (A, and B as N x K), the width of B as K x N.
    for a, steps in (
        ("f16", (16, 32, 64, 128, 24, 48, 72, 80, 8)),
        ("f32", (8, 16, 32, 64, 12, 24)),
        ("i8", (32, 64, 128, 48, 96)),
        ("f8E4M3FN", (32, 64, 128, 48, 96)),
    ):
        for step in steps:
            tile = (128, 128, step)
            add("swizzle", PLAIN, a=a, tile=tile, tb=True, core=step in (16, 32) and a == "f16")
            if a == "f16":
                add("swizzle", PLAIN, a=a, tile=tile)
    for width in (8, 16, 24, 32, 40, 64, 72, 96, 136, 176, 192, 200, 248, 256):
        add("widths", PLAIN, tile=(64, width, 64), threads=128, tb=width % 3 == 0)
        add("widths", PLAIN, tile=(128, width, 32), a="bf16", tb=width % 3 != 0)
    for width in (8, 16, 24, 32, 48, 80, 96, 160, 224, 256):
        add("widths", PLAIN, a="i8", tile=(64, width, 64), threads=128, tb=True)

    # Types and transposes.
    for a, tile in (
        ("f16", (128, 128, 64)),
        ("bf16", (128, 128, 64)),
        ("f32", (128, 128, 32)),
        ("i8", (128, 128, 128)),
        ("f8E4M3FN", (128, 128, 128)),
        ("f8E5M2", (128, 128, 128)),
    ):
        for ta in (False, True):
            for tb in (False, True):
                add("types", PLAIN, a=a, tile=tile, ta=ta, tb=tb, core=not ta and tb)
    for a, b in (("f8E4M3FN", "f8E5M2"), ("f8E5M2", "f8E4M3FN")):
        add("types", PLAIN, a=a, b=b, tile=(128, 128, 128), tb=True)
    add("types", PLAIN, a="f8E4M3FN", tile=(128, 128, 128), tb=True, promote_every=128, out="bf16")
    add("types", PLAIN, acc="f16")
    add("types", PLAIN, out="f32", tb=True)
    add("types", PLAIN, a="f64", tile=(64, 64, 16), threads=128)

    # Ragged extents: no promises, static, padded rows, dynamic strides.
    odd = extents((1, 1, 1), (1, 257, 33), (129, 1, 64), (127, 65, 31), (255, 385, 193), (1001, 1003, 507), (0, 64, 32))
    for tb in (False, True):
        add("ragged", PLAIN, odd, promise=False, tb=tb)
        add("ragged", PLAIN, odd, promise=False, aligned=False, tb=tb)
        add(
            "ragged",
            PLAIN,
            [dict(run, pad=pad) for run, pad in zip(odd, (0, 3, 8, 7, 8, 8, 8))],
            layout="strided",
            tb=tb,
        )
        for static in ((509, 517, 331), (64, 1000, 72), (130, 130, 8)):
            add("ragged", PLAIN, extents(static), static=static, layout="padded", tb=tb, core=static[0] == 130)
            add("ragged", PLAIN, extents(static), static=static, tb=tb, aligned=False)
    add("ragged", PLAIN, extents((1024, 1024, 1024)), static=(1024, 1024, 1024))
    # Constant extents, many tiles a block: each way in and out.
    static = (1021, 2563, 331)
    for tile, stages in (((128, 256, 64), 4), ((64, 128, 64), 2), ((256, 192, 64), 3)):
        for fields in (
            dict(promise=False, aligned=False),
            dict(promise=False, aligned=False, tb=True, out="f32"),
            dict(promise=False, aligned=False, tb=True, a="bf16", specialize=False),
            dict(layout="padded", store_tma=False),
        ):
            program = dataclasses.replace(
                PLAIN, tile=tile, stages=stages, threads=min(2 * tile[0], 256), static=static, **fields
            )
            add("ragged", program, extents(static), core=tile[0] == 64 and "out" not in fields)
    for epilogue in ("relu", "bias_gelu", "residual"):
        add("ragged", PLAIN, extents(static), static=static, epilogue=epilogue, promise=False, aligned=False)
    # 192 accumulators, and copies through registers.
    add("ragged", PLAIN, odd, tile=(256, 192, 64), promise=False, aligned=False)

    # Clusters, persistence, order, roles.
    for cluster in ((1, 1), (2, 1), (1, 2), (4, 1), (1, 4), (2, 2)):
        for persistent in (0, 1):
            for specialize in (None, False, True):
                for panel in (0, 8):
                    if panel and specialize is not None:
                        continue
                    runs = extents(
                        (256, 256, 64),
                        (1280, 1408, 320),
                        (8, 8, 8),
                        (2056, 1800, 200),
                        (384, 384, 0),
                        (128, 2560, 1024),
                    )
                    add(
                        "clusters",
                        PLAIN,
                        runs,
                        cluster=cluster,
                        persistent=persistent,
                        specialize=specialize,
                        panel=panel,
                        tb=cluster[0] == 2,
                        core=panel == 8 and cluster in ((2, 1), (2, 2)),
                    )
    add("clusters", PLAIN, persistent=2, tile=(64, 64, 64), threads=128)
    add("clusters", PLAIN, cluster=(2, 1), tile=(128, 256, 64), stages=4, core=True)

    # Clusters that share A along one dimension and B along the other: grids that they do not divide, loops of every
    # length, types, what an epilogue loads through the ring, whole warpgroups more.
    ragged = extents((256, 256, 64), (1304, 1416, 328), (8, 8, 8), (2056, 1800, 200), (384, 640, 0), (136, 2568, 1024))
    for cluster in ((2, 2), (4, 2), (2, 4), (4, 4)):
        for persistent in (0, 1):
            small = dict(cluster=cluster, persistent=persistent, tile=(64, 64, 64), threads=128)
            add("squares", PLAIN, ragged, stages=4, core=cluster == (2, 2), **small)
            add("squares", PLAIN, ragged, stages=2, tb=True, panel=8, **small)
    for persistent in (0, 1):
        square = dict(cluster=(2, 2), persistent=persistent)
        for stages in (1, 2, 3, 5):
            trips = [dict(MANY, K=64 * t) for t in range(0, 2 * stages + 3)]
            add("squares", PLAIN, trips, tile=(64, 128, 64), threads=128, stages=stages, **square)
        add("squares", PLAIN, ragged, tile=(128, 256, 64), stages=4, panel=16, core=persistent == 1, **square)
        add("squares", PLAIN, ragged, specialize=False, **square)
        add("squares", PLAIN, ragged, ta=True, tb=True, **square)
        add("squares", PLAIN, epilogue="residual", **square)
        add("squares", PLAIN, load_a="cp_async", **square)
        add("squares", PLAIN, a="f8E4M3FN", tb=True, tile=(128, 128, 128), **square)
        add("squares", PLAIN, tile=(192, 128, 64), threads=384, **square)

    # Without TMA on either side; the other way out.
    add("copies", PLAIN, load_tma=False)
    add("copies", PLAIN, store_tma=False, core=True)
    add("copies", PLAIN, load_tma=False, store_tma=False, specialize=False)

    # Epilogues.
    for epilogue in ("relu", "bias", "bias_gelu", "residual", "residual_init", "scale"):
        for persistent in (0, 1):
            add("epilogue", PLAIN, epilogue=epilogue, persistent=persistent, core=epilogue == "residual" and persistent)
        add("epilogue", PLAIN, epilogue=epilogue, tile=(128, 256, 64), stages=4, tb=True)
        add("epilogue", PLAIN, extents((301, 203, 97)), epilogue=epilogue, promise=False, aligned=False)

    # Batches, split K.
    batches = [dict(run, batch=batch) for run, batch in zip(default_runs(PLAIN), (3, 2, 1, 5, 2))]
    add("batched", PLAIN, batches, batched=True, core=True)
    add("batched", PLAIN, batches, batched=True, tb=True, persistent=0)
    for splits in (1, 2, 5):
        runs = [
            dict(run, splits=splits) for run in extents((16, 512, 1024), (64, 1000, 72), (100, 256, 0), (1, 2048, 4096))
        ]
        # A grid extent that is a scalar, as a count of splits is, is not part of the kernel's name.
        add(
            "splitk",
            Gemm(tile=(64, 128, 64), threads=128, stages=4, persistent=splits % 2, panel=0, split_k=True),
            runs,
        )

    # Atomics of whole tiles: tensor reductions, and the same an element at a time. Blocks of all batches add to one C.
    for fields in (
        dict(out="f32"),
        dict(out="f32", tb=True, persistent=0, tile=(128, 256, 64)),
        dict(out="f32", tile=(64, 64, 64), threads=128, specialize=False),
        dict(out="f32", store_tma=False),
        dict(out="f32", promise=False),
        dict(a="i8", tb=True, tile=(128, 128, 128)),
        dict(acc="f16", out="f16"),
    ):
        program = dataclasses.replace(PLAIN, epilogue="add", batched=True, **fields)
        runs = default_runs(program)
        small = [dict(r, M=min(r["M"], 272), N=min(r["N"], 272), batch=n) for r, n in zip(runs, (3, 2, 1, 5, 2))]
        add("atomics", program, small, core=fields == dict(out="f32"))
    add("atomics", PLAIN, epilogue="add", out="f32", cluster=(2, 1), core=True)

    # A K loop that the blocks of a cluster share: as many iterations as blocks, fewer, none; sums in one round and
    # in several; what the epilogue reads and writes; clusters of several tiles; batches.
    for split in (2, 3, 4, 8):
        base = Gemm(tile=(64, 128, 64), threads=128, stages=4, split=split)
        trips = sorted({0, 1, split - 1, split, split + 1, 5 * split + 1})
        for persistent in (0, 1):
            shape = MANY if persistent else dict(M=72, N=256)
            runs = [dict(shape, K=64 * t) for t in trips] + [dict(shape, K=8), dict(shape, K=64 * 9 + 24)]
            add("split", base, runs, persistent=persistent, core=split == 3)
            add("split", base, runs[2:], persistent=persistent, tb=True, specialize=False)
    for tile, threads in (((128, 128, 64), 256), ((128, 256, 64), 256), ((64, 256, 64), 128), ((64, 8, 64), 128)):
        add("split", Gemm(tile=tile, threads=threads, stages=3, split=4, persistent=0))
        add("split", Gemm(tile=tile, threads=threads, stages=3, split=2, persistent=1, tb=True))
    for epilogue in ("relu", "bias_gelu", "residual", "residual_init"):
        add("split", PLAIN, split=2, epilogue=epilogue, core=epilogue == "residual_init")
        add("split", PLAIN, split=5, epilogue=epilogue, persistent=0)
    add("split", PLAIN, split=2, cluster=(2, 1), core=True)
    add("split", PLAIN, split=2, cluster=(1, 2), persistent=0)
    add("split", PLAIN, split=2, cluster=(2, 2), panel=0)
    # Several tiles that share copies and K in one cluster: what is exchanged lies in the ring, or goes in pieces of two widths.
    for split, cluster in ((2, (2, 1)), (2, (1, 2)), (3, (2, 1)), (3, (1, 2)), (4, (1, 2))):
        for tile, threads, stages in (((88, 192, 64), 384, 6), ((192, 88, 64), 384, 6), ((176, 64, 64), 128, 5), ((256, 176, 64), 256, 3)):
            runs = extents((2 * tile[0] - 8, 2 * tile[1] - 16, 1032), (tile[0], 3 * tile[1], 64), (3 * tile[0], tile[1], 64 * split * 7))
            shared = Gemm(tb=True, tile=tile, threads=threads, stages=stages, split=split, cluster=cluster)
            add("split", shared, runs, persistent=0, core=split == 3 and tile[0] == 88)
            add("split", shared, runs, persistent=1)

    # Tiles beyond whole rounds shared by blocks, however few iterations that saves: fewer tiles than blocks, more; parts without
    # iterations; none at all; clusters; what the epilogue reads and writes; batches. And only where it saves enough.
    few, many = extents((72, 256, 64 * 9 + 24), (64, 128, 8), (200, 520, 4096), (64, 64, 0)), [dict(MANY, K=64 * t + 8) for t in (0, 1, 5)]
    for parts in (2, 7, 16):
        add("stream", Gemm(tile=(64, 128, 64), threads=128, stages=4, stream_k=parts, stream_least=0), few + many, core=parts == 7)
    for persistent in (2, 4):
        add("stream", Gemm(tile=(64, 64, 64), threads=128, stages=3, tb=True, stream_k=8, persistent=persistent, stream_least=0), few + many)
    for specialize in (True, False):
        add("stream", Gemm(tile=(128, 128, 64), threads=256, stages=3, tb=True, stream_k=16, specialize=specialize, stream_least=0), few + many)
    for tile, threads, stages in (((128, 256, 64), 256, 4), ((208, 128, 64), 256, 5), ((64, 8, 64), 128, 6), ((88, 192, 64), 384, 6)):
        add("stream", Gemm(tile=tile, threads=threads, stages=stages, tb=True, stream_k=32, stream_least=0), few + many, core=tile[0] == 208)
    for cluster in ((2, 1), (1, 2), (2, 2)):
        add("stream", PLAIN, few + many, tb=True, stream_k=8, stream_least=0, cluster=cluster, core=cluster == (2, 1))
    for epilogue in ("relu", "bias_gelu", "residual", "residual_init"):
        add("stream", PLAIN, few + many, stream_k=8, stream_least=0, epilogue=epilogue, core=epilogue == "residual_init")
    add("stream", Gemm(a="i8", tb=True, tile=(64, 128, 128), threads=128, stream_k=4, stream_least=0))
    add("stream", Gemm(a="f8E4M3FN", out="bf16", tb=True, tile=(64, 128, 128), threads=128, stream_k=4, stream_least=0, epilogue="scale"))
    add("stream", Gemm(tile=(64, 128, 64), threads=128, stream_k=4, stream_least=0, batched=True), [dict(run, batch=3) for run in extents((100, 200, 640), (64, 128, 64), (64, 128, 0))])
    add("stream", PLAIN, [*few, *many, dict(M=1024, N=2560, K=4096), dict(M=1100, N=4200, K=8192)], tb=True, stream_k=8, core=True)

    # Blocks that are launched in panels, one for a tile, and share copies: panels take whole clusters.
    for cluster in ((2, 1), (1, 2), (2, 2), (4, 1), (1, 4)):
        for panel in (1, 3, 8):
            shared = Gemm(tb=True, tile=(64, 64, 64), threads=128, stages=3, cluster=cluster, panel=panel, persistent=0)
            add("panels", shared, extents((328, 264, 200), (1000, 72, 520), (72, 1000, 64)), core=panel == 3)
    # Operands swapped, results in pieces of rows.
    for tile, threads, stages in (((120, 128, 64), 256, 6), ((112, 192, 64), 384, 5), ((168, 192, 64), 384, 4), ((216, 64, 64), 128, 6), ((24, 256, 64), 256, 6)):
        for persistent in (0, 1):
            shared = Gemm(tb=True, tile=tile, threads=threads, stages=stages, persistent=persistent)
            runs = extents((tile[0], tile[1], 1032), (3 * tile[0] - 8, 2 * tile[1] + 8, 512))
            add("rows_of_tiles", shared, runs, core=persistent == 0)
            add("rows_of_tiles", shared, runs, cluster=(1, 2), out="f32")
    add("split", Gemm(a="i8", tb=True, tile=(64, 128, 128), threads=128, split=3))
    add("split", Gemm(a="f8E4M3FN", out="bf16", tb=True, tile=(64, 128, 128), threads=128, split=4, epilogue="scale"))
    add("split", Gemm(a="f16", acc="f16", tile=(64, 128, 64), threads=128, split=3))
    batched = [dict(run, batch=3) for run in extents((100, 200, 640), (64, 128, 64), (64, 128, 0))]
    add("split", Gemm(tile=(64, 128, 64), threads=128, split=4, batched=True), batched)
    add("split", Gemm(tile=(64, 128, 64), threads=128, split=2, batched=True, persistent=0, panel=0), batched)

    # Attention: two gemms in one pipelined loop, a guarded mask, rows that are reduced.
    lengths = [dict(heads=heads, S=s) for heads, s in ((2, 512), (3, 1), (1, 127), (2, 333), (5, 1000), (1, 2049))]
    for d in (64, 128):
        for causal in (False, True):
            for element in ("f16", "bf16"):
                base = Attention(element=element, d=d, causal=causal)
                add("attention", base, lengths, core=d == 64 and element == "f16")
                add("attention", base, lengths, rows=64, keys=64, threads=128, stages=2 + causal)
            add("attention", base, lengths, specialize=False)
            add("attention", base, lengths, rows=192, threads=384, keys=64 if d == 128 else 128)
            add("attention", base, lengths, rows=192, threads=384, keys=64 if d == 128 else 128, persistent=1, lazy=True, core=causal and d == 64)
            add("attention", base, lengths[:3], stages=1, accurate=True)

    convolutions(add)
    rows(add)
    weights(add)
    producers(add)

    # One kernel may come up in several groups: it is packed and run once, for all their extents.
    merged = {}
    for group, program, runs, core in found:
        old = merged.setdefault(program.ident(), (group, program, [], core))
        merged[program.ident()] = (old[0], program, old[2] + [run for run in runs if run not in old[2]], old[3] or core)
    return list(merged.values())


def convolutions(add):
    """Strides, dilations, paddings and odd extents in one to three dimensions, by tensor copies, cp.async and loads."""
    sizes = ((2, (14, 14), 64, 128), (3, (9, 17), 72, 40), (1, (5, 3), 8, 8), (2, (30, 23), 200, 136))
    none = ((1, (1, 2), 64, 64), (0, (14, 14), 64, 64))  # no output, no image

    def run_all(conv, runs=sizes, core=False, group="conv"):
        add(group, conv, [conv.run(*run) for run in runs], core)

    base = Conv(pad=(1, 1))
    variants = (
        dict(),
        dict(strides=(2, 2)),
        dict(strides=(1, 3), dilations=(2, 1), pad=(2, 1)),
        dict(pad=(0, 0)),
        dict(pad=(2, 0), pad_upper=(0, 3)),
        dict(kernel=(1, 1), pad=(0, 0)),
        dict(kernel=(1, 1), pad=(0, 0), strides=(2, 2)),
        dict(kernel=(7, 7), pad=(3, 3), strides=(2, 2)),
        dict(kernel=(1, 5), pad=(0, 2), strides=(8, 1)),
        dict(kernel=(2, 3), dilations=(4, 3), pad=(4, 3)),
        dict(kernel=(3, 3), strides=(9, 9)),  # beyond the strides of a tensor map
    )
    for number, fields in enumerate(variants):
        conv = dataclasses.replace(base, **fields)
        run_all(conv, sizes + none if number == 0 else sizes, core=number in (0, 2))
        run_all(dataclasses.replace(conv, tma=False), core=number == 2)
    run_all(dataclasses.replace(base, pad=(0, 0)), none)
    # Channels and filters of no promised multiple: versions, and loads by 2 bytes.
    odd = ((2, (14, 14), 64, 128), (1, (9, 7), 3, 5), (2, (8, 11), 65, 33), (2, (8, 11), 66, 34), (1, (6, 6), 68, 36))
    for fields in (dict(), dict(strides=(2, 2)), dict(tma=False)):
        run_all(dataclasses.replace(base, promise=False, **fields), odd)
    for channels in (16, 24, 64, 256):
        run_all(dataclasses.replace(base, channels=channels), [(2, (12, 13), channels, 72)])
    # Tiles, swizzles (bytes of a step's channels), stages, types, roles.
    for tile, threads in (
        ((128, 256, 64), 256),
        ((64, 64, 64), 128),
        ((256, 64, 32), 256),
        ((128, 64, 16), 128),
        ((64, 128, 128), 128),
        ((192, 96, 64), 384),
    ):
        run_all(dataclasses.replace(base, tile=tile, threads=threads, stages=3))
    for stages in (1, 2, 5):
        run_all(dataclasses.replace(base, stages=stages))
    run_all(dataclasses.replace(base, specialize=False))
    for cluster in ((2, 1), (1, 2), (2, 2)):
        run_all(dataclasses.replace(base, cluster=cluster))
        run_all(dataclasses.replace(base, cluster=cluster, persistent=1, strides=(2, 1)))
    run_all(dataclasses.replace(base, element="bf16", out="f32", relu=True), core=True)
    run_all(dataclasses.replace(base, persistent=1, panel=8, tile=(64, 64, 64), threads=128))
    # One and three spatial dimensions.
    line = Conv(kernel=(3,), pad=(1,))
    lines = ((4, (100,), 64, 64), (2, (33,), 24, 136), (1, (1,), 8, 8))
    for fields in (dict(), dict(strides=(2,), dilations=(3,), pad=(3,)), dict(kernel=(9,), pad=(0,), pad_upper=(4,))):
        run_all(dataclasses.replace(line, **fields), lines, core=not fields)
        run_all(dataclasses.replace(line, tma=False, **fields), lines)
    volume = Conv(kernel=(3, 3, 3), pad=(1, 1, 1))
    volumes = ((2, (5, 6, 7), 64, 64), (1, (3, 9, 4), 40, 72))
    for fields in (dict(), dict(strides=(2, 1, 2), dilations=(1, 2, 1)), dict(kernel=(1, 3, 2), pad=(0, 1, 0))):
        run_all(dataclasses.replace(volume, **fields), volumes, core=not fields)
        run_all(dataclasses.replace(volume, tma=False, **fields), volumes)


def producers(add):
    """Warps that copy by cp.async and by loads and stores, alone and beside TMA: every stage count and trip count."""
    small = dataclasses.replace(PLAIN, tile=(64, 128, 64), threads=128, tb=True, load_a="cp_async")
    for stages in range(1, 9):
        base = dataclasses.replace(small, stages=stages)
        trips = range(0, 2 * stages + 3)
        for persistent in (0, 1):
            shape = MANY if persistent else dict(M=128, N=256)
            runs = [dict(shape, K=64 * t) for t in trips] + [dict(shape, K=64 * t + 8) for t in (0, stages)]
            add("producers", base, runs, core=stages in (2, 3), persistent=persistent)
        runs = [dict(MANY, K=64 * t) for t in (0, 1, 2, stages, 2 * stages + 2)]
        # From two stages on there is something to run ahead.
        asked = True if stages > 1 else None
        add("producers", base, runs, load_a="", load_tma=False)
        add("producers", base, runs, load_a="vector")
        add("producers", base, runs, load_a="", promise=False, aligned=False, specialize=asked)
        add("producers", base, runs, stored_a="f32", load_a="", persistent=stages % 2)
    # Guarded bodies, loops in loops and one after the other.
    for stages in (2, 3, 4):
        runs = [dict(MANY, K=64 * t) for t in (0, 1, 2, 3, stages + 1, 2 * stages + 2)]
        base = dataclasses.replace(PLAIN, stages=stages, load_a="cp_async", persistent=stages % 2)
        add("producers", base, runs, guard=True)
        add("producers", base, runs, nested=3, core=stages == 3)
        base = dataclasses.replace(base, tile=(128, 128, 32))  # two rings' worth of memory
        add("producers", base, runs, loops=2, core=stages == 3)
        add("producers", base, runs, loops=2, nested=2, load_a="vector")
        add("producers", base, runs, loops=2, load_a="", load_tma=False)
    # Tiles, warpgroups, types, ways out; never and always.
    for tile, threads in (((128, 256, 64), 256), ((64, 64, 32), 128), ((192, 128, 64), 384), ((128, 192, 48), 256)):
        for specialize in (None, True, False):  # asked for, sm_90 has them, too
            add("producers", PLAIN, tile=tile, threads=threads, load_a="cp_async", stages=4, specialize=specialize)
        add("producers", PLAIN, tile=tile, threads=threads, load_a="", load_tma=False, specialize=True)
        add("producers", PLAIN, tile=tile, threads=threads, stored_a="f32", specialize=True)
        add("producers", PLAIN, tile=tile, threads=threads, promise=False, aligned=False, specialize=True)
    for a, tile in (("bf16", (128, 128, 64)), ("f32", (128, 128, 32)), ("i8", (128, 128, 128)), ("f8E4M3FN", (128, 128, 128))):
        add("producers", PLAIN, a=a, tile=tile, tb=True, load_a="cp_async", core=a == "i8")
        add("producers", PLAIN, a=a, tile=tile, tb=True, load_a="vector")
    for cluster in ((2, 1), (1, 2)):
        add("producers", PLAIN, cluster=cluster, load_a="cp_async", core=cluster == (2, 1))
    for epilogue in ("bias_gelu", "residual", "residual_init"):
        add("producers", PLAIN, load_a="cp_async", epilogue=epilogue, core=epilogue == "residual")
    add("producers", PLAIN, load_a="cp_async", store_tma=False)
    add("producers", PLAIN, load_a="cp_async", ta=True)
    padded = [dict(run, pad=pad) for run, pad in zip(default_runs(PLAIN), (0, 3, 8, 7, 8))]
    add("producers", PLAIN, padded, load_tma=False, layout="strided", specialize=True)
    odd = extents((1, 1, 1), (1, 257, 33), (129, 1, 64), (127, 65, 31), (255, 385, 193), (1001, 1003, 507), (0, 64, 32))
    for tb in (False, True):
        add("producers", PLAIN, odd, promise=False, tb=tb, specialize=True)
        add("producers", PLAIN, odd, promise=False, aligned=False, tb=tb, specialize=True, tile=(128, 256, 64), stages=4)


def rows(add):
    """Rows gathered and scattered by index: more and fewer than there are, of odd widths, from each memory."""
    whole = [dict(T=300, M=200, U=400, K=192, N=256), dict(T=40, M=333, U=350, K=72, N=136), dict(T=1, M=1, U=1, K=8, N=8)]
    odd = [dict(T=33, M=130, U=140, K=65, N=67), dict(T=300, M=200, U=400, K=192, N=256), dict(T=9, M=70, U=80, K=6, N=10)]
    for indices in ("global", "shared", "fragment"):
        add("rows", Rows(indices=indices), whole, core=True)
        add("rows", Rows(indices=indices, promise=False), odd)
        add("rows", Rows(indices=indices, index="i64", element="bf16", tile=(64, 64, 32), threads=128), whole)
    add("rows", Rows(stages=1), whole)


def weights(add):
    """Weights of half a byte, on either side of the gemm."""
    shapes = extents((64, 64, 64), (128, 192, 256), (100, 72, 160), (1, 257, 96), (300, 520, 1024), (64, 64, 0))
    for weights in ("i4", "f4E2M1FN"):
        for first in (False, True):
            base = Weights(weights=weights, first=first)
            add("packed", base, shapes, core=True)
            add("packed", base, shapes, tile=(128, 128, 64), threads=256, stages=4)
            add("packed", base, shapes, element="bf16", tile=(64, 128, 32), stages=2)


def stress(found):
    """Kernels and extents for the launches back to back: pairs of (name, run), small ones of many kinds."""
    kinds = {"stages", "guard", "loops", "warpgroups", "types", "clusters", "epilogue", "batched"}
    kinds |= {"split", "stream", "attention", "conv", "rows", "packed"}
    pairs = []
    for group, program, runs, core in found:
        if group in kinds and core:
            small = [run for run in runs if outputs(program, run) <= 1 << 20 and work(program, run) <= 1 << 30]
            pairs += [(program.ident(), run) for run in small[:3]]
    return pairs


def outputs(program, run):
    """Elements of the result."""
    values = dict(run, D=program.d) if isinstance(program, Attention) else run
    return math.prod(d if isinstance(d, int) else values[d] for d in program.arguments()[-1][2])


def work(program, run):
    """Multiplications of a run, about."""
    if isinstance(program, Attention):
        return 2 * run["heads"] * run["S"] ** 2 * program.d
    if isinstance(program, Conv):
        taps = 1
        for extent in program.kernel:
            taps *= extent
        return run["pixels"] * run["F"] * max(run["C"], 1) * taps
    return run["M"] * run["N"] * max(run["K"], 1) * run.get("batch", 1)
