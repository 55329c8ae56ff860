# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.Parallel(m, n) around T.vectorized(k), whose body takes elements at j * k + v: the elements of
T.Parallel(m, n * k), which is what layouts are said of."""

from .nodes import Variable
from .ranges import key_of, linear, value_of
from .statements import Assign, Define, If, Store
from .values import Expr, Let, Load, Op, number_of, walk


def fuse_vector(statement):
    """Makes one loop of a parallel loop and the vectorized one that is all its body, in place,
    where every use of the two indices is such a sum."""
    inner = statement.body[0]
    outer, vector = statement.indices[-1], inner.indices[0]
    count, width = number_of(statement.extents[-1]), number_of(inner.extents[0])
    if count is None or len(inner.indices) != 1 or "layout" in statement.attributes:
        return
    both = Variable("_", "loop", outer.dtype, 0, count * width - 1)
    change = _Change(outer, vector, width, both)
    if not change.allows(inner.body):
        return
    change.make(inner.body)
    statement.indices = [*statement.indices[:-1], both]
    statement.extents = [*statement.extents[:-1], count * width]
    statement.body = inner.body


class _Change:
    """outer * width + vector, times anything, becomes `both` times that."""

    def __init__(self, outer, vector, width, both):
        self.keys, self.width, self.both = (key_of(outer), key_of(vector)), width, both

    # Whether it is possible.
    def allows(self, body):
        for x in body:
            if type(x) not in (Store, Define, Assign, If):
                return False
            roots = {
                Store: lambda x: (*x.indices, x.value),
                Define: lambda x: (x.let.value,),
                Assign: lambda x: (x.value,),
                If: lambda x: (x.condition,),
            }[type(x)](x)
            if type(x) is Store and not all(map(self._is_index, x.indices)):
                return False
            values = roots[len(x.indices) :] if type(x) is Store else roots
            if not all(map(self._is_value, values)) or not all(map(self.allows, x.blocks)):
                return False
        return True

    def _mentions(self, value):
        return isinstance(value, Expr) and any(key_of(x) in self.keys for x in walk(value))

    def _is_value(self, value):
        """Whether a value reads the indices in the places of elements only."""
        if not isinstance(value, Expr):
            return True
        if isinstance(value, Load):
            return all(map(self._is_index, value.indices))
        if type(value) is Op:
            return all(map(self._is_value, value.args))
        # A named value is computed where it is defined.
        return type(value) is Let or key_of(value) not in self.keys

    def _is_index(self, index):
        terms = dict(linear(index)[0])
        outer, vector = (terms.pop(x, (0, None))[0] for x in self.keys)
        return outer == vector * self.width and all(self._is_value(x) for _, x in terms.values())

    # Doing it.
    def make(self, body):
        for x in body:
            if type(x) is Store:
                x.indices = tuple(map(self._index, x.indices))
            if type(x) in (Store, Assign):
                x.value = self._value(x.value)
            if type(x) is Define:
                x.let.value = self._value(x.let.value)
            if type(x) is If:
                x.condition = self._value(x.condition)
            for block in x.blocks:
                self.make(block)

    def _value(self, value):
        if isinstance(value, Load):
            return type(value)(value.buffer, tuple(map(self._index, value.indices)))
        if type(value) is Op:
            return Op(value.name, tuple(map(self._value, value.args)), value.dtype)
        return value

    def _index(self, index):
        if not self._mentions(index):
            return index
        terms, rest = linear(index)
        terms = dict(terms)
        factor = terms.pop(self.keys[1])[0]
        terms.pop(self.keys[0])
        terms = {key: (by, self._value(atom)) for key, (by, atom) in terms.items()}
        return value_of(({key_of(self.both): (factor, self.both), **terms}, rest))
