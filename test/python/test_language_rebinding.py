# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that a branch or a loop of the kernel binds again: read behind it they have no one value."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

HINT = "use a variable: {0} = T.alloc_var"


def kernel(body):
    """B[0:8] of A[0:8] by one block of 32 threads: `body(A, B)` is a macro."""
    made = T.macro(body)

    @T.prim_func
    def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(2, threads=32) as bx:
            made(A, B, bx)

    return main


def refused(body, name, where):
    with pytest.raises(LanguageError) as error:
        kernel(body)
        compile_kernel(kernel(body), target="cpu")
    text = str(error.value)
    assert text.startswith(__file__) and HINT.format(name) in text and where in text, text


def run(body):
    a, b = np.arange(-4, 4, dtype=np.float32), np.zeros(8, np.float32)
    compile_kernel(kernel(body), target="cpu")(a, b)
    return a, b


def test_a_branch_binds_a_value_again():
    def body(A, B, bx):
        for i in T.Parallel(8):
            w = A[i]
            if w < 0:
                w = -w
            B[i] = w

    refused(body, "w", "bound again in the branch")


def test_a_branch_binds_a_number_again():
    def body(A, B, bx):
        low = 0
        if bx == 1:
            low = 4
        B[low] = 1.0

    refused(body, "low", "bound again in the branch")


def test_both_arms_bind_a_name():
    def body(A, B, bx):
        if bx == 1:
            low = 4
        else:
            low = 0
        B[low] = 1.0

    refused(body, "low", "bound again in the branch")


def test_arms_of_the_construct_are_branches():
    def body(A, B, bx):
        low = 0
        with T.If(bx == 1):
            with T.Then():
                low = 4
        B[low] = 1.0

    refused(body, "low", "bound again in the branch")


def test_arms_in_the_same_with():
    def body(A, B, bx):
        low = 0
        with T.If(bx == 1), T.Then():
            low = 4
        B[low] = 1.0

    refused(body, "low", "bound again in the branch")


def test_arms_that_python_decides():
    def body(A, B, bx):
        low = 0
        with T.If(True), T.Then():
            low = 4
        B[low] = 1.0

    assert run(body)[1].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]


def test_comprehensions_and_functions_read():
    def comprehension(A, B, bx):
        at = 0
        for i in T.serial(4):
            B[i] = sum([at for _ in (0, 1)])
            at = i + 1

    def function(A, B, bx):
        at = 0
        for i in T.serial(4):
            B[i] = (lambda: at)()
            at = i + 1

    for body in (comprehension, function):
        refused(body, "at", "read in the loop")


def test_no_assignment_in_an_operand():
    def body(A, B, bx):
        if bx == 0 and (s := A[0]) > 0:
            B[0] = s

    with pytest.raises(LanguageError, match="assign in a statement of its own"):
        compile_kernel(kernel(body), target="cpu")


def test_a_loop_carries_a_number():
    def body(A, B, bx):
        at = 0
        for _ in T.serial(4):
            for i in T.Parallel(2):
                B[at + i] = A[at + i]
            at += 2

    refused(body, "at", "read in the loop")


def test_a_loop_carries_two_buffers_in_turn():
    def body(A, B, bx):
        one, other = T.alloc_shared((8,), "float32"), T.alloc_shared((8,), "float32")
        T.copy(A, one)
        for _ in T.serial(3):
            T.copy(one, other)
            one, other = other, one
        T.copy(one, B)

    refused(body, "one", "read in the loop")


def test_a_number_of_the_last_iteration():
    def body(A, B, bx):
        flag = 0
        for _ in T.serial(bx):
            flag = 1
        B[flag] = 1.0

    refused(body, "flag", "bound again in the loop")


def test_a_while_loop_carries_a_number():
    def body(A, B, bx):
        n = 0
        while n < bx:
            n += 1

    refused(body, "n", "read in the loop")


def test_the_other_arm_begins_with_the_value_in_front():
    def body(A, B, bx):
        scale = 2.0
        if bx == 0:
            scale = 3.0
            for i in T.Parallel(4):
                B[i] = A[i] * scale
        else:
            for i in T.Parallel(4):
                B[i + 4] = A[i + 4] * scale

    a, b = run(body)
    np.testing.assert_array_equal(b, a * np.repeat([3, 2], 4))


