# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA's built-in device functions by name, through T.call_extern; against numpy."""

import math

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

TARGETS = ("cpu", "lowered:sm_90a")
rng = np.random.default_rng(0)
THREADS = 64


def called(name, kinds, result, *more, target="cpu"):
    """What a function gives for columns of numbers: one call in each of 64 threads."""
    columns = [np.asarray(x) for x in more]
    count = len(columns)
    widest = np.zeros((count, THREADS), np.int64)
    for i, (x, kind) in enumerate(zip(columns, kinds, strict=True)):
        widest[i] = x.astype(T.dtype(kind).as_numpy()).view(f"u{T.dtype(kind).bytes}")
    bits = f"uint{T.dtype(result).bits}"

    @T.prim_func
    def main(A: T.Tensor((count, THREADS), "int64"), B: T.Tensor((THREADS,), "int64")):
        with T.Kernel(1, threads=THREADS):
            tx = T.get_thread_binding()
            given = [
                T.reinterpret(T.cast(A[i, tx], f"uint{T.dtype(kind).bits}"), kind)
                for i, kind in enumerate(kinds)
            ]
            made = T.call_extern(result, name, *given)
            B[tx] = T.cast(T.reinterpret(made, bits), "int64")

    b = np.zeros(THREADS, np.int64)
    compile_kernel(main, target=target)(widest, b)
    kind = T.dtype(result).as_numpy()
    return b.astype(f"u{kind.itemsize}").view(kind)


def words(kind="uint32"):
    info = np.iinfo(kind)
    some = rng.integers(info.min, info.max, THREADS, dtype=kind, endpoint=True)
    some[:4] = 0, 1, info.max, info.min
    return some


def _bits(x, width=32):
    return f"{int(x) & ((1 << width) - 1):0{width}b}"


