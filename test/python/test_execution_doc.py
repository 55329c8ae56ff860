# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the code of docs/PythonExecution.md, as one program."""

import pathlib
import re

from mlir_tile import cache

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/PythonExecution.md"


def test_page(monkeypatch):
    monkeypatch.setattr(cache, "_state", cache._State())
    cache.configure(disk=False)
    text = PAGE.read_text()
    pieces = []
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start(1))
        pieces.append((line, match[1]))
    assert len(pieces) == 4
    names = {}
    for line, piece in pieces:
        # Only the piece that names a directory of its own writes files.
        cache.configure(disk="directory=" in piece)
        exec(compile("\n" * line + piece, str(PAGE), "exec"), names)
