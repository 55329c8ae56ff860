# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel and its reference make of the same inputs: the tensors to compare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .supply import _comparable, _torch, as_list

__all__ = ["both_outcomes", "copied"]


def both_outcomes(
    kernel: Callable[..., Any], reference: Callable[..., Any], inputs: list[Any]
) -> tuple[list[Any], list[Any]]:
    """The kernel's results and the reference's, as many of one as of the other.

    Of a kernel that returns nothing the results are the arguments that it writes: the reference
    returns these, in the order of the arguments, or writes them in its own copies of the inputs.
    """
    if getattr(kernel, "out_idx", None):
        expected = as_list(reference(*inputs))
        return _paired(as_list(kernel(*inputs)), expected)
    before, given = ([copied(x) for x in inputs] for _ in range(2))
    expected = as_list(reference(*given))
    actual = as_list(kernel(*inputs))
    if actual or not inputs:
        return _paired(actual, expected)
    written = sorted(_stored(kernel) | set(_changed(before, inputs)))
    if expected:
        if len(written) != len(expected):
            names = ", ".join(_name(kernel, at) for at in written) or "none"
            raise AssertionError(
                f"the kernel returns nothing, and of its arguments it writes {names}; expected as"
                f" many tensors from the reference, got {len(expected)}: return those of these"
                " arguments, or give the kernel its results as out_idx"
            )
        return [inputs[at] for at in written], expected
    changed = _changed(before, given)
    if not changed:
        raise AssertionError(
            "there is nothing to compare: the reference returns nothing and writes none of its"
            " arguments; let it return what the kernel computes"
        )
    places = sorted({*written, *changed})
    return [inputs[at] for at in places], [given[at] for at in places]


def _paired(actual: list[Any], expected: list[Any]) -> tuple[list[Any], list[Any]]:
    if len(actual) != len(expected):
        raise AssertionError(
            f"the kernel returns {len(actual)} tensors, the reference {len(expected)}"
        )
    return actual, expected


def copied(value: Any) -> Any:
    """A tensor of the same values; what is no tensor as it is."""
    for name in ("clone", "copy"):
        if hasattr(value, name) and hasattr(value, "shape"):
            return getattr(value, name)()
    return value


def _changed(before: list[Any], after: list[Any]) -> list[int]:
    """Places of the tensors that differ."""
    return [
        at
        for at, (old, new) in enumerate(zip(before, after, strict=True))
        if hasattr(new, "shape") and old is not new and not _same(old, new)
    ]


def _same(old: Any, new: Any) -> bool:
    if not all(hasattr(x, "__array_interface__") for x in (old, new)):
        old, new = (_comparable(_torch(), x) for x in (old, new))
    return bool(((old == new) | ((old != old) & (new != new))).all())


def _stored(kernel: Any) -> set[int]:
    """Places of the arguments that a kernel of the language writes."""
    from mlir_tile.language.functions import _written

    function = getattr(kernel, "prim_func", None)
    if getattr(function, "builder", None) is None:
        return set()
    found: set[Any] = set()
    for part in function.builder.kernels:
        _written(part.body, found)
    found |= {x.base for x in function.builder.views if x in found}
    return {at for at, x in enumerate(function.arguments) if x in found}


def _name(kernel: Any, at: int) -> str:
    params = getattr(kernel, "params", None)
    return params[at].name if params else f"argument {at}"
