# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-bound operators in Triton, as its authors write them: a program a row (or some rows), whole or in pieces.

Each function returns the fastest of a few configurations, measured here, as a function of no arguments.
"""

import torch
import triton
import triton.language as tl

from .operator_peers import SCALARS

WHOLE = 32768  # elements of the longest row that a program holds at once


@triton.jit
def _softmax(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    x = tl.load(X + row + columns, mask=columns < N, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(Y + row + columns, (e / tl.sum(e, 0)).to(tl.float16), mask=columns < N)


@triton.jit
def _softmax_pieces(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for n in range(0, N, BLOCK):
        x = tl.load(X + row + n + columns, mask=n + columns < N, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, x)
        total = tl.where(new == -float("inf"), 0.0, total * tl.exp(top - new) + tl.exp(x - new))
        top = new
    most = tl.max(top, 0)
    scale = 1.0 / tl.sum(total * tl.exp(top - most), 0)
    for n in range(0, N, BLOCK):
        x = tl.load(X + row + n + columns, mask=n + columns < N, other=0.0, eviction_policy="evict_first").to(tl.float32)
        tl.store(Y + row + n + columns, (tl.exp(x - most) * scale).to(tl.float16), mask=n + columns < N)


@triton.jit
def _rmsnorm(X, W, Y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    x = tl.load(X + row + columns, mask=columns < N, other=0.0).to(tl.float32)
    w = tl.load(W + columns, mask=columns < N, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(x * x, 0) / N + eps)
    tl.store(Y + row + columns, (x * r * w).to(tl.float16), mask=columns < N)


@triton.jit
def _layernorm(X, W, B, Y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    x = tl.load(X + row + columns, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(W + columns, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(B + columns, mask=inside, other=0.0).to(tl.float32)
    d = tl.where(inside, x - tl.sum(x, 0) / N, 0.0)
    r = tl.rsqrt(tl.sum(d * d, 0) / N + eps)
    tl.store(Y + row + columns, (d * r * w + b).to(tl.float16), mask=inside)


@triton.jit
def _rowsum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    x = tl.load(X + row + columns, mask=columns < N, other=0.0).to(tl.float32)
    tl.store(Y + tl.program_id(0), tl.sum(x, 0))


@triton.jit
def _transpose(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    x = tl.load(X + m[:, None].to(tl.int64) * N + n[None, :], mask=(m < M)[:, None] & (n < N)[None, :])
    tl.store(Y + n[:, None].to(tl.int64) * M + m[None, :], tl.trans(x), mask=(n < N)[:, None] & (m < M)[None, :])


@triton.jit
def _gemv(W, x, y, R, N, BR: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    columns = tl.arange(0, BLOCK)
    total = tl.zeros((BR, BLOCK), tl.float32)
    for n in range(0, N, BLOCK):
        w = tl.load(W + rows[:, None].to(tl.int64) * N + n + columns[None, :], mask=(rows < R)[:, None] & (n + columns < N)[None, :], other=0.0)
        v = tl.load(x + n + columns, mask=n + columns < N, other=0.0)
        total += w.to(tl.float32) * v.to(tl.float32)[None, :]
    tl.store(y + rows, tl.sum(total, 1).to(tl.float16), mask=rows < R)


def _fastest(launches):
    """The launch that is fastest; those that do not compile or do not fit are left out."""
    best, least = None, float("inf")
    for launch in launches:
        try:
            time = triton.testing.do_bench(launch, warmup=2, rep=6, return_mode="median")
        except (triton.runtime.errors.OutOfResources, triton.compiler.errors.CompilationError, RuntimeError):
            continue
        if time < least:
            best, least = launch, time
    return best


def _rows(kernel, arguments, rows, columns, warps=(4, 8, 16, 32)):
    block = triton.next_power_of_2(columns)
    return _fastest([lambda w=w: kernel[(rows,)](*arguments, BLOCK=block, num_warps=w) for w in warps])


def peer(problem, found):
    """The Triton kernel of a problem; None where there is none."""
    rows, n, t = problem.rows, problem.columns, found
    eps = SCALARS["eps"]
    if problem.kind == "softmax":
        launches = [lambda b=b, w=w: _softmax_pieces[(rows,)](t["X"], t["Y"], n, BLOCK=b, num_warps=w)
                    for b, w in ((2048, 8), (4096, 8), (4096, 16), (8192, 16), (8192, 32))] if n > 4096 else []
        if n <= WHOLE * 2:
            block = triton.next_power_of_2(n)
            launches += [lambda w=w: _softmax[(rows,)](t["X"], t["Y"], n, BLOCK=block, num_warps=w) for w in (4, 8, 16, 32)]
        return _fastest(launches)
    if problem.kind == "rmsnorm":
        return _rows(_rmsnorm, (t["X"], t["W"], t["Y"], n, eps), rows, n)
    if problem.kind == "layernorm":
        return _rows(_layernorm, (t["X"], t["W"], t["B"], t["Y"], n, eps), rows, n)
    if problem.kind == "rowsum":
        return _rows(_rowsum, (t["X"], t["Y"], n), rows, n)
    if problem.kind == "transpose":
        shapes = ((64, 64, 4), (64, 64, 8), (128, 64, 8), (64, 128, 8), (128, 128, 8), (32, 64, 4))
        return _fastest([lambda m=m, k=k, w=w: _transpose[(triton.cdiv(n, k), triton.cdiv(rows, m))](t["X"], t["Y"], rows, n, BM=m, BN=k, num_warps=w)
                         for m, k, w in shapes])
    if problem.kind == "gemv":
        shapes = ((1, 2048, 4), (1, 4096, 8), (2, 2048, 8), (4, 1024, 4), (4, 2048, 8), (8, 1024, 8))
        return _fastest([lambda r=r, b=b, w=w: _gemv[(triton.cdiv(rows, r),)](t["W"], t["x"], t["y"], rows, n, BR=r, BLOCK=b, num_warps=w)
                         for r, b, w in shapes])
    return None
