#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights of four and eight bits as plain tile programs, against torch's product of the dequantized weights.

  pack   compiles every configuration and packs them with the launcher: where the compiler is
  run    measures: where the GPU is (torch; no compiler)

Every result is first compared with float32 on fresh inputs, outputs poisoned. The fastest configuration that is right then alternates
with its peers: torch's matmul of weights that were dequantized before (cuBLAS), and our own GEMM of them. `share` is what the problem has
to move (weights, scales, zero points, A and C) over time, as a part of what a copy of 2 GB moves; `read` is a kernel that only reads as
many bytes (tilebench/reading.py): the most that few rows can reach where the L2 cache is flushed before each call, as here. Problems of
128 and more rows have TFLOP/s.

`run ... --jsonl FILE` adds what was measured to FILE, as lines for results.jsonl (see results.py).
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench.gemm import Gemm  # noqa: E402
from tilebench.quantized import STORED, Quantized  # noqa: E402
from tilebench.quantized_gemv import Gemv  # noqa: E402

# (N, K) of products of models: queries with keys and values, output, gate with up, down.
SHAPES = {
    "llama 8b": ((6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336)),
    "llama 70b": ((10240, 8192), (8192, 8192), (57344, 8192), (8192, 28672)),
    "mixtral 8x22b": ((8192, 6144), (6144, 6144), (32768, 6144), (6144, 16384)),
    "qwen 7b": ((4608, 3584), (3584, 3584), (37888, 3584), (3584, 18944)),
}
FEW, MANY = (1, 2, 4, 8, 16, 32, 64), (128, 256, 512, 1024, 2048, 4096)
# Other formats, of two shapes each: what differs from i4 with groups of 128 and A of f16.
FORMATS = (
    dict(weights="u4", zeros=True),
    dict(element="bf16"),
    dict(group=32),
    dict(group=64),
    dict(group=0),
    dict(weights="f4", group=32),
    dict(weights="mxfp4", group=32, element="bf16"),
    dict(weights="nf4", group=64),
    dict(weights="i8", group=0),
    dict(weights="f8", group=0, packing="pairs"),
    dict(weights="f8", group=0, packing="pairs", element="bf16"),
    dict(element="i8", group=0),
    dict(element="i8", scale="sums"),
    dict(element="f8E4M3FN", group=0),
)
PLAIN = dict(packing="split")


@dataclasses.dataclass(frozen=True)
class Problem:
    model: str
    m: int
    n: int
    k: int
    fields: tuple = ()  # of the programs: pairs of names and values

    @property
    def label(self):
        words = [self.model, f"{self.m}x{self.n}x{self.k}"] + [f"{v}" if isinstance(v, str) else f"{k}{v}" for k, v in self.fields]
        return " ".join(words)

    @property
    def few(self):
        return self.m <= 64


def problems():
    found = [Problem(model, m, n, k) for model, shapes in SHAPES.items() for n, k in shapes for m in FEW]
    large = (("llama 8b", 28672, 4096), ("llama 8b", 4096, 14336), ("llama 70b", 10240, 8192), ("qwen 7b", 3584, 18944))
    found += [Problem(model, m, n, k) for model, n, k in large for m in MANY]
    for fields in FORMATS:
        some = tuple(fields.items())
        found += [Problem("llama 70b", m, 57344, 8192, some) for m in (1, 16)] + [Problem("llama 8b", 2048, 28672, 4096, some)]
    return found


