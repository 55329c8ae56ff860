#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward of Hopper: the plain tile program of examples/attention.mlir against cuDNN.

  pack   compiles every configuration and packs them with the launcher: where the compiler is
  run    measures: where the GPU is (torch with cuDNN, triton; no compiler)

The peer is torch's scaled_dot_product_attention through cuDNN. Results are first compared with float32 on fresh random
inputs, the output poisoned with NaN: all of them for short ones, two heads of long ones, and odd lengths too. Operations
are 4 B H S S D, half of that with `causal`.

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

from tilebench.attention import Attention  # noqa: E402
from tilebench.bench import Bench  # noqa: E402

# B, H, S, D, causal; the first five are those that published kernels report.
SHAPES = [
    (4, 16, 4096, 128, False),
    (4, 16, 4096, 128, True),
    (2, 16, 8192, 128, True),
    (4, 32, 4096, 64, False),
    (4, 32, 4096, 64, True),
]
SHAPES += [
    (16384 // s * 2, 16, s, d, causal) for s in (512, 1024, 2048, 16384) for d in (64, 128) for causal in (False, True)
]
ODD = [
    (2, 4, 1001, 64, False),
    (2, 4, 1001, 64, True),
    (1, 8, 4095, 128, False),
    (1, 8, 4095, 128, True),
    (3, 2, 513, 128, True),
    (2, 2, 1, 128, False),
]


def configurations(d, causal, lazy, element="bf16"):
    plain = Attention(element=element, d=d, causal=causal, lazy=lazy)
    change = lambda **fields: dataclasses.replace(plain, **fields)
    found = [
        plain,
        change(persistent=1),
        change(keys=64, stages=3),
        change(keys=64, stages=3, persistent=1),
        change(rows=192, threads=384, keys=128 if d == 64 else 96),
        change(rows=192, threads=384, keys=128 if d == 64 else 96, persistent=1),
        change(rows=192, threads=384, keys=64, stages=3, persistent=1),
        change(rows=192, threads=384),
        change(rows=192, threads=384, persistent=1),
        change(rows=64, threads=128, keys=64),
        change(rows=64, threads=128, keys=64, persistent=2),
        change(specialize=False),
        change(keys=64, specialize=False),
        change(rows=64, threads=128, keys=64, specialize=False),
        change(rows=64, threads=128, keys=128, specialize=False),
        change(rows=64, threads=128, keys=96, specialize=False),
    ]
    found += [change(keys=256), change(stages=3)] if d == 64 else [change(keys=176), change(keys=160)]
    return list(dict.fromkeys(found))


# What is measured, and whether its programs rescale only where a maximum has grown by much.
MODES = {"attention": False, "attention, lazy": True}


def programs():
    return [p for d in (64, 128) for causal in (False, True) for lazy in MODES.values() for p in configurations(d, causal, lazy)]


def reference(torch, q, k, v, causal):
    """O, and the weighted mean of |V|, in float32, a head at a time."""
    torch.backends.cuda.matmul.allow_tf32 = False
    out, size = (torch.empty(q.shape, dtype=torch.float32, device=q.device) for _ in range(2))
    for h in range(q.shape[0]):
        scores = q[h].float() @ k[h].float().T / q.shape[-1] ** 0.5
        if causal:
            scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
        weights = torch.softmax(scores, -1)
        out[h] = weights @ v[h].float()
        size[h] = weights @ v[h].float().abs()
    return out, size


def wrong(torch, o, q, k, v, causal):
    """None, or what is wrong: of all heads, or of the first and last of long ones."""
    heads = [0, len(o) - 1] if len(o) > 8 or o.shape[1] > 4096 else list(range(len(o)))
    want, size = reference(torch, q[heads], k[heads], v[heads], causal)
    # Every element was written, also of heads that are not compared.
    if bool(o.isnan().any()):
        return f"{int(o.isnan().sum())} elements are NaN"
    error = (o[heads].float() - want).abs()
    # Each weight is rounded to bf16 before it multiplies its value, by at most 2^-9 of it, and the result once more;
    # as much again for the exponentials and the order of the sums.
    bad = int((error > 2.0**-8 * (size + want.abs()) + 2.0**-14).sum())
    relative = float(error.norm() / want.norm())
    if relative > 1e-2 or bad:
        at = [int(i) for i in (error == error.max()).nonzero()[0]]
        return f"relative error {relative:.1e}, {bad} beyond the bound, largest at {at}: {float(error.max()):g}"
    return None


def verify(bench, program, launch, tensors):
    q, k, v, o = tensors
    bench.alive()
    bench.timing.poison(o)
    try:
        launch()
        bench.synchronize()
        what = wrong(bench.torch, o, q, k, v, program.causal)
    except RuntimeError as error:
        what = str(error).splitlines()[0]
        if "CUDA" in what:
            raise
    if what:
        bench.wrong.append(dict(name=program.ident(), what=what))
        print(f"WRONG {program.ident()} {tuple(o.shape)}: {what}", flush=True)
    return what is None


def tensors_of(bench, b, h, s, d, element="bf16"):
    q, k, v = (bench.timing.normal((b * h, s, d), element, bench.device) for _ in range(3))
    return q, k, v, bench.torch.empty_like(q)


def cudnn(bench, tensors, b, h, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    q, k, v = (t.view(b, h, *t.shape[1:]) for t in tensors[:3])

    def call():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return scaled_dot_product_attention(q, k, v, is_causal=causal)

    return call


def run(options):
    start = time.time()
    bench = Bench(options)
    print(
        f"{bench.torch.cuda.get_device_name()}, torch {bench.torch.__version__}; medians of {options.pairs} pairs, TFLOP/s",
        flush=True,
    )
    for b, h, s, d, causal in ODD:
        tensors = tensors_of(bench, b, h, s, d)
        for program in bench.packed([p for lazy in MODES.values() for p in configurations(d, causal, lazy)]):
            verify(bench, program, bench.bind(program, dict(zip("QKVO", tensors))), tensors)
    print(f"odd lengths: {len(bench.wrong)} wrong", flush=True)
    for b, h, s, d, causal in SHAPES[: options.shapes]:
        tensors = tensors_of(bench, b, h, s, d)
        for mode, lazy in MODES.items():
            good = []
            for program in bench.packed(configurations(d, causal, lazy)):
                launch = bench.bind(program, dict(zip("QKVO", tensors)))
                if verify(bench, program, launch, tensors):
                    good.append((bench.time(launch, rep=options.tune_rep, warmup=4), program.ident(), launch))
            if good:
                _, name, launch = min(good, key=lambda g: g[:2])
                flops = 4 * b * h * s * s * d // (2 if causal else 1)
                label = f"{b}x{h}x{s}x{d} {'causal' if causal else 'full'}"
                bench.report(mode, label, name, launch, flops, {"cudnn": cudnn(bench, tensors, b, h, causal)})
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(dict(rows=bench.rows, wrong=bench.wrong)))
    for mode in MODES:
        if bench.rows:
            bench.summary(mode)
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong, {time.time() - start:.0f} s")
    return 1 if bench.wrong or not bench.rows else 0


def pack(options):
    from tilebench import pack as packing

    return packing.pack(programs(), __file__, options)


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    packing.add_options(p, "attention_hopper.tar.xz")
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("--shapes", type=int, default=len(SHAPES), help="only the first so many shapes")
    packing.add_run_options(p)
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run}[options.command](options))


if __name__ == "__main__":
    main()
