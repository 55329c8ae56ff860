# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that are remembered and need no Python function: which calls they are, what they launch."""

import gc
import math
import threading
import weakref

import pytest
import tilelang_style  # noqa: F401  (the stand-in for torch)
import torch

import mlir_tile as tilelang
import mlir_tile.language as T
from mlir_tile import jit
from mlir_tile._mlir_libs._launch import CallTable
from mlir_tile.errors import ArgumentError, LaunchError


class Table(CallTable):
    """Notes the calls that are not remembered."""

    def __init__(self):
        self.seen = []

    def _call(self, *args, **kwargs):
        self.seen.append((args, kwargs))
        return "called"


def test_calls_that_are_remembered(exchange, add, tensor):
    args = [tensor(i) for i in range(3)]
    table = Table()
    assert table(*args) == "called" and table.seen == [(tuple(args), {})]
    table._remember(add, 3, (), None, None, True)
    assert table(*args) is None
    exchange.set_stream(0x400)
    assert table(*args) is None and table(*args, stream=0x100) is None
    assert [launch[2] for launch in exchange.launches()] == [0, 0x400, 0x100]
    assert len(table.seen) == 1
    table._forget()
    assert table(*args) == "called" and not exchange.launches()


def test_what_the_kernel_refuses_is_called(exchange, add, tensor):
    a, b, c = (tensor(i) for i in range(3))
    table = Table()
    table._remember(add, 3, (), None, None, False)
    wrong = tensor(1, dtype=(2, 64, 1))
    assert table(a, b, c) is None and len(exchange.launches()) == 1
    negative = tensor(1, negative=True)
    for args in ([a, b], [a, wrong, c], [a, negative, c], [a, None, c], [a, b, c, 1]):
        assert table(*args) == "called"
    assert table(a, b, c, stream=0) == "called" and table.seen[-1] == ((a, b, c), {"stream": 0})
    assert not exchange.launches() and len(table.seen) == 6
    exchange.mock(launch_result=700)
    with pytest.raises(LaunchError, match="the launch failed"):
        table(a, b, c)
    add.close()
    with pytest.raises(LaunchError, match="closed"):
        table(a, b, c)
    assert len(table.seen) == 6


@pytest.mark.parametrize(
    "known, others",
    [
        (1, (True, 1.0, "1", 2)),
        ("x", ("y",)),
        (0.5, (0.25, "0.5")),
        (0.0, (-0.0, 0, False)),
        (math.nan, (-math.nan, math.inf)),
        ((1,), ((True,), (1.0,))),
    ],
)
def test_arguments_behind_the_tensors_are_the_same(known, others):
    table = Table()
    table._remember("result", 0, (known,), None, None, False)
    table._remember("by name", 0, (), {"x": known}, None, False)
    assert table(known) == "result" and table(x=known) == "by name"
    if isinstance(known, float):  # another object with the same bits
        assert table(-(-known)) == "result" and table(x=-(-known)) == "by name"
    for other in others:
        assert table(other) == table(x=other) == table(y=known) == "called"
    assert table(known, x=known) == table() == "called"


def test_the_oldest_is_forgotten():
    table, names = Table(), [f"name {i}" for i in range(9)]
    for value in [*range(8), 3, 3, 8]:  # 3 again takes no place
        table._remember(names[value], 0, (value,), {}, None, False)
    assert [table(value) for value in range(9)] == ["called", *names[1:]]


def test_numbers_that_are_none_take_no_second_place():
    table = Table()
    table._remember("first", 0, (1,), {}, None, False)
    for _ in range(9):
        table._remember("none", 0, (float("nan"),), {}, None, False)
    assert table(1) == "first" and table(float("nan")) == "none"


