# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.cuda`, `tilelang.cpu`: TileLang's languages by device, which are one here."""

from mlir_tile import language

__all__ = ["language"]
