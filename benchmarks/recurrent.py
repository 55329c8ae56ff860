#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention's family as plain tile programs, against the Triton kernels of flash-linear-attention.

  pack   compiles every configuration and packs them with the launcher: where the compiler is
  run    measures: where the GPU is (torch and Triton; no compiler)

    recurrent.py run FOLDER --site SITE        SITE holds the peers: unpacked wheels of fla-core, einops, packaging, and
                                               mamba_ssm/ops/triton with mamba_ssm/utils of state-spaces/mamba

An operator of several kernels is timed as the sequence of their launches; what they pass on is allocated before. Each
configuration of a problem is compared with a recurrence in float32 on fresh random inputs, its results and what its
kernels pass on poisoned, and timed; the fastest one then alternates with the peers in one process. A ratio is the peer's
time over ours. `floor` is the time in which a copy moves the inputs and results once, over ours. L2 is flushed before
each measured call. The peers' time holds what they do in Python and allocate: fla's functions launch several kernels,
so problems of less than some 200 us measure that, too; `--graph` times the peers as CUDA graphs.

`run ... --jsonl FILE` adds what was measured to FILE, as lines for results.jsonl (see results.py).
"""

import argparse
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench.recurrent import PROBLEMS, candidates  # noqa: E402


def copy_bandwidth(torch, bench):
    source = torch.randn(1 << 29, device="cuda", dtype=torch.float16)
    target = torch.empty_like(source)
    return 2 * source.nbytes / bench(lambda: target.copy_(source), 40, 5) / 1e9


def sequence(launches):
    """One function that calls all of them."""
    if len(launches) == 1:
        return launches[0]

    def run():
        for launch in launches:
            launch()

    return run


def packed(bench, operator):
    return bool(all(kernel.ident() in bench.have for kernel in operator.parts())) and (not bench.options.only or bench.options.only in operator.ident())


def ours(bench, problem, found, expected, peers_module):
    """Launches of the operators that are packed and right, by operator."""
    launches, seen = {}, set()
    for operator in candidates(problem):
        if operator in seen or not packed(bench, operator):
            continue
        seen.add(operator)
        all_of = peers_module.between(problem, operator, found)
        parts = [bench.bind(kernel, all_of, peers_module.scalars(problem)) for kernel in operator.parts()]
        run = sequence(parts)
        names = peers_module.results(operator)
        peers_module.poison(all_of, [*names, *peers_module.passed_on(operator)])
        run()
        bench.synchronize()
        what = peers_module.check(expected, {name: all_of[name] for name in names})
        if what:
            bench.wrong.append(dict(name=operator.ident(), problem=problem.label(), what=what))
            print(f"WRONG {problem.label()} {operator.ident()}: {what}", flush=True)
            continue
        run.keep = all_of  # the addresses that the launches hold
        launches[operator] = run
    return launches


def peers_of(options, problem, found, expected, peers_module):
    """Functions of the peers by name, each right; what fails is said and left out."""
    good = {}
    for name, make in peers_module.peers(problem, found).items():
        if name in (options.without or "").split(","):
            continue
        try:
            function = make()
            got = function()
            what = peers_module.check(expected, got)
            if not what and got:
                print(f"     {name} uses {peers_module.used(expected, got):.2f} of the bound", flush=True)
        except Exception as error:  # noqa: BLE001  (a peer that does not run is no failure of ours)
            what = str(error).splitlines()[0] if str(error) else type(error).__name__
        if what:
            print(f"PEER {problem.label()} {name}: {what[:300]}", flush=True)
        else:
            good[name] = function
    return good


def graphed(torch, function):
    """The function as one launch of a CUDA graph, so that what Python takes does not count."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = function()
    replay = graph.replay

    def run():
        replay()

    run.keep = graph, kept
    return run


def moved(found):
    """Bytes of the inputs and results."""
    return sum(tensor.nbytes for tensor in found.values())


