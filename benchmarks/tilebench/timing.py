# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks against float32 and alternating measurements, on torch tensors. Needs a GPU for the timing only."""

import statistics

import torch

DTYPES = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "i8": torch.int8,
    "i32": torch.int32,
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
}
# Relative rounding of the output, and the absolute error in units of sqrt(K), the size of a product's elements:
# f32 accumulation of exact products, tf32 operands, fp8's short accumulation.
ROUNDING = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-23, "i32": 0.0}
ABSOLUTE = {"f16": 2.0**-10, "bf16": 2.0**-10, "f32": 2.0**-7, "f8E4M3FN": 2.0**-5, "f8E5M2": 2.0**-5, "i8": 0.0}


def normal(shape, element, device="cuda"):
    """Random data: normal; of i8, uniform over all values."""
    if element == "i8":
        return torch.randint(-128, 128, shape, device=device, dtype=torch.int8)
    if element == "f32":
        return torch.randn(shape, device=device)
    return torch.randn(shape, device=device, dtype=torch.float16 if element == "f16" else torch.float32).to(
        DTYPES[element]
    )


def poison(tensor):
    if tensor.dtype == torch.int32:
        tensor.fill_(-2147483648)
    else:
        tensor.fill_(float("nan"))


def product(a, b, rows=slice(None)):
    """a[rows] @ b in float32 (float64 of integers), with upcast inputs and no tf32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    wide = torch.float64 if a.dtype == torch.int8 else torch.float32
    return a[..., rows, :].to(wide) @ b.to(wide)


def truncation(want, k, run):
    """Bound on what the tensor cores lose of an fp8 product: they add 32 products a step to `run` elements of K in
    turn, and keep about 13 bits behind the leading one of the largest term (measured by others, too: DeepSeek-V3,
    section 3.3.2). Partial sums are taken to be no larger than the result, or twice the spread of all results."""
    return k / 32 * 2.0**-13 * want.abs().clamp(min=2 * k**0.5) * min(1.0, run / k)


def fp8_error(k):
    """What tensor cores may lose of a sum of k products of fp8, in units of the sum of their magnitudes, as test/GPU/README.md
    says: 2^-12 for each step of 32 products. Steps round up and down, so errors grow with the square root of their number
    (six standard deviations), but each of a few steps may count."""
    steps = k / 32
    return 2.0**-12 * (min(steps, 6 * steps**0.5) + 4)


def fp8_spread(k):
    """What the error of such sums is at most in the norm, relative to the sums. Measured on an H200: 2^-13 times the square
    root of the number of steps, which is half of it."""
    return 2.0**-12 * (k / 32) ** 0.5


def worst_tile(error, want):
    """The largest relative error, in the norm, of a tile of 64 x 64 elements: a product that lacks a step of K in one tile
    is small in the norm of the whole, and within a bound for each element where K is large."""
    mean = lambda x: torch.nn.functional.avg_pool2d(x.square()[None, None], 64, ceil_mode=True)
    return float((mean(error) / mean(want).clamp(min=1e-30)).max().sqrt())


def relative_error(c, a, b, chunk=4096):
    """|C - A B| / |A B| over all elements."""
    square, total = 0.0, 0.0
    for start in range(0, c.shape[-2], chunk):
        rows = slice(start, start + chunk)
        want = product(a, b, rows)
        square += float((c[..., rows, :].float() - want).double().square().sum())
        total += float(want.double().square().sum())
    return (square / total) ** 0.5


def check(c, a, b, element, out, finish=None, chunk=4096, run=None):
    """None, or what is wrong with C = finish(A B): every element, in float32. `finish(x, rows)` is the epilogue,
    `run` the elements of K that tensor cores add up before they are added in float32 (all of them, when None)."""
    k = a.shape[-1]
    step = max(1, chunk // 8) if element == "i8" else chunk
    # float64 products of integers are slow: the first, a middle and the last rows stand for all.
    starts = range(0, c.shape[-2], step)
    if element == "i8" and len(starts) > 3:
        starts = (0, starts[len(starts) // 2], c.shape[-2] - step)
    square, total = 0.0, 0.0
    for start in starts:
        rows = slice(start, start + step)
        want = product(a, b, rows)
        want = finish(want, rows) if finish else want
        got = c[..., rows, :].to(want.dtype)
        error = (got - want).abs()
        bound = ROUNDING[out] * 1.02 * want.abs() + ABSOLUTE[element] * k**0.5
        if element.startswith("f8"):
            bound += truncation(want, k, run or k)
        bad = ~(error <= bound)
        count = int(bad.sum())
        if count:
            at = [int(i) for i in bad.nonzero()[0]]
            value, expected = float(got[tuple(at)]), float(want[tuple(at)])
            at[-2] += start
            return f"{count} of {got.numel()} wrong ({int(got.isnan().sum())} NaN), first at {at}: expected {expected:g}, got {value:g}"
        square += float(error.double().square().sum())
        total += float(want.double().square().sum())
    return None if square <= 1e-4 * total or total == 0 else f"relative error {(square / total) ** 0.5:.1e}"


def bench(function, rep=40, warmup=10):
    """Milliseconds: the median of triton's do_bench, which clears the L2 cache before each call."""
    from triton.testing import do_bench

    return do_bench(function, warmup=warmup, rep=rep, return_mode="median")


def alternate(functions, pairs=6, rep=40, warmup=10, bench=bench):
    """Times of each function, `pairs` rounds of all of them in turn, the order reversed in every second round."""
    times = [[] for _ in functions]
    for number in range(pairs):
        order = range(len(functions)) if number % 2 == 0 else reversed(range(len(functions)))
        for index in order:
            times[index].append(bench(functions[index], rep, warmup))
    return times


def ratio(ours, peer):
    """Median, least and largest of peer's time over ours, pair by pair."""
    values = sorted(p / o for o, p in zip(ours, peer))
    return statistics.median(values), values[0], values[-1]


def geomean(values):
    values = list(values)
    return statistics.geometric_mean(values) if values else float("nan")
