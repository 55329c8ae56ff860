#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GEMM figures of Hopper: one plain tile program and its variants against cuBLAS, and against Triton.

  pack      compiles every configuration and packs them with the launcher: where the compiler is
  selftest  reads the packed artifacts and checks each launch against its manifest: no GPU
  run       measures: where the GPU is (torch, triton; no compiler)
  choices   prints what the compiler chooses for the LLM set: where the compiler is
  compile   times compilation to PTX and to machine code: where the compiler is

Modes of `run` (several may be named; default: headline sweep):
  headline  4096, 8192, 16384 cubed       sweep     the LLM set: M x (N, K), B as K x N and N x K
  fp8       e4m3 against _scaled_mm       int8      against _int_mm           tf32     against cuBLAS tf32
  small     M of 1 to 128                 batched   16 x 2048 cubed           ragged   4093 x 4099 x 4001
  epilogue  fused against plain           triton, tilelang  a peer's best on six      ablation  what each decision is worth
  roles     copies that TMA does not make, by warps of their own and without
  choice    the compiler's own choice for each problem of the LLM set, against the best of the sweep's configurations

Every configuration that is timed is first compared with float32 on fresh random inputs, the output poisoned with NaN.
Times are medians of triton's do_bench, ours and the peer alternating in one process; ratios are peer over ours, pair by
pair: above 1 is faster than the peer. `--tune` picks configurations by measuring; without it a model of waves picks.

