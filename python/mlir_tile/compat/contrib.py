# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of TileLang that scripts import only for what is in them (`from tilelang.contrib import
nvcc`)."""

from . import target
from . import target as nvcc

__all__ = ["nvcc", "target"]
