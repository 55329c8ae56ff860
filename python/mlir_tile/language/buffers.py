# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers, the regions of them that operations name, and the annotations of arguments."""

from .dtypes import dtype as element_type
from .errors import ValueUseError, fail, here
from .nodes import no_iteration
from .ranges import bounds, difference
from .values import Const, Expr, Load, as_value, binary, describe, number_of

SCOPES = {
    "global": "global",
    "shared": "shared",
    "shared.dyn": "shared",
    "local.fragment": "fragment",
    "local": "local",
    "local.var": "var",
    "local.reducer": "reducer",
}
SPACES = {
    "global": "",
    "shared": ", #gpu.address_space<workgroup>",
    "fragment": ", #tile.fragment",
    "local": ", #tile.local",
}


def extent(value):
    """An extent of a shape: a number where it is one."""
    value = as_value(value) if not isinstance(value, int) else value
    number = number_of(value)
    if number is None:
        return value
    if int(number) != number:
        fail(f"expected a whole number as an extent, got {number}")
    return int(number)


def shape_of(shape):
    """A shape as a tuple of numbers and values."""
    if isinstance(shape, (int, Expr)):
        shape = (shape,)
    return tuple(extent(x) for x in shape)


class Buffer:
    """A tile or an argument: what the kernel reads and writes by indices."""

    is_var = False
    is_address = False  # an argument that the caller may give as an address (T.ptr)
    alignment = 16  # of an argument's first byte

    def __init__(self, shape, kind="float32", scope="global", strides=None, name=None):
        if scope not in SCOPES:
            fail(f"expected a scope of {', '.join(sorted(SCOPES))}, got {scope!r}")
        self.shape, self.dtype = shape_of(shape), element_type(kind)
        for size in self.shape:
            if isinstance(size, int) and size < 0:
                fail(f"expected extents of 0 or more, got {list(self.shape)}")
        if self.dtype.lanes != 1:
            self.shape = (
                (*self.shape[:-1], self.shape[-1] * self.dtype.lanes)
                if self.shape
                else (self.dtype.lanes,)
            )
            self.dtype = self.dtype.element
        self.scope_name, self.space = scope, SCOPES[scope]
        self.given_strides = None if strides is None else shape_of(strides)
        self.name = name or "buffer"
        self.location = here()
        self.is_var = self.space == "var"
        self.output = None
        self.layout = None
        self.safe_value = None
        self.reducer = None
        self.base = None
        self.owner = None
        self.elements = None  # a variable for each, where they are values (elements.py)

    # What TileLang's buffers answer.
    def scope(self):
        return self.scope_name

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def data(self):
        return self

    @property
    def strides(self):
        return self.given_strides if self.given_strides is not None else row_major(self.shape)

    def numel(self):
        total = 1
        for x in self.shape:
            total = binary("mul", total, x)
        return total

    def access_ptr(self, *_, **__):
        return self

    def as_load(self):
        """The value of a variable, or of the one element of a buffer of one."""
        if self.is_var:
            return Load(self, (0,))
        return fail(
            f"a buffer ({self!r}) is used as a value; name an element of it, as in {self.name}[0]"
        )

    def __repr__(self):
        return f"{self.name}: {self.space} {'x'.join(map(str, self.shape))} {self.dtype}"

    def __setitem__(self, key, value):
        """A store in Python code that is not rewritten, such as a method of the user's."""
        from .builder import current

        current(f"a store to {self.name}").store(self, key, value)

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        if any(x is Ellipsis for x in key):
            at = next(i for i, x in enumerate(key) if x is Ellipsis)
            key = key[:at] + (slice(None),) * (len(self.shape) - len(key) + 1) + key[at + 1 :]
        if len(key) > len(self.shape):
            fail(f"{self.name} has {len(self.shape)} dimensions, but {len(key)} indices are given")
        if len(key) == len(self.shape) and not any(isinstance(x, slice) for x in key):
            return Load(self, tuple(_of_element(x, n) for x, n in zip(key, self.shape)))
        return Region.of(self, key)

    __iter__ = no_iteration

    def __bool__(self):
        if self.is_var:
            return bool(self.as_load())
        return True

    __hash__ = object.__hash__

    # A type of arguments in the text of annotations: T.Tensor[(M, N), T.float16] gives a buffer.
    def with_name(self, name):
        self.name = name
        return self

    def memref(self):
        """The text of MLIR's type."""
        dims = "".join(f"{x}x" if isinstance(x, int) else "?x" for x in self.shape)
        strides = ""
        if self.given_strides is not None and self.given_strides != row_major(self.shape):
            strides = (
                ", strided<["
                + ", ".join(str(x) if isinstance(x, int) else "?" for x in self.given_strides)
                + "]>"
            )
        return f"memref<{dims}{self.dtype.mlir}{strides}{SPACES[self.space]}>"


