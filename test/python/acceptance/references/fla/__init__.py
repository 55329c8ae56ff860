# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for the package fla (flash-linear-attention) where scripts compare with it."""

__version__ = "0.4.0+reference"
