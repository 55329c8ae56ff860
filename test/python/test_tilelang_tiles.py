# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies, loops over elements, reductions and control flow in TileLang's style, on the CPU."""

import pytest
from tilelang_style import T, tilelang, torch


@tilelang.jit(out_idx=[1])
def copied(M, N, block_m, block_n, in_dtype, out_dtype):
    @T.prim_func
    def main(A: T.Tensor((M, N), in_dtype), B: T.Tensor((M, N), out_dtype)):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            tile = T.alloc_shared((block_m, block_n), in_dtype)
            T.copy(A[by * block_m, bx * block_n], tile)
            T.copy(tile, B[by * block_m, bx * block_n])

    return main


@pytest.mark.parametrize("shape", [(64, 64), (70, 50), (5, 3)])
def test_copy_leaves_out_what_is_outside(shape):
    a = torch.randn(*shape, dtype=torch.float16)
    assert torch.equal(copied(*shape, 32, 32, "float16", "float16")(a), a)


@pytest.mark.parametrize("target", ["float16", "bfloat16", "int32"])
def test_copy_converts(target):
    a = torch.randn(64, 32) * 10
    b = copied(64, 32, 32, 32, "float32", target)(a)
    assert torch.equal(b, a.to(getattr(torch, target)))


@tilelang.jit
def elementwise(A, B, function):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float32)
    B: T.Tensor((M, N), T.float32)
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), threads=128) as (bx, by):
        a = T.alloc_fragment((16, 32), T.float32)
        b = T.alloc_fragment((16, 32), T.float32)
        T.copy(A[by * 16, bx * 32], a)
        T.copy(B[by * 16, bx * 32], b)
        for i, j in T.Parallel(16, 32):
            a[i, j] = function(a[i, j], b[i, j])
        T.copy(a, C[by * 16, bx * 32])
    return C


def choose(a, b):
    return T.if_then_else(a > b, a - b, b * 2)


def between(a, b):
    return T.clamp(a, -0.5, 0.5) + T.min(a, b)


def powers(a, b):
    return T.exp(a) * T.sqrt(T.abs(b)) + T.sigmoid(b)


def waves(a, b):
    return T.sin(a) + T.cos(b) + T.tanh(a * b)


REFERENCES = {
    choose: lambda a, b: torch.where(a > b, a - b, b * 2),
    between: lambda a, b: torch.clamp(a, -0.5, 0.5) + torch.minimum(a, b),
    powers: lambda a, b: torch.exp(a) * torch.sqrt(torch.abs(b)) + torch.sigmoid(b),
    waves: lambda a, b: torch.sin(a) + torch.cos(b) + torch.tanh(a * b),
}


@pytest.mark.parametrize("function", list(REFERENCES), ids=lambda f: f.__name__)
def test_functions_of_elements(function):
    a, b = torch.randn(32, 64), torch.randn(32, 64)
    actual = elementwise(a, b, function)
    torch.testing.assert_close(actual, REFERENCES[function](a, b), rtol=1e-5, atol=1e-5)


