# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every name that a script of the repository uses is defined: also in code that only a GPU reaches."""

import ast
import subprocess
from pathlib import Path

import pytest

pyflakes = pytest.importorskip("pyflakes.checker")
messages = pytest.importorskip("pyflakes.messages")

ROOT = Path(__file__).resolve().parents[2]
# Types of TileLang's signatures are strings ("float16"), which pyflakes takes for forward references.
TYPES = {f"{kind}{bits}" for kind in ("float", "int", "uint", "bfloat") for bits in (8, 16, 32, 64)}
# lit gives these to its configurations.
GIVEN = {"config", "lit_config"}


def scripts():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "*.py"], capture_output=True, text=True
    ).stdout.split()
    # An unpacked archive has no list.
    return listed or [str(path.relative_to(ROOT)) for path in ROOT.rglob("test/**/*.py")]


def undefined(path):
    """The undefined names of a script, with their lines."""
    text = (ROOT / path).read_text(encoding="utf-8")
    found = pyflakes.Checker(ast.parse(text, path), filename=path).messages
    return [
        f"{path}:{message.lineno}: {message.message_args[0]}"
        for message in found
        if isinstance(message, messages.UndefinedName)
        and message.message_args[0] not in TYPES | GIVEN
    ]


def test_an_undefined_name_is_found(tmp_path):
    script = tmp_path / "wrong.py"
    script.write_text("def element(program):\n    return p.element\n")
    assert undefined(script) == [f"{script}:2: p"]


def test_all_names_are_defined():
    assert [line for path in scripts() for line in undefined(path)] == []


def test_the_languages_of_devices_are_one():
    import mlir_tile as tilelang

    assert tilelang.cuda.language is tilelang.language is tilelang.cpu.language
    assert isinstance("float16", tilelang.language.AnyDType)