`run ... --jsonl FILE` adds what was measured to FILE, as lines for results.jsonl (see results.py).
"""

import argparse
import dataclasses
import faulthandler
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench import artifact  # noqa: E402
from tilebench.bench import Bench  # noqa: E402
from tilebench.gemm import Gemm, padded_row  # noqa: E402
from tilebench.problems import (
    DEEPSEEK_NK,
    HEADLINE,
    PEER_SHAPES,
    RAGGED,
    SMALL_M,
    Problem,
    eight_bit,
    large,  # noqa: E402
    llm_set,
    small,
    small_candidates,
    tf32,
)

CUBE = 8192


# ----- what each mode needs ----------------------------------------------------------------------


def ragged_programs(layout):
    # Rows padded to 16 bytes have strides that the program states; contiguous ones start anywhere, of any extent.
    promise = dict(layout=layout, static=RAGGED) if layout == "padded" else dict(promise=False, aligned=False)
    return [
        Gemm(**promise),
        Gemm(cluster=(2, 1), **promise),
        Gemm(cluster=(1, 2), **promise),
        Gemm(tile=(128, 128, 64), stages=4, **promise),
        Gemm(tile=(128, 128, 32), stages=3, threads=128, persistent=0, **promise),
    ]


def epilogue_programs():
    return [
        dataclasses.replace(plain, epilogue=e)
        for e in ("none", "relu", "bias_gelu", "residual", "residual_early", "residual_init")
        for plain in (
            Gemm(cluster=(1, 2), panel=16),
            Gemm(cluster=(1, 2), panel=16, stages=3),
            Gemm(cluster=(2, 1)),
            Gemm(),
            Gemm(panel=16),
            Gemm(cluster=(1, 2), panel=8),
            Gemm(cluster=(1, 2), panel=32),
            Gemm(cluster=(1, 2), panel=16, evict=(("C", "first"),)),
            Gemm(cluster=(1, 2), panel=16, evict=(("R", "first"), ("C", "first"))),
        )
    ]


BASE = Gemm(cluster=(1, 2), panel=16)
ABLATIONS = {
    "as measured": BASE,
    "no cluster, no multicast": dataclasses.replace(BASE, cluster=(1, 1)),
    "not persistent": dataclasses.replace(BASE, persistent=0),
    "no panels (row order)": dataclasses.replace(BASE, panel=0),
    "epilogue by vector stores": dataclasses.replace(BASE, store_tma=False),
    "loads without TMA": dataclasses.replace(BASE, load_tma=False, cluster=(1, 1)),
    "no roles (nor register split)": dataclasses.replace(BASE, specialize=False),
    "no roles, not persistent": dataclasses.replace(BASE, specialize=False, persistent=0),
    "3 stages": dataclasses.replace(BASE, stages=3),
    "2 stages": dataclasses.replace(BASE, stages=2),
    "tile 128x128": dataclasses.replace(BASE, tile=(128, 128, 64)),
    "cluster of four": dataclasses.replace(BASE, cluster=(1, 4)),
    "tile 256x192, 3 stages": dataclasses.replace(BASE, tile=(256, 192, 64), stages=3),
    "C leaves the L2 cache first": dataclasses.replace(BASE, evict=(("C", "first"),)),
    "C leaves the L2 cache first, A and B last": dataclasses.replace(
        BASE, evict=(("A", "last"), ("B", "last"), ("C", "first"))
    ),
}


# Copies that TMA does not make, by warps of their own and by those that multiply.
NO_TMA = {
    "A by cp.async, B by TMA": Gemm(load_a="cp_async"),
    "A and B by cp.async": Gemm(load_tma=False),
    "A and B by cp.async, B as N x K": Gemm(load_tma=False, tb=True),
    "A converted from f32, B by TMA": Gemm(stored_a="f32"),
    "contiguous ragged, realigned": Gemm(promise=False, aligned=False),
    "contiguous ragged, realigned, 128x128": Gemm(promise=False, aligned=False, tile=(128, 128, 64)),
}


def without_tma(program):
    """The program with roles and without."""
    return dataclasses.replace(program, specialize=True), dataclasses.replace(program, specialize=False)


def fp8_problems():
    shapes = [(CUBE, CUBE, CUBE)] + [(4096, n, k) for n, k in DEEPSEEK_NK]
    return [Problem(m, n, k, True, "f8E4M3FN", "bf16") for m, n, k in shapes]


def fp8_programs(promote):
    return eight_bit("f8E4M3FN", out="bf16", epilogue="scale", promote_every=promote)


def programs():
    """Every program of every mode: (mode, program)."""
    found = [(mode, p) for mode in ("headline", "sweep", "triton", "tilelang") for tb in (False, True) for p in large(tb)]
    found += [("fp8", p) for promote in (0, 128) for p in fp8_programs(promote)]
    found += [("quantize", p) for p in fp8_programs(0) + quantized_programs()]
    found += [("int8", p) for p in eight_bit("i8")] + [("tf32", p) for p in tf32()]
    found += [("small", p) for p in small()]
    found += [("batched", dataclasses.replace(p, batched=True)) for p in large()[:9]]
    found += [("batched", dataclasses.replace(p, batched=True)) for p in large(True)[:9]]
    found += [("ragged", p) for layout in ("padded", "dense") for p in ragged_programs(layout)]
    found += [("choice", p) for tb in (False, True) for p in large(tb)]
    found += [("roles", p) for program in NO_TMA.values() for p in without_tma(program)]
    found += [("epilogue", p) for p in epilogue_programs()] + [("ablation", p) for p in ABLATIONS.values()]
    return found


# ----- measuring ---------------------------------------------------------------------------------


def matrices(bench, problem, element_out):
    """A, B as stored, B as K x N (a view), C."""
    t, p = bench.timing, problem
    head = (p.batch,) if p.batch > 1 else ()
    a = t.normal(head + (p.m, p.k), p.a, bench.device)
    b = t.normal(head + ((p.n, p.k) if p.tb else (p.k, p.n)), p.a, bench.device)
    c = bench.torch.empty(head + (p.m, p.n), dtype=t.DTYPES[element_out], device=bench.device)
    return a, b, (b.mT if p.tb else b), c


def product_mode(bench, mode, problems, candidates, peers, scalars=None):
    """A mode of plain products. candidates(problem): programs; peers(a, b, problem, c): name -> function."""
    for problem in problems:
        programs_ = bench.packed(candidates(problem))
        if not programs_:
            print(f"{mode}: nothing packed for {problem.label()}")
            continue
        out = programs_[0].types()[3]
        a, b, b_view, c = matrices(bench, problem, out)
        bound = {}

        def launches(p):
            if p not in bound:
                bound[p] = bench.bind(p, dict(A=a, B=b, C=c), scalars)
            return bound[p]

        program = bench.choose(programs_, problem, launches)
        while not bench.verified(
            f"{program.ident()} {problem.label()}",
            launches(program),
            c,
            a,
            b_view,
            problem.a,
            out,
            run=program.promote_every or None,
        ):
            programs_ = [p for p in programs_ if p != program]
            if not programs_:
                break
            program = bench.choose(programs_, problem, launches)
        if not programs_:
            continue
        d = bench.torch.empty_like(c)
        if problem.a.startswith("f8"):
            error = bench.timing.relative_error
            theirs = [error(f(), a, b_view) for f in peers(a, b_view, problem, d).values()]
            print(f"relative error {error(c, a, b_view):.2e}, peer's {', '.join(f'{e:.2e}' for e in theirs)}", flush=True)
        bench.report(
            mode,
            problem.label(),
            program.ident(),
            launches(program),
            problem.flops(),
            peers(a, b_view, problem, d),
            dict(tuned=bench.tuned) if bench.options.tune else None,
        )
    bench.summary(mode)


def cublas(bench):
    return lambda a, b, problem, d: {"cublas": lambda: bench.torch.matmul(a, b, out=d)}


def mode_headline(bench):
    problems = [Problem(m, n, k, tb) for m, n, k in HEADLINE for tb in (False, True)]
    product_mode(bench, "headline", problems, lambda p: large(p.tb), cublas(bench))


def mode_sweep(bench):
    product_mode(bench, "sweep", llm_set(bench.options.m), lambda p: large(p.tb), cublas(bench))


def mode_fp8(bench):
    torch = bench.torch
    one = torch.ones((), device=bench.device)

    def peers(fast):
        def make(a, b, problem, d):
            return {
                f"scaled_mm fast={int(fast)}": lambda: torch._scaled_mm(
                    a, b, one, one, out_dtype=torch.bfloat16, use_fast_accum=fast
                )
            }

        return make

    for promote, fast in ((0, True), (128, False)):
        product_mode(
            bench,
            f"fp8{'' if fast else '+'}",
            fp8_problems(),
            lambda p: fp8_programs(promote),
            peers(fast),
            dict(scale=1.0),
        )


def quantized_programs():
    # 192 accumulators and the rows' maxima are more registers than a thread has.
    return [p for p in eight_bit("f8E4M3FN", out="f8E4M3FN", epilogue="quantize") if p.tile[:2] != (256, 192)]


def mode_quantize(bench):
    """fp8 out with a scale and the largest magnitude of each row, against bf16 out with a scale."""
    torch, t = bench.torch, bench.timing
    problem, scale = Problem(CUBE, CUBE, CUBE, True, "f8E4M3FN", "bf16"), 1.0 / 64
    a, b, b_view, c = matrices(bench, problem, "bf16")
    quantized, peak = torch.empty_like(c, dtype=torch.float8_e4m3fn), torch.zeros(problem.m, device=bench.device)
    plain, good = {}, {}
    for program in bench.packed(fp8_programs(0)):
        plain[program.ident()] = bench.bind(program, dict(A=a, B=b, C=c), dict(scale=scale))
    for program in bench.packed(quantized_programs()):
        launch = bench.bind(program, dict(A=a, B=b, C=quantized, P=peak), dict(scale=scale))
        peak.zero_()
        quantized.fill_(float("nan"))
        launch()
        wrong = 0
        for start in range(0, problem.m, 2048):
            rows = slice(start, start + 2048)
            want = t.product(a, b_view, rows)
            lost = t.truncation(want, problem.k, problem.k)
            # e4m3 keeps 3 bits behind the leading one, and multiples of 2^-9 near zero.
            bound = scale * lost + (scale * want).abs() * 2.0**-4 + 2.0**-10
            wrong += int((~((quantized[rows].float() - scale * want).abs() <= bound)).sum())
            most = want.abs().amax(1)
            wrong += int((~((peak[rows] - most).abs() <= lost.amax(1) + 1e-6 * most)).sum())
        if wrong:
            bench.wrong.append(dict(name=program.ident(), what=f"{wrong} elements"))
            print(f"WRONG {program.ident()}: {wrong} elements", flush=True)
        else:
            good[program.ident()] = launch
    if plain and good:
        base, name = plain[bench.fastest(plain)[0]], bench.fastest(good)[0]
        bench.report("quantize", problem.label(), name, good[name], problem.flops(), {"bf16 out": base})
    bench.summary("quantize")


def mode_int8(bench):
    problem = Problem(CUBE, CUBE, CUBE, True, "i8")
    product_mode(
        bench,
        "int8",
        [problem],
        lambda p: eight_bit("i8"),
        lambda a, b, _, d: {"int_mm": lambda: bench.torch._int_mm(a, b)},
    )


def mode_tf32(bench):
    torch = bench.torch

    def peers(a, b, problem, d):
        torch.backends.cuda.matmul.allow_tf32 = True
        return {"cublas tf32": lambda: torch.matmul(a, b, out=d)}

    product_mode(bench, "tf32", [Problem(CUBE, CUBE, CUBE, True, "f32")], lambda p: tf32(), peers)
    torch.backends.cuda.matmul.allow_tf32 = False


def mode_batched(bench):
    problems = [Problem(2048, 2048, 2048, tb, batch=16) for tb in (False, True)]
    found = {p for mode, p in programs() if mode == "batched"}
    product_mode(
        bench,
        "batched",
        problems,
        lambda q: sorted((p for p in found if p.tb == q.tb), key=Gemm.ident),
        lambda a, b, _, d: {"cublas": lambda: bench.torch.bmm(a, b, out=d)},
    )


def mode_small(bench):
    """Few rows: whole, or the K loop shared by the blocks of a cluster."""
    count = bench.options.candidates if bench.options.tune else 1
    product_mode(
        bench, "small", llm_set(SMALL_M), lambda p: small_candidates(bench.packed(small()), p, count), cublas(bench)
    )


def mode_ragged(bench):
    m, n, k = RAGGED
    torch, t = bench.torch, bench.timing
    for layout in ("padded", "dense"):

        def matrix(rows, columns):
            width = padded_row(columns, "f16") if layout == "padded" else columns
            return t.normal((rows, width), "f16", bench.device)[:, :columns]

        a, b, c, d = matrix(m, k), matrix(k, n), matrix(m, n), matrix(m, n)
        good = {}
        for program in bench.packed(ragged_programs(layout)):
            launch = bench.bind(program, dict(A=a, B=b, C=c))
            if bench.verified(f"{program.ident()}", launch, c, a, b, "f16", "f16"):
                good[program.ident()] = launch
        if good:
            name, _ = bench.fastest(good)
            launch = good[name]
            label = f"{m}x{n}x{k} {'padded' if layout == 'padded' else 'contiguous'}"
            bench.report("ragged", label, name, launch, 2 * m * n * k, {"cublas": lambda: torch.matmul(a, b, out=d)})
    bench.summary("ragged")


def finishes(torch, bias, r):
    """What each epilogue does to the product, in float32."""
    residual = lambda x, rows: x + r[rows].float()
    return {
        "none": None,
        "relu": lambda x, rows: x.clamp_min(0),
        "bias_gelu": lambda x, rows: torch.nn.functional.gelu(x + bias.float(), approximate="tanh"),
        "residual": residual,
        "residual_early": residual,
        "residual_init": residual,
    }


def mode_epilogue(bench):
    """Each fused kernel against the plain one, the best configuration of each."""
    torch = bench.torch
    problem = Problem(CUBE, CUBE, CUBE)
    a, b, _, c = matrices(bench, problem, "f16")
    bias, r = bench.timing.normal((CUBE,), "f16", bench.device), bench.timing.normal((CUBE, CUBE), "f16", bench.device)
    finish = finishes(torch, bias, r)
    launches = {}
    for program in bench.packed(epilogue_programs()):
        launch = bench.bind(program, dict(A=a, B=b, C=c, bias=bias, R=r))
        if bench.verified(program.ident(), launch, c, a, b, "f16", "f16", finish[program.epilogue]):
            launches.setdefault(program.epilogue, {})[program.ident()] = launch
    best = {}
    for epilogue, candidates in launches.items():
        name, times = bench.fastest(candidates)
        best[epilogue] = times[name], name, candidates[name]
        for kernel, took in times.items():
            print(f"  {problem.flops() / took * 1e-9:7.1f} {kernel}", flush=True)
    if "none" in best:
        for epilogue in best:
            if epilogue != "none":
                bench.report(
                    "epilogue",
                    epilogue,
                    best[epilogue][1],
                    best[epilogue][2],
                    problem.flops(),
                    {"plain": best["none"][2]},
                )
    bench.summary("epilogue")


def rivals_mode(bench, mode, rivals):
    """Ours against cuBLAS and the best of a peer's configurations. rivals(a, b, d, problem): [(name, launch)]."""
    for m, n, k in PEER_SHAPES:
        for tb in (False, True):
            problem = Problem(m, n, k, tb)
            a, b, b_view, c = matrices(bench, problem, "f16")
            programs_ = bench.packed(large(tb))
            bound = {p: bench.bind(p, dict(A=a, B=b, C=c)) for p in programs_}
            if not programs_:
                continue
            program = bench.choose(programs_, problem, bound.get)
            if not bench.verified(f"{program.ident()} {problem.label()}", bound[program], c, a, b_view, "f16", "f16"):
                continue
            d, e = bench.torch.empty_like(c), bench.torch.empty_like(c)
            good = {}
            for name, launch in rivals(a, b, d, problem):
                try:
                    if bench.verified(f"{mode} {name} {problem.label()}", launch, d, a, b_view, "f16", "f16", peer=True):
                        good[str(name)] = launch
                except Exception as error:  # a configuration that the peer refuses is no rival
                    print(f"{mode} {name}: {str(error).splitlines()[0][:100]}")
            peers = {"cublas": lambda: bench.torch.matmul(a, b_view, out=e)}
            if good:
                peers[mode] = good[bench.fastest(good)[0]]
            bench.report(mode, problem.label(), program.ident(), bound[program], problem.flops(), peers)
    bench.summary(mode)


