# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every benchmark does on the GPU machine: loads packed kernels, checks them, times them beside peers, keeps rows."""

import datetime
import faulthandler
import json
import statistics

from . import sets
from .problems import pick


class Bench:
    """What the modes share: the launcher, options, the rows measured so far."""

    def __init__(self, options, runtime=None, device="cuda"):
        import torch

        from . import launch, timing

        self.torch, self.timing, self.launching, self.options, self.device = torch, timing, launch, options, device
        torch.zeros(1, device=device)
        torch.manual_seed(options.seed)
        self.runtime = runtime or launch.Runtime(options.folder)
        packed = json.loads((options.folder / "index.json").read_text()) if options.folder else dict(kernels=[])
        index, self.choices = packed["kernels"], packed.get("choices", [])
        self.commit = packed.get("commit")
        self.failed = {e["name"]: e["failed"] for e in index if "failed" in e}
        self.have = {e["name"] for e in index} - set(self.failed)
        self.rows, self.wrong, self.time = [], [], timing.bench
        self.tuned = {}  # milliseconds of the candidates of the last choice

    def packed(self, candidates):
        return [
            p
            for p in candidates
            if p.ident() in self.have and (not self.options.only or self.options.only in p.ident())
        ]

    def stream(self):
        return self.torch.cuda.current_stream().cuda_stream if self.device == "cuda" else 0

    def synchronize(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def bind(self, program, tensors, scalars=None):
        """The launch of a program on tensors by argument name."""
        args = []
        for name, element, shape, _, _ in program.arguments():
            if shape is None:
                args.append(("scalar", element, scalars[name]))
            else:
                tensor = tensors[name].mT if name == "C" and getattr(program, "swap", False) else tensors[name]
                args.append(self.launching.tensor_arg(tensor, element))
        return self.runtime.kernel(program.ident()).bind(args, self.stream())

    def alive(self):
        """Ends the process, with a traceback, unless called again in time: a kernel may hang."""
        if self.device == "cuda":
            faulthandler.dump_traceback_later(self.options.patience, exit=True)

    def verified(self, name, launch, c, a, b, element, out, finish=None, peer=False, run=None):
        """Whether a launch computes C; what is wrong is printed and kept."""
        self.alive()
        self.timing.poison(c)
        try:
            launch()
            self.synchronize()
            problem = self.timing.check(c, a, b, element, out, finish, run=run)
        except RuntimeError as error:
            problem = str(error).splitlines()[0]
            if "CUDA" in problem:
                raise
        if problem:
            if not peer:
                self.wrong.append(dict(name=name, what=problem))
            print(f"{'PEER' if peer else 'WRONG'} {name}: {problem}", flush=True)
        return problem is None

    def choose(self, candidates, problem, launches):
        """The candidate to report: measured with --tune, else the model's, the next ones where that is not packed."""
        if len(candidates) == 1:
            return candidates[0]
        if not self.options.tune:
            return pick(candidates, problem)
        best, times = self.fastest({p: launches(p) for p in candidates})
        self.tuned = {p.ident(): times[p] for p in candidates}
        return best

    def fastest(self, launches, finalists=4, rounds=3):
        """The key of the fastest of `launches`, and all times (ms). The clock follows the power of what ran before, so the
        first pass only picks those that then run in turn."""
        times = {key: self.time(launch, rep=self.options.tune_rep, warmup=4) for key, launch in launches.items()}
        final = sorted(times, key=times.get)[:finalists]
        again = self.timing.alternate(
            [launches[key] for key in final], rounds, self.options.tune_rep, warmup=4, bench=self.time
        )
        times.update((key, statistics.median(values)) for key, values in zip(final, again))
        return min(final, key=times.get), times

    def report(self, mode, problem, name, launches, flops, peers, extra=None):
        """Times ours against each peer (name -> function), prints and keeps a row."""
        self.alive()
        names = list(peers)
        times = self.timing.alternate(
            [launches] + [peers[n] for n in names], self.options.pairs, self.options.rep, bench=self.time
        )
        rate = lambda values: flops / statistics.median(values) / 1e9
        row = dict(
            mode=mode,
            problem=problem,
            kernel=name,
            ours=rate(times[0]),
            ms=statistics.median(times[0]),
            peers={},
            **(extra or {}),
        )
        text = []
        for index, peer in enumerate(names, 1):
            middle, low, high = self.timing.ratio(times[0], times[index])
            row["peers"][peer] = dict(rate=rate(times[index]), ratio=middle, low=low, high=high)
            text.append(f"{peer} {rate(times[index]):6.1f}  {middle:.3f} ({low:.3f}-{high:.3f})")
        self.rows.append(row)
        print(
            f"{mode:9} {problem:24} {row['ours']:6.1f} | {' | '.join(text)} | {name.removeprefix('gemm_')}", flush=True
        )
        return row

    def record(self, mode):
        """With --jsonl: adds what a mode measured to a copy of benchmarks/results.jsonl, a line for each set of problems."""
        if not self.options.jsonl:
            return
        when = dict(date=datetime.date.today().isoformat(), commit=self.options.commit or self.commit)
        if not when["commit"]:
            raise RuntimeError("--jsonl: expected a commit, in the packed index.json or by --commit, got none")
        with open(self.options.jsonl, "a", encoding="utf-8") as file:
            for line in sets.measurements(mode, self.rows):
                file.write(json.dumps({"set": line["set"], **when, **line}, ensure_ascii=False) + "\n")

    def summary(self, mode):
        self.record(mode)
        rows = [r for r in self.rows if r["mode"] == mode]
        for peer in sorted({p for r in rows for p in r["peers"]}):
            ratios = [(r["peers"][peer]["ratio"], r["problem"]) for r in rows if peer in r["peers"]]
            worst = min(ratios)
            below = sum(value < 0.93 for value, _ in ratios)
            print(
                f"== {mode} against {peer}: geomean {self.timing.geomean(v for v, _ in ratios):.3f} of {len(ratios)}, worst {worst[0]:.3f} "
                f"({worst[1]}), {below} below 0.93",
                flush=True,
            )