def test_wrong_entries():
    table = Table()
    for wrong in [
        ("", 0, [], None, None, False),
        ("", -1, (), None, None, False),
        ("", 0, (), [], None, False),
        ("", 1, (), None, (int, 0, int, (((), 1),)), False),
        ("", 1, (), None, (int, 1, int, (((), 1),), None, ()), False),
        ("", 1, (), None, (int, 0, int, (), None, ()), False),
        ("", 1, (), None, (int, 0, int, (1,), None, ()), False),
        ("", 1, (), None, (int, 0, int, (((1,) * 17, 1),), None, ()), False),
        ("", 1, (), None, (int, 0, int, (((), 1),), int, ()), False),
        ("", 1, (), None, (int, 0, int, (((), 1),), int, (1,)), False),
    ]:
        with pytest.raises((TypeError, ValueError)):
            table._remember(*wrong)
    assert table() == "called"


def test_tables_in_cycles_are_collected():
    table = Table()
    table._remember([table], 0, (table,), {"x": table}, None, False)
    gone = weakref.ref(table)
    del table
    gc.collect()
    assert gone() is None


def test_a_table_may_change_while_it_launches(add, tensor):
    table = Table()

    def empty(*sizes, dtype, device):
        table._forget()
        return dtype

    class Like:
        device = 0

    outputs = Like, 0, empty, (((4, 64), tensor(2)),), None, ()
    table._remember(add, 2, (), None, outputs, False)
    assert table(Like(), tensor(1)) == "called"  # no tensor, and nothing is remembered now


class Outputs:
    """Notes how tensors are made: by the function that looks at all, or quickly on GPU 0."""

    def __init__(self, tensor):
        self.tensor, self.seen = tensor, []

    def empty(self, *sizes, dtype, device):
        self.seen.append(("empty", sizes, dtype, device))
        return self.tensor(2, device=(2, device))

    def quick(self, sizes, strides, dtype):
        self.seen.append(("quick", sizes, strides, dtype))
        return self.tensor(2)


@pytest.fixture
def making(exchange, add, tensor):
    """A table whose calls make their output, and what says how."""
    outputs, table = Outputs(tensor), Table()
    described = exchange.Tensor, 0, outputs.empty, (((4, 64), "f32"),), outputs.quick
    ready = (((4, 64), (64, 1), "f32"),)
    table._remember(add, 2, (), None, (*described, ready), False)
    return table, outputs


def test_outputs_are_made_quickly(exchange, tensor, making):
    table, outputs = making
    asked = exchange.seen()["signs"]
    for _ in range(2):
        assert type(table(tensor(0), tensor(1))) is exchange.Tensor
    assert exchange.seen()["signs"] == asked + 4  # what is new is no negative
    assert outputs.seen == [("quick", (4, 64), (64, 1), "f32")] * 2
    assert len(exchange.launches()) == 2 and not table.seen
    assert table(tensor(0), tensor(1, dtype=(2, 64, 1))) == "called"
    assert table(tensor(0), tensor(1, negative=True)) == "called"
    assert len(outputs.seen) == 4 and not exchange.launches()


def test_outputs_are_on_the_device_of_the_inputs(exchange, tensor, making):
    table, outputs = making
    second = [tensor(i, device=(2, 1)) for i in range(2)]
    for _ in range(2):
        table(*second)
    made = [("quick", (4, 64), (64, 1), "f32"), *[("empty", (4, 64), "f32", 1)] * 2]
    assert outputs.seen == made and len(exchange.launches()) == 2 and not table.seen


def test_outputs_that_cannot_be_made(exchange, tensor, making):
    table, outputs = making

    def fail(*_):
        raise error

    outputs.tensor = fail
    error = MemoryError("no memory")
    with pytest.raises(MemoryError):
        table(tensor(0), tensor(1))
    error = TypeError("no such type")
    assert table(tensor(0), tensor(1)) == "called" and not exchange.launches()


