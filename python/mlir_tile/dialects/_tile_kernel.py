# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tile.kernel`: a constructor that takes Python values, and a decorator.

The grid is written with numbers, with `dim` and `argument` of the kernel's arguments and
with `tunable`, and becomes the affine map over symbols that the operation keeps.
"""

import inspect

from .. import ir as _ir
from ._ods_common import _cext as _ods_cext
from ._ods_common import get_default_loc_context as _ods_get_default_loc_context
from ._tile_ops_gen import KernelOp as _GeneratedKernelOp
from ._tile_ops_gen import ReturnOp, _Dialect

# In the place of a dimension among `grid_operands`: an argument itself, a tunable.
_SCALAR, _TUNABLE = -1, -2


_AFFINE = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "mod": _ir.AffineExpr.get_mod,
    "floordiv": _ir.AffineExpr.get_floor_div,
    "ceildiv": _ir.AffineExpr.get_ceil_div,
}
_NUMBERS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "mod": lambda a, b: a % b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
}


class GridExpr:
    """An expression of a kernel's arguments and tunables: `dim`, `argument` and `tunable`
    make the leaves, `+ - * // %` and `ceildiv` combine them with each other and with numbers."""

    __slots__ = ("operator", "left", "right")

    def __init__(self, operator, left, right):
        self.operator, self.left, self.right = operator, left, right

    def __add__(self, other):
        return GridExpr("+", self, other)

    def __radd__(self, other):
        return GridExpr("+", other, self)

    def __sub__(self, other):
        return GridExpr("-", self, other)

    def __rsub__(self, other):
        return GridExpr("-", other, self)

    def __mul__(self, other):
        return GridExpr("*", self, other)

    def __rmul__(self, other):
        return GridExpr("*", other, self)

    def __mod__(self, other):
        return GridExpr("mod", self, other)

    def __floordiv__(self, other):
        return GridExpr("floordiv", self, other)

    def ceildiv(self, other):
        """The quotient, rounded up."""
        return GridExpr("ceildiv", self, other)


def _fold(value, leaf, constant, operators):
    """What an expression is: leaves by `leaf(name, dimension)`, numbers by `constant`."""
    if isinstance(value, GridExpr):
        if value.operator == "leaf":
            return leaf(value.left, value.right)
        left = _fold(value.left, leaf, constant, operators)
        return operators[value.operator](left, _fold(value.right, leaf, constant, operators))
    if isinstance(value, _ir.AffineExpr):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return constant(value)
    raise TypeError(
        "expected a number, tile.dim(...), tile.argument(...), tile.tunable(...) or an "
        f"expression of them, got {value!r}"
    )


def _lowered(value, symbol):
    """The AffineExpr of an expression."""
    return _fold(value, symbol, _ir.AffineExpr.get_constant, _AFFINE)


def dim(argument, dimension):
    """The extent of a dimension of a memref argument, named or numbered, in a grid."""
    return GridExpr("leaf", argument, dimension)


def argument(name):
    """A scalar argument of type integer or index, named or numbered, in a grid."""
    return GridExpr("leaf", name, _SCALAR)


def tunable(name):
    """A tunable of the kernel, in a grid, in `threads`, `cluster` and `tuned`."""
    return GridExpr("leaf", name, _TUNABLE)


def ceildiv(left, right):
    """`left / right`, rounded up: of numbers a number, else an expression of a grid."""
    if isinstance(left, int) and isinstance(right, int):
        return _NUMBERS["ceildiv"](left, right)
    return GridExpr("ceildiv", left, right)


class _Symbols:
    """Numbers the leaves of a kernel's expressions."""

    def __init__(self, names, tunables):
        self.names, self.tunables = names, tunables
        self.operands = []

    def __call__(self, name, dimension):
        pair = (self.number(name, dimension), dimension)
        if pair not in self.operands:
            self.operands.append(pair)
        return _ir.AffineExpr.get_symbol(self.operands.index(pair))

    def of_tunables(self, name, dimension):
        """Outside of grids every tunable is the symbol of its number."""
        if dimension != _TUNABLE:
            raise ValueError("expected numbers and tunables; arguments stand in a grid only")
        return _ir.AffineExpr.get_symbol(self.number(name, dimension))

    def first_of(self, tunables):
        """Gives each tunable the first of its values."""
        choices = list(tunables.values())
        return lambda name, dimension: choices[self.number(name, dimension)][0]

    def number(self, name, dimension):
        among = self.tunables if dimension == _TUNABLE else self.names
        if isinstance(name, int) and 0 <= name < len(among):
            return name
        if name in among:
            return among.index(name)
        what = "a tunable" if dimension == _TUNABLE else "an argument"
        raise ValueError(f"expected {what} of the kernel among {list(among)}, got {name!r}")


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _dict_attr(attributes):
    """A DictAttr of Python values: numbers are i64, True a unit attribute, lists i64 arrays."""
    if attributes is None:
        return _ir.DictAttr.get({})
    if isinstance(attributes, _ir.Attribute):
        return attributes
    return _ir.DictAttr.get({name: _attr(value) for name, value in attributes.items()})


