#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correctness of scheduled kernels on a Hopper GPU: rings, roles, clusters, persistence (hopper_cases.py).

  pack     compiles the programs and packs artifacts, launcher and scripts: where the compiler is
  run      runs them and compares with float64: where the GPU is (torch, no compiler)
  cpu      executes their scheduled IR on the CPU: where the compiler is, no GPU
  selftest reads the packed set and checks each launch against its manifest: no GPU
  stress   launches 1,000 kernels back to back in random order of kernels and shapes, then compares every output

Small integers must come out exactly, random inputs within u_out*|ref| + u*(K + 4)*|A||B| (test/GPU/README.md). Outputs,
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

import hopper_cases  # noqa: E402
from tilebench import artifact  # noqa: E402
from tilebench.attention import Attention  # noqa: E402
from tilebench.conv import Conv  # noqa: E402
from tilebench.gemm import BITS  # noqa: E402
from tilebench.rows import Rows  # noqa: E402

GUARD = 4096
UNIT_OUT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
# Unit of the error of one accumulation on tensor cores, which truncate; tf32 rounds its operands (without a factor K).
UNIT = {"f16": 2.0**-22, "bf16": 2.0**-22, "f64": 2.0**-52, "f8E4M3FN": 2.0**-12, "f8E5M2": 2.0**-12}


# ----- one kernel ------------------------------------------------------------------------------


class Buffer:
    """A device buffer of one argument: rows, possibly padded, in a poisoned allocation with guards."""

    def __init__(self, torch, device, element, shape, pad):
        types = dict(
            f16=torch.float16,
            bf16=torch.bfloat16,
            f32=torch.float32,
            f64=torch.float64,
            i8=torch.int8,
            i32=torch.int32,
            i64=torch.int64,
            f8E4M3FN=torch.float8_e4m3fn,
            f8E5M2=torch.float8_e5m2,
        )
        self.torch, self.element, self.shape, self.dtype = torch, element, tuple(shape), types[element]
        self.size = torch.empty(0, dtype=self.dtype).element_size()
        self.width = shape[-1] + pad
        self.rows = 1
        for extent in shape[:-1]:
            self.rows *= extent
        self.strides, step = [1], self.width
        for extent in reversed(shape[1:-1] if len(shape) > 1 else []):
            self.strides.insert(0, step)
            step *= extent
        if len(shape) > 1:
            self.strides.insert(0, step)
        self.raw = torch.full((2 * GUARD + self.rows * self.width * self.size,), 255, dtype=torch.uint8, device=device)

    def bytes(self):
        inner = self.raw[GUARD : self.raw.numel() - GUARD]
        return inner.view(self.rows, self.width * self.size)

    def view(self):
        return (
            self.raw[GUARD : self.raw.numel() - GUARD].view(self.dtype).view(self.rows, self.width)[:, : self.shape[-1]]
        )

    def set(self, values):
        if values.numel():
            self.view().copy_(values.reshape(self.rows, -1).to(self.dtype))

    def double(self):
        return self.view().to(self.torch.float64, copy=True).reshape(self.shape)

    def poison(self):
        self.raw.fill_(255)

    def poison_kept(self):
        parts = [self.raw[:GUARD], self.raw[self.raw.numel() - GUARD :]]
        if self.rows * self.width:
            parts.append(self.bytes()[:, self.shape[-1] * self.size :])
        return all(bool((part == 255).all()) for part in parts)

    def argument(self):
        return ("memref", self.element, self.raw.data_ptr() + GUARD, self.shape, tuple(self.strides))


def resolve(program, run):
    """Shapes of the arguments of a run: name, type, shape or None, access, pad, scalar value."""
    values = dict(run, D=program.d) if isinstance(program, Attention) else run
    found = []
    for name, element, shape, access, padded in program.arguments():
        if shape is None:
            found.append((name, element, None, access, 0, run["splits"] if name == "splits" else 0.5))
            continue
        extents = [d if isinstance(d, int) else values[d] for d in shape]
        pad = 0
        if padded:
            step = 128 // BITS[element]
            pad = run["pad"] if program.layout == "strided" else -extents[-1] % step
        found.append((name, element, extents, access, pad, None))
    return found


