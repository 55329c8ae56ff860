# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marks of a library in its kernels, calls of unknown functions: taken out by TVM's functions, or
refused."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.compat import tirx
from mlir_tile.compat.functions import ir_transform, post_order_visit
from mlir_tile.jit import compile as compile_kernel


def mark(number, payload):
    """What a library calls in a kernel, outside of rewritten code."""
    T.evaluate(T.call_extern("handle", "library_mark", number, payload))


def marked():
    @T.prim_func
    def main(A: T.Tensor((32,), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            mark(1, T.int32(0))
            for i in T.serial(4):
                mark(2, i)
                for j in T.Parallel(8):
                    B[i * 8 + j] = A[i * 8 + j] + 1

    return main


def is_mark(node):
    call = node.value if isinstance(node, tirx.Evaluate) else None
    return (
        isinstance(call, tirx.Call)
        and isinstance(call.args[0], tirx.StringImm)
        and call.args[0].value == "library_mark"
    )


def stripped(function, removed=is_mark):
    def post(node):
        return tirx.Evaluate(tirx.IntImm("int32", 0)) if removed(node) else node

    return tirx.PrimFunc(
        params=list(function.params),
        body=ir_transform(function.body, None, post),
        ret_type=function.ret_type,
        buffer_map=dict(function.buffer_map),
        attrs=function.attrs,
    )


def test_marks_are_taken_out():
    function = marked()
    assert isinstance(function, tirx.PrimFunc)
    made = stripped(function)
    a, b = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    compile_kernel(made, target="cpu")(a, b)
    np.testing.assert_array_equal(b, a + 1)


def test_marks_are_seen_in_order():
    seen = []
    post_order_visit(marked().body, lambda node: seen.append(node.value.args[1]))
    assert seen == [1, 2]


@pytest.mark.parametrize("function", [marked, lambda: stripped(marked(), lambda _: False)])
def test_a_mark_that_stays_is_refused(function):
    made = function()
    with pytest.raises(T.UnsupportedError, match="T.call_extern of 'library_mark', a function"):
        compile_kernel(made, target="cpu")


def test_code_in_place_of_a_mark_is_refused():
    with pytest.raises(NotImplementedError, match="a call can only be removed, by Evaluate"):
        ir_transform(marked().body, None, lambda node: tirx.Evaluate("code"))


def test_other_arguments_are_refused():
    function = marked()
    with pytest.raises(NotImplementedError, match="other arguments than main"):
        tirx.PrimFunc(params=function.params[:1], body=function.body)


def test_numbers_have_a_type_and_a_value():
    number = tirx.IntImm("int64", 5)
    assert (str(number.dtype), int(number)) == ("int64", 5) and isinstance(number, tirx.IntImm)