def candidates(p):
    """Programs that solve a problem; the fastest is reported."""
    fields = PLAIN | dict(p.fields)
    base = Quantized(**fields)
    change = lambda program=base, **more: dataclasses.replace(program, **more)
    wide = base.bits == 8  # twice the bytes
    late = base.group == 128 and not base.narrow and base.weights != "mxfp4"
    if p.few:
        rows = next(r for r in (8, 16, 32, 64) if r >= p.m)
        found = [change(tile=(rows, 64, 128), stages=s) for s in (4, 6)]
        found += [change(tile=(rows, 128, 128), threads=256, stages=4), change(tile=(rows, 128, 128), stages=4)]
        found += [change(tile=(rows, 64, 128), stages=6, scale="sums")] * late
        if base.scale != "sums":
            # Longer steps: what a step costs beside its weights, the waits and the release, is shared by more of them.
            found += [change(tile=(rows, 64, 256), stages=s) for s in (2, 3, 4)]
            found += [change(tile=(rows, 64, 256), stages=s, parts=2) for s in (3, 4)] * (base.packing != "rows")
            found += [change(tile=(rows, 128, 256), stages=3), change(tile=(rows, 128, 256), threads=256, stages=4, parts=1 + (base.packing != "rows"))]
            found += [] if wide else [change(tile=(rows, 64, 512), stages=s) for s in (2, 3)]
        if base.scale != "sums" and not base.narrow:
            # Tiles beyond whole rounds of blocks are shared: 896 tiles of 57344 columns on 264 places are 3.4 rounds, not 4.
            found += [change(tile=(rows, 64, 256), stages=3, persistent=3, stream_k=16)]
            found += [] if wide else [change(tile=(rows, 64, 512), stages=3, persistent=2, stream_k=16)]
            found += [change(tile=(rows, 128, 256), threads=256, stages=4, persistent=1, stream_k=16)] * (rows >= 32)
        if rows >= 32:
            # A's tile is as large as W's: it is read once for more columns.
            found += [change(tile=(rows, 256, 128), threads=256, stages=s) for s in (3, 5)]
            found += [change(tile=(rows, 256, 256), threads=256, stages=3, parts=2)] * (base.scale != "sums" and base.packing != "rows")
            found += [change(tile=(rows, 128, 256), threads=256, stages=4, parts=2, split=2)] * (p.n <= 16384 and base.scale != "sums" and base.packing != "rows")
            found += [change(tile=(rows, 128, 128), threads=256, stages=4, cluster=2)]
        if p.n <= 16384:
            found += [change(tile=(rows, 64, 128), stages=6, split=s) for s in (2, 4)]
            if base.scale != "sums":
                found += [change(tile=(rows, 64, 256), stages=s, split=k) for s, k in ((3, 2), (4, 2), (3, 4), (4, 4), (2, 8))]
                found += [] if wide else [change(tile=(rows, 64, 512), stages=2, split=2)]
        if p.m <= 2 and base.bits == 4 and base.weights != "nf4" and not base.narrow and base.group:
            gemv = Gemv(element=base.element, weights=base.weights, group=base.group, zeros=base.zeros)
            found += [change(gemv, packing=k, tile=(p.m, n, 1024), stages=s) for k, n, s in (("order", 16, 3), ("order", 8, 4), ("rows", 8, 4))]
        # As checkpoints have them, two to a byte.
        return found + [change(packing="rows", tile=(rows, 64, 128), stages=6)]
    found = [change(tile=(m, 128, 128), threads=256, stages=s, panel=8) for m, s in ((256, 2), (128, 3), (64, 4))]
    found += [change(tile=(m, 128, 128), threads=256, stages=s, panel=8, persistent=1) for m, s in ((256, 2), (128, 3))]
    found += [change(tile=(m, 128, 128), threads=256, stages=s, panel=8, parts=n) for m, s, n in ((256, 2, 2), (128, 3, 2), (256, 2, 4))]
    found += [change(tile=(256, 128, 128), threads=256, stages=2, panel=8, cluster=2, parts=2)]
    found += [change(tile=(128, 64, 128), stages=3, panel=8)]
    return found + [change(form="shared", tile=(128, 128, 128), threads=256, stages=2, panel=8)] * (base.scale == "weights")


def own_gemms(p):
    """Programs of the dequantized product, in f16 or bf16."""
    element = dict(p.fields).get("element", "f16")
    if element in ("i8", "f8E4M3FN"):
        return []
    configurations = (((128, 256, 64), 256, 4), ((128, 128, 64), 256, 5), ((64, 128, 64), 128, 6))
    return [Gemm(a=element, tb=True, tile=tile, threads=threads, stages=stages) for tile, threads, stages in configurations]


def programs():
    found = {}
    for p in problems():
        for program in candidates(p) + ([] if p.few else own_gemms(p)):
            found.setdefault(program.ident(), program)
    return list(found.values())


# --- data (torch)


