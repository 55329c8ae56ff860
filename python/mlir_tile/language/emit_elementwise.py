# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies and fills that a thread makes for itself, and those of a few elements that are values."""

import itertools

from .statements import For, Store
from .values import Load, Variable, cast


class Elementwise:
    """The part of the emitter that writes them, element by element."""

    def elementwise_loops(self, extents, make):
        """Loops over extents around the statement that `make` gives for their indices."""
        indices = []
        for x in extents:
            indices.append(0 if x == 1 else Variable("_", "loop", low=0, high=x - 1))
        body = [make(indices)]
        for x, variable in reversed(list(zip(extents, indices))):
            if isinstance(variable, Variable):
                loop = For("serial", [variable], [x])
                loop.body = body
                body = [loop]
        for statement in body:
            self._place(statement)
        self.kept.append(body)
        self.block(body)

    def copy_to_elements(self, extents, make):
        """The stores that `make` gives, one after the other."""
        for indices in itertools.product(*map(range, extents)):
            statement = make(indices)
            self._place(statement)
            self.kept.append(statement)
            self.do_Store(statement)

    def _place(self, statement):
        statement.location = self.location
        for block in statement.blocks:
            for x in block:
                self._place(x)

    def copy_by_thread(self, source, target):
        wide = [x for x in source.extents if x != 1]

        def make(indices):
            made = []
            for region in (source, target):
                left = list(indices)
                places = []
                for offset, x in zip(region.offsets, region.extents):
                    places.append(offset if x == 1 else left.pop(0) + offset)
                made.append(places)
            value = cast(Load(source.buffer, tuple(made[0])), target.dtype)
            return Store(target.buffer, tuple(made[1]), value)

        if target.buffer.elements is not None:
            return self.copy_to_elements(wide, make)
        return self.elementwise_loops(wide, make)

    def fill_by_thread(self, target, value):
        wide = [x for x in target.extents if x != 1]

        def make(indices):
            left = list(indices)
            places = [
                offset if x == 1 else left.pop(0) + offset
                for offset, x in zip(target.offsets, target.extents)
            ]
            return Store(target.buffer, tuple(places), value)

        if target.buffer.elements is not None:
            return self.copy_to_elements(wide, make)
        return self.elementwise_loops(wide, make)
