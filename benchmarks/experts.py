#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixtures of experts and fp8 with scales of blocks as plain tile programs, against torch.

  pack   compiles every configuration and packs them with the launcher: where the compiler is
  run    measures: where the GPU is (torch; no compiler)

Experts have uneven rows: each token chooses k experts by a distribution of Zipf, which leaves some with no rows where there are many.
Every result is first compared with float32 on fresh inputs, outputs poisoned. The fastest configuration that is right then alternates
with the peers: torch._grouped_mm (or _scaled_grouped_mm), the products of the experts one by one, and one dense product of the same rows.
Rates are TFLOP/s; of gating, routing, combining and casts they are TB/s of what has to be read and written once.

`run ... --jsonl FILE` adds what was measured to FILE, as lines for results.jsonl (see results.py).
"""

import argparse
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench import experts_peers as peers  # noqa: E402
from tilebench.bench import Bench  # noqa: E402
from tilebench.experts_problems import PROBLEMS, candidates, programs, work  # noqa: E402


def bind(bench, p, chain, t):
    """One function that launches the programs of a chain, one after the other."""
    launches = []
    for number, program in enumerate(chain):
        tensors = peers.arguments(p, program, number, t)
        launches.append(bench.bind(program, tensors, {"blocks": t["places"]}))

    def call():
        for launch in launches:
            launch()

    return call


def measure(bench, p):
    bench.alive()
    t = peers.tensors_of(bench, p)
    good = {}
    for chain in candidates(p):
        if len(bench.packed(chain)) < len(chain):
            continue
        name = "+".join(program.ident() for program in chain)
        bench.alive()
        peers.poison(bench, p, chain, t)
        try:
            launch = bind(bench, p, chain, t)
            launch()
            bench.synchronize()
            what = peers.wrong(bench, p, chain, t)
        except RuntimeError as error:
            what = str(error).splitlines()[0]
            if "CUDA" in what:
                raise
        if what:
            bench.wrong.append(dict(name=name, problem=p.label, what=what))
            print(f"WRONG {p.label} {name}: {what}", flush=True)
        else:
            good[name] = launch
    if not good:
        return
    bench.alive()
    best, times = bench.fastest(good)
    if bench.options.verbose:
        for name, milliseconds in sorted(times.items(), key=lambda item: item[1]):
            print(f"    {work(p) / milliseconds / 1e9:7.1f} {name}", flush=True)
    bench.report(f"experts {p.family}", p.label, best, good[best], work(p), {} if bench.options.quick else peers.peers_of(bench, p, t))


def run(options):
    start = time.time()
    bench = Bench(options)
    print(f"{bench.torch.cuda.get_device_name()}, torch {bench.torch.__version__}; medians of {options.pairs} pairs, TFLOP/s (routing and casts: TB/s)", flush=True)
    left = []
    for p in PROBLEMS:
        if options.problems and options.problems not in f"{p.family} {p.label}":
            continue
        if options.budget and time.time() - start > options.budget:
            left.append(p.label)
            continue
        measure(bench, p)
        bench.torch.cuda.empty_cache()
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(dict(rows=bench.rows, wrong=bench.wrong)))
    for family in dict.fromkeys(r["mode"] for r in bench.rows):
        for peer in dict.fromkeys(q for r in bench.rows if r["mode"] == family for q in r["peers"]):
            ratios = [(r["peers"][peer]["ratio"], r["problem"]) for r in bench.rows if r["mode"] == family and peer in r["peers"]]
            mean = bench.timing.geomean(v for v, _ in ratios)
            print(f"== {family} against {peer}: geomean {mean:.3f} of {len(ratios)}, worst {min(ratios)[0]:.3f} ({min(ratios)[1]})")
        bench.record(family)
    if left:
        print(f"not measured, the time was over: {', '.join(left)}")
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong, {time.time() - start:.0f} s")
    return 1 if bench.wrong or not bench.rows else 0


def pack(options):
    from tilebench import pack as packing

    chosen = [p for p in PROBLEMS if not options.problems or options.problems in f"{p.family} {p.label}"]
    return packing.pack(programs(chosen), __file__, options)


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    p.add_argument("--problems", help="only problems whose family and label contain this")
    packing.add_options(p, "experts.tar.xz")
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("--problems", help="only problems whose family and label contain this")
    p.add_argument("--quick", action="store_true", help="no peers")
    p.add_argument("--verbose", action="store_true", help="print every configuration's rate")
    p.add_argument("--budget", type=float, help="seconds after which no other problem is begun")
    packing.add_run_options(p)
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run}[options.command](options))


if __name__ == "__main__":
    main()
