# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream registers the GPU dialect's passes when this is imported.

They attach targets of other vendors and are left out here; the compiler's own passes
are registered with `mlir_tile.ir`.
"""
