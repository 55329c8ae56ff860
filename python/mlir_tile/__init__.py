# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlir-tile: a tile compiler for NVIDIA GPUs, built on MLIR."""
