#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correctness of scheduled kernels on a Hopper GPU: rings, roles, clusters, persistence (hopper_cases.py).

  pack     compiles the programs and packs artifacts, launcher and scripts: where the compiler is
  run      runs them and compares with float64: where the GPU is (torch, no compiler)
  cpu      executes their scheduled IR on the CPU: where the compiler is, no GPU
  selftest reads the packed set and checks each launch against its manifest: no GPU
  stress   launches 1,000 kernels back to back in random order of kernels and shapes, then compares every output

Small integers must come out exactly, random inputs within u_out*|ref| + u*(6*sqrt(K) + 4)*|A||B| (test/GPU/README.md). Outputs,
the padding of rows and 4 KiB around each buffer start as 0xFF bytes, which are NaN. `run` uses one worker process, which
is started anew after a device error or a hang.
"""

import argparse
import faulthandler
import json
import pathlib
import random
import re
import select
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
for place in (HERE, HERE.parent.parent / "benchmarks"):
    if (place / "tilebench").is_dir():
        sys.path[:0] = [str(place), str(HERE)]
        break

import buffers  # noqa: E402
import hopper_cases  # noqa: E402
import hopper_check  # noqa: E402
from tilebench import artifact  # noqa: E402


class Worker:
    def __init__(self, folder, device="cuda", runtime=None):
        import torch
        from tilebench import launch

        self.torch, self.device = torch, device
        torch.zeros(1, device=device)
        torch.backends.cuda.matmul.allow_tf32 = False
        self.runtime = runtime or launch.Runtime(folder)

    def synchronize(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def run_kernel(self, program, runs, seed, kinds=(False, True)):
        """Cases run, and failures as (run, what)."""
        kernel = self.runtime.kernel(program.ident())
        count, failures = 0, []
        for number, run in enumerate(runs):
            try:
                case = hopper_check.make_case(self.torch, self.device, kernel, program, run)
                for rand in kinds:
                    generator = self.torch.Generator(device=self.device).manual_seed(seed + 2 * number + rand)
                    case.fill(rand, generator)
                    self.synchronize()
                    count += 1
                    case.launch()
                    self.synchronize()
                    wrong = case.compare(rand)
                    if wrong:
                        failures.append((run, ("random: " if rand else "integers: ") + wrong))
            except RuntimeError as error:
                text = str(error).splitlines()[0]
                failures.append((run, text))
                if re.search(r"CUDA error|CUDA_ERROR|illegal|unspecified|misaligned", text):
                    return count, failures, True
        self.runtime.unload(program.ident())
        return count, failures, False


def work(options):
    """Runs kernels whose numbers come on stdin, one a line; answers with a JSON line each."""
    worker = Worker(options.folder)
    found = hopper_cases.cases()
    print(json.dumps(dict(ready=worker.torch.cuda.get_device_name())), flush=True)
    for line in sys.stdin:
        number = int(line)
        group, program, runs, core = found[number]
        try:
            count, failures, dead = worker.run_kernel(program, runs, 1000 * number)
        except RuntimeError as error:
            count, failures, dead = 1, [(None, str(error).splitlines()[0])], "CUDA" in str(error)
        print(json.dumps(dict(count=count, failures=failures, dead=dead)), flush=True)
        if dead:
            sys.exit(1)


# ----- run: the parent -------------------------------------------------------------------------


class Child:
    """A worker process, started anew after a device error or a hang."""

    def __init__(self, folder, patience):
        self.folder, self.patience, self.process = folder, patience, None

    def read(self, seconds):
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.process.kill()
        code = self.process.wait()
        self.process = None
        what = f"the worker died (status {code})" if ready else f"hangs: no answer in {seconds} s"
        return dict(count=1, failures=[(None, what)], dead=True)

    def run(self, number):
        if not self.process:
            self.process = subprocess.Popen(
                [sys.executable, __file__, "work", str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
            )
            answer = self.read(120)
            if "ready" not in answer:
                return answer
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        answer = self.read(self.patience)
        if answer.get("dead") and self.process:
            self.process.wait()
            self.process = None
        return answer


def choose(options, found):
    numbers = []
    for number, (group, program, _, core) in enumerate(found):
        if options.only and not re.search(options.only, f"{group}/{program.ident()}"):
            continue
        if options.core and not core:
            continue
        numbers.append(number)
    return numbers


def load_index(folder):
    return {entry["name"]: entry for entry in json.loads((folder / "index.json").read_text())["kernels"]}


def run(options):
    start = time.time()
    found, index = hopper_cases.cases(), load_index(options.folder)
    passed, failed, cases, dead = 0, 0, 0, 0
    groups = {}
    details = []
    if options.in_process:
        worker = Worker(options.folder)
    child = Child(options.folder, options.patience)
    for number in choose(options, found):
        group, program, runs, _ = found[number]
        name = program.ident()
        if name not in index:
            continue  # only some were packed
        if "failed" in index[name]:
            answer = dict(count=0, failures=[(None, f"not compiled: {index[name]['failed']}")])
        elif time.time() - start > options.seconds:
            answer = dict(count=0, failures=[(None, "not run: out of time")])
        elif options.in_process:
            small = [r for r in runs if hopper_cases.work(program, r) <= options.work][: options.runs] or runs[:1]
            count, failures, broken = worker.run_kernel(program, small, 1000 * number, (False,))
            answer = dict(count=count, failures=failures, dead=broken)
        else:
            answer = child.run(number)
        cases += answer["count"]
        tally = groups.setdefault(group, [0, 0])
        tally[bool(answer["failures"])] += 1
        passed += not answer["failures"]
        failed += bool(answer["failures"])
        if answer["failures"]:
            details.append(dict(group=group, name=name, failures=answer["failures"]))
            where, what = answer["failures"][0]
            more = (
                f" (and {len(answer['failures']) - 1} of {len(runs) * 2} more)" if len(answer["failures"]) > 1 else ""
            )
            print(f"FAIL {group}/{name} {where or ''}: {what}{more}", flush=True)
        if answer.get("dead"):
            dead += 1
            if options.in_process or dead >= options.deaths:
                print(f"stopped after {dead} device errors or hangs", flush=True)
                break
    for group, (good, bad) in groups.items():
        print(f"  {group:12} {good:3} passed {bad:3} failed")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(dict(groups=groups, cases=cases, failures=details), indent=0))
    print(f"{cases} cases in {time.time() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def stress(options, device="cuda", runtime=None):
    """Launches back to back, without waiting, in random order; each into an output of its own."""
    start = time.time()
    found, index = hopper_cases.cases(), load_index(options.folder)
    found = [case for case in found if case[1].ident() in index]
    programs = {program.ident(): program for _, program, _, _ in found}
    pairs = [pair for pair in hopper_cases.stress(found) if "failed" not in index[pair[0]]]
    worker = Worker(options.folder, device, runtime)
    torch = worker.torch
    # A kernel may hang: the process ends then, with a traceback.
    faulthandler.dump_traceback_later(90, exit=True)
    generator = torch.Generator(device=device).manual_seed(options.seed)
    order = random.Random(options.seed)
    kinds, failures = [], []
    for name, run in pairs:
        case = hopper_check.make_case(torch, device, worker.runtime.kernel(name), programs[name], run)
        case.fill(True, generator)
        worker.synchronize()
        case.launch()
        worker.synchronize()
        wrong = case.compare(True)
        if wrong:
            failures.append(f"{name} {run}: alone: {wrong}")
            continue
        kinds.append(case)
    launches = []
    for _ in range(options.launches if kinds else 0):
        case = order.choice(kinds)
        out = buffers.make(torch, device, case.out.element, case.out.shape, case.out.width - case.out.shape[-1])
        args = list(case.args)
        args[-1] = out.argument()
        launches.append((case, out, case.kernel.bind(args)))
    worker.synchronize()
    begun = time.time()
    for _, _, launch in launches:
        launch()
    worker.synchronize()
    took = time.time() - begun
    for number, (case, out, _) in enumerate(launches):
        same = torch.equal(out.raw, case.out.raw)
        if not same:
            count = int((out.view() != case.out.view()).sum())
            failures.append(
                f"{case.program.ident()} {case.run}: launch {number}: {count} elements differ from the launch alone"
            )
    for line in failures[:20]:
        print("FAIL", line)
    faulthandler.cancel_dump_traceback_later()
    print(f"{len(launches)} launches of {len(kinds)} kinds in {took * 1e3:.0f} ms; {time.time() - start:.0f} s in all")
    print(f"{len(launches) + len(pairs) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not launches else 0


def selftest(options):
    """Reads every artifact and checks each run against its manifest: no GPU."""
    found, index = hopper_cases.cases(), load_index(options.folder)
    calls, problems, facts = 0, [], dict(tensor_maps=0, more_threads=0, kernels=0)
    for group, program, runs, _ in found:
        name = program.ident()
        if "failed" in index.get(name, {"failed": "not packed"}):
            continue
        try:
            manifest = artifact.read_manifest((options.folder / "artifacts" / f"{name}.tile").read_bytes())
        except ValueError as error:
            problems.append(f"{group}/{name}: {error}")
            continue
        kernel = manifest["kernels"][0]
        facts["kernels"] += 1
        versions = [kernel, *kernel.get("versions", [])]
        facts["tensor_maps"] += any(version["tensor_maps"] for version in versions)
        facts["more_threads"] += any(version["threads"] > program.threads for version in versions)
        for run in runs:
            args = []
            for arg, element, shape, _, pad, value in hopper_check.resolve(program, run):
                strides = None
                if shape is not None:
                    strides = artifact.dense_strides(shape[:-1] + [shape[-1] + pad])
                args.append((arg, element, shape, strides, value))
            calls += 1
            try:
                artifact.describe_call(kernel, args)
            except ValueError as error:
                problems.append(f"{group}/{name} {run}: {error}")
    for line in problems[:20]:
        print("FAIL", line)
    print(
        f"{facts['kernels']} artifacts: {facts['tensor_maps']} with tensor maps, {facts['more_threads']} with added warps"
    )
    print(f"{calls - len(problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


def cpu(options):
    """The scheduled IR of each program on the CPU, against its plain meaning in float64: no GPU, small extents."""
    failed, count = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number in choose(options, hopper_cases.cases())[:: options.every]:
            group, program, runs, _ = hopper_cases.cases()[number]
            source = folder / f"{program.ident()}.mlir"
            source.write_text(program.text())
            small = [r for r in runs if 0 < hopper_cases.work(program, r) <= options.work][: options.runs]
            for run in small:
                args = []
                for name, _, shape, access, pad, value in hopper_check.resolve(program, run):
                    if shape is None:
                        args.append(f"{name}={value}")
                        continue
                    strides = artifact.dense_strides(shape[:-1] + [shape[-1] + pad]) if pad else None
                    text = "x".join(map(str, shape)) + ("@" + "x".join(map(str, strides)) if strides else "")
                    fill = ":iota" if name in getattr(program, "distinct", ()) else ":smallint"
                    args.append(f"{name}={text}" + ("" if access == "w" else fill))
                command = [
                    f"{options.bin}/tile-run",
                    source,
                    "--check",
                    "--stage=scheduled",
                    "--workers=1",  # of rows that several blocks write the last one counts
                    f"--arch={options.arch}",
                    f"--args={','.join(args)}",
                ]
                try:
                    done = subprocess.run(
                        [str(c) for c in command], capture_output=True, text=True, timeout=options.patience
                    )
                    lines = (done.stderr + done.stdout).strip().splitlines()
                    what = (
                        None
                        if done.returncode == 0
                        else next((x for x in lines if "error" in x), lines[-1] if lines else "")
                    )
                except subprocess.TimeoutExpired:
                    what = f"hangs: no answer in {options.patience} s"
                count += 1
                if what is not None:
                    failed += 1
                    print(f"FAIL {group}/{program.ident()} {run}: {what[-300:]}", flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed or not count else 0


def pack(options):
    from tilebench import pack as packing

    wanted = [
        program
        for group, program, _, _ in hopper_cases.cases()
        if re.search(options.only or "", f"{group}/{program.ident()}")
    ]
    modules = [HERE / f"{name}.py" for name in ("buffers", "hopper_cases", "hopper_check")]
    return packing.pack(wanted, __file__, options, extra=modules)


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    packing.add_options(p, "hopper_checks.tar.xz")
    p.add_argument("--only", help="only programs whose group/name matches this expression")
    p = commands.add_parser("cpu", help="the scheduled IR on the CPU, where the compiler is")
    packing.add_options(p, "")
    p.add_argument("--only", help="only programs whose group/name matches this expression")
    p.add_argument("--core", action="store_true", help="the reduced set")
    p.add_argument("--every", type=int, default=1, help="every n-th program")
    p.add_argument("--work", type=int, default=1 << 26, help="largest M*N*K")
    p.add_argument("--runs", type=int, default=2, help="extents a program")
    p.add_argument("--patience", type=float, default=60, help="seconds after which a program hangs")
    for name, what in (
        ("run", "run what was packed, where the GPU is"),
        ("stress", "launches back to back"),
        ("selftest", "check the packed set without a GPU"),
        ("work", "(what `run` starts)"),
    ):
        p = commands.add_parser(name, help=what)
        p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
        if name == "run":
            p.add_argument("--only", help="run only kernels whose group/name matches this expression")
            p.add_argument("--core", action="store_true", help="the reduced set")
            p.add_argument(
                "--in-process", action="store_true", help="no worker, integers, small extents: for compute-sanitizer"
            )
            p.add_argument("--work", type=int, default=1 << 26, help="largest M*N*K of --in-process")
            p.add_argument("--runs", type=int, default=3, help="extents a kernel of --in-process")
            p.add_argument("--seconds", type=float, default=170, help="start no kernel after this time")
            p.add_argument("--patience", type=float, default=15, help="seconds after which a kernel hangs")
            p.add_argument("--deaths", type=int, default=8, help="device errors or hangs after which to stop")
            p.add_argument("--json", help="write the failures to this file")
        if name == "stress":
            p.add_argument("--launches", type=int, default=1000)
            p.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    sys.exit(
        {"pack": pack, "run": run, "work": work, "stress": stress, "selftest": selftest, "cpu": cpu}[options.command](
            options
        )
    )


if __name__ == "__main__":
    main()