def _operator(name):
    def method(self, *args):
        if not self.is_var:
            indices = ", ".join("ijklmn"[: len(self.shape)])
            fail(
                f"a buffer ({self!r}) is used as a value; name an element of it, as in"
                f" {self.name}[{indices}], in a loop over its elements: for {indices} in"
                f" T.Parallel({', '.join(map(str, self.shape))})",
                kind=ValueUseError,
            )
        return getattr(self.as_load(), name)(*args)

    method.__name__ = name
    return method


for _name in (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow and"
    " rand or ror xor rxor lshift rlshift rshift rrshift neg invert abs lt le gt ge"
).split():
    setattr(Buffer, f"__{_name}__", _operator(f"__{_name}__"))


def _equal(self, other):
    return (
        self.as_load() == other
        if self.is_var and not (isinstance(other, Buffer) and other is self)
        else self is other
    )


def _unequal(self, other):
    return (
        self.as_load() != other
        if self.is_var and not (isinstance(other, Buffer) and other is self)
        else self is not other
    )


Buffer.__eq__, Buffer.__ne__ = _equal, _unequal


def _index(value, size):
    """An index; a negative number counts from the end, also of a size that a call chooses."""
    if not isinstance(value, int):
        value = as_value(value)
        value = value.value if type(value) is Const else value
        if isinstance(value, float):
            fail(f"expected a whole number as an index, got {value}")
        if isinstance(value, Expr):
            if value.dtype.is_float:
                fail(f"expected an integer as an index, got a value of type {value.dtype}")
            return value
    return binary("add", size, int(value)) if value < 0 else int(value)


def _of_element(value, size):
    """An index of an element: one that is always negative counts from the end, too."""
    index = _index(value, size)
    if isinstance(index, Expr) and number_of(as_value(value)) is None:
        high = bounds(index)[1]
        if high is not None and high < 0:
            return binary("add", index, size)
    return index


def row_major(shape):
    """Strides of a contiguous buffer."""
    strides, step = [], 1
    for x in reversed(shape):
        strides.append(step)
        step = binary("mul", step, x)
    return tuple(reversed(strides))


def _box(key, size, name):
    """Offset and extent of a slice of a dimension."""
    if key.step not in (None, 1):
        fail(f"expected a slice of step one of {name}, got step {key.step}")
    start = 0 if key.start is None else _index(key.start, size)
    stop = size if key.stop is None else _index(key.stop, size)
    return start, extent(difference(stop, start))