class Case:
    """The buffers of one kernel for one run, bound to a launch."""

    def __init__(self, torch, device, kernel, program, run, stream=0):
        self.torch, self.program, self.run = torch, program, run
        self.buffers, args = {}, []
        for name, element, shape, _, pad, value in resolve(program, run):
            if shape is None:
                args.append(("scalar", element, value))
                continue
            self.buffers[name] = Buffer(torch, device, element, shape, pad)
            args.append(self.buffers[name].argument())
        self.out_name = program.arguments()[-1][0]
        self.out = self.buffers[self.out_name]
        self.args, self.kernel, self.stream = args, kernel, stream
        self.launch = kernel.bind(args, stream)

    def fill(self, rand, generator):
        torch = self.torch
        adds = getattr(self.program, "epilogue", "") == "add"
        for name, buffer in self.buffers.items():
            if name == self.out_name and not adds:
                buffer.poison()
            elif buffer.element == "i8" and rand:
                buffer.set(torch.randint(-128, 128, buffer.shape, generator=generator, device=buffer.raw.device))
            elif rand:
                buffer.set(
                    torch.randn(buffer.shape, generator=generator, device=buffer.raw.device, dtype=torch.float64)
                )
            else:
                buffer.set(torch.randint(-3, 4, buffer.shape, generator=generator, device=buffer.raw.device))
        # What is added to, which the launch changes.
        self.start = self.out.double() if adds else None

    def reference(self):
        """The result and the magnitude that scales its error, in float64."""
        torch, p = self.torch, self.program
        a, b = self.buffers["A"].double(), self.buffers["B"].double()
        a, b = a.mT if p.ta else a, b.mT if p.tb else b
        k = a.shape[-1]
        if p.guard:
            steps = torch.arange(k, device=a.device) // p.tile[2]
            a = a * (steps % 2 == 0)
        times = p.loops * max(p.nested, 1)
        if p.split_k:
            run = -(-(-(-k // p.tile[2])) // self.run["splits"]) * p.tile[2]
            cuts = [(min(s * run, k), min((s + 1) * run, k)) for s in range(self.run["splits"])]
            ref = torch.stack([a[:, x:y] @ b[x:y] for x, y in cuts])
            mag = torch.stack([a[:, x:y].abs() @ b[x:y].abs() for x, y in cuts])
        else:
            ref, mag = a @ b * times, a.abs() @ b.abs() * times
        mag = mag * (1 if p.a == "f32" else times * k + 4)
        if p.epilogue == "relu":
            ref = ref.clamp_min(0)
        elif p.epilogue in ("bias", "bias_gelu"):
            ref, mag = ref + self.buffers["bias"].double(), mag + self.buffers["bias"].double().abs()
            if p.epilogue == "bias_gelu":
                ref = 0.5 * ref * (1 + torch.tanh(0.7978845608 * (ref + 0.044715 * ref**3)))
        elif p.epilogue.startswith("residual"):
            ref, mag = ref + self.buffers["R"].double(), mag + self.buffers["R"].double().abs()
        elif p.epilogue == "scale":
            ref, mag = ref * 0.5, mag * 0.5
        elif p.epilogue == "add":
            if p.batched:
                ref, mag = ref.sum(0), mag.sum(0)
            ref, mag = ref + self.start, mag + self.start.abs()
        return ref, mag

    def wrong_elements(self, got, ref, mag, rand):
        """Which elements are not what they should be."""
        p, out = self.program, self.out
        exact = not rand and p.epilogue != "bias_gelu"
        if out.element == "i32":
            half = 2.0**31
            return got != (ref + half) % (2 * half) - half
        if exact:
            return ~(got == ref.to(out.dtype).double())
        unit = 2.0**-11 if p.types()[2] == "f16" else 2.0**-9 if p.a == "f32" else UNIT[p.a]
        bound = UNIT_OUT[out.element] * 1.01 * ref.abs() + unit * mag + (2.0**-24 if out.element == "f16" else 1e-30)
        if p.epilogue == "bias_gelu":
            bound = bound * 1.2 + 2.0**-10 * ref.abs() + 2.0**-11
        return ~((got - ref).abs() <= bound)

    def compare(self, rand):
        """None, or what is wrong."""
        for name, buffer in self.buffers.items():
            if not buffer.poison_kept():
                return f"{name}: a store outside the buffer"
        ref, mag = self.reference()
        got = self.out.double()
        if not got.numel():
            return None
        bad = self.wrong_elements(got, ref, mag, rand)
        count = int(bad.sum())
        if not count:
            return None
        where = bad.nonzero()
        at, last = tuple(int(i) for i in where[0]), tuple(int(i) for i in where[-1])
        low, high = where.amin(0).tolist(), where.amax(0).tolist()
        return (
            f"{count} of {got.numel()} wrong ({int(got.isnan().sum())} NaN) in {low}..{high}, first at {list(at)}: "
            f"expected {float(ref[at]):g}, got {float(got[at]):g}; last at {list(last)}: expected {float(ref[last]):g}, "
            f"got {float(got[last]):g}"
        )


class AttentionCase(Case):
    """The magnitude of an error is that of the weighted absolute values: weights are rounded to the element type."""

    def reference(self):
        torch, p = self.torch, self.program
        q, k, v = (self.buffers[name].double() for name in "QKV")
        scores = q @ k.mT / p.d**0.5
        if p.causal:
            behind = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(behind, float("-inf"))
        weights = torch.softmax(scores, -1)
        return weights @ v, weights @ v.abs()

    def wrong_elements(self, got, ref, mag, rand):
        unit = UNIT_OUT[self.program.element]
        return ~((got - ref).abs() <= unit * 1.01 * ref.abs() + 2 * unit * mag + 1e-5)


class ConvCase(Case):
    """Against torch's convolution in float64, channels moved to where it has them."""

    def reference(self):
        torch, p = self.torch, self.program
        x, w = (self.buffers[name].double().movedim(-1, 1) for name in "XW")
        strides, dilations, lower, upper = p.geometry()
        shape = self.out.shape
        if not shape[0] or not shape[1] or not x.numel():
            zeros = torch.zeros(shape, dtype=torch.float64, device=x.device)
            return zeros, zeros
        pads = [edge for pair in zip(reversed(lower), reversed(upper)) for edge in pair]
        x = torch.nn.functional.pad(x, pads)
        convolve = getattr(torch.nn.functional, f"conv{p.rank()}d")

        def apply(x, w):
            y = convolve(x, w, stride=strides, dilation=dilations)
            return y.movedim(1, -1).reshape(shape)

        ref, mag = apply(x, w), apply(x.abs(), w.abs())
        return (ref.clamp_min(0) if p.relu else ref), mag * (w[0].numel() + 4)

    def wrong_elements(self, got, ref, mag, rand):
        p, out = self.program, self.out
        if not rand:
            return ~(got == ref.to(out.dtype).double())
        bound = UNIT_OUT[out.element] * 1.01 * ref.abs() + UNIT[p.element] * mag
        return ~((got - ref).abs() <= bound + (2.0**-24 if out.element == "f16" else 1e-30))


class RowsCase(Case):
    """Rows that no index names keep what they were: poison."""

    def fill(self, rand, generator):
        super().fill(rand, generator)
        torch, device = self.torch, self.out.raw.device
        read, written = self.buffers["I"], self.buffers["J"]
        rows, targets = self.buffers["X"].shape[0], self.out.shape[0]
        read.set(torch.randint(-2, rows + 2, read.shape, generator=generator, device=device))
        # Each row is written once at most.
        order = torch.randperm(targets, generator=generator, device=device)[: written.shape[0]]
        order[::7] = -1
        order[3::11] = targets
        written.set(order)

    def reference(self):
        torch = self.torch
        x, w, y = self.buffers["X"].double(), self.buffers["W"].double(), self.out
        read, written = (self.buffers[name].view().reshape(-1).long() for name in "IJ")
        exists = (read >= 0) & (read < x.shape[0])
        taken = x[read.clamp(0, x.shape[0] - 1)] * exists[:, None]
        stored = (written >= 0) & (written < y.shape[0])
        ref = torch.full(y.shape, float("nan"), dtype=torch.float64, device=x.device)
        mag = torch.zeros_like(ref)
        ref[written[stored]] = (taken @ w)[stored]
        mag[written[stored]] = (taken.abs() @ w.abs())[stored]
        return ref, mag * (w.shape[0] + 4)

    def wrong_elements(self, got, ref, mag, rand):
        p, out = self.program, self.out
        kept = got.isnan() & ref.isnan()
        if not rand:
            return ~(kept | (got == ref.to(out.dtype).double()))
        bound = UNIT_OUT[out.element] * 1.01 * ref.abs() + UNIT[p.element] * mag
        return ~(kept | ((got - ref).abs() <= bound + (2.0**-24 if out.element == "f16" else 1e-30)))


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
                kind = {Attention: AttentionCase, Conv: ConvCase, Rows: RowsCase}.get(type(program), Case)
                case = kind(self.torch, self.device, kernel, program, run)
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
        case = Case(torch, device, worker.runtime.kernel(name), programs[name], run)
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
        out = Buffer(torch, device, case.out.element, case.out.shape, case.out.width - case.out.shape[-1])
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
            for arg, element, shape, _, pad, value in resolve(program, run):
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
                for name, _, shape, access, pad, value in resolve(program, run):
                    if shape is None:
                        args.append(f"{name}={value}")
                        continue
                    strides = artifact.dense_strides(shape[:-1] + [shape[-1] + pad]) if pad else None
                    text = "x".join(map(str, shape)) + ("@" + "x".join(map(str, strides)) if strides else "")
                    args.append(f"{name}={text}" + ("" if access == "w" else ":smallint"))
                command = [
                    f"{options.bin}/tile-run",
                    source,
                    "--check",
                    "--stage=scheduled",
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
    return packing.pack(wanted, __file__, options, extra=[HERE / "hopper_cases.py"])


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
