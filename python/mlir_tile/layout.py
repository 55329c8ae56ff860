# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts: which thread holds which element, where an element lies in shared memory.

`fragment(...)` and `shared(...)` make a layout of an attribute of the tile dialect, of its
text, or of CuTe's notation; `layouts(kernel, arch)` has the compiler decide those of a
kernel's buffers. A layout prints itself in words and draws one period of itself (in a
notebook: by being the value of a cell). docs/Layouts.md says what layouts mean.
"""

import os
from collections.abc import Sequence

from mlir_tile.errors import ArgumentError

from . import ir as _ir
from .dialects import tile as _tile

WARP = 32


def _attribute(text):
    """The attribute of `#tile...` as text; ValueError, with the reason, where it is none."""
    with _current_or_new():
        try:
            return _ir.Attribute.parse(text)
        except _ir.MLIRError as error:
            reasons = "; ".join(each.message for each in error.error_diagnostics) or str(error)
            raise ArgumentError(f"expected a layout, got {text!r}: {reasons}") from None


class _current_or_new:
    """`with` the current context, or a new one where there is none."""

    def __enter__(self):
        current, self.context = _ir.Context.current, None
        if current is None:
            self.context = _ir.Context()
            current = self.context.__enter__()
        return current

    def __exit__(self, *error):
        if self.context is not None:
            self.context.__exit__(*error)
        return False


class BufferLayout:
    """What fragments' and shared layouts have in common.

    `name` is the buffer's, where it has one; `attribute` is the dialect's attribute.
    """

    def __init__(self, attribute: _ir.Attribute, name: str = ""):
        self.attribute = attribute
        self.name = name

    @property
    def shape(self) -> "tuple[int, ...]":
        """Extents of the tile."""
        return tuple(self.attribute.shape)

    @property
    def period(self) -> "tuple[int, ...]":
        """Extents of what is drawn: after it the picture repeats itself."""
        return tuple(self.attribute.period)

    @property
    def notation(self) -> str:
        """The attribute as text; `fragment` and `shared` read it back."""
        return str(self.attribute)

    @property
    def cute(self) -> str:
        """The layout in CuTe's notation."""
        return self.attribute.cute()

    def describe(self) -> str:
        """The layout in words."""
        return self.attribute.describe().strip()

    def draw(self, path: "str | os.PathLike | None" = None) -> str:
        """A picture (SVG, as text) of one period, below a megabyte; also into the file `path`."""
        svg = self.attribute.svg()
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(svg)
        return svg

    def _repr_svg_(self):
        return self.draw()

    def __str__(self):
        return f"{self.describe()}\nCuTe: {self.cute}"

    def __repr__(self):
        name = f", name={self.name!r}" if self.name else ""
        return f"{type(self).__name__}({self.notation!r}{name})"

    def __eq__(self, other):
        return isinstance(other, BufferLayout) and self.notation == other.notation

    def __hash__(self):
        return hash(self.notation)

    def _coordinates(self, coordinates):
        """`f(i, j)` and `f((i, j))` are the same."""
        if len(coordinates) == 1 and isinstance(coordinates[0], (list, tuple)):
            coordinates = coordinates[0]
        return list(coordinates)