def mode_triton(bench):
    from tilebench import triton_gemm as peer

    rivals_mode(
        bench,
        "triton",
        lambda a, b, d, problem: [(config, peer.launcher(a, b, d, problem.tb, config)) for config in peer.CONFIGS],
    )


def mode_tilelang(bench):
    """Needs the package tilelang on PYTHONPATH."""
    from tilebench import tilelang_gemm as peer

    start = time.time()
    faulthandler.cancel_dump_traceback_later()
    built = peer.compile_all([(m, n, k, tb) for m, n, k in PEER_SHAPES for tb in (False, True)])
    print(f"TileLang compiled {len(built)} kernels in {time.time() - start:.0f} s", flush=True)

    def rivals(a, b, d, problem):
        found = []
        for (m, n, k, tb, config), kernel in built.items():
            if (m, n, k, tb) == (problem.m, problem.n, problem.k, problem.tb):
                found.append((config, lambda kernel=kernel: kernel(a, b, d)))
        return found

    rivals_mode(bench, "tilelang", rivals)


def mode_ablation(bench):
    """One decision at a time turned off, all variants in turn with cuBLAS."""
    for size in (8192, 4096):
        problem = Problem(size, size, size)
        a, b, _, c = matrices(bench, problem, "f16")
        launches = {}
        for what, program in ABLATIONS.items():
            if not bench.packed([program]):
                print(f"ablation: {what}: {bench.failed.get(program.ident(), 'not packed')}")
                continue
            launch = bench.bind(program, dict(A=a, B=b, C=c))
            if bench.verified(program.ident(), launch, c, a, b, "f16", "f16"):
                launches[what] = launch
        d = bench.torch.empty_like(c)
        names = list(launches)
        functions = [lambda: bench.torch.matmul(a, b, out=d)] + [launches[n] for n in names]
        times = bench.timing.alternate(functions, bench.options.pairs, bench.options.rep, bench=bench.time)
        for index, what in enumerate(names, 1):
            middle, low, high = bench.timing.ratio(times[index], times[0])
            worth, _, _ = bench.timing.ratio(times[index], times[1])
            rate = problem.flops() / statistics.median(times[index]) / 1e9
            bench.rows.append(
                dict(
                    mode="ablation",
                    problem=f"{size} {what}",
                    kernel=ABLATIONS[what].ident(),
                    ours=rate,
                    peers=dict(cublas=dict(ratio=middle, low=low, high=high)),
                    of_base=worth,
                )
            )
            print(
                f"ablation  {size:6} {what:32} {rate:6.1f} | cublas {middle:.3f} ({low:.3f}-{high:.3f}) | of the first {worth:.3f}",
                flush=True,
            )