@tilelang.jit(out_idx=[1])
def bits(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(N):
                B[i] = ((A[i] & 0xFF) << 4) | (A[i] >> 28) ^ (A[i] % 7) + A[i] // 5

    return main


def test_integers_divide_and_shift_like_python():
    a = torch.randint(-(2**31), 2**31 - 1, (256,), dtype=torch.int32)
    expected = [((x & 0xFF) << 4) | (x >> 28) ^ (x % 7) + x // 5 for x in a.tolist()]
    assert bits(256)(a).tolist() == expected


@tilelang.jit(out_idx=[1])
def reduced(M, N, kind):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as bx:
            a = T.alloc_fragment((16, N), "float32")
            r = T.alloc_fragment((16,), "float32")
            T.copy(A[bx * 16, 0], a)
            if kind == "sum":
                T.reduce_sum(a, r, dim=1)
            elif kind == "max":
                T.reduce_max(a, r, dim=1)
            elif kind == "min":
                T.reduce_min(a, r, dim=1)
            elif kind == "absmax":
                T.reduce_absmax(a, r, dim=1)
            else:
                T.fill(r, 100.0)
                T.reduce_sum(a, r, dim=1, clear=False)
            T.copy(r, B[bx * 16])

    return main


@pytest.mark.parametrize("kind", ["sum", "max", "min", "absmax", "added"])
def test_reductions(kind):
    a = torch.randn(48, 96)
    expected = {
        "sum": lambda: a.sum(dim=1),
        "max": lambda: a.max(dim=1)[0],
        "min": lambda: a.min(dim=1)[0],
        "absmax": lambda: a.abs().max(dim=1)[0],
        "added": lambda: a.sum(dim=1) + 100,
    }[kind]()
    torch.testing.assert_close(reduced(48, 96, kind)(a), expected, rtol=1e-5, atol=1e-4)


@tilelang.jit
def softmax(A):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float16)
    B = T.empty((M, N), T.float16)
    with T.Kernel(M, threads=128) as row:
        a = T.alloc_fragment((1, N), T.float32)
        top = T.alloc_fragment((1,), T.float32)
        total = T.alloc_fragment((1,), T.float32)
        T.copy(A[row, 0], a)
        T.reduce_max(a, top, dim=1)
        for i, j in T.Parallel(1, N):
            a[i, j] = T.exp(a[i, j] - top[i])
        T.reduce_sum(a, total, dim=1)
        for i, j in T.Parallel(1, N):
            a[i, j] /= total[i]
        T.copy(a, B[row, 0])
    return B


def test_softmax_of_rows():
    a = torch.randn(8, 128, dtype=torch.float16)
    torch.testing.assert_close(softmax(a), torch.softmax(a, dim=-1), rtol=1e-2, atol=1e-3)


@tilelang.jit(out_idx=[1])
def powers_of(N, power):
    """The power by repeated products; `power` is Python's, so the loop is unrolled by Python."""

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((N,), "float32")
            r = T.alloc_fragment((N,), "float32")
            T.copy(A, a)
            T.fill(r, 1.0)
            for _step in range(power) if power < 3 else T.serial(power):
                for i in T.Parallel(N):
                    r[i] *= a[i]
            T.copy(r, B)

    return main


@pytest.mark.parametrize("power", [0, 2, 5])
def test_loops(power):
    a = torch.rand(128) + 0.5
    torch.testing.assert_close(powers_of(128, power)(a), a**power, rtol=1e-5, atol=1e-5)


@tilelang.jit
def triangle(A):
    """Sum of the tiles up to the block's own: the loop's end is known when it runs."""
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float32)
    B = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(M, 16), threads=128) as bx:
        a = T.alloc_fragment((16, N), T.float32)
        total = T.alloc_fragment((16, N), T.float32)
        T.clear(total)
        for k in T.serial(bx + 1):
            T.copy(A[k * 16, 0], a)
            for i, j in T.Parallel(16, N):
                total[i, j] += a[i, j]
        if bx > 0:
            for i, j in T.Parallel(16, N):
                total[i, j] = -total[i, j]
        T.copy(total, B[bx * 16, 0])
    return B


def test_bounds_and_conditions_of_the_block():
    a = torch.randn(64, 32)
    sums = torch.cumsum(a.view(4, 16, 32), dim=0)
    sums[1:] *= -1
    torch.testing.assert_close(triangle(a), sums.view(64, 32), rtol=1e-5, atol=1e-5)


@tilelang.jit(out_idx=[])
def histogram(N, bins):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((bins,), "int32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            for i in T.Parallel(128):
                T.atomic_add(B[A[bx * 128 + i]], 1)

    return main


def test_atomics_of_many_blocks():
    a = torch.randint(0, 8, (512,), dtype=torch.int32)
    b = torch.zeros(8, dtype=torch.int32)
    histogram(512, 8)(a, b)
    assert b.tolist() == torch.bincount(a, minlength=8).tolist()


@T.macro
def scaled(tile, factor, rows, columns):
    for i, j in T.Parallel(rows, columns):
        tile[i, j] *= factor


@tilelang.jit(out_idx=[1])
def with_macro(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            scaled(a, 2.0, M, N)
            scaled(a, 1.5, M, N)
            T.copy(a, B)

    return main


def test_macros_are_inlined():
    a = torch.randn(16, 32)
    torch.testing.assert_close(with_macro(16, 32)(a), a * 3, rtol=1e-6, atol=1e-6)
