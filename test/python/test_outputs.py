# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs that a call makes are arrays of the inputs' library, in the memory where these lie."""

import sys
import types

import numpy
import pytest

import mlir_tile as tilelang
import mlir_tile.language as T
from mlir_tile.errors import ArgumentError


@pytest.fixture
def kernel():
    """A kernel for GPUs, compiled without one, whose second parameter is an output."""

    @tilelang.jit(target="cuda:sm_80")
    def scaled(X):
        N = T.const("N")
        X: T.Tensor[[N], T.float16]
        Y = T.empty([N], T.float16)
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            for i in T.Parallel(128):
                Y[bx * 128 + i] = X[bx * 128 + i] * T.float16(2)
        return Y

    found = scaled.compile(numpy.zeros(256, numpy.float16))
    found.target = "cuda:sm_80"  # other tests have "cuda" mean the CPU (set_default_target)
    return found


class GpuArray:
    """An array of some library in memory of GPU 0."""

    def __dlpack_device__(self):
        return 2, 0

    def __array__(self):
        raise TypeError("no implicit copy to the host")


@pytest.fixture
def cupy(monkeypatch):
    """What the package asks of CuPy."""
    module = types.ModuleType("cupy")

    class ndarray(GpuArray):
        device = types.SimpleNamespace(id=1)

    class Device:
        current = None

        def __init__(self, number):
            self.number = number

        def __enter__(self):
            Device.current = self.number

        def __exit__(self, *_):
            Device.current = None

    def empty(shape, dtype):
        made = ndarray()
        made.shape, made.dtype, made.on = shape, numpy.dtype(dtype), Device.current
        return made

    module.ndarray, module.empty = ndarray, empty
    module.cuda = types.SimpleNamespace(Device=Device)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def output(kernel, *args):
    return kernel._empty(kernel.params[1], {"N": 256}, args)


def test_of_numpy(kernel, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    made = output(kernel, numpy.zeros(256, numpy.float16))
    assert type(made) is numpy.ndarray and made.shape == (256,)


def test_of_cupy(kernel, cupy, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    made = output(kernel, cupy.ndarray())
    assert isinstance(made, cupy.ndarray) and made.shape == (256,)
    assert made.dtype == numpy.float16 and made.on == 1


def test_of_cupy_beside_torch(kernel, cupy, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=type("Tensor", (), {})))
    assert isinstance(output(kernel, cupy.ndarray()), cupy.ndarray)


def test_of_another_library(kernel, cupy, monkeypatch):
    """CuPy makes the output on the current GPU, if PyTorch is not there."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    made = output(kernel, GpuArray())
    assert isinstance(made, cupy.ndarray) and made.on is None


def test_without_a_library(kernel, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setitem(sys.modules, "cupy", None)  # an import of it fails
    with pytest.raises(ArgumentError, match="expected CuPy or PyTorch, one of which makes the output Y .* pass Y as an argument"):
        output(kernel, GpuArray())


def test_elements_that_cupy_lacks(kernel, cupy, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(cupy, "empty", lambda shape, dtype: (_ for _ in ()).throw(TypeError("no")))
    with pytest.raises(ArgumentError, match="CuPy has no elements of type float16 for the output Y"):
        output(kernel, cupy.ndarray())
