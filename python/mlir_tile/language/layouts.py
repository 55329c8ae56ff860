# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts that a kernel states, as functions of indices: T.Layout, T.Fragment.

A function is evaluated at every element. What is a layout of the compiler (docs/Layouts.md) is
stated there; of another the compiler is told nothing, and a LayoutWarning says so.
"""

import itertools
import warnings

from .buffers import Buffer
from .builder import current_or_none
from .errors import LanguageError, fail, here
from .fitted_layouts import NoFit, fragment_of_table, shared_of_table

_LARGEST = 1 << 16  # elements of a layout that is evaluated


class LayoutError(LanguageError, ValueError):
    """A stated layout puts two elements in one place."""


class LayoutWarning(UserWarning):
    """A stated layout is none that this compiler has: it chooses one itself."""


def _numbers(value):
    values = value if isinstance(value, (tuple, list)) else (value,)
    return tuple(int(x) for x in values)


class Layout:
    """Where an element lies: `forward_fn(i, j, ...)` gives its indices in memory."""

    def __init__(self, shape, forward_fn=None, **_):
        self.shape = list(shape) if isinstance(shape, (tuple, list)) else [shape]
        self.forward_fn = forward_fn

    def get_input_shape(self):
        return self.shape

    def map_forward_index(self, indices):
        """Indices in memory of an element."""
        return list(_numbers(self.forward_fn(*indices)))

    def elements(self):
        """The indices of all elements."""
        return itertools.product(*(range(int(x)) for x in self.shape))

    def get_output_shape(self):
        """Extents of the memory that the layout takes."""
        places = [self.map_forward_index(x) for x in self.elements()]
        return [1 + max(column) for column in zip(*places)]

    def is_equal(self, other):
        """Whether both put every element in the same place."""
        return self.shape == other.shape and all(
            self.map_forward_index(x) == other.map_forward_index(x) for x in self.elements()
        )

    def __repr__(self):
        return f"Layout({self.shape} -> {self.get_output_shape() if self.forward_fn else '?'})"


class Fragment(Layout):
    """Who holds an element: the thread and its register; `replicate` threads hold each.

    Functions: `forward_fn(i, j)` gives both, or `forward_thread_fn(i, j[, copy])` and
    `forward_index_fn(i, j)`; the copy counts the threads that hold an element. Without the second
    a thread's elements lie in its registers in row-major order.
    """

    def __init__(
        self,
        shape,
        forward_fn=None,
        forward_thread_fn=None,
        replicate=1,
        forward_index_fn=None,
        **_,
    ):
        super().__init__(shape, forward_fn)
        self.forward_thread_fn, self.forward_index_fn = forward_thread_fn, forward_index_fn
        self.replication = replicate
        self._thread_size = self._registers = self._ranks = None

    def map_forward_thread(self, indices, copy=0):
        """The thread that holds an element."""
        if self.forward_thread_fn is None:
            made = self.forward_fn(*_with_copy(self.forward_fn, indices, copy, len(self.shape)))
            return int(made[0])
        arguments = _with_copy(self.forward_thread_fn, indices, copy, len(self.shape))
        return int(self.forward_thread_fn(*arguments))

    def map_forward_index(self, indices):
        """The register of an element."""
        if self.forward_thread_fn is None:
            made = self.forward_fn(*_with_copy(self.forward_fn, indices, 0, len(self.shape)))
            return list(_numbers(made[1]))
        if self.forward_index_fn is None:
            return [self._rank(tuple(map(int, indices)))]
        return list(_numbers(self.forward_index_fn(*indices)))

    def _rank(self, element):
        """How many elements of the same thread are in front of one."""
        if self._ranks is None:
            self._ranks, counts = {}, {}
            for x in self.elements():
                thread = self.map_forward_thread(x)
                self._ranks[x] = counts.get(thread, 0)
                counts[thread] = self._ranks[x] + 1
        return self._ranks[element]

    def get_thread_size(self):
        """One more than the last thread that holds an element."""
        if self._thread_size is None:
            copies = range(int(self.replication))
            self._thread_size = 1 + max(
                self.map_forward_thread(x, c) for x in self.elements() for c in copies
            )
        return self._thread_size

    def get_register_size(self):
        """One more than the last register that holds an element."""
        if self._registers is None:
            self._registers = 1 + max(self.map_forward_index(x)[0] for x in self.elements())
        return self._registers

    @property
    def thread(self):
        return self.forward_thread_fn

    def repeat(self, repeats, repeat_on_thread=False, lower_dim_first=True):
        """Several of this one side by side: in more threads, or in more registers of each."""
        shape, repeats = list(self.shape), list(repeats)
        threads = self.get_thread_size() if repeat_on_thread else 0
        registers = 0 if repeat_on_thread else self.get_register_size()

        def split(indices):
            number, step = 0, 1
            order = range(len(shape))
            for d in reversed(order) if lower_dim_first else order:
                number += step * (indices[d] // shape[d])
                step *= repeats[d]
            return [x % n for x, n in zip(indices, shape)], number

        def thread(*indices):
            inner, number = split(indices[: len(shape)])
            copy = indices[len(shape)] if len(indices) > len(shape) else 0
            return self.map_forward_thread(inner, copy) + threads * number

        def index(*indices):
            inner, number = split(indices)
            return self.map_forward_index(inner)[0] + registers * number

        made = [a * b for a, b in zip(shape, repeats)]
        return Fragment(
            made, forward_thread_fn=thread, forward_index_fn=index, replicate=self.replication
        )

    def replicate(self, replicate):
        """Each element in `replicate` times as many threads."""
        copies, threads, rank = int(self.replication), self.get_thread_size(), len(self.shape)

        def thread(*indices):
            copy = indices[rank] if len(indices) > rank else 0
            inner = self.map_forward_thread(indices[:rank], copy % copies)
            return inner + threads * (copy // copies)

        return Fragment(
            list(self.shape),
            forward_thread_fn=thread,
            forward_index_fn=lambda *x: self.map_forward_index(x)[0],
            replicate=copies * int(replicate),
        )

    def condense_rep_var(self):
        """This layout: copies are counted by one number already."""
        return self

    def table(self):
        """{(thread, register): element} of all that threads hold."""
        found = {}
        for element in self.elements():
            register = self.map_forward_index(element)
            if len(register) != 1:
                raise NoFit("its register has several indices")
            for copy in range(int(self.replication)):
                place = self.map_forward_thread(element, copy), register[0]
                if found.setdefault(place, element) != element:
                    raise LayoutError(
                        f"elements {found[place]} and {element} are both register {place[1]} of"
                        f" thread {place[0]}"
                    )
        return found

    def __repr__(self):
        return (
            f"Fragment({self.shape}, threads={self.get_thread_size()},"
            f" registers={self.get_register_size()}, replicate={self.replication})"
        )


def _with_copy(function, indices, copy, rank):
    """The arguments of a function of the indices, and of the copy where it takes one more."""
    code = getattr(function, "__code__", None)
    takes = code.co_argcount if code is not None and not code.co_flags & 0x04 else None
    if takes is None:
        return (*indices, copy) if copy else tuple(indices)
    return (*indices, copy) if takes > rank else tuple(indices)


def fragment_text(layout):
    """The text of a fragment layout of the compiler: of its own, or of functions of indices."""
    text = _own_text(layout)
    if text is not None:
        return text
    if isinstance(layout, Fragment):
        try:
            return fragment_of_table(layout.shape, layout.table(), _threads())
        except NoFit as why:
            _warn(f"the layout of a loop is none of this compiler's ({why}); it chooses one")
            return None
    return fail(f"expected a layout, got {layout!r}")


def _own_text(layout):
    """The text of a layout of mlir_tile.layout, or one that is written out."""
    if isinstance(layout, str):
        return layout
    attribute = getattr(layout, "attribute", None)
    return str(attribute) if attribute is not None else None


def _threads():
    """The threads of a block of the kernel that is traced; None outside of one."""
    builder = current_or_none()
    kernel = None if builder is None else builder.kernel
    return None if kernel is None else kernel.threads


def _warn(text):
    place = here()
    warnings.warn_explicit(f"{place}: {text}", LayoutWarning, place[0], place[1])


def state_layout(buffer, layout):
    """Keeps a layout for a buffer's allocation."""
    if not isinstance(buffer, Buffer):
        fail(f"T.annotate_layout: expected buffers as keys, got {buffer!r}")
    text = _own_text(layout)
    if text is not None:
        buffer.layout = text
        return
    functions = ("forward_fn", "forward_thread_fn")
    if not any(getattr(layout, x, None) for x in functions):
        return  # made by tilelang.layout by name: which bank goes where is the compiler's choice
    if buffer.space == "global":
        _warn(
            f"the layout of {buffer.name} is not applied: tensors in global memory lie as their"
            " strides say, in every kernel and for the caller"
        )
        return
    elements = 1
    for x in layout.shape:
        elements *= int(x)
    if elements > _LARGEST:
        _warn(f"the layout of {buffer.name} has more than {_LARGEST} elements and is not evaluated")
        return
    if list(buffer.shape) != [int(x) for x in layout.shape]:
        fail(
            f"T.annotate_layout: {buffer.name} has the shape {list(buffer.shape)}, its layout"
            f" {list(layout.shape)}"
        )
    try:
        if isinstance(layout, Fragment):
            buffer.layout = fragment_of_table(layout.shape, layout.table(), _threads())
        else:
            buffer.layout = _shared(buffer, layout)
    except NoFit as why:
        _warn(f"the layout of {buffer.name} is none of this compiler's ({why}); it chooses one")
    except LayoutError as error:
        fail(f"T.annotate_layout: fragment `{buffer.name}`: {error}", kind=LayoutError)


def _shared(buffer, layout):
    """The text of a layout in shared memory; an error where two elements meet in one place."""
    table, seen = {}, {}
    for element in layout.elements():
        place = tuple(layout.map_forward_index(element))
        if seen.setdefault(place, element) != element:
            fail(
                f"T.annotate_layout: the layout of shared buffer `{buffer.name}` must be injective,"
                f" but elements {list(seen[place])} and {list(element)} both map to physical"
                f" coordinates {list(place)}",
                kind=LayoutError,
            )
        table[element] = place
    extents = [1 + max(column) for column in zip(*seen)]
    offsets = {}
    for element, place in table.items():
        offset = 0
        for x, extent in zip(place, extents):
            offset = offset * extent + x
        offsets[element] = offset
    return shared_of_table(layout.shape, buffer.dtype.bits, offsets)