def test_threads(exchange, add, tensor):
    table, failures = Table(), []
    args = [tensor(i) for i in range(3)]
    add(*args)
    exchange.mock(quiet=True)

    def work(number):
        try:
            for i in range(300):
                table._remember(add, 3, (number,), None, None, False)
                assert table(*args, number) in (None, "called")
                if i % 50 == number:
                    table._forget()
        except Exception as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


# -- kernels and functions of jit ----------------------------------------------------------


@tilelang.jit
def scaled(A, factor: int = 2):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float32)
    B = T.empty((M, N), T.float32)
    with T.Kernel(M, threads=32) as m:
        for i in T.Parallel(N):
            B[m, i] = A[m, i] * factor
    return B


@pytest.fixture
def calls(monkeypatch):
    """The calls of functions of jit and of kernels that are not remembered."""
    seen = []
    for kind in (jit.JITImpl, jit.JITKernel):

        def call(self, *args, original=kind._call, **kwargs):
            seen.append(type(self))
            return original(self, *args, **kwargs)

        monkeypatch.setattr(kind, "_call", call)
    return seen


def test_shapes_that_alternate(calls):
    tensors = [torch.randn(*shape) for shape in [(2, 32), (3, 64), (2, 64)]]
    for tensor in tensors:
        scaled(tensor)
    calls.clear()
    results = [scaled(tensor) for _ in range(3) for tensor in tensors]
    for i, result in enumerate(results):
        assert torch.equal(result, tensors[i % 3] * 2)
    assert len({result.data_ptr() for result in results}) == len(results)
    assert not calls


def test_other_arguments_choose_the_kernel(calls):
    a = torch.randn(2, 32)
    for factor in (2, 3, 2, 3):
        assert torch.equal(scaled(a, factor), a * factor)
        assert torch.equal(scaled(a, factor=factor), a * factor)
    assert torch.equal(scaled(a), a * 2)
    calls.clear()
    assert torch.equal(scaled(a, 3), a * 3) and torch.equal(scaled(a, factor=2), a * 2)
    assert not calls


def test_wrong_calls_are_refused_as_before():
    a = torch.randn(2, 32)
    scaled(a)
    with pytest.raises(ArgumentError, match=r"\('A'\): expected element type f32, got f16"):
        scaled(a.half())
    with pytest.raises(TypeError, match="dimensions as A"):
        scaled(a.reshape(64))
    with pytest.raises(TypeError, match="no argument and no size"):
        scaled(a, K=1)
    assert torch.equal(scaled(a), a * 2)


def test_lists_may_change(calls):
    @tilelang.jit
    def picked(A, factors):
        N = T.const("N")
        A: T.Tensor((N,), T.float32)
        B = T.empty((N,), T.float32)
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                B[i] = A[i] * factors[0]
        return B

    a, factors = torch.randn(32), [2]
    assert torch.equal(picked(a, factors), a * 2)
    factors[0] = 3
    assert torch.equal(picked(a, factors), a * 3)


def test_functions_that_give_kernels(calls):
    @tilelang.jit(out_idx=[-1])
    def copied(N, dtype="float32"):
        @T.prim_func
        def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype)):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(N):
                    B[i] = A[i]

        return main

    kernel, a = copied(32), torch.randn(32)
    kernel(a)
    calls.clear()
    assert copied(32) is kernel and torch.equal(kernel(a), a)
    assert not calls
    assert copied(64) is not kernel and copied(32, dtype="float16") is not kernel


def test_another_default_target(calls):
    @tilelang.jit
    def negated(A):
        N = T.const("N")
        A: T.Tensor((N,), T.float32)
        B = T.empty((N,), T.float32)
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                B[i] = -A[i]
        return B

    a = torch.randn(32)
    negated(a)
    jit.set_default_target("lowered:sm_90a")
    try:
        calls.clear()
        assert torch.equal(negated(a), -a)
        assert calls  # by a kernel of that target
        assert {kernel.target for kernel in negated._kernels.values()} == {"cpu", "lowered:sm_90a"}
    finally:
        jit.set_default_target("cpu")
