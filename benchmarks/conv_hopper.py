#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of Hopper: the plain tile program of examples/conv2d.mlir against cuDNN, f16, channels last.

  pack   compiles every configuration and packs them with the launcher: where the compiler is
  run    measures: where the GPU is (torch with cuDNN; no compiler)

The peer is torch's conv2d on channels_last tensors, cuDNN's algorithm being chosen by benchmarking. Results are first
compared with float32 on fresh random inputs, the output poisoned with NaN. Operations are 2 N P Q F R S C.

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

from tilebench.bench import Bench  # noqa: E402
from tilebench.conv import Conv  # noqa: E402

# Images, H = W, C, F, kernel, stride: of ResNet-50, and larger channels.
SHAPES = [
    (64, 56, 64, 64, 3, 1),
    (64, 56, 64, 256, 1, 1),
    (64, 56, 128, 128, 3, 2),
    (64, 28, 128, 128, 3, 1),
    (64, 28, 512, 128, 1, 1),
    (64, 14, 256, 256, 3, 1),
    (64, 14, 1024, 256, 1, 1),
    (64, 28, 256, 512, 1, 2),
    (64, 7, 512, 512, 3, 1),
    (64, 7, 512, 2048, 1, 1),
    (16, 64, 512, 512, 3, 1),
]


def configurations(kernel, stride):
    pad = (kernel // 2,) * 2
    plain = Conv(kernel=(kernel,) * 2, strides=(stride,) * 2, pad=pad)
    change = lambda **fields: dataclasses.replace(plain, **fields)
    found = [plain]
    for tile, threads in (((128, 256, 64), 256), ((256, 128, 64), 256), ((128, 64, 64), 256), ((64, 64, 64), 128)):
        found.append(change(tile=tile, threads=threads))
    found += [change(persistent=1, panel=8), change(tile=(128, 256, 64), persistent=1, panel=8)]
    found += [change(tile=(256, 64, 64), persistent=1, panel=8), change(tma=False)]
    return found


def programs():
    kinds = sorted({shape[4:] for shape in SHAPES})
    return [p for kernel, stride in kinds for p in configurations(kernel, stride)]


def wrong(torch, program, x, w, y):
    """None, or what is wrong: of the first and the last image."""
    images = x.shape[0]
    if bool(y.isnan().any()):
        return f"{int(y.isnan().sum())} elements are NaN"
    torch.backends.cudnn.allow_tf32 = False
    strides, _, pad, _ = program.geometry()
    taken = [0, images - 1]

    def apply(x, w):
        return torch.nn.functional.conv2d(x, w, stride=strides, padding=pad).permute(0, 2, 3, 1)

    a, b = x[taken].float().permute(0, 3, 1, 2), w.float().permute(0, 3, 1, 2)
    want, size = apply(a, b), apply(a.abs(), b.abs())
    got = y.view(images, *want.shape[1:])[taken].float()
    error = (got - want).abs()
    bad = int((error > 2.0**-11 * 1.01 * want.abs() + 2.0**-22 * w[0].numel() * size + 1e-6).sum())
    return f"{bad} beyond the bound, largest error {float(error.max()):g}" if bad else None


def verify(bench, program, launch, x, w, y):
    bench.alive()
    bench.timing.poison(y)
    try:
        launch()
        bench.synchronize()
        what = wrong(bench.torch, program, x, w, y)
    except RuntimeError as error:
        what = str(error).splitlines()[0]
        if "CUDA" in what:
            raise
    if what:
        bench.wrong.append(dict(name=program.ident(), what=what))
        print(f"WRONG {program.ident()} {tuple(x.shape)} {tuple(w.shape)}: {what}", flush=True)
    return what is None


def run(options):
    start = time.time()
    bench = Bench(options)
    torch = bench.torch
    torch.backends.cudnn.benchmark = True
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; medians of {options.pairs} pairs, TFLOP/s")
    for images, size, c, f, kernel, stride in SHAPES[: options.shapes]:
        plain = configurations(kernel, stride)[0]
        p, q = plain.outputs((size, size))
        x = bench.timing.normal((images, size, size, c), "f16", bench.device)
        w = bench.timing.normal((f, kernel, kernel, c), "f16", bench.device)
        y = torch.empty((images * p * q, f), dtype=x.dtype, device=x.device)
        good = []
        for program in bench.packed(configurations(kernel, stride)):
            launch = bench.bind(program, dict(X=x, W=w, Y=y))
            if verify(bench, program, launch, x, w, y):
                good.append((bench.time(launch, rep=options.tune_rep, warmup=4), program.ident(), launch))
        if good:
            _, name, launch = min(good, key=lambda g: g[:2])
            a, b = x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2)

            def peer(a=a, b=b):
                return torch.nn.functional.conv2d(a, b, stride=stride, padding=kernel // 2)

            label = f"{images}x{size}x{size}x{c} F{f} {kernel}x{kernel}/{stride}"
            flops = 2 * images * p * q * f * kernel * kernel * c
            bench.report("conv", label, name, launch, flops, {"cudnn": peer})
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(dict(rows=bench.rows, wrong=bench.wrong)))
    if bench.rows:
        bench.summary("conv")
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
    packing.add_options(p, "conv_hopper.tar.xz")
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("--shapes", type=int, default=len(SHAPES), help="only the first so many shapes")
    packing.add_run_options(p)
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run}[options.command](options))


if __name__ == "__main__":
    main()
