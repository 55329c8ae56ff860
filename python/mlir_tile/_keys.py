# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of functions as keys: what two calls have in common if one kernel serves both.

Python says that 1, True and 1.0 are equal, and 0.0 and -0.0, but a kernel that is traced with one
is not that of the other. So keys hold the type of each value, and of floats the bits.
"""

import dataclasses
import struct

from mlir_tile.errors import ArgumentError

__all__ = ["freeze", "freeze_keywords"]


def freeze(value):
    """A hashable form of an argument that is no tensor; raises TypeError where there is none."""
    kind = type(value)
    if isinstance(value, dict):
        # In their order, which a function that goes through them sees.
        return kind, tuple((freeze(k), freeze(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return kind, tuple(map(freeze, value))
    if isinstance(value, (set, frozenset)):
        return kind, frozenset(map(freeze, value))
    if isinstance(value, float):
        return kind, struct.pack("<d", value)
    if isinstance(value, complex):
        return kind, struct.pack("<dd", value.real, value.imag)
    if dataclasses.is_dataclass(kind) and kind.__hash__ is not object.__hash__:
        return kind, tuple(freeze(getattr(value, x.name)) for x in dataclasses.fields(value))
    if is_number_of_numpy(value):
        return kind, value.dtype.str, value.tobytes()
    try:
        hash(value)
    except TypeError:
        raise ArgumentError(
            f"an argument of a kernel that is no tensor must be hashable, got {value!r}"
        ) from None
    return kind, value


def freeze_keywords(keywords):
    """The same of arguments by name, whatever their order."""
    return tuple((name, freeze(keywords[name])) for name in sorted(keywords))


def is_number_of_numpy(value):
    """Whether a value is a number with an element type of NumPy's (or of ml_dtypes)."""
    kind = type(value)
    return kind.__module__.partition(".")[0] in ("numpy", "ml_dtypes") and (
        getattr(value, "shape", None) == ()
        and hasattr(value, "dtype")  # an element type of NumPy's has a shape alone
        and not hasattr(value, "__setitem__")
    )
