# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of docs/PythonBindings.md runs, block after block, in one program."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/PythonBindings.md"


def test_the_pages_code_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = PAGE.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"```python\n(.*?)```", page, re.DOTALL))
    assert len(blocks) >= 7
    names = {}
    for block in blocks:
        # Lines of errors are the page's.
        code = "\n" * page.count("\n", 0, block.start(1)) + block.group(1)
        exec(compile(code, str(PAGE), "exec"), names)


def test_every_function_that_the_page_lists_is_there():
    from mlir_tile.dialects import tile

    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("| function |") : page.index("Kernels may leave")]
    listed = re.findall(
        r"`(\w+)(?:\(.*?)?`", "\n".join(row.split("|")[1] for row in table.splitlines() if row)
    )
    assert len(listed) > 25
    assert [name for name in listed if not hasattr(tile, name)] == []
    exported = set(
        re.findall(
            r"^def ([a-z]\w+)\(",
            pathlib.Path(tile.__file__).with_name("_tile_builders.py").read_text(),
            re.M,
        )
    )
    assert exported - set(listed) == set()