def test_names_that_nobody_reads_behind_it():
    def body(A, B, bx):
        at = 0
        for n in T.serial(4):
            at = 2 * n
            if n > 1:
                step = 1
                B[at + step] = A[at + step]
            else:
                step = 0
                B[at + 1 - step] = A[at + 1 - step]
            step = 0
            B[at + step] = A[at + step]
        at = 0
        B[at] = A[at]

    a, b = run(body)
    np.testing.assert_array_equal(b, a)


def test_conditions_and_loops_of_pythons_own():
    def body(A, B, bx):
        total = 0
        for n in [1, 2, 3]:
            total += n
            if n == 2:
                total = total * 2
        B[total % 8] = A[0]

    a, b = run(body)
    assert b[(3 * 2 + 3) % 8] == a[0]


def test_variables_are_assigned():
    def body(A, B, bx):
        for i in T.Parallel(8):
            w = T.alloc_var("float32")
            w = A[i]
            if w < 0:
                w = -w
            B[i] = w

    a, b = run(body)
    np.testing.assert_array_equal(b, abs(a))


def test_equal_values_are_one_value():
    def body(A, B, bx):
        low = 4
        if bx == 1:
            low = 4
        B[low] = A[low]

    a, b = run(body)
    assert b[4] == a[4]


def test_the_work_of_some_warps_binds_a_name():
    def main(B: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=256):
            w = 1.0
            with T.ws(0):
                w = 5.0
            B[0] = w

    with pytest.raises(LanguageError, match="w is bound again in the work of some warps"):
        T.prim_func(main)


def test_an_arm_that_leaves_changes_nothing_behind_it():
    def body(A, B, bx):
        for i in T.serial(8):
            w = A[i]
            if w < 0:
                w = 0.0
                B[i] = w
                continue
            B[i] = w

    a, b = run(body)
    np.testing.assert_array_equal(b, np.maximum(a, 0))


def test_a_loop_that_runs_once():
    def body(A, B, bx):
        at = 1
        for _ in T.serial(1):
            at = at + 1
        B[at] = 1.0

    assert run(body)[1].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a"])
def test_return_under_a_condition(target):
    """The rest is not run where it holds: of a block, of threads, of a loop."""

    def blocks(A, B):
        with T.Kernel(2, threads=32) as bx:
            if bx == 1:
                return
            for i in T.Parallel(4):
                B[bx * 4 + i] = A[bx * 4 + i]

    def nobody(A, B):
        with T.Kernel(2, threads=32) as bx:
            if bx == 7:
                return
            for i in T.Parallel(4):
                B[bx * 4 + i] = A[bx * 4 + i]

    def threads(A, B):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            if t >= 8:
                return
            B[t] = A[t]

    def loop(A, B):
        with T.Kernel(1, threads=32):
            for i in T.serial(8):
                if i == 3:
                    return
                B[i] = A[i]

    a = np.arange(1, 9, dtype=np.float32)
    for function, count in ((blocks, 4), (nobody, 8), (threads, 8), (loop, 3)):
        function.__annotations__ = dict.fromkeys("AB", T.Tensor((8,), "float32"))
        b = np.zeros(8, np.float32)
        compile_kernel(T.prim_func(function), target=target)(a, b)
        np.testing.assert_array_equal(b, np.where(np.arange(8) < count, a, 0), err_msg=function.__name__)


def test_values_in_lists_and_ranges():
    def body(A, B, bx):
        for i in T.serial(8):
            B[i] = 0.0
            if i in (1, 3) or i not in [0, 1, 2, 3, 5]:
                B[i] = 1.0
            if i in range(5, 7):
                B[i] = 2.0
            if A[i] in (3.0, 9.0):
                B[i] = 4.0
        if 3 in (1, 2):
            B[0] = 8.0

    assert run(body)[1].tolist() == [0, 1, 0, 1, 1, 2, 2, 4]
