# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is evaluated when: once, in Python's order, and only where Python evaluates it."""

import types

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError


@pytest.fixture(params=["cpu", "lowered:sm_90a"])
def run(request):
    def check(body, *wanted):
        body.__annotations__ = dict.fromkeys("AB", T.Tensor((8,), "int32"))
        a, b = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
        compile_kernel(T.prim_func(body), target=request.param)(a, b)
        assert b[: len(wanted)].tolist() == list(wanted)

    return check


def test_and_or_of_updates(run):
    def both(A, B):
        with T.Kernel(1, threads=1):
            for i in T.serial(8):
                if A[i] > 5 and T.atomic_add(B[0], 1, return_prev=True) < 100:
                    B[1] += 1

    def either(A, B):
        with T.Kernel(1, threads=1):
            for i in T.serial(8):
                if A[i] > 5 or T.atomic_add(B[0], 1, return_prev=True) > 100:
                    B[1] += 1

    def three(A, B):
        with T.Kernel(1, threads=1):
            for i in T.serial(8):
                if A[i] > 1 and A[i] < 5 and T.atomic_add(B[0], 1, return_prev=True) < 2:
                    B[1] += 1

    run(both, 2, 2)
    run(either, 6, 2)
    run(three, 3, 2)


def test_and_of_threads_and_of_iterations(run):
    def threads(A, B):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            if t < 8:
                if A[t] > 5 or T.atomic_add(B[0], 1, return_prev=True) > 100:
                    B[t] = 9

    def iterations(A, B):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(8):
                if A[i] > 5 and T.atomic_add(B[0], 1, return_prev=True) < 100:
                    B[i] = 9

    run(threads, 6, 0, 0, 0, 0, 0, 9, 9)
    run(iterations, 2, 0, 0, 0, 0, 0, 9, 9)


def test_condition_of_a_loop(run):
    def body(A, B):
        with T.Kernel(1, threads=1):
            i = T.alloc_var("int32", init=0)
            while i < 5 and T.atomic_add(B[0], 1, return_prev=True) < 3:
                i += 1
            B[1] = i

    run(body, 4, 3)


def test_operands_of_chained_comparisons(run):
    def middle(A, B):
        with T.Kernel(1, threads=1):
            if 0 <= T.atomic_add(B[0], 1, return_prev=True) < 5:
                B[1] = 1

    def last(A, B):
        with T.Kernel(1, threads=1):
            for i in T.serial(8):
                if 5 < A[i] < T.atomic_add(B[0], 1, return_prev=True) + 100:
                    B[1] += 1

    def numbers(A, B):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(8):
                if 1 < A[i] <= 5 != i in (3, 4):
                    B[i] = 1

    run(middle, 1, 1)
    run(last, 2, 2)
    run(numbers, 0, 0, 0, 1, 1, 0, 0, 0)


def test_conditional_values(run):
    def updates(A, B):
        with T.Kernel(1, threads=1):
            for i in T.serial(8):
                B[1] = T.atomic_add(B[0], 1, return_prev=True) if A[i] > 5 else 9

    def threads(A, B):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            x = T.atomic_add(B[0], 1, return_prev=True) if t < 5 else -1
            if t < 8 and x == -1:
                B[t] = 4

    @T.macro
    def put(B, i, x):
        B[i] = x

    def calls(A, B):
        with T.Kernel(1, threads=1):
            for i in T.serial(8):
                put(B, i, 1) if i < 4 else put(B, i, 2)

    run(updates, 2, 1)
    run(threads, 5, 0, 0, 0, 0, 4, 4, 4)
    run(calls, 1, 1, 1, 1, 2, 2, 2, 2)


def test_macros_that_store(run):
    @T.macro
    def put(B, x):
        B[2] = x
        return B[2] + 0

    def body(A, B):
        with T.Kernel(1, threads=1):
            if A[0] == 0 and put(B, 7) == 7:
                B[0] = 1
            if A[0] == 1 and put(B, 9) == 9:
                B[1] = 1

    run(body, 1, 0, 7)


