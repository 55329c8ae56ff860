# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of buffers: loads and stores, with what lies outside of a tensor, and atomics."""

from .errors import fail
from .ranges import bounds, combine, forms_of, linear
from .values import BOOL, Load, Op, number_of, walk

_ATOMIC = {
    "add": ("addf", "addi", "addi"),
    "max": ("maxnumf", "maxs", "maxu"),
    "min": ("minnumf", "mins", "minu"),
    "or": (None, "ori", "ori"),
    "and": (None, "andi", "andi"),
    "xor": (None, "xori", "xori"),
}
# Memory where an index that may lie outside is looked at.
_GUARDED = ("global", "local")


class Memory:
    """The part of the emitter that touches elements of buffers."""

    # Memory.
    def guards(self, buffer, indices):
        """Conditions under which an element of a tensor exists, but for those that hold anyway."""
        found = []
        for index, size in zip(indices, buffer.shape):
            form, extent = linear(index), linear(size)
            if not self.facts.holds(combine(combine(extent, form, -1), ({}, 1), -1)):
                found.append(self.keep(Op("lt", (index, size), BOOL)))
            if not self.facts.holds(form):
                found.append(self.keep(Op("ge", (index, 0), BOOL)))
        return found

    def inside(self, buffer, indices):
        for index, size in zip(indices, buffer.shape):
            low, high = bounds(index)
            if low is None or low < 0 or high is None or high >= size:
                return False
        return True

    def load(self, expr):
        buffer = expr.buffer
        if buffer.space == "var":
            return self.read_variable(buffer)
        if buffer.elements is not None:
            return self.read_variable(self.element_variable(buffer, expr.indices))
        if buffer.space == "fragment" and self.mode == "block":
            return self.load_through_shared(expr)
        conditions = self.guards(buffer, expr.indices) if buffer.space in _GUARDED else []
        if not conditions:
            return self.load_element(buffer, expr.indices)
        safe = 0 if buffer.safe_value is None else number_of(buffer.safe_value)
        if self.beyond and buffer.space == "global":
            return self.constant(safe, buffer.dtype)
        condition = conditions[0]
        for x in conditions[1:]:
            condition = self.keep(Op("and", (condition, x), BOOL))
        return self.branches(
            self.value(condition),
            buffer.dtype.mlir,
            [
                (forms_of(condition), lambda: self.load_element(buffer, expr.indices)),
                ([], lambda: self.constant(safe, buffer.dtype)),
            ],
        )

    def element(self, buffer, indices):
        """`buffer[indices] : type`; memory of a thread is a row of its own."""
        rows = self.find(("rows", id(buffer)))
        places = [self.index(x) for x in indices]
        if rows is not None:
            places.insert(0, self.row(self.find(("threads", id(buffer)))[0]))
        return f"{self.buffer(buffer)}[{', '.join(places)}] : {rows or self.memref(buffer)}"

    def element_variable(self, buffer, indices):
        """The variable that is an element, whose indices are numbers where loops are unrolled."""
        place = 0
        for index, size in zip(indices, buffer.shape):
            number, high = bounds(index)
            assert number == high
            if not 0 <= number < size:
                fail(
                    f"index {number} is outside of {buffer.name}, of {size} elements",
                    self.location,
                )
            place = place * size + number
        return buffer.elements[place]

    def load_element(self, buffer, indices):
        return self.op(f"memref.load {self.element(buffer, indices)}")

    def load_through_shared(self, expr):
        """An element of a fragment for the whole block: through shared memory."""
        buffer = expr.buffer
        tile = f"memref<1x{buffer.dtype.mlir}, #gpu.address_space<workgroup>>"
        name = self.op(f"tile.alloc : {tile}")
        places = ", ".join(map(self.index, expr.indices))
        ones = ", ".join(["1"] * len(expr.indices))
        self.effect(
            f"tile.copy {self.buffer(buffer)}[{places}] sizes [{ones}] to {name} :"
            f" {self.memref(buffer)} to {tile}"
        )
        return self.op(f"memref.load {name}[{self.constant(0, 'index')}] : {tile}")

    def store_element(self, buffer, indices, value):
        """Stores a value; what lies outside of a tensor, or of a thread's own array (where it could
        be another thread's), is dropped."""
        if buffer.elements is not None:
            variable = self.element_variable(buffer, indices)
            self.variables[variable] = self.value(value, buffer.dtype)
            return
        conditions = self.guards(buffer, indices) if buffer.space in _GUARDED else []
        if conditions and self.beyond and buffer.space == "global":
            return
        if conditions:
            condition = conditions[0]
            for x in conditions[1:]:
                condition = self.keep(Op("and", (condition, x), BOOL))
            name = self.value(condition)
            with self.region(forms_of(condition)):
                self._store(buffer, indices, value)
                lines = self.lines
            self.lines += [f"scf.if {name} {{", *lines, f"}} {self.loc}"]
            return
        self._store(buffer, indices, value)

    def _store(self, buffer, indices, value):
        name = self.value(value, buffer.dtype)
        self.effect(f"memref.store {name}, {self.element(buffer, indices)}")

    def atomic(self, kind, buffer, indices, value):
        conditions = self.guards(buffer, indices) if buffer.space == "global" else []
        if conditions:
            condition = conditions[0]
            for x in conditions[1:]:
                condition = self.keep(Op("and", (condition, x), BOOL))
            return self.branches(
                self.value(condition),
                buffer.dtype.mlir,
                [
                    (
                        forms_of(condition),
                        lambda: self.atomic_element(kind, buffer, indices, value),
                    ),
                    ([], lambda: self.constant(0, buffer.dtype)),
                ],
            )
        return self.atomic_element(kind, buffer, indices, value)

    def atomic_element(self, kind, buffer, indices, value):
        if kind.startswith(("load ", "store ")):
            return self.atomic_access(*kind.split(), buffer, indices, value)
        of_float, signed, unsigned = _ATOMIC[kind]
        name = (
            of_float if buffer.dtype.is_float else unsigned if buffer.dtype.is_unsigned else signed
        )
        if name is None:
            fail(f"T.atomic_{kind} needs integers, got {buffer.dtype}", self.location)
        element = self.value(value, buffer.dtype)
        places = ", ".join(map(self.index, indices))
        return self.op(
            f"memref.atomic_rmw {name} {element}, {self.buffer(buffer)}[{places}] :"
            f" ({buffer.dtype.mlir}, {self.memref(buffer)}) -> {buffer.dtype.mlir}"
        )

    def atomic_access(self, what, order, buffer, indices, value):
        """A load or store that orders what the thread does around it. For the whole block one
        thread makes it, and hands on through shared memory what it has read."""
        if self.mode == "block":
            if what == "store":
                with self.parallel_of_one():
                    self.atomic_access(what, order, buffer, indices, value)
                return None
            tile = f"memref<1x{buffer.dtype.mlir}, #gpu.address_space<workgroup>>"
            name = self.op(f"tile.alloc : {tile}")
            with self.parallel_of_one():
                loaded = self.atomic_access(what, order, buffer, indices, value)
                self.effect(f"memref.store {loaded}, {name}[{self.constant(0, 'index')}] : {tile}")
            return self.op(f"memref.load {name}[{self.constant(0, 'index')}] : {tile}")
        places = ", ".join(map(self.index, indices))
        place = f"{self.buffer(buffer)}[{places}] : {self.memref(buffer)}"
        if what == "load":
            return self.op(f"tile.atomic_load {order} {place}")
        element = self.value(value, buffer.dtype)
        self.effect(f"tile.atomic_store {order} {element}, {place}")
        return element


def reads_fragment(value, indices):
    for root in (value, *indices):
        for node in walk(root):
            if isinstance(node, Load) and node.buffer.space == "fragment":
                return True
    return False
