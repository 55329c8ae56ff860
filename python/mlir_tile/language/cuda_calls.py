# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.import_source and T.call_extern: CUDA's built-in functions, and small device functions of CUDA
C++, run while a kernel is traced, so that what they do becomes values and stores of the kernel."""

from . import ptx_text
from .buffers import Buffer, Region
from .builder import current
from .cuda_functions import function_of
from .cuda_source import functions_of, type_name
from .dtypes import dtype
from .errors import LanguageError, fail, unsupported
from .mathematics import reinterpret
from .statements import Store
from .values import Const, Expr, Load, as_value, binary, cast, compare, number_of, select, type_of
from .vectors import lane_count, lane_of, pack
from .words import place_of

_SIGNS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "&": "and", "|": "or", "^": "xor",
    "<<": "shl", ">>": "shr",
}  # fmt: skip
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_STEPS = 4096  # iterations of one loop


def import_source(source=None):
    """Device functions of CUDA C++ for T.call_extern: of the subset that docs/Python.md names."""
    builder = current("T.import_source")
    if source is None:
        return
    if not isinstance(source, str):
        fail(f"T.import_source: expected a text, got {source!r}")
    builder.functions = {**getattr(builder, "functions", {}), **functions_of(source)}


def call_extern(*arguments, dtype=None):  # noqa: A002 - TileLang's name
    """Calls one of CUDA's built-in functions, or a function of T.import_source:
    T.call_extern(type, name, ...) or T.call_extern(name, ..., dtype=type)."""
    builder = current("T.call_extern")
    if dtype is None:
        dtype, arguments = arguments[0] if arguments else None, arguments[1:]
    if not arguments or not isinstance(arguments[0], str):
        fail("T.call_extern: expected a type and the name of a function, T.call_extern(type, name)")
    name, *given = arguments
    functions = getattr(builder, "functions", {})
    if name not in functions and function_of(name) is not None:
        return _of_type(_builtin(name, given, fail), dtype, name)
    if name not in functions:
        if not functions and str(dtype) == "handle" and builder.block is not None:
            # A library may still take it out (mlir_tile.compat.functions): it is refused when the
            # function is written.
            builder.unknown_calls += 1
            builder.tile("unknown_call", function=name, arguments=tuple(given))
            return None
        unknown_call(name)
    given = [
        Pointer(KernelMemory(place_of(x, "T.call_extern")), 0, None)
        if isinstance(x, (Buffer, Region, Load))
        else number_of(as_value(x))
        if number_of(as_value(x)) is not None
        else as_value(x)
        for x in given
    ]
    return _Run(functions, name).call(functions[name], [], given)


call_pure_extern = call_extern


def unknown_call(name, location=None):
    """Refuses a call of a function that is not known."""
    unsupported(
        f"T.call_extern of {name!r}, a function that no T.import_source has and that is none of"
        " CUDA's built-in ones that the language knows,",
        "there is no CUDA C++ compiler behind this package; write it as a T.macro",
        location,
    )


def _builtin(name, given, refuse):
    """The value of a call of one of CUDA's functions."""
    try:
        return function_of(name)(*given)
    except TypeError as error:
        if isinstance(error, LanguageError):
            raise
        return refuse(f"{name}: {error}")


def _of_type(value, kind, name):
    """What a call gives, in the type that it is said to have."""
    if value is None or kind is None or str(kind) in ("void", "handle"):
        return value
    kind, lanes = dtype(kind), lane_count(value)
    if lanes == kind.lanes:
        return value if lanes > 1 else cast(value, kind)
    if lanes * type_of(lane_of(value, 0)).bits == kind.bits:
        return pack(value, kind)
    return fail(f"T.call_extern of {name!r}: expected a type of {lanes} elements, got {kind}")


class Returned(Exception):
    """A function ends."""


class KernelMemory:
    """Elements of a buffer of the kernel, from one on."""

    def __init__(self, place):
        self.place, self.kind = place, place.buffer.dtype

    def _at(self, index):
        last = binary("add", self.place.indices[-1], index)
        return Load(self.place.buffer, (*self.place.indices[:-1], last))

    def read(self, index):
        return current().define("element", self._at(index))

    def write(self, index, value):
        there = self._at(index)
        current().add(Store(there.buffer, there.indices, value))


