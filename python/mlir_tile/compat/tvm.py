# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The few names of TVM that scripts of TileLang use beside its own: data types and targets."""

from __future__ import annotations

import re
from types import SimpleNamespace

from .target import Target

__all__ = ["DataType", "Target", "target"]


class DataType(str):
    """A data type by name, with its size: DataType("float16").bits is 16."""

    @property
    def bits(self) -> int:
        """Bits of one lane."""
        name = self.partition("x")[0] if re.fullmatch(r"[a-z]+\d+x\d+", self) else str(self)
        if name == "bool":
            return 1
        found = re.match(r"[a-z]+?(\d+)", name)
        return int(found.group(1)) if found else 32

    @property
    def lanes(self) -> int:
        """Number of lanes."""
        found = re.fullmatch(r"[a-z]+\d+x(\d+)", self)
        return int(found.group(1)) if found else 1

    @property
    def itemsize(self) -> int:
        """Bytes of one element, at least 1."""
        return max(1, self.bits * self.lanes // 8)


target = SimpleNamespace(Target=Target)
