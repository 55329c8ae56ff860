#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of benchmarks/tilebench/recurrent.py at small sizes and compares with recurrences in float64.

    recurrent_test.py --bin build/release/bin [--only 'gla*'] [--paths 'source,lowered,ptx'] [--seed 1] [--all]

Operators of several kernels run as that sequence, each kernel on what the one before it wrote. The paths: `source`
executes the programs as written, `lowered` what becomes PTX for sm_90a, thread by thread, and `ptx` compiles and
assembles: spills and C75xx (serialized asynchronous instructions) are failures. --all compiles every configuration
that the benchmark packs. Outputs and what is passed between kernels start as NaN.

The references know no chunks: one token after the other. Bounds: of what is a plain sum of products (linear, gla,
mamba2) each factor may be rounded to bf16, so the error is at most some units of the sum of the absolute values, which
is computed the same way. The delta rules subtract what the state predicts, so such a sum says nothing; there the bound
is a share of the root mean square of the head's result, which is experience.
"""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "benchmarks"))
sys.path.append(str(HERE))
sys.path.append(str(HERE.parent / "Gallery"))

import assembler  # noqa: E402
from elements import from_bf16  # noqa: E402
from report import Skipped, report  # noqa: E402
from tilebench import recurrent  # noqa: E402
from tilebench.recurrent import Recurrent  # noqa: E402

UNIT = 2.0**-8  # of bf16; rounding to nearest is off by half of it
MODES = {"source": [], "lowered": ["--stage=lowered", "--arch=sm_90a"]}
SECONDS = 120
SCALE = 0.125
SHARE = 0.06  # of a head's root mean square, delta rules


@dataclasses.dataclass(frozen=True)
class Case:
    operator: Recurrent
    batch: int
    tokens: int
    heads: int
    key_heads: int
    modes: tuple = tuple(MODES)

    def name(self):
        return f"{self.operator.ident()} B{self.batch} T{self.tokens} H{self.heads}/{self.key_heads}"


def cases():
    """Each operator in each form at sizes with whole chunks, with a tail, shorter than a chunk, and one token."""
    found = []

    def add(kind, form, flags, sizes, **shape):
        for number, (batch, tokens, heads, key_heads) in enumerate(sizes):
            # Compiling takes most of the time: other sizes of a program run on the path that checks more.
            modes = ("lowered",) if number else tuple(MODES)
            found.append(Case(Recurrent(kind, form, flags=tuple(flags), **shape), batch, tokens, heads, key_heads, modes))

    small = dict(k=64, v=64)
    both = ["initial", "final"]
    add("linear", "fused", [], [(2, 70, 2, 2)], **small)
    add("linear", "fused", ["normalize", *both], [(1, 131, 2, 2)], **small)
    add("linear", "split", both, [(2, 67, 1, 1)], **small)
    add("linear", "parallel", both, [(1, 129, 1, 1)], k=64, v=128)
    add("gla", "fused", both, [(2, 133, 2, 2), (1, 1, 1, 1), (1, 17, 1, 1)], **small)
    add("gla", "fused", [], [(1, 65, 1, 1)], k=128, v=128)
    add("gla", "fused", ["final"], [(1, 130, 1, 1)], k=64, v=64, chunk=128, threads=256)
    add("gla", "split", both, [(2, 131, 2, 2)], k=128, v=64)
    add("gla", "parallel", both, [(2, 131, 1, 1)], **small)
    add("gla", "parallel", [], [(1, 129, 1, 1)], k=64, v=128, chunk=128)
    mamba = dict(k=128, v=64)
    add("mamba2", "fused", [*both, "skip", "gate", "softplus"], [(2, 67, 2, 1), (1, 1, 1, 1)], **mamba)
    add("mamba2", "fused", [], [(1, 130, 4, 2)], **mamba)
    add("mamba2", "split", [*both, "skip"], [(1, 67, 2, 1)], **mamba)
    add("mamba2", "parallel", [*both, "skip", "gate", "softplus"], [(1, 301, 2, 1)], chunk=256, **mamba)
    add("gated_delta", "fused", both, [(2, 133, 1, 1), (1, 1, 1, 1)], **small)
    add("gated_delta", "fused", [*both, "l2norm"], [(1, 131, 2, 1)], k=128, v=128)
    add("gated_delta", "split", [*both, "l2norm"], [(1, 70, 2, 1), (1, 2, 1, 1)], **small)
    add("delta", "fused", ["final", "l2norm"], [(1, 130, 1, 1)], **small)
    add("delta", "split", [], [(2, 66, 1, 1)], **small)
    return found


def to_bf16(values):
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def widened(array):
    return from_bf16(array) if array.dtype == np.uint16 else array.astype(np.float64)


def poison(shape, element):
    found = np.empty(shape, np.uint16 if element == "bf16" else np.float32)
    found.view(np.uint8)[...] = 255
    return found


def inputs(case, rng):
    """All that the operator's kernels read, and nothing else."""
    op, found = case.operator, {}
    written = {name for kernel in op.parts() for name, *_, access, _ in kernel.arguments() if access == "w"}
    for kernel in op.parts():
        sizes = recurrent.extents(kernel, case.batch, case.tokens, case.heads, case.key_heads)
        for name, element, shape, _, _ in kernel.arguments():
            if name in found or name in written or shape is None:
                continue
            dims = [sizes.get(s, s) for s in shape]
            values = data(name, dims, op, rng)
            found[name] = to_bf16(values) if element == "bf16" else values.astype(np.float32)
    return found


