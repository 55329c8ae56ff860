# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors to measure and to check kernels with: random inputs by kind, comparison of results."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mlir_tile.errors import ArgumentError

__all__ = ["TensorSupplyType", "assert_close", "get_tensor_supply", "is_float8_dtype"]


class TensorSupplyType(enum.Enum):
    """What inputs are filled with. `Auto` is uniform in [-1, 1) for floating point and small
    integers for everything else; `Normal` has mean -1, as in TileLang."""

    Integer = 1
    Uniform = 2
    Normal = 3
    Randn = 4
    Zero = 5
    One = 6
    Auto = 7


_ALIASES = {"float8_e4m3": "float8_e4m3fn", "float": "float32", "int": "int32", "uint": "uint32"}


def _torch():
    """PyTorch, where this process can import it; measuring takes its tensors."""
    if "torch" in sys.modules:
        return sys.modules["torch"]
    try:
        import torch
    except ImportError:
        raise ImportError(
            "the profiler makes its inputs with PyTorch, which is not installed; "
            "pass tensors of your own (input_tensors=[...]) or install torch"
        ) from None
    return torch


def torch_dtype(dtype: Any):
    """PyTorch's element type for a type's name or object ("float16", T.float16, torch.float16)."""
    torch = _torch()
    if isinstance(dtype, torch.dtype):
        return dtype
    name = str(dtype).removeprefix("torch.")
    found = getattr(torch, _ALIASES.get(name, name), None)
    if not isinstance(found, torch.dtype):
        raise ArgumentError(f"PyTorch has no element type for {name!r}; pass tensors of your own")
    return found


def is_float8_dtype(dtype: Any) -> bool:
    """Whether `dtype` is one of PyTorch's 8-bit floating-point types."""
    return str(dtype).startswith("torch.float8")


def _device(torch: Any) -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _shape(param: Any, sizes: dict[str, int] | None) -> list[int]:
    shape = []
    for size in param.shape:
        if not isinstance(size, int):
            name = getattr(size, "name", str(size))
            try:
                size = int(size) if sizes is None or name not in sizes else sizes[name]
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"size {name!r} of argument {getattr(param, 'name', '?')!r} is known when the "
                    f"kernel runs only; give it: dynamic_symbolic_constraints={{{name!r}: ...}}"
                ) from None
        shape.append(size)
    return shape


def _integers(torch: Any, dtype: Any, shape: list[int], device: str):
    name = str(dtype)
    if is_float8_dtype(dtype):
        small = torch.randint(low=-128, high=128, size=shape, device=device, dtype=torch.int8)
        return small.to(dtype)
    if name == "torch.bool":
        return torch.randint(low=0, high=2, size=shape, device=device).to(dtype)
    low, high = (0, 3) if "uint" in name else (-2, 3)
    return torch.randint(low=low, high=high, size=shape, device=device).to(dtype)


def _random(torch: Any, kind: TensorSupplyType, dtype: Any, shape: list[int], device: str):
    full = torch.empty(*shape, device=device, dtype=torch.float32)
    if kind is TensorSupplyType.Uniform:
        return full.uniform_(-1.0, 1.0).to(dtype)
    if kind is TensorSupplyType.Normal:
        return full.normal_(-1.0, 1.0).to(dtype)
    return torch.randn(*shape, device=device).to(dtype)


def get_tensor_supply(kind: TensorSupplyType = TensorSupplyType.Auto) -> Callable[..., Any]:
    """A function that makes one tensor for a kernel's parameter (`.dtype`, `.shape`).

    Its second argument gives sizes that are known when the kernel runs only, by name.
    """

    def supply(param: Any, sizes: dict[str, int] | None = None):
        torch = _torch()
        shape, dtype, device = _shape(param, sizes), torch_dtype(param.dtype), _device(torch)
        if kind is TensorSupplyType.Zero:
            return torch.zeros(*shape, device=device, dtype=dtype)
        if kind is TensorSupplyType.One:
            return torch.ones(*shape, device=device, dtype=dtype)
        floats = str(dtype) in ("torch.float16", "torch.bfloat16", "torch.float32", "torch.float64")
        if kind is TensorSupplyType.Auto:
            uniform = TensorSupplyType.Uniform
            return (
                _random(torch, uniform, dtype, shape, device)
                if floats
                else _integers(torch, dtype, shape, device)
            )
        if kind is TensorSupplyType.Integer:
            return _integers(torch, dtype, shape, device)
        if str(dtype) == "torch.int8" and kind is not TensorSupplyType.Randn:
            return torch.ones(*shape, device=device, dtype=dtype)
        return _random(torch, kind, dtype, shape, device)

    return supply


def _comparable(torch: Any, tensor: Any):
    return tensor.to(torch.float32) if is_float8_dtype(tensor.dtype) else tensor


def assert_close(
    tensor_a: Any,
    tensor_b: Any,
    rtol: float = 1e-2,
    atol: float = 1e-3,
    max_mismatched_ratio: float = 0.001,
    verbose: bool = False,
    equal_nan: bool = True,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    base_name: str = "LHS",
    ref_name: str = "RHS",
) -> bool:
    """Raises AssertionError unless all but a share of the elements are close.

    Args:
      rtol, atol: an element is close where |a - b| <= atol + rtol * |b|.
      max_mismatched_ratio: share of elements that may differ more (0.001: one in a thousand).
    """
    if all(hasattr(x, "__array_interface__") for x in (tensor_a, tensor_b)):
        from .arrays import assert_arrays_close

        names = base_name, ref_name
        return assert_arrays_close(tensor_a, tensor_b, rtol, atol, max_mismatched_ratio, names)
    torch = _torch()
    if tensor_a.shape != tensor_b.shape:
        raise AssertionError(f"shape of {base_name} {tensor_a.shape}, {ref_name} {tensor_b.shape}")
    if check_dtype and tensor_a.dtype != tensor_b.dtype:
        raise AssertionError(f"dtype of {base_name} {tensor_a.dtype}, {ref_name} {tensor_b.dtype}")
    a, b = _comparable(torch, tensor_a), _comparable(torch, tensor_b)
    close = torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    total = close.numel()
    wrong = total - int(close.sum().item())
    if verbose:
        print(f"{wrong} of {total} elements of {base_name} differ from {ref_name}")
    if wrong <= total * max_mismatched_ratio:
        return True
    place = tuple(int(i) for i in torch.nonzero(close == 0)[0])
    raise AssertionError(
        f"{wrong} of {total} elements differ (allowed: {max_mismatched_ratio:.2%}, rtol={rtol}, "
        f"atol={atol}); first at {place}: {base_name} {a[place].item()}, "
        f"{ref_name} {b[place].item()}"
    )


def as_list(value: Any) -> list[Any]:
    """Results of a program as a list: None is none, a tensor is one."""
    if value is None:
        return []
    return list(value) if isinstance(value, Sequence) else [value]