def codes_of(torch, p, kind, device):
    """Codes [N, K] as uint8, and a function of rows that gives what they mean in float32."""
    bits = STORED[kind][1]
    q = torch.randint(0, 2**bits, (p.n, p.k), dtype=torch.uint8, device=device)
    if kind == "f8":
        q = torch.randn(p.n, p.k, device=device).to(torch.float8_e4m3fn).view(torch.uint8)
        return q, lambda q: q.view(torch.float8_e4m3fn).float()
    if kind == "i8":
        return q, lambda q: q.view(torch.int8).float()
    table = torch.arange(16.0, device=device)
    if kind == "i4":
        table = (table + 8) % 16 - 8
    elif kind in ("f4", "mxfp4"):
        half = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], device=device)
        table = torch.cat([half, -half])
    elif kind == "nf4":
        # Of the normal distribution, symmetric enough for a test; in f16.
        table = torch.linspace(-1, 1, 16, device=device).pow(3).half().float()
    return q, lambda q: table[q.int()]


def words_of(torch, q, program):
    """q as the program's W (packings.py, in torch)."""
    from tilebench import packings

    if program.packing == "rows" and program.bits == 8:
        return q
    if program.packing in ("rows", "order"):
        return q[:, ::2] | q[:, 1::2] << 4
    word, shift = packings.word_order(program.bits, program.packing, program.narrow)
    parts = q.view(q.shape[0], -1, len(word))
    found = torch.zeros(q.shape[0], parts.shape[1], 16, dtype=torch.int32, device=q.device)
    for k in range(len(word)):
        found[:, :, word[k]] |= parts[:, :, k].int() << int(shift[k])
    return found.view(q.shape[0], -1)


def tensors_of(bench, p, base):
    """Inputs by name, C, and the weights dequantized: rounded where the program rounds them, in A's type for the peers."""
    torch, device = bench.torch, bench.device
    kind = bench.timing.DTYPES
    q, meaning = codes_of(torch, p, base.weights, device)
    t = dict(q=q, A=bench.timing.normal((p.m, p.k), base.element, device), BIAS=None)
    groups = p.k // base.group if base.group else 1
    shape = (groups, p.n) if base.group else (p.n,)
    if base.weights == "mxfp4":
        t["S"] = torch.randint(120, 128, shape, dtype=torch.uint8, device=device)
        scale = 2.0 ** (t["S"].float() - 127)
    else:
        t["S"] = ((torch.rand(shape, device=device) + 0.5) / 2**base.bits).to(kind["f16" if base.narrow else base.element])
        scale = t["S"].float()
    t["wide scales"] = scale
    if base.zeros:
        t["Z"] = torch.randint(0, 16, shape, device=device).to(kind[base.element])
    if base.weights == "nf4":
        t["TABLE"] = meaning(torch.arange(16, dtype=torch.uint8, device=device)).to(kind[base.element])
    if base.narrow:
        t["SA"] = torch.rand(p.m, device=device) + 0.5
    element = torch.float16 if base.narrow else kind[base.element]
    w = torch.empty(p.n, p.k, dtype=element, device=device)
    for start in range(0, p.n, 4096):
        rows = slice(start, start + 4096)
        part = meaning(q[rows])
        spread = lambda x: x[:, rows].float().mT.repeat_interleave(base.group, 1) if base.group else x[rows, None].float()
        part = part - spread(t["Z"]) if base.zeros else part
        w[rows] = (part * spread(scale)).to(element)
    t["w"] = w
    t["C"] = torch.empty(p.m, p.n, dtype=element, device=device)
    return t