def data(name, dims, op, rng):
    if name == "G":
        return -rng.uniform(0, 0.3, dims)
    if name == "beta":
        return rng.uniform(0, 1, dims)
    if name == "DT":
        return rng.uniform(-3, 1, dims) if "softplus" in op.flags else rng.uniform(0.01, 0.3, dims)
    if name == "A":
        return -rng.uniform(0.5, 2, dims)
    if name in ("Q", "K") and (op.kind.endswith("delta") or "normalize" in op.flags):
        x = rng.standard_normal(dims)
        if "normalize" in op.flags:
            return np.abs(x)  # sums of weights that do not vanish, as a feature map gives them
        return x if "l2norm" in op.flags else x / np.sqrt((x**2).sum(-1, keepdims=True))
    if name == "Z0":
        return np.abs(rng.standard_normal(dims))
    return rng.standard_normal(dims)


# --- references: one token after the other


def reference(case, given):
    """The exact results by name, and for each the largest error."""
    op = case.operator
    x = {name: widened(array) for name, array in given.items()}
    if op.kind == "mamba2":
        return mamba2(op, x)
    share = case.heads // case.key_heads
    q, k, v = np.repeat(x["Q"], share, 2), np.repeat(x["K"], share, 2), x["V"]
    if "l2norm" in op.flags:
        q, k = (a / np.sqrt((a**2).sum(-1, keepdims=True) + 1e-6) for a in (q, k))
    decay = np.exp(x["G"]) if "G" in x else np.ones(v.shape[:3])
    state = x.get("S0", np.zeros((len(v), case.heads, op.k, op.v)))
    if op.kind.endswith("delta"):
        o, state = delta_rule(q, k, v, decay, x["beta"], state)
        results = {"O": SCALE * o, "ST": state}
        return {n: (r, spread(r, (1, 3) if n == "O" else (2, 3)) * SHARE + np.abs(r) * UNIT) for n, r in results.items()}
    o, last = walk(q, k, v, decay, state)
    size, last_size = walk(*map(np.abs, (q, k, v)), decay, np.abs(state))
    # O: the scores or the state, and a value weighted for it, are rounded; ST: values only.
    error, state_error = 3 * UNIT * size, 2 * UNIT * last_size
    results = {"ST": (last, state_error + 1e-5)}
    if "normalize" not in op.flags:
        return results | {"O": (SCALE * o, SCALE * error + SCALE * np.abs(o) * UNIT + 1e-6)}
    z = x.get("Z0", np.zeros(k.shape[:1] + k.shape[2:])) [:, None] + np.cumsum(k, 1)
    below = SCALE * (q * z).sum(-1, keepdims=True) + 1e-10
    value = SCALE * o / below
    # Scores are rounded above and below the line, and so is the sum of keys.
    results["O"] = (value, SCALE * error / below + np.abs(value) * 4 * UNIT)
    results["ZT"] = (z[:, -1], np.abs(z[:, -1]) * 2.0**-20)
    return results


