# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of kernels: tensors, scalars, addresses; and their annotations."""

import inspect

from .buffers import Buffer
from .dtypes import dtype as element_type
from .errors import fail
from .memory import Pointer, pointer_marker
from .values import Variable


class Undeclared:
    """A parameter of an eager kernel that a statement of the body declares."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind


def declare_argument(builder, name, old, annotation):
    """The argument that `name: annotation` in the body stands for; what was there where it is
    none."""
    if not isinstance(old, (Undeclared, Pointer)):
        return old
    made = make_argument(name, annotation)
    if made is None:
        fail(
            f"expected T.Tensor(...) or an element type as the type of the argument {name}, got"
            f" {annotation!r}"
        )
    if isinstance(old, Pointer):
        builder.arguments[builder.arguments.index(old)] = made
    else:
        builder.arguments.append(made)
    return made


def make_argument(name, annotation):
    """A new argument of an annotation's type; None where it is none."""
    if isinstance(annotation, Buffer):
        made = Buffer(
            annotation.shape,
            annotation.dtype,
            annotation.scope_name,
            annotation.given_strides,
            name,
        )
        made.alignment = annotation.alignment
        return made
    if isinstance(annotation, element_type):
        if str(annotation) == "handle":
            made = Pointer()
            made.name = name
            return made
        return Variable(name, "scalar", annotation)
    if isinstance(annotation, Variable):
        return Variable(name, "scalar", annotation.dtype)
    if isinstance(annotation, (Pointer, pointer_marker)):
        made = Pointer()
        made.name = name
        return made
    if annotation in (int, float, bool):
        return Variable(name, "scalar", element_type(annotation))
    return None


def annotations_of(function):
    """The annotations of a function's parameters, evaluated in its globals and captured
    variables."""
    found = {}
    names = None
    for name, value in inspect.get_annotations(function).items():
        if name == "return":
            continue
        if isinstance(value, str) and not isinstance(value, element_type):
            if names is None:
                names = {}
                for free, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
                    try:
                        names[free] = cell.cell_contents
                    except ValueError:
                        continue
            try:
                value = eval(value, function.__globals__, names)
            except NameError as error:
                code = function.__code__
                fail(
                    f"{code.co_filename}:{code.co_firstlineno}: the type of the argument {name},"
                    f" `{value}`, cannot be "
                    f"evaluated: {error}. Under `from __future__ import annotations` a name of an"
                    " enclosing function must "
                    "be used in the body, too"
                )
        if inspect.isfunction(value):
            value = value()
        found[name] = value
    return found