def measure(bench, options, problem, copy, peers_module):
    torch = bench.torch
    found = peers_module.inputs(problem, candidates(problem)[0])
    expected = peers_module.reference(problem, found)
    launches = ours(bench, problem, found, expected, peers_module)
    if not launches:
        return
    best, times = bench.fastest(launches)
    bytes_moved = moved(found)
    bench.alive()
    peers = {} if options.quick else peers_of(options, problem, found, expected, peers_module)
    del expected
    torch.cuda.empty_cache()
    names = list(peers)
    functions = [launches[best]] + [peers[n] for n in names]
    if options.graph:
        functions = functions[:1] + [graphed(torch, f) for f in functions[1:]]
    bench.alive()
    all_times = bench.timing.alternate(functions, options.pairs, options.rep, bench=bench.time)
    mine = sorted(all_times[0])[len(all_times[0]) // 2]
    row = dict(mode="recurrent", kind=problem.kind, problem=problem.label(), kernel=best.ident(), ms=mine, bytes=bytes_moved)
    row |= dict(ours=bytes_moved / mine / 1e9, floor=bytes_moved / mine / 1e9 / copy, peers={})
    row["forms"] = {form: min(t for o, t in times.items() if o.form == form) for form in {o.form for o in times}}
    for index, name in enumerate(names, 1):
        middle, low, high = bench.timing.ratio(all_times[0], all_times[index])
        row["peers"][name] = dict(rate=row["ours"] / middle, ratio=middle, low=low, high=high)
    text = " | ".join(f"{n} {p['ratio']:.3f} ({p['low']:.3f}-{p['high']:.3f})" for n, p in row["peers"].items())
    forms = " ".join(f"{form} {ms * 1e3:.1f}" for form, ms in sorted(row["forms"].items(), key=lambda pair: pair[1]))
    if names:
        row["peers"]["best"] = min(row["peers"].values(), key=lambda p: p["ratio"])
    bench.rows.append(row)
    print(f"{problem.label():52} {mine * 1e3:8.1f} us floor {row['floor']:.3f} | {text} | {best.ident()} | {forms}", flush=True)
    if options.verbose:
        for operator, ms in sorted(times.items(), key=lambda pair: pair[1]):
            print(f"     {ms * 1e3:8.1f} us {operator.ident()}", flush=True)


def summary(bench):
    geomean = bench.timing.geomean
    for kind in [*dict.fromkeys(r["kind"] for r in bench.rows), "all"]:
        rows = [r for r in bench.rows if kind in (r["kind"], "all")]
        words = [f"{kind:14}"]
        for name in ("fla", "mamba", "gla"):
            ratios = [r["peers"][name]["ratio"] for r in rows if name in r["peers"]]
            words += [f"{name} {geomean(ratios):.3f} worst {min(ratios):.3f}"] if ratios else []
        print("  ".join(words), flush=True)


def run(options):
    sys.path.insert(0, str(options.site.resolve())) if options.site else None
    import torch
    from tilebench import recurrent_peers
    from tilebench.bench import Bench

    start = time.time()
    bench = Bench(options)
    copy = copy_bandwidth(torch, bench.time)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, copy {copy:.3f} TB/s; medians of {options.pairs} pairs", flush=True)
    left = []
    with torch.no_grad():
        for problem in PROBLEMS:
            wanted = (not options.problems or options.problems in problem.label()) and (not options.kinds or problem.kind in options.kinds.split(","))
            if not wanted:
                continue
            if options.budget and time.time() - start > options.budget:
                left.append(problem.label())
                continue
            bench.alive()
            measure(bench, options, problem, copy, recurrent_peers)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(dict(copy=copy, rows=bench.rows, wrong=bench.wrong)))
    if bench.rows:
        summary(bench)
        bench.record("recurrent")
    if left:
        print(f"not measured, the time was over: {', '.join(left)}")
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong, {time.time() - start:.0f} s")
    return 1 if bench.wrong or not bench.rows else 0


def pack(options):
    from tilebench import pack as packing

    operators = [o for p in PROBLEMS for o in candidates(p) if not options.kinds or p.kind in options.kinds.split(",")]
    return packing.pack([kernel for operator in operators for kernel in operator.parts()], __file__, options)


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    p.add_argument("--kinds", help="only these kinds, separated by commas")
    packing.add_options(p, "recurrent.tar.xz")
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("--site", type=pathlib.Path, help="folder of the peers' packages")
    p.add_argument("--problems", help="only problems whose labels contain this")
    p.add_argument("--kinds", help="only these kinds, separated by commas")
    p.add_argument("--quick", action="store_true", help="no peers")
    p.add_argument("--without", help="peers to leave out, separated by commas")
    p.add_argument("--graph", action="store_true", help="time the peers as CUDA graphs, without what Python takes")
    p.add_argument("--verbose", action="store_true", help="times of all configurations")
    p.add_argument("--budget", type=float, help="seconds after which no other problem is begun")
    packing.add_run_options(p)
    p.set_defaults(patience=180, rep=20)
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run}[options.command](options))


if __name__ == "__main__":
    main()