def spread(result, axes):
    return np.sqrt((result**2).mean(axes, keepdims=True))


def walk(q, k, v, decay, state):
    o = np.zeros(v.shape)
    for t in range(v.shape[1]):
        state = decay[:, t, :, None, None] * state + k[:, t, :, :, None] * v[:, t, :, None, :]
        o[:, t] = np.einsum("bhk,bhkv->bhv", q[:, t], state)
    return o, state


def delta_rule(q, k, v, decay, beta, state):
    o = np.zeros(v.shape)
    for t in range(v.shape[1]):
        state = decay[:, t, :, None, None] * state
        new = beta[:, t, :, None] * (v[:, t] - np.einsum("bhk,bhkv->bhv", k[:, t], state))
        state = state + k[:, t, :, :, None] * new[:, :, None, :]
        o[:, t] = np.einsum("bhk,bhkv->bhv", q[:, t], state)
    return o, state


def mamba2(op, x):
    share = x["X"].shape[2] // x["B"].shape[2]
    b, c = np.repeat(x["B"], share, 2), np.repeat(x["C"], share, 2)
    dt = np.log1p(np.exp(x["DT"] + x["bias"])) if "softplus" in op.flags else x["DT"]
    decay = np.exp(dt * x["A"])
    state = x.get("S0", np.zeros((len(b), x["X"].shape[2], op.v, op.k))).swapaxes(2, 3)
    values = x["X"] * dt[..., None]
    y, last = walk(c, b, values, decay, state)
    size, last_size = walk(*map(np.abs, (c, b, values)), decay, np.abs(state))
    error = 3 * UNIT * size
    if "skip" in op.flags:
        y = y + x["D"][:, None] * x["X"]
    if "gate" in op.flags:
        factor = x["Z"] / (1 + np.exp(-x["Z"]))
        y, error = y * factor, error * np.abs(factor)
    return {"Y": (y, error + np.abs(y) * UNIT + 1e-6), "ST": (last.swapaxes(2, 3), (2 * UNIT * last_size + 1e-5).swapaxes(2, 3))}


# --- runs


def call(command):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return -1, f"error: no result in {SECONDS} s"
    return done.returncode, done.stderr + done.stdout


def complaint(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if re.search("error|FAIL", line)), lines[0] if lines else "no message")[:400]


def launch(kernel, values, mode, options, folder):
    """Runs one kernel on `values`, which get its outputs; what is wrong, or nothing."""
    (folder / "kernel.mlir").write_text(kernel.text())
    arguments, outputs = [], []
    for name, element, shape, access, _ in kernel.arguments():
        if shape is None:
            arguments.append(f"{name}={values[name]!r}")
            continue
        np.save(folder / f"{name}.npy", values[name])
        arguments.append(f"{name}=@{folder}/{name}.npy")
        outputs += [name] * (access == "w")
    command = [options.bin / "tile-run", folder / "kernel.mlir", *MODES[mode], f"--args={','.join(arguments)}"]
    status, text = call(command + [f"--save={name}:{folder}/{name}.out.npy" for name in outputs])
    if status:
        return [f"{kernel.ident()}: tile-run exits with {status}: {complaint(text)}"]
    values.update((name, np.load(folder / f"{name}.out.npy")) for name in outputs)
    return []