class FragmentLayout(BufferLayout):
    """Which register of which thread holds an element of a fragment."""

    @property
    def threads(self) -> int:
        """Threads of the block."""
        _, lanes, warps, _ = self.attribute.sizes
        return lanes * warps

    @property
    def registers(self) -> int:
        """Elements that one thread holds."""
        return self.attribute.sizes[0]

    @property
    def blocks(self) -> int:
        """Blocks of the cluster that the tile is spread over."""
        return self.attribute.sizes[3]

    @property
    def replication(self) -> int:
        """Threads that hold one element, at most."""
        return self.attribute.replication

    def holders(self, *coordinates: int) -> "list[tuple[int, int]]":
        """All pairs (thread, register) that hold an element, in increasing order. Threads of
        further blocks of a cluster count on from those of the first. IndexError for
        coordinates outside of the shape."""
        owners = self.attribute.owners(self._coordinates(coordinates))
        return [
            ((block * self.threads + warp * WARP + lane), register)
            for register, lane, warp, block in owners
        ]

    def holder(self, *coordinates: int) -> "tuple[int, int]":
        """The first of `holders`: (thread, register)."""
        return self.holders(*coordinates)[0]

    def element(self, thread: int, register: int) -> "tuple[int, ...] | None":
        """Coordinates of what a register holds; None where it lies outside of the shape."""
        block, thread = divmod(thread, self.threads)
        warp, lane = divmod(thread, WARP)
        return self.attribute.element(register, lane, warp, block)

    def elements(self, thread: int) -> "list[tuple[int, ...] | None]":
        """What a thread holds: coordinates for each register, None for one that holds nothing."""
        return [self.element(thread, register) for register in range(self.registers)]

    def conversion(self, other: "BufferLayout | str") -> "tuple[str, str]":
        """What turns this layout into another: (kind, why not by less), with a kind among
        identity, register_rename, warp_shuffle and shared_memory. ValueError where the two
        cannot be compared."""
        return self.attribute.conversion(_layout(other).attribute)

    def is_equivalent(self, other: "BufferLayout | str") -> bool:
        """Whether both are the same map, however they are spelled."""
        return self.attribute.is_equivalent(_layout(other).attribute)


class SharedLayout(BufferLayout):
    """Where an element of a buffer in shared memory lies."""

    @property
    def element_bits(self) -> int:
        """Bits of an element."""
        return self.attribute.element_bits

    @property
    def size(self) -> int:
        """Bytes that the buffer takes, padding included."""
        return self.attribute.size_in_bytes

    @property
    def swizzle(self) -> "tuple[int, int, int] | None":
        """(bits, base, shift) of the XOR swizzle of the byte address, or None."""
        return tuple(self.attribute.swizzle) or None

    def offset(self, *coordinates: int) -> int:
        """Bytes from the buffer's start to an element. IndexError outside of the shape."""
        return self.attribute.byte_offset(self._coordinates(coordinates))

    def bank(self, *coordinates: int) -> int:
        """The bank, of 32, that holds an element."""
        return self.offset(*coordinates) // 4 % 32

    def bank_conflicts(self, fragment: FragmentLayout, dim: int = -1, vector: int = 0) -> int:
        """How many times as long the worst access from a fragment takes for conflicts of banks,
        with `vector` elements along `dim` at a time (0: the widest); 1 is free of them."""
        return self.attribute.bank_conflicts(_layout(fragment).attribute, self._dim(dim), vector)

    def widest_vector(self, fragment: FragmentLayout, dim: int = -1) -> int:
        """Elements along `dim` that an access from a fragment may take at a time."""
        return self.attribute.widest_vector(_layout(fragment).attribute, self._dim(dim))

    def matrix_conflicts(self, row_dim: int = 0, column_dim: int = 1) -> int:
        """The same for ldmatrix and stmatrix, which take eight rows of 16 bytes at a time."""
        return self.attribute.matrix_conflicts(row_dim, column_dim)

    def _dim(self, dim):
        return dim + len(self.shape) if dim < 0 else dim


def _layout(value):
    """A BufferLayout of what is one, or is an attribute or the text of one."""
    if isinstance(value, BufferLayout):
        return value
    if isinstance(value, str):
        value = _attribute(value)
    if isinstance(value, _tile.FragmentLayoutAttr):
        return FragmentLayout(value)
    if isinstance(value, _tile.SharedLayoutAttr):
        return SharedLayout(value)
    raise ArgumentError(f"expected a layout or a layout's attribute, got {value!r}")