@pytest.mark.parametrize("run", ["cpu"], indirect=True)
def test_what_is_read_before_a_macro_stores(run):
    @T.macro
    def put(A, x):
        A[0] = x
        return A[0] + 0

    def body(A, B):
        with T.Kernel(1, threads=1):
            if A[0] == 0 and put(A, 7) == 7:
                B[0] = A[0]
            if 6 < A[0] < put(A, 8):
                B[1] = A[0]

    run(body, 7, 8)


def test_statements_that_nobody_sees_need_no_branch():
    """Macros that name values and set variables of their own are computed as before."""

    @T.macro
    def larger(x):
        y = T.alloc_var("int32", init=1)
        if x > 3:
            y = x
        return y

    @T.prim_func
    def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(8):
                if A[i] > 2 and larger(A[i]) > 1:
                    B[i] = 3

    assert main.script().count("scf.if") == 2


def test_values_of_names_and_places_of_python(run):
    def body(A, B):
        with T.Kernel(1, threads=1):
            if (x := A[1]) > 0:
                o, d = types.SimpleNamespace(), {}
                o.x, d["x"] = A[1], A[2]
                o.y = A[1]
                o.y += A[1]
                o.items = o.same = []
                o.items += [A[7]]
                assert len(o.same) == 1
                items, pair = [A[3], A[4]], (A[5], A[6])
                first, *rest = A[2], A[3], A[4]
                *begin, end = A[1], A[2], A[6]
                for j in T.serial(8):
                    A[j] = 50
                B[0] = x
                B[1] = o.x + d["x"]
                B[2] = o.y
                B[3] = items[1]
                B[4] = pair[0]
                B[5] = first + rest[1]
                B[6] = begin[1] + end

    run(body, 1, 3, 2, 4, 5, 6, 8)


def test_a_starred_name_needs_values_for_the_others():
    def body(A, B):
        with T.Kernel(1, threads=1):
            a, *b, c = (A[0],)
            B[0] = a

    body.__annotations__ = dict.fromkeys("AB", T.Tensor((8,), "int32"))
    with pytest.raises(LanguageError, match="expected at least 2 values to unpack, got 1"):
        T.prim_func(body)


def test_places_that_macros_are_given(run):
    @T.macro
    def through(place: T.Ref, B):
        x = place
        place = 77
        y = place + 1
        place = 0
        B[0] = x
        B[1] = y

    def body(A, B):
        with T.Kernel(1, threads=1):
            through(A[3], B)

    run(body, 3, 78)


def test_a_name_takes_the_value_of_a_variable(run):
    def body(A, B):
        with T.Kernel(1, threads=1):
            v = T.alloc_var("int32", init=3)
            w = T.alloc_var("int32", init=9)
            x = v if True else w
            x = x + 100
            y = True and v
            y = y + 200
            z = v if False else T.alloc_var("int32", init=1)
            if A[1] == 1:
                z = 6  # a variable of its own
            u = (t := v)
            v = 4
            B[0] = v
            B[1] = x
            B[2] = y
            B[3] = z
            B[4] = u + t

    run(body, 4, 103, 203, 6, 6)


def test_bounds_are_read_in_front_of_the_loop(run):
    def downwards(A, B):
        with T.Kernel(1, threads=1):
            v = T.alloc_var("int32", init=3)
            for i in T.serial(v, 0, -1):
                v = 7
                B[i] = i

    def nested(A, B):
        with T.Kernel(1, threads=1):
            v = T.alloc_var("int32", init=2)
            for i, j in T.grid(2, v):
                v = 3
                B[i * 4 + j] = 1

    run(downwards, 0, 1, 2, 3, 0, 0, 0, 0)
    run(nested, 1, 1, 0, 0, 1, 1, 0, 0)


@pytest.mark.parametrize("text", ["0 < A[0] < (x := A[1])", "A[0] > 0 and (x := A[1]) > 0"])
def test_assignments_in_what_may_not_be_evaluated(text, tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(
        "import mlir_tile.language as T\n"
        "@T.prim_func\n"
        "def main(A: T.Tensor((8,), 'int32')):\n"
        "    with T.Kernel(1, threads=1):\n"
        f"        if {text}:\n"
        "            A[0] = 1\n"
    )
    with pytest.raises(LanguageError, match="`:=` in an operand of .* a chained comparison"):
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "kernel"})
