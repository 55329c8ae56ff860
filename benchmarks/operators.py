#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-bound operators as plain tile programs, against torch.compile, Triton and PyTorch's libraries.

  pack   compiles every configuration and packs them with the launcher: where the compiler is
  run    measures: where the GPU is (torch and Triton; no compiler)

Each configuration of a problem (rows a block, threads) is compared with float32 on fresh random inputs, its outputs
poisoned, and timed; the fastest one then alternates with the peers in one process. A ratio is the peer's time over ours.
The share is of the bandwidth of a copy of 1 GiB in the same process. L2 is flushed before each launch.

`run ... --jsonl FILE` adds what was measured to FILE, as lines for results.jsonl (see results.py).
"""

import argparse
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench.operators import PROBLEMS, candidates  # noqa: E402

LARGE = 128 << 20  # bytes from which on the share of the copy bandwidth counts


def copy_bandwidth(torch, bench):
    source = torch.randn(1 << 29, device="cuda", dtype=torch.float16)
    target = torch.empty_like(source)
    return 2 * source.nbytes / bench(lambda: target.copy_(source), 40, 5) / 1e9


def ours(bench, problem, found, peers_module):
    """Launches of the configurations that are packed and right, by name."""
    launches = {}
    for program in bench.packed(candidates(problem)):
        launch = bench.bind(program, found, peers_module.SCALARS)
        outs = [found[name] for name in peers_module.outputs(program)]
        for out in outs:
            peers_module.poison(out)
        launch()
        bench.synchronize()
        what = peers_module.check(problem, program, found)
        if what:
            bench.wrong.append(dict(name=program.ident(), problem=problem.label(), what=what))
            print(f"WRONG {problem.label()} {program.ident()}: {what}", flush=True)
        else:
            launches[program.ident()] = launch
    return launches


def peers_of(options, problem, program, found, peers_module):
    """Functions of the peers by name, each right; what fails is said and left out."""
    makers = {}
    if not options.no_compile:
        makers["compile"] = lambda: peers_module.compiled(problem, program, found)
    if problem.kind in peers_module.LIBRARY:
        makers["torch"] = lambda: peers_module.library(problem, program, found)
    if not options.no_triton:
        from tilebench import operator_triton

        makers["triton"] = lambda: operator_triton.peer(problem, found)
    good = {}
    for name, make in makers.items():
        try:
            function = make()
            if function is None:
                continue
            for out in peers_module.outputs(program):
                peers_module.poison(found[out])
            results = function()
            what = peers_module.check(problem, program, found, results if name != "triton" else None)
        except Exception as error:  # noqa: BLE001  (a peer that does not run is no failure of ours)
            what = str(error).splitlines()[0] if str(error) else type(error).__name__
        if what:
            print(f"PEER {problem.label()} {name}: {what[:200]}", flush=True)
        else:
            good[name] = function
    return good


def measure(bench, options, problem, copy, peers_module):
    found = peers_module.tensors(problem, candidates(problem)[0])
    launches = ours(bench, problem, found, peers_module)
    if not launches:
        return
    best, times = bench.fastest(launches)
    program = next(c for c in candidates(problem) if c.ident() == best)
    bytes_moved = peers_module.moved(problem, program, found)
    peers = {} if options.quick else peers_of(options, problem, program, found, peers_module)
    names = list(peers)
    all_times = bench.timing.alternate([launches[best]] + [peers[n] for n in names], options.pairs, options.rep, bench=bench.time)
    mine = sorted(all_times[0])[len(all_times[0]) // 2]
    default = candidates(problem)[0].ident()
    row = dict(mode="operators", kind=problem.kind, problem=problem.label(), kernel=best, ms=mine, bytes=bytes_moved,
               share=bytes_moved / mine / 1e9 / copy, default=times[best] / times[default] if default in times else None, peers={})
    row["ours"] = bytes_moved / mine / 1e9
    for index, name in enumerate(names, 1):
        middle, low, high = bench.timing.ratio(all_times[0], all_times[index])
        row["peers"][name] = dict(rate=row["ours"] / middle, ratio=middle, low=low, high=high)
    text = " | ".join(f"{n} {p['ratio']:.3f} ({p['low']:.3f}-{p['high']:.3f})" for n, p in row["peers"].items())
    if names:
        row["peers"]["best"] = min(row["peers"].values(), key=lambda p: p["ratio"])
    bench.rows.append(row)
    print(f"{problem.label():30} {mine * 1e3:8.1f} us {bytes_moved / mine / 1e9:5.2f} TB/s {row['share']:.3f} | {text} | {best.removeprefix('op_')}"
          f" | default {row['default'] or 0:.3f}", flush=True)


def summary(bench, copy):
    geomean = bench.timing.geomean
    kinds = list(dict.fromkeys(r["kind"] for r in bench.rows))
    print(f"== copy {copy:.3f} TB/s; geometric means of peer's time over ours, by kind; share of the copy where 128 MB and more move")
    for kind in kinds + ["all"]:
        rows = [r for r in bench.rows if kind in (r["kind"], "all")]
        large = [r["share"] for r in rows if r["bytes"] >= LARGE]
        words = [f"{kind:20}"]
        for name in ("compile", "torch", "triton"):
            ratios = [r["peers"][name]["ratio"] for r in rows if name in r["peers"]]
            words.append(f"{name} {geomean(ratios):.3f}" if ratios else f"{name}   -  ")
        best = [r["peers"]["best"]["ratio"] for r in rows if r["peers"]]
        words.append(f"best peer {geomean(best):.3f} worst {min(best):.3f}" if best else "")
        words.append(f"share {min(large):.3f} to {max(large):.3f}" if large else "")
        print("  ".join(words), flush=True)


def run(options):
    import torch
    from tilebench import operator_peers
    from tilebench.bench import Bench

    start = time.time()
    bench = Bench(options)
    copy = copy_bandwidth(torch, bench.time)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, copy {copy:.3f} TB/s; medians of {options.pairs} pairs", flush=True)
    left = []
    for problem in PROBLEMS:
        wanted = (not options.problems or options.problems in problem.label()) and (not options.kinds or problem.kind in options.kinds.split(","))
        if not wanted:
            continue
        if options.budget and time.time() - start > options.budget:
            left.append(problem.label())
            continue
        bench.alive()
        torch._dynamo.reset()
        measure(bench, options, problem, copy, operator_peers)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(dict(copy=copy, rows=bench.rows, wrong=bench.wrong)))
    if bench.rows:
        summary(bench, copy)
        bench.record("operators")
    if left:
        print(f"not measured, the time was over: {', '.join(left)}")
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong, {time.time() - start:.0f} s")
    return 1 if bench.wrong or not bench.rows else 0


def pack(options):
    from tilebench import pack as packing

    return packing.pack([c for p in PROBLEMS for c in candidates(p)], __file__, options)


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    packing.add_options(p, "operators.tar.xz")
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("--problems", help="only problems whose labels contain this")
    p.add_argument("--kinds", help="only these kinds, separated by commas")
    p.add_argument("--quick", action="store_true", help="no peers")
    p.add_argument("--no-compile", action="store_true", help="without torch.compile")
    p.add_argument("--no-triton", action="store_true", help="without Triton")
    p.add_argument("--budget", type=float, help="seconds after which no other problem is begun")
    packing.add_run_options(p)
    p.set_defaults(patience=120, rep=20)
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run}[options.command](options))


if __name__ == "__main__":
    main()
