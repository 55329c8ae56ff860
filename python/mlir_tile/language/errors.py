# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the language raises, and where in the user's file something stands."""

import os
import sys

from mlir_tile.errors import CompileError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class LanguageError(CompileError):
    """A kernel says something that cannot be compiled; the text begins with `file:line`."""


class NoBuilderError(LanguageError):
    """A construct of a kernel was used where no kernel is being built."""


class ValueUseError(LanguageError, TypeError):
    """A value that only the kernel knows was used as a number of Python's."""


class StructureError(LanguageError, ValueError):
    """Loops or a grid that no program can mean."""


class UnsupportedError(LanguageError):
    """A name or construct that TileLang has and this compiler does not take yet."""


class Location(tuple):
    """File, line and column (from one; zero where it is not known) of a construct."""

    __slots__ = ()

    def __str__(self):
        return f"{self[0]}:{self[1]}:{self[2]}" if self[2] else f"{self[0]}:{self[1]}"


_columns = {}


def _column(code, instruction):
    """The column of an instruction, from one; zero before Python 3.11."""
    table = _columns.get(code)
    if table is None:
        positions = getattr(code, "co_positions", None)
        table = [p[2] for p in positions()] if positions else []
        _columns[code] = table
    index = instruction // 2
    column = table[index] if 0 <= index < len(table) else None
    return 0 if column is None else column + 1


def here():
    """The place in the user's file that is being run: the innermost frame outside of this
    package."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if not name.startswith(_PACKAGE) and not name.startswith("<frozen"):
            return Location((name, frame.f_lineno or 0, _column(code, frame.f_lasti)))
        frame = frame.f_back
    return Location(("<unknown>", 0, 0))


def called_by_package():
    """Whether the function that called this one was called by this package, not by the user."""
    return sys._getframe(2).f_code.co_filename.startswith(_PACKAGE)


def fail(message, location=None, kind=LanguageError):
    """Raises `kind` with the place in the user's file in front of the message."""
    place = location or here()
    error = kind(f"{place}: {message}")
    error.location = place
    raise error


def unsupported(construct, advice="", location=None):
    """Raises the one error for what TileLang has and this compiler does not take yet."""
    text = f"{construct} is not supported yet by mlir-tile"
    fail(f"{text}; {advice}" if advice else text, location, UnsupportedError)
