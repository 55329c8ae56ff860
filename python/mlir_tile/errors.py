# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of this package.

All of them are `Error`s; each says what was expected, what was given, and where.
"""

__all__ = ["Error", "CompileError", "ArgumentError", "LaunchError"]


class Error(Exception):
    """Whatever this package raises by itself."""


class CompileError(Error, RuntimeError):
    """A kernel does not compile.

    The text has a line `file:line:column: error: ...` for each error, with the source line
    where it can be read. `diagnostics` is all that the compiler said, warnings too.
    """

    def __init__(self, message: str, diagnostics: "str | None" = None):
        super().__init__(message)
        self.diagnostics = message if diagnostics is None else diagnostics


class ArgumentError(Error, ValueError, TypeError):
    """An argument does not fit: the text names it, what was expected and what was given."""


class LaunchError(Error, RuntimeError):
    """A kernel could not be launched, or failed while it ran: no GPU, a failed assertion."""
