# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Macros: their bodies are traced where they are called, arguments by value or by reference."""

import inspect

from .buffers import Buffer, Region
from .errors import fail
from .values import Expr, Load


class Ref(Load):
    """A place that a macro was given by reference."""

    __slots__ = ()


class Macros:
    """The part of the builder that calls macros."""

    macro_blocks = ()

    def call_macro(self, function, references, bound):
        """Runs a macro's body here; its names are its own."""
        self.macro_depth += 1
        self.macro_blocks = [*self.macro_blocks, self.block]
        loops, self.loops = self.loops, list(self.loops)
        try:
            given = inspect.BoundArguments(bound.signature, type(bound.arguments)())
            for name, value in bound.arguments.items():
                kind = bound.signature.parameters[name].kind
                if kind is inspect.Parameter.VAR_POSITIONAL:
                    value = tuple(self.macro_argument(x, False) for x in value)
                elif kind is inspect.Parameter.VAR_KEYWORD:
                    value = {k: self.macro_argument(x, False) for k, x in value.items()}
                else:
                    value = self.macro_argument(value, name in references)
                given.arguments[name] = value
            return function(*given.args, **given.kwargs)
        finally:
            self.macro_depth -= 1
            self.macro_blocks = self.macro_blocks[:-1]
            self.loops = loops

    def macro_argument(self, value, by_reference):
        if by_reference:
            if isinstance(value, Buffer):
                return value
            if isinstance(value, Load):
                if value.buffer.is_var:
                    return value.buffer
                return Ref(
                    value.buffer,
                    tuple(self.named("_", x) if isinstance(x, Expr) else x for x in value.indices),
                )
            if isinstance(value, Region):
                return value
            fail(
                "expected a variable, an element or a region for a parameter of type T.Ref, got"
                f" {value!r}"
            )
        if isinstance(value, Buffer) and value.is_var:
            return self.define(value.name, value.as_load())
        if isinstance(value, Expr):
            return self.named("_", value)
        return value