INTEGERS = {
    "__popc": (1, "uint32", "int32", lambda x: _bits(x).count("1")),
    "__popcll": (1, "uint64", "int32", lambda x: _bits(x, 64).count("1")),
    "__clz": (1, "int32", "int32", lambda x: 32 - (int(x) & 0xFFFFFFFF).bit_length()),
    "__clzll": (1, "uint64", "int32", lambda x: 64 - int(x).bit_length()),
    "__ffs": (1, "uint32", "int32", lambda x: (int(x) & -int(x)).bit_length()),
    "__ffsll": (1, "uint64", "int32", lambda x: (int(x) & -int(x)).bit_length()),
    "__brev": (1, "uint32", "uint32", lambda x: int(_bits(x)[::-1], 2)),
    "__brevll": (1, "uint64", "uint64", lambda x: int(_bits(x, 64)[::-1], 2)),
    "__mulhi": (2, "int32", "int32", lambda x, y: (int(x) * int(y)) >> 32),
    "__umulhi": (2, "uint32", "uint32", lambda x, y: (int(x) * int(y)) >> 32),
    "__mul64hi": (2, "int64", "int64", lambda x, y: (int(x) * int(y)) >> 64),
    "__umul64hi": (2, "uint64", "uint64", lambda x, y: (int(x) * int(y)) >> 64),
    "__hadd": (2, "int32", "int32", lambda x, y: (int(x) + int(y)) >> 1),
    "__urhadd": (2, "uint32", "uint32", lambda x, y: (int(x) + int(y) + 1) >> 1),
    "__usad": (
        3, "uint32", "uint32",
        lambda x, y, z: (abs(int(x) - int(y)) + int(z)) % 2**32,
    ),
    "__funnelshift_l": (
        3, "uint32", "uint32",
        lambda x, y, n: (((int(y) << 32 | int(x)) << (int(n) & 31)) >> 32) % 2**32,
    ),
    "__funnelshift_rc": (
        3, "uint32", "uint32",
        lambda x, y, n: ((int(y) << 32 | int(x)) >> min(int(n), 32)) % 2**32,
    ),
    "__byte_perm": (
        3, "uint32", "uint32",
        lambda x, y, s: sum(
            ((int(y) << 32 | int(x)) >> 8 * (int(s) >> 4 * i & 7) & 255) << 8 * i for i in range(4)
        ),
    ),
    "__dp4a": (
        3, "uint32", "uint32",
        lambda x, y, z: (
            sum((int(x) >> i & 255) * (int(y) >> i & 255) for i in (0, 8, 16, 24)) + int(z)
        ) % 2**32,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", INTEGERS)
def test_functions_of_integers(name):
    count, kind, result, reference = INTEGERS[name]
    columns = [words(kind) for _ in range(count)]
    found = called(name, (kind,) * count, result, *columns)
    expected = [reference(*x) for x in zip(*columns, strict=True)]
    assert [int(x) for x in found] == expected


def numbers(kind="float32"):
    some = (rng.standard_normal(THREADS) * 10.0 ** rng.integers(-6, 6, THREADS)).astype(kind)
    some[:8] = 0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 2.5
    return some


def _directed(x, kind, mode):
    """A float32 rounded to a narrower type in a direction."""
    near = x.astype(kind)
    back = near.astype(np.float64)
    wide, magnitude = x.astype(np.float64), np.abs(x.astype(np.float64))
    wrong = {
        "rn": np.zeros(len(x), bool),
        "rz": np.abs(back) > magnitude,
        "ru": back < wide,
        "rd": back > wide,
    }[mode]
    toward = {
        "rn": near, "rz": np.zeros_like(near), "ru": np.full_like(near, np.inf),
        "rd": np.full_like(near, -np.inf),
    }[mode]  # fmt: skip
    return np.where(wrong, np.nextafter(near, toward), near)


@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
def test_floats_to_halves(mode):
    x = numbers()
    x[8:12] = 70000.0, -70000.0, 1e-8, -1e-8  # too great, too small
    with np.errstate(over="ignore"):
        expected = _directed(x, np.float16, mode)
    found = called(f"__float2half_{mode}", ("float32",), "float16", x)
    np.testing.assert_array_equal(found, expected)
    back = called("__half2float", ("float16",), "float32", expected)
    np.testing.assert_array_equal(back, expected.astype(np.float32))


def test_a_number_is_rounded_as_the_name_says():
    @T.prim_func
    def main(B: T.Tensor((2,), "float32")):
        with T.Kernel(1, threads=32):
            B[0] = T.cast(T.call_extern("float16", "__float2half_rz", 2049.9), "float32")
            B[1] = T.cast(T.call_extern("float16", "__float2half_ru", 2049.9), "float32")

    b = np.zeros(2, np.float32)
    compile_kernel(main, target="cpu")(b)
    assert b.tolist() == [2048.0, 2050.0]


@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
@pytest.mark.parametrize(("kind", "short"), [("int32", "int"), ("uint32", "uint"), ("int64", "ll")])
def test_floats_to_integers(mode, kind, short):
    x = numbers()
    x[8:14] = 3e9, -3e9, 1e30, 0.5, 1.5, -0.5
    rounded = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}[mode](
        x.astype(np.float64)
    )
    info = np.iinfo(kind)
    expected = [
        0 if math.isnan(v) else info.max if v >= info.max else info.min if v <= info.min else int(v)
        for v in rounded
    ]
    found = called(f"__float2{short}_{mode}", ("float32",), kind, x)
    assert [int(v) for v in found] == expected


@pytest.mark.parametrize(
    ("name", "kinds", "result", "reference"),
    [
        ("__expf", ("float32",), "float32", lambda x: np.exp(x)),
        ("rsqrtf", ("float32",), "float32", lambda x: 1 / np.sqrt(x)),
        ("__fdividef", ("float32",) * 2, "float32", lambda x, y: x / y),
        ("__frcp_rn", ("float32",), "float32", lambda x: 1 / x),
        ("__fsqrt_rn", ("float32",), "float32", lambda x: np.sqrt(x)),
        ("__saturatef", ("float32",), "float32", lambda x: np.clip(x, 0, 1)),
        ("fmaxf", ("float32",) * 2, "float32", lambda x, y: np.fmax(x, y)),
        ("copysignf", ("float32",) * 2, "float32", lambda x, y: np.copysign(x, y)),
        ("hexp", ("float16",), "float16", lambda x: np.exp(x)),
        ("__hfma", ("float16",) * 3, "float16", lambda x, y, z: x * y + z),
        ("__float_as_int", ("float32",), "int32", lambda x: x.view(np.int32)),
    ],
)
def test_functions_of_floats(name, kinds, result, reference):
    columns = [np.abs(rng.standard_normal(THREADS)).astype(k) + np.array(0.5, k) for k in kinds]
    found = called(name, kinds, result, *columns)
    tolerance = 2e-3 if "16" in result else 1e-6
    np.testing.assert_allclose(found, reference(*columns), rtol=tolerance)


def test_sums_round_as_their_names_say():
    x, y = numbers(), numbers()[::-1].copy()
    down = called("__fadd_rd", ("float32",) * 2, "float32", x, y)
    up = called("__fadd_ru", ("float32",) * 2, "float32", x, y)
    with np.errstate(invalid="ignore"):
        exact = x.astype(np.float64) + y.astype(np.float64)
    finite = np.isfinite(exact)
    assert (down[finite] <= exact[finite]).all() and (up[finite] >= exact[finite]).all()
    assert (np.nextafter(down, np.float32(np.inf))[finite] >= up[finite]).all()


@pytest.mark.parametrize("target", TARGETS)
def test_functions_of_warps(target):
    full = 0xFFFFFFFF

    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((12, 64), "int64"), C: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            x, same = A[tx], T.alloc_local((1,), "int32")
            mine = T.call_extern("uint32", "__match_any_sync", full, x)
            B[0, tx] = mine
            B[1, tx] = T.call_extern("uint32", "__ballot_sync", 0xFF, x > 2)
            B[2, tx] = T.call_extern("int32", "__shfl_xor_sync", full, x, 1)
            B[3, tx] = T.call_extern("int32", "__shfl_down_sync", full, x, 3, 8)
            B[4, tx] = T.call_extern("int32", "__reduce_add_sync", full, x)
            # Lanes with one value reduce among themselves.
            B[5, tx] = T.call_extern("int32", "__reduce_add_sync", mine, tx)
            B[6, tx] = T.call_extern("int32", "__reduce_max_sync", mine, tx)
            B[7, tx] = T.call_extern("int32", "__any_sync", full, x == 9)
            B[8, tx] = T.call_extern("int32", "__all_sync", 0xF0, x >= 0)
            B[9, tx] = T.call_extern("uint32", "__match_all_sync", full, tx // 32, same)
            B[10, tx] = T.call_extern("uint32", "__activemask")
            B[11, tx] = T.call_extern("int32", "__syncthreads_count", x > 2)
            T.call_extern("void", "__syncwarp", full)
            C[tx] = same[0]

    a, b, c = rng.integers(0, 5, 64).astype(np.int32), np.zeros((12, 64), np.int64), np.zeros(64, np.int32)
    compile_kernel(main, target=target)(a, b, c)
    for w in range(2):
        lanes, found = a[32 * w : 32 * w + 32], b[:, 32 * w : 32 * w + 32]
        numbers_ = np.arange(32 * w, 32 * w + 32)
        bits = lambda holds: sum(1 << int(i) for i in np.flatnonzero(holds))  # noqa: E731
        assert found[0].tolist() == [bits(lanes == x) for x in lanes]
        assert (found[1] == bits(lanes > 2) & 0xFF).all()
        assert (found[2] == lanes[np.arange(32) ^ 1]).all()
        place = np.arange(32)
        assert (found[3] == lanes[np.where(place % 8 < 5, place + 3, place) % 32]).all()
        assert (found[4] == lanes.sum()).all()
        assert found[5].tolist() == [numbers_[lanes == x].sum() for x in lanes]
        assert found[6].tolist() == [numbers_[lanes == x].max() for x in lanes]
        assert (found[7] == 0).all() and (found[8] == 1).all()
        assert (found[9] == full).all() and (found[10] == full).all()
        assert (found[11] == (a > 2).sum()).all()
    assert (c == 1).all()


def test_a_source_calls_them():
    source = """
    __device__ void bits(int *x, int *y) { y[0] = __popc(x[0]) + __clz(x[0]); }
    """

    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            x, y = T.alloc_local((1,), "int32"), T.alloc_local((1,), "int32")
            T.import_source(source)
            x[0] = A[tx]
            T.call_extern("handle", "bits", T.access_ptr(x, "r"), T.access_ptr(y, "w"))
            B[tx] = y[0]

    a, b = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    compile_kernel(main, target="cpu")(a, b)
    assert b.tolist() == [x.bit_count() + 32 - x.bit_length() for x in range(64)]


def test_a_wrong_call_is_named():
    def calling(*arguments):
        @T.prim_func
        def main(B: T.Tensor((1,), "int32")):
            with T.Kernel(1, threads=32):
                B[0] = T.call_extern("int32", *arguments)

        return main

    with pytest.raises(T.LanguageError, match=r"__popc: it takes 1 arguments, got 2"):
        calling("__popc", 1, 2)