def bind(bench, p, program, t, words):
    """The launch of a program. `words` has W by packing, which several programs share."""
    key = (program.packing, program.narrow)
    if key not in words:
        words[key] = words_of(bench.torch, t["q"], program)
    named = dict(t, W=words[key])
    if program.scales == "f32":
        named["S"] = t["wide scales"]
    args = []
    for name, element, *_ in program.arguments():
        tensor = named[name]
        shape, strides = tuple(tensor.shape), tuple(tensor.stride())
        if name == "W" and program.stored in ("i4", "f4E2M1FN"):
            shape, strides = (p.n, p.k), (p.k, 1)
        elif name == "W" and program.packing == "order":
            shape, strides = (p.n, p.k // 8), (p.k // 8, 1)
        args.append(("memref", element, tensor.data_ptr(), shape, strides))
    launch = bench.runtime.kernel(program.ident()).bind(args, bench.stream())
    launch.named = named
    return launch


def wrong(bench, t, base):
    """None, or what is wrong with C. A weight is rounded once (or its scale multiplies a sum), and the result; sums of fp8 keep
    fewer bits (timing.fp8_error)."""
    torch, timing = bench.torch, bench.timing
    torch.backends.cuda.matmul.allow_tf32 = False
    a, unit = t["A"].float(), 2.0**-10 if t["C"].dtype == torch.float16 else 2.0**-7
    if bool(t["C"].isnan().any()):
        return f"{int(t['C'].isnan().sum())} elements are NaN"
    square = total = 0.0
    lost = (base.group or a.shape[1]) if base.element.startswith("f8") else None
    for start in range(0, t["w"].shape[0], 4096):
        w = t["w"][start : start + 4096].float()
        want = a @ w.mT
        bound = unit * (w.square().mean().sqrt() * a.square().mean().sqrt() * a.shape[1] ** 0.5 * 4)
        if base.narrow:
            want, bound = want * t["SA"][:, None], bound * 1.5
        if lost:
            bound = bound + timing.fp8_error(lost) * (a.abs() @ w.abs().mT) * t["SA"][:, None]
        error = (t["C"][:, start : start + 4096].float() - want).abs()
        bad = ~(error <= bound + unit * want.abs())
        if bool(bad.any()):
            at = [int(i) for i in bad.nonzero()[0]]
            return f"{int(bad.sum())} wrong, first at {at[0]}, {at[1] + start}: expected {float(want[tuple(at)]):g}, error {float(error[tuple(at)]):g}"
        tile = timing.worst_tile(error, want) if lost else 0.0
        if lost and tile > 2 * unit + timing.fp8_spread(lost):
            return f"relative error of a tile {tile:.1e}"
        square, total = square + float(error.square().sum()), total + float(want.square().sum())
    relative = (square / max(total, 1e-30)) ** 0.5
    return f"relative error {relative:.1e}" if relative > 2 * unit + (timing.fp8_spread(lost) if lost else 0) else None


def moved(p, base, t):
    """Bytes that have to be moved."""
    sizes = [t[name].nbytes for name in ("A", "S", "Z", "TABLE", "SA", "C") if name in t]
    return p.n * p.k * base.bits // 8 + sum(sizes)


def mode_of(p, weights):
    """What sets of tilebench/sets.py call problems of this kind: many rows, or few by the bytes of the weights."""
    if not p.few:
        return "quantized many rows"
    return "quantized 64 MB" if weights >= 64e6 else "quantized 16 MB" if weights >= 16e6 else "quantized small"


def measure(bench, p, copy):
    base = candidates(p)[0]
    chosen = bench.packed(candidates(p))
    if not chosen:
        return
    bench.alive()
    t = tensors_of(bench, p, base)
    good = {}

    def verified(name, call):
        bench.alive()
        bench.timing.poison(t["C"])
        try:
            call()
            bench.synchronize()
            what = wrong(bench, t, base)
        except RuntimeError as error:
            what = str(error).splitlines()[0]
            if "CUDA" in what:
                raise
        if what:
            bench.wrong.append(dict(name=name, problem=p.label, what=what))
            print(f"WRONG {p.label} {name}: {what}", flush=True)
        return not what

    words = {}
    for program in chosen:
        call = bind(bench, p, program, t, words)
        if verified(program.ident(), call):
            good[program.ident()] = call
    if not good:
        return
    bench.alive()
    best, times = bench.fastest(good)
    peers = {}
    if not base.narrow and not bench.options.quick:
        peers["cublas"] = lambda: bench.torch.matmul(t["A"], t["w"].mT, out=t["C"])
        own = {}
        for program in [] if p.few else bench.packed(own_gemms(p)):
            args = [bench.launching.tensor_arg(t[x], base.element) for x in ("A", "w", "C")]
            launch = bench.runtime.kernel(program.ident()).bind(args, bench.stream())
            if verified(program.ident(), launch):
                own[program.ident()] = launch
        if own:
            peers["f16"] = own[bench.fastest(own)[0]]
    bytes_moved = moved(p, base, t)
    if p.few:
        from tilebench.reading import reader

        peers["read"] = reader(bench, bytes_moved)
    work = bytes_moved if p.few else 2 * p.m * p.n * p.k
    weights = p.n * p.k * base.bits // 8
    row = bench.report(mode_of(p, weights), p.label, best, good[best], work, peers, dict(few=p.few, bytes=bytes_moved, weights=weights))
    share = row["share"] = bytes_moved / row["ms"] / 1e9 / copy
    if p.few:
        row["peers"]["copy"] = dict(rate=copy, ratio=share, low=share, high=share)
    row["times"] = {name: ms for name, ms in times.items()}
    print(f"     share of a copy {row['share']:.3f}, {row['ms'] * 1e3:.1f} us, {bytes_moved / 1e6:.1f} MB", flush=True)
    if bench.options.verbose:
        for name, ms in sorted(times.items(), key=lambda pair: pair[1]):
            print(f"     {ms * 1e3:8.1f} us {name}", flush=True)


def summary(bench):
    geomean = bench.timing.geomean
    for title, rows in (
        ("few rows, 64 MB and more", [r for r in bench.rows if r["few"] and r["weights"] >= 64e6]),
        ("few rows, 16 to 64 MB", [r for r in bench.rows if r["few"] and 16e6 <= r["weights"] < 64e6]),
        ("few rows, below 16 MB", [r for r in bench.rows if r["few"] and r["weights"] < 16e6]),
    ):
        if rows:
            worst = min(rows, key=lambda r: r["share"])
            print(f"== {title}: share of a copy {geomean(r['share'] for r in rows):.3f} of {len(rows)}, worst {worst['share']:.3f} ({worst['problem']})")
    for few in (True, False):
        for peer in ("cublas", "f16", "read"):
            rows = [r for r in bench.rows if r["few"] == few and peer in r["peers"]]
            if rows:
                worst = min(rows, key=lambda r: r["peers"][peer]["ratio"])
                ratios = geomean(r["peers"][peer]["ratio"] for r in rows)
                print(f"== {'few' if few else 'many'} rows against {peer}: geomean {ratios:.3f} of {len(rows)}, worst {worst['peers'][peer]['ratio']:.3f} ({worst['problem']})")


def copy_bandwidth(torch, bench):
    source = torch.randn(1 << 29, device=bench.device, dtype=torch.float16)
    target = torch.empty_like(source)
    return 2 * source.nbytes / bench.time(lambda: target.copy_(source), 40, 5) / 1e9


def run(options):
    from tilebench.bench import Bench

    start = time.time()
    bench = Bench(options)
    torch = bench.torch
    copy = copy_bandwidth(torch, bench)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, copy {copy:.3f} TB/s; medians of {options.pairs} pairs; few rows TB/s, many TFLOP/s", flush=True)
    left = []
    for p in problems():
        if options.problems and options.problems not in p.label or options.rows and str(p.m) not in options.rows.split(","):
            continue
        if options.budget and time.time() - start > options.budget:
            left.append(p.label)
            continue
        measure(bench, p, copy)
        torch.cuda.empty_cache()
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(dict(copy=copy, rows=bench.rows, wrong=bench.wrong)))
    summary(bench)
    for mode in dict.fromkeys(r["mode"] for r in bench.rows):
        bench.record(mode)
    if left:
        print(f"not measured, the time was over: {', '.join(left)}")
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong, {time.time() - start:.0f} s")
    return 1 if bench.wrong or not bench.rows else 0


def pack(options):
    from tilebench import pack as packing

    chosen = [p for p in programs() if not options.only or options.only in p.ident()]
    if options.list:
        print("\n".join(p.ident() for p in chosen))
        return 0
    return packing.pack(chosen, __file__, options)


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    p.add_argument("--only", help="only programs whose names contain this")
    p.add_argument("--list", action="store_true", help="print the programs' names, compile nothing")
    packing.add_options(p, "quantized.tar.xz")
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("--problems", help="only problems whose labels contain this")
    p.add_argument("--rows", help="only problems of so many rows, separated by commas")
    p.add_argument("--quick", action="store_true", help="no peers")
    p.add_argument("--verbose", action="store_true", help="times of all configurations")
    p.add_argument("--budget", type=float, help="seconds after which no other problem is begun")
    packing.add_run_options(p)
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run}[options.command](options))


if __name__ == "__main__":
    main()
