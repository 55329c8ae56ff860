# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes PyTorch take "cuda" for the CPU in this process, so that scripts run without a GPU."""

from __future__ import annotations

import contextlib
import time
from types import SimpleNamespace

import torch
from torch.overrides import TorchFunctionMode

__all__ = ["install"]


def _mapped(value):
    if isinstance(value, str) and value.startswith("cuda"):
        return "cpu"
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


class _CudaIsCpu(TorchFunctionMode):
    """Replaces the device of every call."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if "device" in kwargs:
            kwargs["device"] = _mapped(kwargs["device"])
            if isinstance(kwargs["device"], int):
                kwargs["device"] = "cpu"
        name = getattr(function, "__name__", "")
        if name == "cuda":
            return args[0]
        if name == "to":
            args = tuple(_mapped(arg) for arg in args)
        if name in _PRODUCTS:
            return _in_float32(function, args, kwargs)
        return function(*args, **kwargs)


# Products of matrices: in 16 bits, PyTorch's for the CPU take minutes.
_PRODUCTS = {
    "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "einsum", "linear", "conv2d", "addmm",
    "scaled_dot_product_attention",
}  # fmt: skip
_SHORT = (torch.float16, torch.bfloat16)


def _in_float32(function, args, kwargs):
    short = []

    def widened(value):
        if isinstance(value, torch.Tensor) and value.dtype in _SHORT:
            short.append(value.dtype)
            return value.to(torch.float32)
        if isinstance(value, (list, tuple)):
            return type(value)(widened(item) for item in value)
        return value

    args = tuple(widened(arg) for arg in args)
    kwargs = {key: widened(value) for key, value in kwargs.items()}
    result = function(*args, **kwargs)
    return result.to(short[0]) if short else result


class _Event:
    """A moment of the wall clock."""

    def __init__(self, *_, **__):
        self.at = 0.0

    def record(self, *_):
        """Now."""
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        """Milliseconds until `end`."""
        return (end.at - self.at) * 1e3

    def synchronize(self):
        """Nothing to wait for."""

    wait = query = synchronize


class _Stream:
    """The one stream."""

    cuda_stream = 0

    def __init__(self, *_, **__):
        pass

    def synchronize(self, *_):
        """Nothing to wait for."""

    wait_stream = wait_event = record_event = synchronize


class _Generator(torch.Generator):
    """A source of random numbers for any device's name."""

    def __new__(cls, device=None):
        return super().__new__(cls)


@contextlib.contextmanager
def _one_stream(*_):
    yield


def _nothing(name):
    """A function of its own without effect: torch's compiler keeps rules by function."""

    def function(*_, **__):
        return None

    function.__name__ = name
    return function


def install() -> None:
    """Maps "cuda" to the CPU until the process ends."""
    properties = SimpleNamespace(
        name="NVIDIA H200 (the CPU, for tests)",
        major=9,
        minor=0,
        multi_processor_count=132,
        total_memory=141 << 30,
        warp_size=32,
        shared_memory_per_block_optin=232448,
        max_threads_per_multi_processor=2048,
        L2_cache_size=50 << 20,
    )
    replaced = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_capability": lambda *_: (9, 0),
        "get_device_name": lambda *_: properties.name,
        "get_device_properties": lambda *_: properties,
        "mem_get_info": lambda *_: (141 << 30, 141 << 30),
        "memory_allocated": lambda *_: 0,
        "Event": _Event,
        "Stream": _Stream,
        "current_stream": _Stream,
        "default_stream": _Stream,
        "stream": _one_stream,
        "device": _one_stream,
    }
    for name in (
        "synchronize",
        "init",
        "empty_cache",
        "set_device",
        "manual_seed",
        "manual_seed_all",
    ):
        replaced[name] = _nothing(name)
    for name, value in replaced.items():
        setattr(torch.cuda, name, value)
    torch.Generator = _Generator
    torch.set_num_threads(1)  # processes are forked
    _CudaIsCpu().__enter__()