def fragment(
    notation: "str | _ir.Attribute | FragmentLayout", shape: "Sequence[int] | None" = None
) -> FragmentLayout:
    """A FragmentLayout of an attribute, of its text (`#tile.fragment_layout<...>`) or, over a
    tile of `shape`, of CuTe's notation of threads and registers. ValueError, with the reason,
    where it is none."""
    if isinstance(notation, str) and not notation.lstrip().startswith("#"):
        if shape is None:
            raise ArgumentError("expected a shape: CuTe's notation does not say the tile's extents")
        with _current_or_new():
            return FragmentLayout(_tile.FragmentLayoutAttr.parse_cute(notation, list(shape)))
    return _expect(FragmentLayout, _layout(notation))


def shared(notation: "str | _ir.Attribute | SharedLayout", element_bits: int = 16) -> SharedLayout:
    """A SharedLayout of an attribute, of its text (`#tile.shared_layout<...>`) or of CuTe's
    notation (`Sw<3,3,3> o (128,64):(64,1)`, in elements of `element_bits`)."""
    if isinstance(notation, str) and not notation.lstrip().startswith("#"):
        with _current_or_new():
            return SharedLayout(_tile.SharedLayoutAttr.parse_cute(notation, element_bits))
    return _expect(SharedLayout, _layout(notation))


def _expect(kind, layout):
    if not isinstance(layout, kind):
        raise ArgumentError(f"expected a {kind.__name__}, got {layout!r}")
    return layout


def blocked(
    shape: "Sequence[int]",
    threads: int = 128,
    vector: int = 1,
    order: "Sequence[int] | None" = None,
) -> FragmentLayout:
    """A coalesced FragmentLayout: `vector` consecutive elements a thread along order[0] (the
    last dimension by default), then threads along it and the next, the rest in registers."""
    with _current_or_new():
        return FragmentLayout(_tile.FragmentLayoutAttr.blocked(list(shape), threads, vector, order))


def row_major(shape: "Sequence[int]", element_bits: int, padding: int = 0) -> SharedLayout:
    """A SharedLayout of rows one behind the other, with `padding` elements between them."""
    with _current_or_new():
        return SharedLayout(_tile.SharedLayoutAttr.row_major(list(shape), element_bits, padding))


def swizzled(shape: "Sequence[int]", element_bits: int, panels: bool = False) -> SharedLayout:
    """A SharedLayout in which 16-byte accesses to eight rows touch different banks; in panels
    of 128 bytes, as TMA writes them, where `panels`."""
    with _current_or_new():
        return SharedLayout(_tile.SharedLayoutAttr.swizzled(list(shape), element_bits, panels))


def layouts(
    source,
    arch: str = "",
    *,
    kernel: "str | None" = None,
    tunables: "dict[str, int] | None" = None,
    shape_hints: "dict[str, Sequence[int] | int] | None" = None,
    roles: str = "",
    name: str = "source",
) -> "dict[str, BufferLayout]":
    """Layouts that the compiler decides for the buffers of a kernel, by the buffers' names.

    `source` is a module, a `tile.kernel` or MLIR text; `kernel` names one of several. `arch`
    is an architecture ("sm_90a"), or "" for what the module says. `tunables` and `shape_hints`
    are dictionaries (`{"bm": 128}`, `{"A": [4096, 4096]}`). A buffer is named as in the text,
    or by the name of its location (`ir.Location.name`), else by its line; layouts of one name
    are numbered (`acc`, `acc.1`). `roles`: whether warps are divided into roles, "auto", "on" or
    "off". `name`: the file that a text is from.
    CompileError where the program is not valid.
    """
    from . import _pipeline

    program = _pipeline.Program(source, kernel=kernel, name=name)
    module = program.run(
        "tile-to-layouts", arch, tunables=tunables, shape_hints=shape_hints, roles=roles
    )
    result = {}
    for op in program.operations(module):
        if "layout" not in op.attributes or op.operation.name != "tile.alloc":
            continue
        base = buffer = program.name_of(op)
        count = 1
        while buffer in result:
            buffer, count = f"{base}.{count}", count + 1
        result[buffer] = _layout(op.attributes["layout"])
        result[buffer].name = buffer
    return result


def __getattr__(name):
    """TileLang's names: `import mlir_tile as tilelang` has its `tilelang.layout` here."""
    from .compat import layout

    return getattr(layout, name)
