# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests name files of the repository from its root, wherever pytest was started."""

import os
import pathlib
import signal

import exchange_support
import pytest

from mlir_tile import cache, execution


@pytest.fixture(scope="session", autouse=True)
def in_the_repository():
    before = os.getcwd()
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    yield
    os.chdir(before)


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt: a shell that starts the tests in the background ignores it otherwise."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def exchange():
    """Tensors of GPUs and the mock driver (exchange/exchange.cpp)."""
    return exchange_support.build()


@pytest.fixture(scope="session")
def artifact():
    """The sum of two matrices, compiled."""
    cache.configure(disk=False)
    return execution.compile(exchange_support.ADD, target="cuda:sm_90a")


@pytest.fixture
def add(exchange, artifact):
    """The same on the mock driver, whose launches have been read."""
    from mlir_tile._mlir_libs import _launch

    exchange.mock(devices=2, major=9, quiet=False, launch_result=0)
    exchange.set_stream(0)
    exchange_support.declare_parameters(exchange, artifact.manifest)
    kernel = _launch.device_kernel(artifact.artifact, "add", exchange.__file__)
    exchange.launches()
    yield kernel
    exchange.mock(launch_result=0)


@pytest.fixture
def tensor(exchange):
    """Makes argument `i` of the sum."""

    def make(i=0, shape=(4, 64), strides=(64, 1), dtype=(2, 32, 1), device=(2, 0), **more):
        address = more.pop("address", exchange_support.ADDRESSES[i])
        return exchange.Tensor(address, shape, strides, dtype, device, *more.values())

    return make