def mode_roles(bench):
    """The same copies by warps of their own, and by those that multiply: pairs of kernels, and cuBLAS."""
    for what, program in NO_TMA.items():
        m, n, k = (4096, 4096, 4096) if program.promise else RAGGED
        problem = Problem(m, n, k, program.tb)
        a, b, b_view, c = matrices(bench, problem, "f16")
        d = bench.torch.empty_like(c)
        stored = a.float() if program.stored_a else a
        launches = []
        for kernel in bench.packed(without_tma(program)):
            launch = bench.bind(kernel, dict(A=stored, B=b, C=c))
            if bench.verified(kernel.ident(), launch, c, a, b_view, "f16", "f16"):
                launches.append(launch)
        if len(launches) == 2:
            peers = {"no roles": launches[1], "cublas": lambda a=a, b=b_view, d=d: bench.torch.matmul(a, b, out=d)}
            bench.report("roles", f"{m}x{n}x{k} {what}", program.ident(), launches[0], 2 * m * n * k, peers)
    bench.summary("roles")


def mode_choice(bench):
    """The configuration that the cost model chose when the set was packed, beside the best one by measuring."""
    chosen = {c["problem"]: c for c in bench.choices}
    lost = []
    for problem in llm_set(bench.options.m):
        choice = chosen.get(problem.label())
        candidates = {p.ident(): p for p in bench.packed(large(problem.tb))}
        if not choice or choice["kernel"] not in bench.have:
            print(f"choice: nothing packed for {problem.label()}")
            continue
        own = Gemm(tb=problem.tb, **{k: tuple(v) if isinstance(v, list) else v for k, v in choice["fields"].items()})
        candidates.setdefault(own.ident(), own)
        a, b, b_view, c = matrices(bench, problem, "f16")
        bound = {name: bench.bind(p, dict(A=a, B=b, C=c)) for name, p in candidates.items()}
        if not bench.verified(f"{own.ident()} {problem.label()}", bound[own.ident()], c, a, b_view, "f16", "f16"):
            continue
        bench.alive()
        times = {name: bench.time(launch, rep=bench.options.tune_rep, warmup=4) for name, launch in bound.items()}
        best = min(times, key=times.get)
        # Short runs are noisy: the two in turn.
        pair = bench.timing.alternate(
            [bound[own.ident()], bound[best]], bench.options.pairs, bench.options.rep, bench=bench.time
        )
        ratio, low, high = bench.timing.ratio(pair[0], pair[1])
        lost.append(ratio)
        bench.rows.append(
            dict(
                mode="choice",
                problem=problem.label(),
                kernel=own.ident(),
                best=best,
                ours=problem.flops() / statistics.median(pair[0]) / 1e9,
                predicted_us=choice["predicted_us"],
                us=statistics.median(pair[0]) * 1e3,
                candidates_ms=times,
                peers=dict(best=dict(ratio=ratio, low=low, high=high)),
            )
        )
        print(
            f"choice    {problem.label():24} {ratio:.3f} ({low:.3f}-{high:.3f}) of the best; predicted "
            f"{choice['predicted_us']:.1f} us, {statistics.median(pair[0]) * 1e3:.1f} | {own.ident().removeprefix('gemm_')} "
            f"| best {best.removeprefix('gemm_')}",
            flush=True,
        )
    bench.summary("choice")


