#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMMs of sizes that nobody chose: one tunable program, whose artifact serves all of them, against cuBLAS.

  pack      compiles the artifact and each of its kernels alone, or what a survey times (--survey): where the compiler is
  run       the artifact against cuBLAS, and against its own kernels measured one by one: where the GPU is
  survey    times configurations of problems one by one, for fitting the cost model: where the GPU is
  choose    prints the list of configurations that the one program should have: where the compiler is
  fit       fits the constants of the cost model to what surveys measured, and says how good the choice is

Problems: half have N and K of 16 layers of language models, half random multiples of 8; M is log-uniform. B is N x K, as
linear layers have their weights. Every result is first compared with float32 on fresh random inputs, the output poisoned.
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench import random_gemms  # noqa: E402
from tilebench.bench import Bench  # noqa: E402
from tilebench.problems import Problem  # noqa: E402


def matrices(bench, problem):
    """A, B as stored, B as K x N (a view), C and the peer's C."""
    t, torch = bench.timing, bench.torch
    a, b = t.normal((problem.m, problem.k), "f16"), t.normal((problem.n, problem.k), "f16")
    c = torch.empty((problem.m, problem.n), dtype=torch.float16, device=bench.device)
    return a, b, b.mT, c, torch.empty_like(c)


def survey(options):
    bench = Bench(options)
    torch, start = bench.torch, time.time()
    lines = open(options.json, "a", encoding="utf-8")
    plan = json.loads((options.folder / "plan.json").read_text())
    for number, each in enumerate(plan):
        problem = Problem(*each["problem"], tb=True)
        if options.seconds and time.time() - start > options.seconds:
            print(f"out of time after {number} problems")
            break
        bench.alive()
        a, b, b_view, c, d = matrices(bench, problem)
        times = {}
        peer = lambda: torch.matmul(a, b_view, out=d)
        peers = [bench.time(peer, rep=options.rep, warmup=3)]
        want = torch.matmul(a, b_view)
        for program in bench.packed(map(random_gemms.configuration, each["configurations"])):
            bench.alive()
            launch = bench.bind(program, dict(A=a, B=b, C=c))
            bench.timing.poison(c)
            launch()
            bench.synchronize()
            # Against cuBLAS, quickly; `run` compares with float32.
            if not torch.allclose(c.float(), want.float(), rtol=2e-2, atol=problem.k**0.5 * 2e-2):
                print(f"WRONG {program.ident()} {problem.label()}")
                continue
            times[program.ident()] = bench.time(launch, rep=options.rep, warmup=3)
        peers.append(bench.time(peer, rep=options.rep, warmup=3))
        if not times:
            continue
        best = min(times, key=times.get)
        line = dict(m=problem.m, n=problem.n, k=problem.k, cublas=statistics.mean(peers), times=times)
        lines.write(json.dumps(line) + "\n")
        lines.flush()
        print(f"{problem.label():24} {statistics.mean(peers) / times[best]:.3f} {best} of {len(times)}", flush=True)
    print(f"{time.time() - start:.0f} s")
    return 0


def versions(artifact_bytes):
    """The kernels of the artifact as programs of their own, the first one the one in its kernel's place."""
    from tilebench import artifact

    kernel = artifact.read_manifest(artifact_bytes)["kernels"][0]
    found = []
    for each in [kernel] + kernel["versions"]:
        values = {chosen["name"]: chosen["value"] for chosen in each["chosen"]}
        found.append(random_gemms.configuration(tuple(values.get(name, 0) for name in random_gemms.NAMES)))
    return found


def pack(options):
    from tilebench import pack as packing

    program = random_gemms.program()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.survey or options.plan:
            if options.plan:
                plan = json.loads(options.plan.read_text())
            else:
                plan = random_gemms.survey_plan(options.bin, options.arch, options.survey)
            (folder / "plan.json").write_text(json.dumps(plan))
            chosen = [random_gemms.configuration(values) for each in plan for values in each["configurations"]]
            return packing.pack(chosen, __file__, options, extra=[folder / "plan.json"])
        packing.compile_program(program, folder, options.bin, options.arch)
        own = versions((folder / f"{program.ident()}.tile").read_bytes())
    for p in own:
        print(p.ident())
    return packing.pack([program, *own], __file__, options)


def choose(options):
    surveyed = [json.loads(line) for path in options.surveyed for line in path.read_text().splitlines()]
    for values in random_gemms.choose(options.bin, options.arch, surveyed, options.most, options.count):
        print(f"    {values},")
    return 0


def fit(options):
    from tilebench import model

    surveys = model.Surveys(options.surveyed)
    print(f"{len(surveys.peers)} problems, {len(surveys.times)} times")
    shapes = [(m, n, k) for m in (20, 237, 1000) for n, k in ((6144, 4096), (5176, 28904))]
    pool = random_gemms.pool()[::97]
    far = []
    for values, times in random_gemms.predictions(pool, shapes, options.bin, options.arch).items():
        here = model.predict(model.facts([(values, shape) for shape in shapes]), {})
        far += [abs(a / b - 1) for a, b in zip(here, times)]
    print(f"{sum(each > 0.02 for each in far)} of {len(far)} predictions are more than 2 % apart here and in the compiler")
    for name, constants in (("today", {}), ("fitted", model.fit(surveys))):
        regret, scatter, _ = surveys.judge(constants)
        print(f"{name}: the choice takes {regret * 100:.2f} % longer than the fastest measured, scatter {scatter * 100:.2f} %")
    print(json.dumps({name: round(value, 4) for name, value in constants.items()}, indent=1))
    return 0