class OwnMemory:
    """An array or a variable of the function: values by their places."""

    def __init__(self, kind, count, refuse):
        self.kind, self.values, self.refuse = kind, [None] * count, refuse

    def _at(self, index):
        if not 0 <= index < len(self.values):
            self.refuse(f"element {index} of an array of {len(self.values)}")
        return index

    def read(self, index):
        value = self.values[self._at(index)]
        return self.refuse("a variable that nothing has written") if value is None else value

    def write(self, index, value):
        if isinstance(value, Expr) and type(value) is not Const:
            value = current().define("element", value)
        self.values[self._at(index)] = value


class Pointer:
    """A place in memory, in bits, seen as elements of a type (None: those of the memory)."""

    def __init__(self, memory, at, kind):
        self.memory, self.at, self.kind = memory, at, kind or memory.kind

    def moved(self, count):
        return Pointer(self.memory, self.at + count * self.kind.bits, self.kind)

    def seen_as(self, kind):
        return Pointer(self.memory, self.at, kind)

    def read(self):
        """The element, as a value of the pointer's type."""
        own, kind = self.memory.kind, self.kind
        if own.bits == kind.bits:
            value = self.memory.read(self.at // own.bits)
            return _as_type(value, own, kind)
        if own.bits > kind.bits:
            whole = _bits(self.memory.read(self.at // own.bits), own)
            moved = _shifted("shr", whole, self.at % own.bits)
            return _typed(cast(moved, _unsigned(kind.bits)), kind)
        parts = range(kind.bits // own.bits)
        result = Const(0, _unsigned(kind.bits))
        for i in parts:
            part = _bits(self.memory.read(self.at // own.bits + i), own)
            result = binary("or", result, _shifted("shl", cast(part, result.dtype), own.bits * i))
        return _typed(current().define("word", result), kind)

    def write(self, value):
        """Replaces the element."""
        own, kind = self.memory.kind, self.kind
        value = _value(value, kind)
        if own.bits == kind.bits:
            self.memory.write(self.at // own.bits, _as_type(value, kind, own))
            return
        bits = current().define("word", _bits(value, kind))
        if own.bits < kind.bits:
            for i in range(kind.bits // own.bits):
                part = cast(_shifted("shr", bits, own.bits * i), _unsigned(own.bits))
                self.memory.write(self.at // own.bits + i, _typed(part, own))
            return
        place, shift = self.at // own.bits, self.at % own.bits
        mask = ~(((1 << kind.bits) - 1) << shift) & ((1 << own.bits) - 1)
        rest = binary("and", _bits(self.memory.read(place), own), Const(mask, _unsigned(own.bits)))
        moved = _shifted("shl", cast(bits, rest.dtype), shift)
        self.memory.write(place, _typed(binary("or", rest, moved), own))


def _unsigned(bits):
    return dtype(f"uint{bits}")


def _value(value, kind):
    """A value of a type: numbers that are known become constants, as C converts them."""
    if isinstance(value, Expr):
        return cast(value, kind)
    if kind.is_float:
        return Const(float(value), kind)
    value = int(value) & ((1 << kind.bits) - 1)
    signed = str(kind).startswith("int") and value >> (kind.bits - 1)
    return Const(value - (1 << kind.bits) if signed else value, kind)


def _bits(value, kind):
    return reinterpret(_value(value, kind), _unsigned(kind.bits))


def _typed(bits, kind):
    return reinterpret(bits, kind)


def _as_type(value, have, kind):
    """The same bits as another type of the same width; a number stays one where it may."""
    return value if have is kind else _typed(_bits(value, have), kind)


def _shifted(name, value, count):
    return binary(name, value, Const(count, value.dtype)) if count else value


class _Run:
    """The evaluation of calls of one T.call_extern."""

    def __init__(self, functions, name):
        self.functions, self.name, self.line = functions, name, 0

    def refuse(self, what):
        """An error that names the function and the line of its text."""
        return unsupported(
            f"{what} in the function {self.name}, line {self.line} of the source text of"
            " T.import_source,",
            "there is no CUDA C++ compiler behind this package; write the function as a T.macro",
        )

    # Functions.
    def call(self, function, template, given):
        """Calls a function; its value, None without one."""
        if len(given) > len(function.parameters):
            self.refuse(f"a call of {function.name} with {len(given)} arguments")
        scope, types = {}, {}
        for (kind, own, default), value in zip(
            function.template, [*template, *[None] * len(function.template)], strict=False
        ):
            if kind == "typename":
                types[own] = value
            elif value is None and default is None:
                self.refuse(f"the template parameter {own} of {function.name}, which is not given,")
            else:
                scope[own] = self.value(default, {}, {}) if value is None else value
        values = []
        for i, ((name, stars), own, default) in enumerate(function.parameters):
            if i >= len(given) and default is None:
                self.refuse(f"a call of {function.name} without {own}")
            value = given[i] if i < len(given) else self.value(default, scope, types)
            if stars and isinstance(value, Pointer) and types.get(name, "") is None:
                types[name] = value.kind
            values.append((name, stars, own, value))
        for name, stars, own, value in values:
            if stars:
                known = isinstance(value, Pointer)
                scope[own] = value.seen_as(self.type(name, types)) if known else value
            else:
                scope[own] = self.variable(self.type(name, types), value)
        try:
            self.block(function.body, scope, types)
        except Returned as end:
            return end.args[0]
        return None

    def type(self, name, types):
        """An element type by its name."""
        found = types.get(name) or type_name(name)
        if found in (None, "auto") or name in types and types[name] is None:
            self.refuse(f"the type {name}, which is not known here,")
        return dtype(found)

    def variable(self, kind, value=None):
        """Memory of one value."""
        memory = OwnMemory(kind, 1, self.refuse)
        if value is not None:
            memory.values[0] = value if not isinstance(value, Expr) else cast(value, kind)
        return Pointer(memory, 0, kind)

    # Statements.
    def block(self, statements, scope, types):
        scope = dict(scope)
        for statement in statements:
            self.statement(statement, scope, types)

    def statement(self, statement, scope, types):
        self.line = statement[-1]
        getattr(self, f"do_{statement[0]}")(statement, scope, types)

    def do_block(self, statement, scope, types):
        self.block(statement[1], scope, types)

    def do_declare(self, statement, scope, types):
        for (name, stars), own, size, first in statement[1]:
            value = None if first is None else self.value(first, scope, types)
            if stars or isinstance(value, Pointer):
                kind = None if type_name(name) == "auto" else self.type(name, types)
                scope[own] = value.seen_as(kind or value.kind)
            elif type_name(name) == "auto":
                kind = type_of(value) if isinstance(value, Expr) else dtype("int32")
                scope[own] = self.variable(kind, value)
            elif size is not None:
                count = self.known(size, scope, types)
                kind = self.type(name, types)
                scope[own] = Pointer(OwnMemory(kind, count, self.refuse), 0, kind)
                scope[own].is_array = True
            else:
                scope[own] = self.variable(self.type(name, types), value)

    def do_value(self, statement, scope, types):
        self.value(statement[1], scope, types)

    def do_return(self, statement, scope, types):
        value = None if statement[1] is None else self.value(statement[1], scope, types)
        raise Returned(value)

    def do_if(self, statement, scope, types):
        chosen = statement[2] if self.known(statement[1], scope, types) else statement[3]
        if chosen is not None:
            self.statement(chosen, dict(scope), types)

    def do_for(self, statement, scope, types):
        scope = dict(scope)
        self.statement(statement[1], scope, types)
        steps = 0
        while self.known(statement[2], scope, types):
            self.statement(statement[4], scope, types)
            self.value(statement[3], scope, types)
            steps += 1
            if steps > _STEPS:
                self.refuse(f"a loop of more than {_STEPS} iterations")

    def do_asm(self, statement, scope, types):
        places, registers = [], []
        for constraint, operand in statement[2]:
            if constraint.strip("=+&") not in ("r", "n"):
                self.refuse(f"the constraint {constraint!r} of inline assembly")
            place = None
            if operand[0] in ("name", "index") or operand[:2] == ("unary", "*"):
                place = self.place(operand, scope, types)
            written = constraint.startswith("=")
            places.append(place if constraint[0] in "=+" else None)
            unset = isinstance(place, Pointer) and isinstance(place.memory, OwnMemory)
            if written or (
                unset and place.memory.values[place.at // place.memory.kind.bits] is None
            ):
                registers.append(None)
            else:
                value = self.value(operand, scope, types)
                word = value if not isinstance(value, Expr) else _bits(value, type_of(value))
                registers.append(word)
        ptx_text.run(statement[1], registers, self.refuse)
        for place, value in zip(places, registers, strict=True):
            if place is not None:
                bits = value if isinstance(value, Expr) else Const(value, _unsigned(32))
                place.seen_as(_unsigned(32)).write(bits)

    # Expressions.
    def known(self, tree, scope, types):
        """A number that is known while the kernel is traced."""
        value = self.value(tree, scope, types)
        number = number_of(value) if isinstance(value, Expr) else value
        if number is None:
            self.refuse("a condition, a size or an index that only the kernel knows")
        return int(number)

    def place(self, tree, scope, types):
        """The memory that an expression names."""
        kind = tree[0]
        if kind == "name":
            if tree[1] not in scope:
                self.refuse(f"the name {tree[1]}")
            return scope[tree[1]]
        if kind == "index":
            base = self.value(tree[1], scope, types)
            if not isinstance(base, Pointer):
                self.refuse("an index of what is no pointer")
            return base.moved(self.known(tree[2], scope, types))
        if kind == "unary" and tree[1] == "*":
            return self.value(tree[2], scope, types)
        return self.refuse("an assignment to what is no variable")

    def value(self, tree, scope, types):
        """The value of an expression: a number, a value of the kernel, or a pointer."""
        return getattr(self, f"of_{tree[0]}")(tree, scope, types)

    def of_number(self, tree, scope, types):
        return tree[1]

    def of_name(self, tree, scope, types):
        found = self.place(tree, scope, types)
        own = isinstance(found, Pointer) and isinstance(found.memory, OwnMemory)
        if own and len(found.memory.values) == 1 and not getattr(found, "is_array", False):
            return found.read()
        return found

    def of_index(self, tree, scope, types):
        return self.place(tree, scope, types).read()

    def of_cast(self, tree, scope, types):
        (name, stars), inner = tree[1:]
        value = self.value(inner, scope, types)
        kind = self.type(name, types)
        if stars:
            return value.seen_as(kind) if isinstance(value, Pointer) else self.refuse("this cast")
        if isinstance(value, Expr):
            return cast(value, kind)
        return number_of(_value(value, kind))

    def of_unary(self, tree, scope, types):
        sign, inner = tree[1:]
        if sign == "&":
            return self.place(inner, scope, types)
        if sign in ("++", "--"):
            return self.of_assign(("assign", sign[0], inner, ("number", 1)), scope, types)
        value = self.value(inner, scope, types)
        if sign == "*":
            return value.read() if isinstance(value, Pointer) else self.refuse("this *")
        if not isinstance(value, Expr):
            return {"-": -value, "+": value, "~": ~int(value), "!": int(not value)}[sign]
        if sign == "!":
            return compare("eq", value, 0)
        return {"-": lambda: -value, "+": lambda: value, "~": lambda: ~value}[sign]()

    def of_binary(self, tree, scope, types):
        sign, left, right = tree[1:]
        a = self.value(left, scope, types)
        if sign in ("&&", "||") and not isinstance(a, Expr):
            if bool(a) == (sign == "||"):
                return int(bool(a))
            return self.value(right, scope, types)
        b = self.value(right, scope, types)
        if isinstance(a, Pointer) and sign in ("+", "-"):
            return a.moved(self.known(right, scope, types) * (1 if sign == "+" else -1))
        if not isinstance(a, Expr) and not isinstance(b, Expr):
            return _of_numbers(sign, a, b)
        if sign in _COMPARISONS:
            return compare(_COMPARISONS[sign], a, b)
        if sign in ("&&", "||"):
            return binary("and" if sign == "&&" else "or", cast(a, "bool"), cast(b, "bool"))
        kind = _common(a, b, sign)
        name = _SIGNS[sign]
        a, b = _value(a, kind), _value(b, kind)
        if name in ("div", "mod") and not kind.is_float:  # C rounds to zero
            quotient = binary("truncdiv", a, b)
            return quotient if name == "div" else binary("sub", a, binary("mul", quotient, b))
        return binary(name, a, b)

    def of_choose(self, tree, scope, types):
        condition = self.value(tree[1], scope, types)
        if not isinstance(condition, Expr):
            return self.value(tree[2] if condition else tree[3], scope, types)
        yes, no = (self.value(x, scope, types) for x in tree[2:])
        kind = _common(yes, no, "+")
        return select(cast(condition, "bool"), _value(yes, kind), _value(no, kind))

    def of_assign(self, tree, scope, types):
        sign, target, right = tree[1:]
        place = self.place(target, scope, types)
        value = self.value(right, scope, types)
        if isinstance(value, Pointer):
            scope[target[1]] = value
            return value
        if sign:
            value = self.of_binary(("binary", sign, target, ("done", value)), scope, types)
        memory = place.memory
        if (
            isinstance(memory, OwnMemory)
            and memory.kind is place.kind
            and not isinstance(value, Expr)
        ):
            memory.values[memory._at(place.at // memory.kind.bits)] = number_of(
                _value(value, place.kind)
            )
        else:
            place.write(value)
        return value

    def of_done(self, tree, scope, types):
        return tree[1]

    def of_call(self, tree, scope, types):
        name, template, arguments = tree[1:]
        given = [self.value(x, scope, types) for x in arguments]
        if name in self.functions:
            chosen = [
                types.get(x[0]) or self.type(x[0], types)
                if x[0] not in ("number", "name", "binary", "unary")
                else self.value(x, scope, types)
                for x in template
            ]
            chosen = [x.read() if isinstance(x, Pointer) else x for x in chosen]
            outer = self.name, self.line
            self.name = name
            value = self.call(self.functions[name], chosen, given)
            self.name, self.line = outer
            return value
        if name == "__pack_half2" and len(given) == 2:
            return ptx_text.packed(*(_value(x, dtype("float16")) for x in given))
        if name in ("min", "max") and len(given) == 2:
            kind = _common(*given, "+")
            return binary(name, *(_value(x, kind) for x in given))
        if function_of(name) is not None:
            return _builtin(name, given, self.refuse)
        return self.refuse(f"a call of {name}")


def _of_numbers(sign, a, b):
    """C's operators on numbers that are known."""
    if sign in _COMPARISONS:
        found = {
            "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b,
        }  # fmt: skip
        return int(found[sign])
    if sign in ("&&", "||"):
        return int(bool(b))
    if sign == "/":
        return a / b if isinstance(a, float) or isinstance(b, float) else int(a / b)
    if sign == "%":
        return a - int(a / b) * b
    return {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "&": lambda: a & b,
        "|": lambda: a | b, "^": lambda: a ^ b, "<<": lambda: a << b, ">>": lambda: a >> b,
    }[sign]()  # fmt: skip


def _common(a, b, sign):
    """The type in which C combines two values: that of the left one in shifts."""
    kinds = [type_of(x) for x in (a, b) if isinstance(x, Expr)]
    if sign in ("<<", ">>") and isinstance(a, Expr):
        kinds = kinds[:1]
    floats = [x for x in kinds if x.is_float]
    if not floats and any(isinstance(x, float) for x in (a, b)):
        return dtype("float32")
    widest = max(floats or kinds, key=lambda x: x.bits)
    if not widest.is_float and widest.bits < 32:
        return dtype("int32")
    unsigned = any(str(x).startswith("uint") and x.bits == widest.bits for x in kinds)
    return _unsigned(widest.bits) if unsigned and not widest.is_float else widest