MODES = dict(
    headline=mode_headline,
    sweep=mode_sweep,
    fp8=mode_fp8,
    quantize=mode_quantize,
    int8=mode_int8,
    tf32=mode_tf32,
    small=mode_small,
    batched=mode_batched,
    ragged=mode_ragged,
    epilogue=mode_epilogue,
    triton=mode_triton,
    tilelang=mode_tilelang,
    ablation=mode_ablation,
    roles=mode_roles,
    choice=mode_choice,
)


def run(options):
    modes = options.modes or ["headline", "sweep"]
    start = time.time()
    bench = Bench(options)
    print(
        f"{bench.torch.cuda.get_device_name()}, torch {bench.torch.__version__}, {len(bench.have)} artifacts; "
        f"medians of {options.pairs} pairs, TFLOP/s",
        flush=True,
    )
    status = 0
    for mode in modes:
        begun = time.time()
        bench.alive()
        if options.seconds and begun - start > options.seconds:
            print(f"{mode}: not run: out of time")
            status = 1
            continue
        try:
            MODES[mode](bench)
        except (ImportError, RuntimeError) as error:
            print(f"{mode}: {str(error).splitlines()[0]}", flush=True)
            status = 1
            if "CUDA" in str(error):
                break
        print(f"-- {mode}: {time.time() - begun:.0f} s", flush=True)
        if options.json:
            pathlib.Path(options.json).write_text(
                json.dumps(dict(device=bench.torch.cuda.get_device_name(), rows=bench.rows, wrong=bench.wrong))
            )
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong, {time.time() - start:.0f} s")
    return 1 if bench.wrong or status else 0


