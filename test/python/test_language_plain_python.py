# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Python lets a kernel's function do: the same lines run as Python, on arrays, and as a kernel."""

from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.builder import current_or_none
from mlir_tile.language.errors import LanguageError

TARGETS = ("cpu", "lowered:sm_90a")
N = 16
THREE, FOUR = np.int32(3), np.array(4)
Pair = namedtuple("Pair", "x y")


def variable(number):
    """A variable of the kernel; in Python a number."""
    return number if current_or_none() is None else T.alloc_var("int32", init=number)


def shadowed_range(A, B):
    range = lambda n: [1, 2]  # noqa: A001, E731
    for i in range(3):
        B[i] = A[i]


def shadowed_locals(A, B):
    locals = 3  # noqa: A001
    if A[1] > 0:
        x = 3
        B[0] = x + A[0]
    for i in range(2):
        x = i
        B[3] = x + locals


def numpy_indices(A, B):
    B[THREE] = A[THREE] + A[FOUR]
    for i in range(THREE):
        B[5 + i] = A[i] + THREE


def quotient_and_rest(A, B):
    q, r = divmod(A[3], 3)
    B[0] = q
    B[1] = r
    q, r = divmod(100, A[3])
    B[2] = q
    B[3] = r


def while_true(A, B):
    i, n = variable(0), variable(0)
    while True:
        j = variable(0)
        while 1:
            j += 1
            n += 1
            if j > i:
                break
        i += 1
        if i > 4:
            break
        if i == 2:
            continue
        n += 100
    B[0] = i
    B[1] = n


def named_tuple(A, B):
    p = Pair(A[0], A[1])
    A[0] = 9
    B[0] = p.x + p.y
    x, y = p
    B[1] = x * y


def attribute_of_an_item(A, B):
    items = [SimpleNamespace(a=1), SimpleNamespace(a=3)]
    items[1].a += A[0]
    A[0] = 5
    B[0] = items[1].a


def set_of_numbers(A, B):
    for i in {1, 2, 3}:
        B[i] = A[i]


CASES = [
    shadowed_range,
    shadowed_locals,
    numpy_indices,
    quotient_and_rest,
    while_true,
    named_tuple,
    attribute_of_an_item,
    set_of_numbers,
]


def kernel(function, kind="int32", threads=32):
    body = T.macro(function)

    @T.prim_func
    def main(A: T.Tensor((N,), kind), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=threads):
            body(A, B)

    return main


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("function", CASES, ids=lambda x: x.__name__)
def test_is_what_python_does(function, target):
    arrays = [(np.arange(N) * 7 % 11 - 3).astype(np.int32), np.zeros(N, np.int32)]
    expected = [x.copy() for x in arrays]
    function(*expected)
    compile_kernel(kernel(function), target=target)(*arrays)
    np.testing.assert_array_equal(arrays, expected)


def never_ends(A, B):
    while True:
        for i in range(3):
            if A[i] > 0:
                break


def goes_over_a_buffer(A, B):
    B[0] = sum(list(A))


def goes_over_an_element(A, B):
    B[0] = max(*A[0])


def asks_a_buffer(A, B):
    if 3 in A:
        B[0] = 1


def float_of_a_value(A, B):
    B[0] = float(A[0])


def half_an_index(A, B):
    B[0] = A[T.float32(1.5)]


@T.macro
def of_two(A, B):
    B[0] = A[0]


def too_few_arguments(A, B):
    of_two(A)


REFUSED = {
    never_ends: "`while` is always true.*expected a `break`",
    goes_over_a_buffer: "expected a list, a tuple or a range to go over, got A",
    goes_over_an_element: r"to go over, got A\[0\]",
    asks_a_buffer: "to go over, got A",
    float_of_a_value: "Python needs a number",
    half_an_index: "expected a whole number as an index, got 1.5",
    too_few_arguments: r"the macro of_two\(A, B\): missing a required argument: 'B'",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda x: x.__name__)
def test_refused(function):
    with pytest.raises(LanguageError, match=f"test_language_plain_python.py:.*{REFUSED[function]}"):
        kernel(function)


@pytest.mark.parametrize("name", ["größe", "_", "λ"])
def test_names_of_kernels(name):
    def main(A: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                A[i] = 3

    main.__name__ = name
    found = np.zeros(4, np.int32)
    compile_kernel(T.prim_func(main), target="lowered:sm_90a")(found)
    np.testing.assert_array_equal(found, 3)
    assert ".entry" in compile_kernel(T.prim_func(main), target="cuda:sm_90a").get_kernel_source()


def test_numbers_of_numpy():
    def numbers(A, B):
        s = T.alloc_shared((8,), "int32")
        for i in T.Pipelined(np.int64(2), num_stages=np.int64(2)):
            T.copy(A[i * 8], s)
            T.copy(s, B[i * 8])
        B[0] = T.floor(np.float64(2.5)) + T.sqrt(np.float64(4)) + T.exp2(np.int64(3))

    arrays = np.arange(2 * N, dtype=np.int32).reshape(2, N)
    compile_kernel(kernel(numbers), target="cpu")(*arrays)
    np.testing.assert_array_equal(arrays[1], [12, *range(1, N)])


@pytest.mark.parametrize("target", TARGETS)
def test_shifts_of_bools_are_of_ints(target):
    def shifts(A, B):
        for i in T.Parallel(N):
            B[i] = (A[i] << A[i]) * 10 + (A[i] >> A[i])

    a, found = np.arange(N) % 2 > 0, np.zeros(N, np.int32)
    compile_kernel(kernel(shifts, "bool"), target=target)(a, found)
    np.testing.assert_array_equal(found, np.where(a, 20, 0))


@pytest.mark.parametrize("target", TARGETS)
def test_each_thread_stores_where_its_atomic_update_says(target):
    def compacts(A, B):
        T.get_thread_binding()
        place = T.atomic_add(A[0], 1, return_prev=True)
        B[place] = 1 + place

    arrays = np.zeros((2, N), np.int32)
    compile_kernel(kernel(compacts, threads=N), target=target)(*arrays)
    assert arrays[0, 0] == N
    np.testing.assert_array_equal(arrays[1], 1 + np.arange(N))


def test_a_macro_that_calls_itself_without_end():
    @T.macro
    def again(A, B):
        again(A, B)

    with pytest.raises(LanguageError, match="test_language_plain_python.py:.*calls itself again and again"):
        kernel(again.function)


@pytest.mark.parametrize("target", TARGETS)
def test_numbers_answer_what_values_do(target):
    size = 7

    def answers(A, B):
        B[0] = T.cast(T.int32(7).astype("float32") / 2, "int32")
        B[1] = T.cast(size.astype("float32") * 0.5, "int32") + T.int32(2).value
        B[2] = T.get_thread_binding(1).astype("int64") + T.if_then_else(size.equal(7), 5, 6)
        B[3] = T.cast(T.int32(5), size.dtype)

    arrays = np.zeros((2, N), np.int32)
    compile_kernel(kernel(answers), target=target)(*arrays)
    np.testing.assert_array_equal(arrays[1, :4], [3, 5, 5, 5])
