# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.language.fp8`: the 8-bit types of this machine's GPUs."""

__all__ = ["determine_fp8_type", "determine_torch_fp8_type", "select_fp8_dtype"]


def determine_fp8_type(fp8_format: str = "e4m3") -> str:
    """The type's name for a format: "e4m3" or "e5m2"."""
    names = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}
    if fp8_format not in names:
        raise ValueError(f"fp8_format is one of {', '.join(names)}; got {fp8_format!r}")
    return names[fp8_format]


select_fp8_dtype = determine_fp8_type


def determine_torch_fp8_type(fp8_format: str = "e4m3"):
    """PyTorch's type for a format."""
    import torch

    return getattr(torch, determine_fp8_type(fp8_format))