def execute(case, mode, options):
    start = time.time()
    rng = np.random.default_rng([options.seed, zlib.crc32(case.name().encode())])
    values = inputs(case, rng)
    expected = reference(case, values)
    values["scale"] = SCALE
    with tempfile.TemporaryDirectory() as folder:
        for kernel in case.operator.parts():
            sizes = recurrent.extents(kernel, case.batch, case.tokens, case.heads, case.key_heads)
            for name, element, shape, access, _ in kernel.arguments():
                if access == "w":
                    values[name] = poison([sizes.get(s, s) for s in shape], element)
            if wrong := launch(kernel, values, mode, options, pathlib.Path(folder)):
                return wrong
    results = [name for name in expected if name in values]
    wrong = [f"{name}: {line}" for name in results for line in differences(widened(values[name]), *expected[name])]
    if options.verbose:
        used = {name: float((np.abs(widened(values[name]) - expected[name][0]) / expected[name][1]).max()) for name in results}
        print(f"{time.time() - start:.1f} s", case.name(), mode, " ".join(f"{name} {share:.2f} of the bound" for name, share in used.items()))
    return wrong


def differences(got, value, error):
    distance = np.abs(got - value)
    bad = np.argwhere(~(distance <= error))
    if not len(bad):
        return []
    at = tuple(bad[0])
    bound = np.broadcast_to(error, got.shape)[at]
    return [f"{len(bad)} of {got.size} elements wrong; the first at {list(map(int, at))} is {got[at]:.6g}, expected {value[at]:.6g} within {bound:.3g}"]


def compiled(kernel, options):
    """What is wrong with a kernel compiled for sm_90a and assembled."""
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = pathlib.Path(folder) / "kernel.mlir", pathlib.Path(folder) / "kernel.ptx"
        source.write_text(kernel.text())
        start = time.time()
        status, text = call([options.bin / "tile-translate", source, "--tile-to-ptx", "--arch=sm_90a", "-o", ptx])
        took = time.time() - start
        if status:
            return [f"tile-translate exits with {status}: {complaint(text)}"]
        if not options.ptxas:
            return Skipped(assembler.NONE)
        status, text = call([options.ptxas, "-arch=sm_90a", "-v", ptx, "-o", ptx.with_suffix(".cubin")])
    if status:
        return [f"ptxas: {complaint(text)}"]
    registers = re.findall(r"Used (\d+) registers", text)
    if options.verbose:
        print(f"{kernel.ident()}: {took * 1000:.0f} ms, {'+'.join(registers)} registers")
    wrong = [f"ptxas: {line.strip()}" for line in text.splitlines() if re.search(r"C75\d\d", line)]
    frames = re.findall(r"\d+ bytes stack frame, \d+ bytes spill stores, \d+ bytes spill loads", text)
    return wrong + [f"ptxas: {frame}" for frame in frames if any(map(int, re.findall(r"\d+", frame)))]


def kernels(options):
    """Every kernel of the cases once, or with --all those of the benchmark."""
    operators = [case.operator for case in cases()]
    if options.all:
        from tilebench.recurrent import PROBLEMS, candidates

        operators = [o for problem in PROBLEMS for o in candidates(problem)]
    return list({kernel.ident(): kernel for operator in operators for kernel in operator.parts()}.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-run and tile-translate")
    parser.add_argument("--only", default="*", help="only cases and kernels whose names match")
    parser.add_argument("--paths", default="source,lowered")
    parser.add_argument("--seed", type=int, default=1, help="of the data (default 1)")
    parser.add_argument("--all", action="store_true", help="`ptx`: every configuration of the benchmark")
    parser.add_argument("--verbose", action="store_true", help="say how much of each bound is used, and what compiling takes")
    parser.add_argument("--jobs", type=int, default=2)
    assembler.add_options(parser)
    parser.add_argument("--junit", type=pathlib.Path, help="write the results here, too")
    options = parser.parse_args()
    paths = options.paths.split(",")
    options.ptxas = assembler.find(options, "recurrent") if "ptx" in paths else None
    todo = [(f"{case.name()} {mode}", execute, (case, mode, options)) for case in cases() for mode in case.modes if mode in paths]
    if "ptx" in paths:
        todo += [(f"{kernel.ident()} ptx", compiled, (kernel, options)) for kernel in kernels(options)]
    todo = [case for case in todo if fnmatch.fnmatch(case[0], options.only)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda case: case[1](*case[2]), todo))
    sys.exit(report("recurrent", [(name, wrong) for (name, *_), wrong in zip(todo, results)], options.junit))


if __name__ == "__main__":
    main()
