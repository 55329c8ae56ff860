# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as operators of PyTorch: what `torch_op` says to torch.library."""

import sys
import types

import exchange_support
import numpy as np
import pytest

from mlir_tile import cache, execution
from mlir_tile.errors import ArgumentError
from mlir_tile.tensors import torch_op

MIXED = """
tile.kernel @mixed(%X: memref<?xf32>, %Y: memref<?xf32>, %n: i32, %s: f32, %on: i1)
    grid(%b) = (dim(%X, 0)) threads(32) {
  tile.parallel (%i) in (1) {
    %x = memref.load %X[%b] : memref<?xf32>
    %y = memref.load %Y[%b] : memref<?xf32>
    %z = arith.mulf %x, %s : f32
    %w = arith.addf %z, %y : f32
    memref.store %w, %Y[%b] : memref<?xf32>
  }
}
"""


class Operator:
    def __init__(self, name, run, mutates_args, schema):
        self.name, self.run, self.mutates_args, self.schema = name, run, mutates_args, schema

    def register_fake(self, fake):
        self.fake = fake

    def __call__(self, *args):
        return self.run(*args)


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    monkeypatch.setattr(cache, "_state", cache._State())
    cache.configure(disk=False)
    module = types.ModuleType("torch")
    module.library = types.SimpleNamespace(custom_op=Operator)
    monkeypatch.setitem(sys.modules, "torch", module)


def arrays():
    return [np.full((4, 64), value, np.float32) for value in (1, 2, 0)]


def test_in_place():
    a, b, c = arrays()
    add = torch_op("mine::add", execution.compile(exchange_support.ADD, target="cpu"))
    assert add.schema == "(Tensor A, Tensor B, Tensor(a2!) C) -> ()"
    assert add.mutates_args == ["C"]
    assert add(a, b, c) is None and (c == 3).all()
    assert add.fake(a, b, c) is None


def test_outputs():
    a, b, _ = arrays()
    add = torch_op(
        "mine::add",
        types.SimpleNamespace(executable=execution.compile(exchange_support.ADD, target="cpu")),
        outputs=lambda a, b: np.empty_like(a),
    )
    assert add.schema == "(Tensor A, Tensor B) -> Tensor" and add.mutates_args == []
    assert (add(a, b) == 3).all()
    assert add.fake(a, b).shape == (4, 64)


def test_scalars_and_what_is_read_and_written():
    run = execution.compile(MIXED, target="cpu")
    mixed = torch_op("mine::mixed", run)
    assert mixed.schema == "(Tensor X, Tensor(a1!) Y, int n, float s, bool on) -> ()"
    x, y = np.ones(3, np.float32), np.ones(3, np.float32)
    mixed(x, y, 1, 2.0, True)
    assert (y == 3).all()


def test_what_does_not_fit():
    add = execution.compile(exchange_support.ADD, target="cpu")
    with pytest.raises(ArgumentError, match="out_idx: expected arguments that 'add' writes"):
        torch_op("mine::a", add, outputs=np.empty_like, out_idx=[0])
    with pytest.raises(ArgumentError, match="outputs: expected a function"):
        torch_op("mine::a", add, out_idx=[-1])
    mixed = execution.compile(MIXED, target="cpu")
    with pytest.raises(ArgumentError, match="got 0 of these"):
        torch_op("mine::a", mixed, outputs=np.empty_like)
    two = torch_op("mine::a", add, outputs=lambda a, b: (a, b))
    with pytest.raises(ArgumentError, match="outputs: expected 1 tensors, got 2"):
        two(*arrays()[:2])
