# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs parts of the compiler's pipeline over a copy of a program, and keeps what it says.

What `layout` and `explain` share. A program is copied into a context of its own: contexts,
modules and handlers of the caller stay as they are.
"""

import linecache
import re
from dataclasses import dataclass, field

from . import ir as _ir
from .errors import ArgumentError, CompileError
from .passmanager import PassManager

# MLIR adds this note to what is said of an operation; it may be a kernel of pages.
_CURRENT_OPERATION = "see current operation:"


@dataclass(frozen=True)
class Place:
    """Where something stands: a file, a line and a column, each 0 or "" where not known, and
    the name that the front end gave it."""

    file: str = ""
    line: int = 0
    column: int = 0
    name: str = ""

    def __str__(self):
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file or "?"


@dataclass(frozen=True)
class Said:
    """A diagnostic: severity (error, warning, remark), place, message, notes (place, text)."""

    severity: str
    place: Place
    message: str
    notes: tuple = field(default=())


def place_of(location):
    """The Place of a location: of fused and call-site locations the first that has a file."""
    if location.is_a_file():
        return Place(location.filename, location.start_line, location.start_col)
    if location.is_a_name():
        inner = place_of(location.child_loc)
        return Place(inner.file, inner.line, inner.column, inner.name or location.name_str)
    if location.is_a_callsite():
        return place_of(location.callee)
    if location.is_a_fused():
        for each in location.locations:
            place = place_of(each)
            if place.line or place.name:
                return place
    return Place()


def _said(diagnostic):
    notes = tuple(
        (place_of(note.location), note.message)
        for note in diagnostic.notes
        if not note.message.startswith(_CURRENT_OPERATION)
    )
    severity = str(diagnostic.severity).rsplit(".", 1)[-1].lower()
    return Said(severity, place_of(diagnostic.location), diagnostic.message, notes)


def option_text(arch="", tunables=None, shape_hints=None, device="", remarks=False, roles=""):
    """Options of the pipelines, as text between braces."""
    sizes = {
        name: "x".join(map(str, each)) if isinstance(each, (list, tuple)) else str(each)
        for name, each in (shape_hints or {}).items()
    }
    given = {
        "arch": arch,
        "device": device,
        "tunables": ",".join(f"{name}={value}" for name, value in (tunables or {}).items()),
        "hints": ",".join(f"{name}={value}" for name, value in sizes.items()),
        "remarks": "true" if remarks else "",
        "roles": roles,
    }
    return " ".join(f"{name}={value}" for name, value in given.items() if value)


class Program:
    """A program in a context of its own, to run pipelines over."""

    def __init__(self, source, *, kernel=None, name="source"):
        """`source`: MLIR text or bytecode, a module or a kernel (`ir.Module`, an operation), or
        an object with such a `module`. `kernel` names the one that counts. `name` is what
        places in text are said to be in."""
        if not isinstance(source, (str, bytes, _ir.Module)) and hasattr(source, "module"):
            source = source.module
        self.name, self.kernel, self.text = name, kernel, ""
        if isinstance(source, str):
            self.text = self._code = source
        elif isinstance(source, bytes):
            self._code = source
        else:
            self._code = self._written(source)
        self.lines = self.text.splitlines()

    def _written(self, source):
        operation = getattr(source, "operation", None)
        if not isinstance(operation, _ir.Operation):
            raise ArgumentError(
                f"expected MLIR text, a module or a tile.kernel, got {type(source).__name__}"
            )
        if operation.name == "tile.kernel":
            self.kernel = _ir.StringAttr(operation.attributes["sym_name"]).value
            operation = operation.parent.operation if operation.parent else operation
        return operation.get_asm(enable_debug_info=True)

    def parse(self):
        """The module, in a new context; returns it with what is said of it from then on."""
        context = _ir.Context()
        context.enable_multithreading(False)
        said = []

        def handler(diagnostic):
            said.append(_said(diagnostic))
            return True

        context.attach_diagnostic_handler(handler)
        try:
            module = _ir.Module.parse(self._code, context=context)
        except _ir.MLIRError as error:
            raise self._error(error) from None
        if self.kernel is not None:
            self._keep_kernel(module)
        return module, said

    def _keep_kernel(self, module):
        others = [op for op in self.kernels(module) if self.kernel_name(op) != self.kernel]
        names = [self.kernel_name(op) for op in self.kernels(module)]
        if self.kernel not in names:
            raise ArgumentError(f"expected a kernel among {names}, got {self.kernel!r}")
        for op in others:
            op.operation.erase()

    def apply(self, module, pipeline, options=""):
        """Runs a pipeline or a pass over a module, in place; CompileError where it fails."""
        text = (
            f"builtin.module({pipeline}{{{options}}})" if options else f"builtin.module({pipeline})"
        )
        try:
            with module.context:
                PassManager.parse(text).run(module.operation)
        except _ir.MLIRError as error:
            raise self._error(error) from None
        return module

    def run(self, pipeline, arch="", **options):
        """A new copy of the module after a pipeline of the compiler."""
        module, _ = self.parse()
        return self.apply(module, pipeline, option_text(arch, **options))

    def _error(self, error):
        lines = []
        for each in error.error_diagnostics:
            place = place_of(each.location)
            file = self.name if place.file in ("", "-") else place.file
            where = f"{file}:{place.line}:{place.column}: " if place.line else ""
            lines.append(f"{where}error: {each.message}")
        return CompileError("\n".join(lines) or str(error))

    @staticmethod
    def kernels(module):
        """The kernels of a module."""
        return [op for op in module.body.operations if op.operation.name == "tile.kernel"]

    @staticmethod
    def kernel_name(kernel):
        """The symbol of a kernel."""
        return _ir.StringAttr(kernel.operation.attributes["sym_name"]).value

    @staticmethod
    def operations(root):
        """All operations inside of one, outer ones first."""
        found = []

        def visit(op):
            found.append(op.opview)
            return _ir.WalkResult.ADVANCE

        root.operation.walk(visit, _ir.WalkOrder.PRE_ORDER)
        return found[1:]

    def source_line(self, place):
        """The text of a place's line; "" where it cannot be read."""
        if self.text and place.file in ("-", "", self.name):
            return self.lines[place.line - 1] if 0 < place.line <= len(self.lines) else ""
        return linecache.getline(place.file, place.line).rstrip("\n") if place.line else ""

    def name_of(self, op):
        """What a person calls the result of an operation: the name of its location, of its value
        in the text, of the Python variable that was assigned; else its line."""
        place = place_of(op.operation.location)
        if place.name:
            return place.name
        line = self.source_line(place)
        before = line[: max(place.column - 1, 0)]
        for pattern, text in (
            (r"%([\w$.-]+)\s*=\s*$", before),
            (r"\s*(\w+)\s*(?::[^=]*)?=[^=]", line),
        ):
            match = re.search(pattern, text) if text is before else re.match(pattern, text)
            if match:
                return match.group(1)
        return f"line {place.line}" if place.line else op.operation.name