def _attr(value):
    if isinstance(value, _ir.Attribute):
        return value
    if value is True:
        return _ir.UnitAttr.get()
    if isinstance(value, int):
        return _ir.IntegerAttr.get(_ir.IntegerType.get_signless(64), value)
    if isinstance(value, str):
        return _ir.StringAttr.get(value)
    if isinstance(value, (list, tuple)):
        return _ir.DenseI64ArrayAttr.get(list(value))
    raise TypeError(
        f"expected an attribute, a number, True, a text or a list of numbers, got {value!r}"
    )


def _tunable_attrs(tunables):
    """The tunables' attributes: name -> values."""
    texts = (f'#tile.tunable<"{n}" in [{", ".join(map(str, v))}]>' for n, v in tunables.items())
    return _ir.ArrayAttr.get([_ir.Attribute.parse(text) for text in texts])


@_ods_cext.register_operation(_Dialect, replace=True)
class KernelOp(_GeneratedKernelOp):
    """The program of one thread block; see the operation `tile.kernel` in docs/Dialects/Tile.md."""

    def __init__(
        self,
        name,
        arguments,
        *,
        grid,
        threads=128,
        names=None,
        arg_attrs=None,
        grid_operands=None,
        cluster=None,
        panel=None,
        persistent=None,
        specialize=None,
        pairs=None,
        split=None,
        stream_k=None,
        tunables=None,
        tuned=None,
        arg_locs=None,
        body_builder=None,
        loc=None,
        ip=None,
    ):
        """Makes a kernel and its entry block.

        - `name`: the symbol.
        - `arguments`: types of the arguments.
        - `grid`: one to three extents: numbers or expressions of `dim`, `argument` and
          `tunable`; or an AffineMap over symbols, which `grid_operands` names in pairs
          (argument, dimension; -1 for the argument itself, -2 for a tunable).
        - `threads`: of a block, a multiple of 32; a number or an expression of tunables.
        - `names`: of the arguments; `arg0`, `arg1`, ... by default.
        - `arg_attrs`: per argument None, a dictionary (`{"tile.alignment": 16}`) or a DictAttr.
        - `cluster`: blocks of a cluster, one number per dimension of the grid.
        - `panel`, `persistent`, `split`, `stream_k`, `specialize`, `pairs`: docs/Dialects/Tile.md.
        - `tunables`: a dictionary of names and values; each is a block argument behind the
          block coordinates.
        - `tuned`: what else depends on tunables: attribute -> expression.
        - `body_builder`: called with the kernel, inside of its entry block; a `tile.return`
          is put behind. Without it the block is empty and gets its terminator from `finish`.
        """
        arguments = list(arguments)
        names = [f"arg{i}" for i in range(len(arguments))] if names is None else list(names)
        attrs = [None] * len(arguments) if arg_attrs is None else list(arg_attrs)
        for what, given in (("names", names), ("arg_attrs", attrs)):
            if len(given) != len(arguments):
                raise ValueError(
                    f"expected {len(arguments)} {what}, one per argument, got {len(given)}"
                )
        tunables = dict(tunables or {})
        tuned = dict(tuned or {})
        context = _ods_get_default_loc_context(loc)
        if context is None:
            raise ValueError("expected a location: with Location.unknown(context):")
        with context:
            symbols = _Symbols(names, list(tunables))
            if isinstance(grid, _ir.AffineMap):
                grid_map, flat = grid, list(grid_operands or [])
            else:
                results = [_lowered(extent, symbols) for extent in _as_list(grid)]
                flat = [number for pair in symbols.operands for number in pair]
                grid_map = _ir.AffineMap.get(0, len(symbols.operands), results)
            settled = {"threads": threads, "cluster": cluster, "panel": panel,
                       "persistent": persistent, "split": split, "stream_k": stream_k,
                       **tuned}  # fmt: skip
            settled, maps = _settle(settled, symbols, tunables)
            super().__init__(
                _ir.StringAttr.get(str(name)),
                _ir.ArrayAttr.get([_ir.TypeAttr.get(type) for type in arguments]),
                _ir.ArrayAttr.get([_ir.StringAttr.get(name) for name in names]),
                _ir.ArrayAttr.get([_dict_attr(each) for each in attrs]),
                _ir.AffineMapAttr.get(grid_map),
                _ir.DenseI64ArrayAttr.get(flat),
                specialize=specialize,
                pairs=pairs,
                tunables=_tunable_attrs(tunables) if tunables else None,
                tuned=maps,
                loc=loc,
                ip=ip,
                **settled,
            )
            index = _ir.IndexType.get()
            rest = len(grid_map.results) + len(tunables)
            if arg_locs is not None:
                arg_locs = list(arg_locs) + [self.location] * rest
            self.regions[0].blocks.append(*arguments, *[index] * rest, arg_locs=arg_locs)
        if body_builder:
            with _ir.InsertionPoint(self.entry_block):
                body_builder(self)
            self.finish()

    def finish(self, loc=None):
        """Puts `tile.return` at the end of the body, where there is none."""
        operations = self.entry_block.operations
        if len(operations) and isinstance(operations[len(operations) - 1], ReturnOp):
            return
        with _ir.InsertionPoint(self.entry_block):
            ReturnOp(loc=loc or self.location)

    @property
    def name(self):
        """The symbol, as a StringAttr."""
        return _ir.StringAttr(self.attributes["sym_name"])

    @property
    def entry_block(self):
        """The block that is the kernel's body."""
        return self.regions[0].blocks[0]

    @property
    def argument_names(self):
        """Names of the arguments."""
        return [_ir.StringAttr(name).value for name in self.arg_names]

    @property
    def grid_rank(self):
        """Dimensions of the grid."""
        return len(_ir.AffineMapAttr(self.grid).value.results)

    @property
    def arguments(self):
        """The values of the kernel's arguments."""
        return list(self.entry_block.arguments)[: len(self.arg_names)]

    @property
    def block_ids(self):
        """The block's coordinates in the grid."""
        first = len(self.arg_names)
        return list(self.entry_block.arguments)[first : first + self.grid_rank]

    @property
    def tunable_values(self):
        """The values of the kernel's tunables."""
        return list(self.entry_block.arguments)[len(self.arg_names) + self.grid_rank :]

    @classmethod
    def from_py_func(cls, *arguments, name=None, names=None, **options):
        """A decorator that makes a kernel of a Python function.

        The function is called once, inside of the kernel's entry block, with the arguments,
        the block coordinates and the tunables, in this order; with `kernel_op` where it has a
        parameter of that name. Names of arguments are its parameters'. Options are the
        constructor's. What is returned is the operation.
        """

        def decorator(function):
            parameters = list(inspect.signature(function).parameters)
            wants_op = "kernel_op" in parameters
            positional = [parameter for parameter in parameters if parameter != "kernel_op"]
            given = positional[: len(arguments)] if names is None else names
            op = cls(name or function.__name__, arguments, names=given, **options)
            with _ir.InsertionPoint(op.entry_block):
                function(*op.entry_block.arguments, **({"kernel_op": op} if wants_op else {}))
            op.finish()
            return op

        return decorator


def _settle(settled, symbols, tunables):
    """Attributes that are numbers, and the maps of those that are expressions of tunables;
    these stand at their values for the first value of each tunable."""
    maps, numbers = [], {}
    count = len(tunables)
    for attribute, value in settled.items():
        if value is None:
            continue
        values = _as_list(value)
        if any(isinstance(each, GridExpr) for each in values):
            results = [_lowered(each, symbols.of_tunables) for each in values]
            text = str(_ir.AffineMap.get(0, count, results))
            maps.append(_ir.Attribute.parse(f'#tile.tuned<"{attribute}" = affine_map<{text}>>'))
            values = [_fold(each, symbols.first_of(tunables), int, _NUMBERS) for each in values]
        if attribute == "cluster":
            numbers[attribute] = values
        elif len(values) != 1:
            raise ValueError(f"expected one number for '{attribute}', got {len(values)}")
        elif values[0] or attribute == "threads" or value is values[0]:
            # A tuned 0 leaves an optional attribute out.
            numbers[attribute] = values[0]
    return numbers, _ir.ArrayAttr.get(maps) if maps else None


kernel = KernelOp.from_py_func
