# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that a call of a kernel makes: its outputs."""

import functools
import sys

from mlir_tile.errors import ArgumentError

_CUDA = 2  # DLPack's kDLCUDA


def packed(shape, kind):
    """The shape in memory: two elements of four bits are a byte."""
    return (*shape[:-1], shape[-1] // 2) if shape and kind.bits == 4 else shape


def empty_torch(shape, kind, device):
    """torch.empty, which reads sizes one by one in half the time that a tuple takes."""
    import torch

    return torch.empty(*(shape or ((),)), dtype=kind, device=device)


def is_cupy(array):
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(array, cupy.ndarray)


def lies_on_gpu(array):
    """Whether an argument is an array in memory of a GPU, whichever library's."""
    if is_cupy(array) or hasattr(array, "__cuda_array_interface__"):
        return True
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) == _CUDA


def empty_cupy(name, parameter, shape, like):
    """An output as an array of CuPy, on the GPU of the input `like`.

    Raises ArgumentError where CuPy is missing, or has no such elements.
    """
    advice = f"pass {parameter.name} as an argument, or import torch, whose tensors outputs are then"
    try:
        import cupy
    except ImportError as error:
        raise ArgumentError(
            f"{name}: expected CuPy or PyTorch, one of which makes the output {parameter.name}"
            f" in memory of a GPU, beside {type(like).__name__}: {advice}"
        ) from error
    inner = packed(shape, parameter.dtype)
    try:
        with cupy.cuda.Device(like.device.id if is_cupy(like) else None):
            return cupy.empty(inner, parameter.dtype.as_numpy())
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"{name}: CuPy has no elements of type {parameter.dtype} for the output"
            f" {parameter.name}: {advice}"
        ) from error


def remembered_outputs(torch, position, made, on_gpu):
    """What `CallTable._remember` takes as outputs.

    `position`: of the input whose device they are on. `made`: shape and type of PyTorch's of each.
    """
    listed = tuple((shape or ((),), kind) for shape, kind in made)
    quick = _quick(torch, on_gpu)
    ready = tuple((shape, _strides(shape), kind) for shape, kind in made) if quick else ()
    return torch.Tensor, position, torch.empty, listed, quick, ready


def _strides(shape):
    """Of a dense tensor, as PyTorch counts them."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


@functools.cache
def _quick(torch, on_gpu):
    """PyTorch's function (sizes, strides, dtype) that makes a tensor on the current device, which
    code that torch.compile wrote calls because torch.empty takes twice as long; None where this
    PyTorch has no such function."""
    try:
        guards = torch._C._dynamo.guards
        quick = guards._empty_strided_cuda if on_gpu else guards._empty_strided_cpu
        made = quick((2, 3), (3, 1), torch.float16)
    except (AttributeError, RuntimeError, TypeError):
        return None
    found = made.dtype, tuple(made.shape), made.stride()
    fits = type(made) is torch.Tensor and found == (torch.float16, (2, 3), (3, 1))
    return quick if fits else None
