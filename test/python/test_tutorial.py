# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorial's code does what it says, piece after piece."""

import pathlib
import re

import pytest

PAGES = ["Tutorial.md"]
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", PAGES)
def test_code_of_the_page_runs(page, tmp_path, monkeypatch):
    text = (DOCS / page).read_text()
    pieces = list(re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    assert pieces, f"{page} has no code"
    monkeypatch.chdir(tmp_path)
    # A file of its own: the language reads the source of its functions. Lines stay those of the page.
    script = tmp_path / f"{pathlib.Path(page).stem}.py"
    lines = [""] * (text.count("\n") + 1)
    for piece in pieces:
        first = text.count("\n", 0, piece.start(1))
        for offset, line in enumerate(piece[1].splitlines()):
            lines[first + offset] = line
    script.write_text("\n".join(lines) + "\n")
    code = compile(script.read_text(), str(script), "exec")
    exec(code, {"__name__": "__main__", "__file__": str(script)})
