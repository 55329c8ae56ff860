# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of TVM that look through a kernel and rewrite it: as far as they concern calls that
this compiler does not know.

A library may put calls into its kernels as marks, T.call_extern("handle", name, ...), and take them
out again, or make code of them. Taking out works: a statement that becomes Evaluate(0) is gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..language.functions import PrimFunc as Function
from ..language.nodes import Const
from ..language.statements import Tile

__all__ = ["Body", "Call", "Evaluate", "IntImm", "PrimFunc", "StringImm", "ir_transform"]


class StringImm:
    """A text, as an argument of a call."""

    def __init__(self, value: str) -> None:
        self.value = value


class Call:
    """A call of a function that this compiler does not know: its name is the first argument."""

    def __init__(self, dtype: Any, op: Any, args: Any) -> None:
        self.dtype, self.op, self.args = dtype, op, list(args)


class Evaluate:
    """A value as a statement."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _IntImm(type):
    def __call__(cls, dtype: Any, value: int) -> Const:
        from ..language.dtypes import dtype as element_type

        return Const(int(value), element_type(dtype))

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Const)


class IntImm(metaclass=_IntImm):
    """A number with a type: IntImm("int32", 0)."""


class Body:
    """The statements of a function, without some."""

    def __init__(self, function: Function, removed: frozenset[int] = frozenset()) -> None:
        self.function, self.removed = function, removed

    def calls(self) -> list[tuple[Tile, Evaluate]]:
        """The statements that call an unknown function, in order."""
        found: list[tuple[Tile, Evaluate]] = []

        def search(block: list) -> None:
            for x in block:
                if type(x) is Tile and x.name == "unknown_call" and id(x) not in self.removed:
                    arguments = [StringImm(x.operands["function"]), *x.operands["arguments"]]
                    found.append((x, Evaluate(Call("handle", "tirx.call_extern", arguments))))
                for inner in x.blocks:
                    search(inner)

        for kernel in self.function.builder.kernels:
            search(kernel.body)
        return found

    def made(self) -> Function:
        """The function without what was removed."""
        source = self.function

        def remove(block: list) -> None:
            block[:] = [x for x in block if id(x) not in self.removed]
            for x in block:
                for inner in x.blocks:
                    remove(inner)

        for kernel in source.builder.kernels:
            remove(kernel.body)
        source.builder.unknown_calls -= len(self.removed)
        result = Function(source.name, source.builder, source.function)
        result.attrs.update(source.attrs)
        result.without = source.without
        return result


def post_order_visit(body: Body, visit: Callable[[Any], None]) -> None:
    """Shows each unknown call to a function."""
    for _, node in body.calls():
        visit(node)


def ir_transform(
    body: Body,
    preorder: Callable[[Any], Any] | None,
    postorder: Callable[[Any], Any] | None,
    only_enable: Any = None,
) -> Body:
    """The statements with unknown calls replaced as the functions say; None leaves one as it is."""
    removed = set(body.removed)
    for statement, node in body.calls():
        made = None
        for function in (preorder, postorder):
            if made is None and function is not None:
                made = function(node)
        if made is None or made is node:
            continue
        if not isinstance(made, Evaluate) or not isinstance(made.value, (int, Const)):
            raise NotImplementedError(
                f"{statement.location}: ir_transform puts code of TVM in place of the call of"
                f" {statement.operands['function']!r}; this compiler has no statements of TVM, so a"
                " call can only be removed, by Evaluate(0)"
            )
        removed.add(id(statement))
    return Body(body.function, frozenset(removed))


class _PrimFunc(type):
    def __call__(
        cls,
        params: Any,
        body: Any,
        ret_type: Any = None,
        buffer_map: Any = None,
        attrs: Any = None,
        **_: Any,
    ) -> Function:
        if not isinstance(body, Body):
            raise TypeError(f"expected the body of a function of @T.prim_func, got {body!r}")
        if list(params) != body.function.params:
            raise NotImplementedError(
                f"PrimFunc with other arguments than {body.function.name}: this compiler has no"
                " statements of TVM that could use them"
            )
        made = body.made()
        made.attrs.update(attrs or {})
        return made

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Function)


class PrimFunc(metaclass=_PrimFunc):
    """A function made of another one's body."""