def measure(bench, program, problem, alone):
    """A row: the artifact against cuBLAS; of problems in `alone` also each of its kernels."""
    torch = bench.torch
    a, b, b_view, c, d = matrices(bench, problem)
    launch = bench.bind(program, dict(A=a, B=b, C=c))
    if not bench.verified(f"{program.ident()} {problem.label()}", launch, c, a, b_view, "f16", "f16"):
        return
    extra = {}
    if alone:
        launches = {p: bench.bind(p, dict(A=a, B=b, C=c)) for p in bench.packed(versions_packed(bench, program))}
        for p, each in launches.items():
            bench.verified(f"{p.ident()} {problem.label()}", each, c, a, b_view, "f16", "f16")
        bench.alive()
        best, times = bench.fastest(launches)
        middle, low, high = bench.timing.ratio(
            *bench.timing.alternate([launch, launches[best]], bench.options.pairs, bench.options.rep, bench=bench.time)
        )
        print(f"alone     {problem.label():24} {middle:.3f} ({low:.3f}-{high:.3f}) of {best.ident()}", flush=True)
        extra = dict(alone=dict(best=best.ident(), ratio=middle, low=low, high=high), ms_alone={p.ident(): t for p, t in times.items()})
    peer = {"cublas": lambda: torch.matmul(a, b_view, out=d)}
    bench.report(bench.mode, problem.label(), program.ident(), launch, problem.flops(), peer, extra)


def versions_packed(bench, program):
    return versions((bench.options.folder / "artifacts" / f"{program.ident()}.tile").read_bytes())


def run(options):
    bench = Bench(options)
    start, program = time.time(), random_gemms.program()
    for bench.mode, problems, alone in (
        ("random", random_gemms.problems(options.count, options.problems), options.alone),
        ("waves", random_gemms.waves(min(40, options.count)), 0),
    ):
        low, high = options.rows
        for number, problem in enumerate(p for p in problems if low <= p.m <= high):
            if options.seconds and time.time() - start > options.seconds:
                print(f"{bench.mode}: out of time after {number} problems")
                break
            bench.alive()
            measure(bench, program, problem, number < alone)
        bench.summary(bench.mode)
        if options.json:
            pathlib.Path(options.json).write_text(
                json.dumps(dict(device=bench.torch.cuda.get_device_name(), rows=bench.rows, wrong=bench.wrong))
            )
    ratios = [row["alone"]["ratio"] for row in bench.rows if "alone" in row]
    if ratios:
        print(f"== against the best of its own kernels: geomean {bench.timing.geomean(ratios):.3f} of {len(ratios)}, worst {min(ratios):.3f}")
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong, {time.time() - start:.0f} s")
    return 1 if bench.wrong else 0


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    packing.add_options(p, "gemm_random.tar.xz")
    p.add_argument("--survey", type=int, default=0, metavar="COUNT", help="what a survey of so many problems times, and its plan")
    p.add_argument("--plan", type=pathlib.Path, help="the same of a survey that is planned already: a list of {problem, configurations}")
    p = commands.add_parser("run", help="the artifact against cuBLAS, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    packing.add_run_options(p)
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--problems", type=int, default=random_gemms.SEED, help="seed of the random problems")
    p.add_argument("--rows", type=int, nargs=2, default=(1, 1 << 30), metavar=("LOW", "HIGH"), help="only problems with so many rows of A")
    p.add_argument("--alone", type=int, default=40, help="problems for which each kernel of the artifact is measured, too")
    p.add_argument("--seconds", type=float, default=0, help="stop after this time")
    p = commands.add_parser("survey", help="time configurations one by one, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    packing.add_run_options(p)
    p.add_argument("--seconds", type=float, default=0, help="stop after this time")
    p = commands.add_parser("choose", help="a list for the one program, where the compiler is")
    p.add_argument("surveyed", nargs="*", type=pathlib.Path, help="what `survey` wrote with --json")
    p.add_argument("--most", type=int, default=144, help="configurations at most")
    p.add_argument("--count", type=int, default=2400, help="problems that they are chosen for")
    p.add_argument("--bin", default="build/release/bin", help="folder of tile-translate")
    p.add_argument("--arch", default="sm_90a")
    p = commands.add_parser("fit", help="constants of the cost model, where the compiler is")
    p.add_argument("surveyed", nargs="+", type=pathlib.Path, help="what `survey` wrote with --json")
    p.add_argument("--bin", default="build/release/bin", help="folder of tile-translate")
    p.add_argument("--arch", default="sm_90a")
    options = parser.parse_args()
    sys.exit({"fit": fit, "pack": pack, "run": run, "survey": survey, "choose": choose}[options.command](options))


if __name__ == "__main__":
    main()