# ----- without a GPU -----------------------------------------------------------------------------


def selftest(options):
    """Each packed kernel's manifest against launches that the modes would do."""
    index = {e["name"]: e for e in json.loads((options.folder / "index.json").read_text())["kernels"]}
    problems = {
        "headline": [Problem(*s) for s in HEADLINE],
        "sweep": llm_set(),
        "triton": [Problem(*s) for s in PEER_SHAPES],
        "tilelang": [Problem(*s) for s in PEER_SHAPES],
        "fp8": fp8_problems(),
        "int8": [Problem(CUBE, CUBE, CUBE)],
        "tf32": [Problem(CUBE, CUBE, CUBE)],
        "small": llm_set(SMALL_M),
        "batched": [Problem(2048, 2048, 2048, batch=16)],
        "ragged": [Problem(*RAGGED)],
        "roles": [Problem(4096, 4096, 4096)],
        "epilogue": [Problem(CUBE, CUBE, CUBE)],
        "ablation": [Problem(CUBE, CUBE, CUBE)],
        "choice": llm_set(),
    }
    calls, wrong, missing = 0, [], 0
    for mode, program in programs():
        name = program.ident()
        if name not in index or "failed" in index[name]:
            missing += 1
            continue
        kernel = artifact.read_manifest((options.folder / "artifacts" / f"{name}.tile").read_bytes())["kernels"][0]
        for problem in problems[mode]:
            extents = dict(M=problem.m, N=problem.n, K=problem.k, batch=problem.batch, splits=3)
            args = [
                (n, e, None if s is None else [extents[d] for d in s], padded, 3 if s is None else None)
                for n, e, s, _, padded in program.arguments()
            ]
            full = []
            for n, e, shape, padded, value in args:
                strides = None
                if shape is not None:
                    width = padded_row(shape[-1], e) if padded and program.layout == "padded" else shape[-1]
                    strides = artifact.dense_strides(shape[:-1] + [width])
                    if n == "C" and program.swap:
                        strides = [1, shape[0]]
                full.append((n, e, shape, strides, value))
            calls += 1
            try:
                facts = artifact.describe_call(kernel, full)
                if options.verbose:
                    print(name, problem.label(), facts)
            except ValueError as error:
                wrong.append(f"{mode} {name} {problem.label()}: {error}")
    for line in wrong[:20]:
        print("FAIL", line)
    print(f"{missing} programs not compiled; {calls - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


def pack(options):
    from tilebench import pack as packing

    wanted = [p for mode, p in programs() if not options.modes or mode in options.modes]
    chosen = []
    if not options.modes or "choice" in options.modes:
        for problem, program, predicted in compiler_choices(options):
            wanted.append(program)
            fields = ("tile", "stages", "threads", "cluster", "panel")
            chosen.append(
                dict(
                    problem=problem.label(),
                    kernel=program.ident(),
                    fields={f: getattr(program, f) for f in fields},
                    predicted_us=predicted,
                )
            )
    return packing.pack(wanted, __file__, options, extra=[HERE / "profile_hopper.py"], choices=chosen)


def compiler_choices(options):
    from tilebench import choice

    return choice.choices(llm_set(), Gemm(), options.bin, options.arch)


def print_choices(options):
    """A table in Markdown: what the compiler chooses for each problem of the LLM set, and the time it predicts."""
    print("| M × N × K | B | tile M × N × K | stages | threads | cluster N × M | panel | predicted µs | TFLOP/s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for q, p, us in compiler_choices(options):
        print(
            f"| {q.m} × {q.n} × {q.k} | {'N×K' if q.tb else 'K×N'} | {' × '.join(map(str, p.tile))} | {p.stages} | {p.threads} | "
            f"{p.cluster[0]} × {p.cluster[1]} | {p.panel} | {us:.1f} | {q.flops() / us / 1e6:.0f} |"
        )
    return 0


def compile_times(options):
    """Wall time of the whole process, the median of `--repeats`, of the plain GEMM."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "gemm.mlir"
        source.write_text(BASE.text())
        for what in ("ptx", "cubin"):
            took = []
            for _ in range(options.repeats):
                start = time.time()
                subprocess.run(
                    [
                        f"{options.bin}/tile-translate",
                        source,
                        f"--tile-to-{what}",
                        f"--arch={options.arch}",
                        "-o",
                        f"{folder}/out",
                    ],
                    check=True,
                    capture_output=True,
                )
                took.append(time.time() - start)
            print(
                f"GEMM -> {what}: {statistics.median(took) * 1e3:.0f} ms ({min(took) * 1e3:.0f}-{max(took) * 1e3:.0f}), "
                f"{options.repeats} runs, {options.arch}"
            )
    return 0


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    packing.add_options(p, "gemm_hopper.tar.xz")
    p.add_argument("--modes", nargs="*", choices=list(MODES), help="pack only what these need")
    p = commands.add_parser("compile", help="time the compiler")
    packing.add_options(p, "")
    p.add_argument("--repeats", type=int, default=7)
    p = commands.add_parser("choices", help="print what the compiler chooses for the LLM set")
    packing.add_options(p, "")
    p = commands.add_parser("selftest", help="check the packed set without a GPU")
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--verbose", action="store_true")
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("modes", nargs="*", choices=[*MODES, []], metavar="MODE")
    p.add_argument("--tune", action="store_true", help="measure the packed configurations and take the best")
    packing.add_run_options(p)
    p.add_argument("--m", type=int, nargs="*", default=(1024, 2048, 4096, 8192), help="M of the sweep")
    p.add_argument("--candidates", type=int, default=8, help="configurations that `small` tries of each shape")
    p.add_argument("--seconds", type=float, default=0, help="start no mode after this time")
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run, "selftest": selftest, "compile": compile_times, "choices": print_choices}[options.command](options))


if __name__ == "__main__":
    main()
