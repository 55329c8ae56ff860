# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of each thread's number: indices that decide where threads meet, conditions that decide which
threads do the work of the block, counted as the kernel counts."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError
from mlir_tile.language.evaluation import evaluate

TARGETS = ("cpu", "lowered:sm_90a")
N = 64
THREADS = np.arange(N)


def word(x, kind="uint32"):
    return T.cast(x, kind)


VALUES = {
    "hash": lambda t: ((word(t) + T.uint32(12345)) * T.uint32(2654435761)) >> 26,
    "unsigned_difference": lambda t: word(t) - T.uint32(32),
    "byte": lambda t: T.cast(T.cast(t * 4 + 260, "uint8"), "int32"),
    "signed_byte": lambda t: T.cast(word(t * 5, "int8"), "int32"),
    "byte_sum": lambda t: word(t * 4, "uint8") + T.uint8(77),
    "negative_as_unsigned": lambda t: word(t - 32),
    "negative_as_unsigned_half": lambda t: word(t - 32, "uint16") // T.uint16(3),
    "narrowed": lambda t: T.cast(word(t, "int64") * 3000000000, "int32"),
    "unsigned_shift": lambda t: (word(t) << 27) >> 3,
    "signed_shift": lambda t: (t << 27) >> 3,
    "floor": lambda t: (t - 32) // 5 + (t - 32) % 5 * 100,
    "towards_zero": lambda t: T.truncdiv(t - 32, 5),
    "absolute": lambda t: T.abs(t - 32),
    "chosen": lambda t: T.if_then_else(word(t) - T.uint32(8) < T.uint32(9), t, -t),
    "bits": lambda t: (t & 12) ^ ((t - 5) | 3),
    "truth": lambda t: T.cast((t > 3) & (t < 9), "int32"),
    "extremes": lambda t: T.max(word(t - 4), T.uint32(3)) - T.min(word(t), T.uint32(9)),
    "of_float": lambda t: T.cast(T.cast(t, "float32") * 0.5 - 7.25, "int32"),
    "rounded": lambda t: T.cast(T.cast(t, "float32") * 0.1, "int32"),
    "rounded_sum": lambda t: T.cast((T.cast(t, "float32") + 0.1) * 1e7, "int32"),
    "rounded_word": lambda t: T.cast(T.cast(t + 16777216, "float32"), "int32"),
    "compared_floats": lambda t: T.cast(T.cast(t, "float32") / 2.0 > 3.5, "int32"),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    """The numbers are those that the kernel computes."""
    seen = []

    def noted(value):
        seen.append(value)
        return value

    @T.prim_func
    def main(B: T.Tensor((N,), "int64")):
        with T.Kernel(1, threads=N):
            t = T.get_thread_binding()
            seen.append(t)
            B[t] = T.cast(noted(VALUES[name](t)), "int64")

    thread, value = seen[-2:]
    found = np.zeros(N, np.int64)
    compile_kernel(main, target="cpu")(found)
    np.testing.assert_array_equal(evaluate(value, {id(thread): THREADS}), found)


UNKNOWN = {
    "overflow": lambda t: t * 1640531527,
    "overflow_of_64_bits": lambda t: word(t, "int64") * (1 << 60),
    "unsigned_64_bits": lambda t: word(t, "uint64") * T.uint64(0x9E3779B97F4A7C15),
    "long_shift": lambda t: t << t,
    "division_by_zero": lambda t: 7 // t,
    "rounded_with_a_sum": lambda t: T.cast(T.cast(t, "float32") * 0.1 + 0.3, "int32"),
    "function": lambda t: T.cast(T.exp(T.cast(t, "float32")), "int32"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_values_that_are_not_known(name):
    from mlir_tile.language.values import Variable

    thread = Variable("thread", "thread", low=0, high=N - 1)
    assert evaluate(UNKNOWN[name](thread), {id(thread): THREADS}) is None


PLACES = {
    "hash": (VALUES["hash"], ((THREADS.astype(np.uint64) + 12345) * 2654435761) % 2**32 >> 26),
    "byte": (lambda t: VALUES["byte"](t) // 4, (THREADS + 1) % 64),
    "signed": (
        lambda t: T.cast(word(t * 4, "int8"), "int32") // 4 + 32,
        (THREADS * 4).astype(np.int8) // 4 + 32,
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PLACES)
def test_threads_meet(name, target):
    """Each reads what another thread has written."""
    index, expected = PLACES[name]

    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            t = T.get_thread_binding()
            s = T.alloc_shared((N,), "int32")
            s[(t * 5) % 64] = A[t]
            B[t] = s[index(t)]

    data, written = THREADS.astype(np.int32) * 3, np.zeros(N, np.int32)
    written[THREADS * 5 % 64] = data
    found = np.zeros(N, np.int32)
    compile_kernel(main, target=target)(data, found)
    np.testing.assert_array_equal(found, written[expected.astype(int)])


CONDITIONS = {
    "unsigned": (lambda t: word(t) - T.uint32(32) > T.uint32(100), THREADS < 32),
    "byte": (lambda t: word(t * 4 + 128, "uint8") < T.uint8(128), THREADS >= 32),
    "absolute": (lambda t: T.abs(t - 48) <= 15, THREADS >= 33),
    "chosen": (lambda t: T.if_then_else(t < 32, t + 1, 0) > 0, THREADS < 32),
    "float": (lambda t: T.cast(t, "float32") * 0.5 < 16.0, THREADS < 32),
}


def guarded(condition):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            t = T.get_thread_binding()
            f = T.alloc_fragment((N,), "int32")
            if condition(t):
                T.copy(A, f)
                B[t] = 5

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CONDITIONS)
def test_threads_that_come_to_an_arm(name, target):
    condition, expected = CONDITIONS[name]
    found = np.zeros(N, np.int32)
    compile_kernel(guarded(condition), target=target)(THREADS.astype(np.int32), found)
    np.testing.assert_array_equal(found, np.where(expected, 5, 0))


@pytest.mark.parametrize("name", ["overflow", "rounded_with_a_sum", "function"])
def test_threads_that_are_not_known(name):
    with pytest.raises(LanguageError, match="under a condition or in a loop that differs"):
        guarded(lambda t: UNKNOWN[name](t) > 3)


def test_warps_under_a_condition_that_is_not_known():
    with pytest.raises(LanguageError, match="under a condition or in a loop that differs"):

        @T.prim_func
        def main(A: T.Tensor((128,), "int32")):
            with T.Kernel(1, threads=128):
                t = T.get_thread_binding()
                ready = T.alloc_barrier([32])
                if A[t] > 3:
                    T.barrier_arrive(ready[0])
                else:
                    T.barrier_wait(ready[0], 0)