class Region:
    """A box of a buffer: offsets and extents, one for each dimension."""

    def __init__(self, buffer, offsets, extents):
        self.buffer, self.offsets, self.extents = buffer, tuple(offsets), tuple(extents)

    @classmethod
    def of(cls, buffer, key):
        key = tuple(key) + (slice(None),) * (len(buffer.shape) - len(key))
        offsets, extents = [], []
        for x, size in zip(key, buffer.shape):
            start, length = (
                _box(x, size, buffer.name) if isinstance(x, slice) else (_index(x, size), 1)
            )
            offsets.append(start)
            extents.append(length)
        return cls(buffer, offsets, extents)

    @property
    def shape(self):
        return self.extents

    @property
    def dtype(self):
        return self.buffer.dtype

    @property
    def whole(self):
        return self.offsets == (0,) * len(self.offsets) and all(
            a is b or a == b for a, b in zip(self.extents, self.buffer.shape)
        )

    def scope(self):
        return self.buffer.scope()

    __iter__ = no_iteration

    def as_load(self):
        return fail(
            f"a slice of {self.buffer.name} is used as a value; use T.copy, or name one element"
        )

    def __repr__(self):
        boxes = ", ".join(f"{o!r}:+{e!r}" for o, e in zip(self.offsets, self.extents))
        return f"{self.buffer.name}[{boxes}]"

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        kept = [
            i for i, e in enumerate(self.extents) if not (isinstance(e, int) and e == 1)
        ] or list(range(len(self.extents)))
        if len(key) == len(self.extents):
            kept = list(range(len(self.extents)))
        if len(key) != len(kept):
            fail(f"{self!r} has {len(kept)} dimensions, but {len(key)} indices are given")
        offsets, extents = list(self.offsets), [1] * len(self.offsets)
        sliced = [isinstance(x, slice) for x in key]
        for at, x in zip(kept, key):
            size = self.extents[at]
            if isinstance(x, slice):
                start, extents[at] = _box(x, size, self)
            else:
                start = _index(x, size) if any(sliced) else _of_element(x, size)
            offsets[at] = binary("add", self.offsets[at], start)
        if any(sliced):
            return Region(self.buffer, offsets, extents)
        return Load(self.buffer, tuple(offsets))


def region_of(value, what):
    """The region that an argument of a tile operation names; of a single element the extents are
    None."""
    value = getattr(value, "scalars", value)
    if isinstance(value, Buffer):
        return Region(value, (0,) * len(value.shape), value.shape)
    if isinstance(value, Region):
        return value
    if isinstance(value, Load):
        return Region(value.buffer, value.indices, (1,) * len(value.indices))
    return fail(f"{what}: expected a buffer or a region of one, got {describe(value)}")


def global_view(base, made):
    """An argument under another shape or type: its caller passes the same memory once more."""
    from .builder import current

    builder = current("T.Tensor(data=...)")
    if not isinstance(base, Buffer) or base.space != "global":
        fail(f"expected a tensor in global memory as `data`, got {describe(base)}")
    made.base, made.alignment = base.base or base, base.alignment
    if made.name == "buffer":
        made.name = f"{base.name}_view"
    builder.views.append(made)
    return made


class OutputTensor:
    """What T.empty returns: an argument that the kernel's caller need not give."""

    def __init__(self, shape, kind):
        self.shape, self.dtype = shape_of(shape), element_type(kind)
        self.location = here()

    @property
    def strides(self):
        return row_major(self.shape)


class TensorProxy:
    """T.Tensor(shape, dtype), T.Tensor[shape, dtype]: an argument in global memory, row-major."""

    scope = "global"

    def __call__(self, shape, dtype="float32", data=None, strides=None, scope=None, **_):
        pointers = getattr(dtype, "is_pointer_marker", False)
        made = Buffer(shape, "int64" if pointers else dtype, scope or self.scope, strides)
        if pointers:
            made.alignment = 8  # often a part of a longer table
        return made if data is None else global_view(data, made)

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        if all(not isinstance(x, (tuple, list, str)) for x in key):
            return self(key)
        return self(*key)

    def from_ptr(self, pointer, shape, dtype="float32", strides=None):
        from .memory import make_tensor

        return make_tensor(pointer, shape, dtype, strides)


class StridedTensorProxy(TensorProxy):
    """T.StridedTensor(shape, strides, dtype)."""

    def __call__(self, shape, strides, dtype="float32", scope=None):
        if len(shape_of(shape)) != len(shape_of(strides)):
            fail(f"expected a stride for each of {len(shape)} dimensions, got {len(strides)}")
        return Buffer(shape, dtype, scope or "global", strides)


class _Scoped(TensorProxy):
    def __init__(self, scope):
        self.scope = scope


Tensor = TensorProxy()
StridedTensor = StridedTensorProxy()
FragmentBuffer = _Scoped("local.fragment")
SharedBuffer = _Scoped("shared.dyn")
LocalBuffer = _Scoped("local")
