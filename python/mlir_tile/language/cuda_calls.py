# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.import_source and T.call_extern: CUDA's built-in functions, and small device functions of CUDA
C++, run while a kernel is traced, so that what they do becomes values and stores of the kernel."""

from collections import ChainMap

from mlir_tile.errors import Error

from . import ptx_text
from .buffers import Buffer, Region
from .builder import current
from .cuda_functions import function_of
from .cuda_memory import KernelMemory, OwnMemory, Pointer, bits_of
from .cuda_numbers import COMPARISONS, combine, common, known, negated, promoted, typed, unsigned
from .cuda_source import functions_of, type_name
from .cuda_trees import specimen, steps, writes_memory
from .dtypes import dtype
from .errors import LanguageError, fail, unsupported
from .nodes import BOOL, FLOAT32, INT32, INT64
from .values import Const, Expr, Load, as_value, binary, cast, compare, number_of, select, type_of
from .vectors import lane_count, lane_of, pack
from .words import place_of

_SIGNS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "&": "and", "|": "or", "^": "xor",
    "<<": "shl", ">>": "shr",
}  # fmt: skip
_STEPS = 4096  # iterations of one loop
_DEPTH = 32  # calls in each other


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
    pointers = [bool(stars) for (_, stars), _, _ in functions[name].parameters]
    given = [
        Pointer(KernelMemory(place_of(x, "T.call_extern")), 0, None)
        if isinstance(x, (Buffer, Region, Load)) and (at >= len(pointers) or pointers[at])
        else _argument(as_value(x))
        for at, x in enumerate(given)
    ]
    value = _Run(functions, name).start(functions[name], given)
    return value if value is None or isinstance(value, Pointer) else _of_type(value, dtype, name)


def _argument(value):
    """An argument of a device function: an integer that is known has a type, as in C."""
    number = number_of(value)
    return value if number is None or isinstance(number, float) else Const(number, type_of(value))


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


class _Run:
    """The evaluation of calls of one T.call_extern."""

    def __init__(self, functions, name):
        self.functions, self.name, self.line, self.depth = functions, name, 0, 0

    def refuse(self, what):
        """An error that names the function and the line of its text."""
        return unsupported(
            f"{what} in the function {self.name}, line {self.line} of the source text of"
            " T.import_source,",
            "there is no CUDA C++ compiler behind this package; write the function as a T.macro",
        )

    def reading(self, function, *arguments):
        """Names the line where Python cannot do what a text says, which is then no C++ either, or
        no part of it that is read here."""
        try:
            return function(*arguments)
        except Error:
            raise
        except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
            return self.refuse(f"a statement that is not understood ({error})")

    # Functions.
    def start(self, function, given):
        """Calls the function that T.call_extern names."""
        return self.reading(self.call, function, [], given)

    def call(self, function, template, given):
        """Calls a function; its value, None without one."""
        if len(given) > len(function.parameters):
            self.refuse(f"a call of {function.name} with {len(given)} arguments")
        scope, types = ChainMap(), {}
        for (kind, own, default), value in zip(
            function.template, [*template, *[None] * len(function.template)], strict=False
        ):
            if kind == "typename":
                types[own] = value
            elif value is None and default is None:
                self.refuse(f"the template parameter {own} of {function.name}, which is not given,")
            else:
                value = self.value(default, scope, types) if value is None else value
                scope[own] = typed(value, dtype(type_name(kind)))
        values = []
        for i, ((name, stars), own, default) in enumerate(function.parameters):
            if i >= len(given) and default is None:
                self.refuse(f"a call of {function.name} without {own}")
            value = given[i] if i < len(given) else self.value(default, scope, types)
            if name in types and types[name] is None and value is not None:
                if isinstance(value, Pointer) == bool(stars):
                    types[name] = value.kind if stars else type_of(value)
            values.append((name, stars, own, value))
        for name, stars, own, value in values:
            if stars:
                scope[own] = self.pointer(value, self.type(name, types), True)
            else:
                scope[own] = self.variable(self.type(name, types), value)
        try:
            self.block(function.body, scope, types)
        except Returned as end:
            return self.returned(function, end.args[0], types)
        return None

    def returned(self, function, value, types):
        """What a function gives, in the type that it is said to have."""
        name, stars = function.kind
        if value is None or stars or isinstance(value, Pointer) or lane_count(value) > 1:
            return value
        plain = name not in types and type_name(name) in (None, "auto")
        return value if plain else typed(value, self.type(name, types))

    def type(self, name, types):
        """An element type by its name."""
        found = types.get(name) or type_name(name)
        if found in (None, "auto") or name in types and types[name] is None:
            self.refuse(f"the type {name}, which is not known here,")
        return dtype(found[0] if isinstance(found, tuple) else found)

    def variable(self, kind, value=None):
        """Memory of one value."""
        if isinstance(value, Pointer):
            self.refuse(f"a pointer where a value of type {kind} is expected,")
        memory = OwnMemory(kind, 1, self.refuse)
        if value is not None:
            memory.values[0] = typed(value, kind)
        made = Pointer(memory, 0, kind)
        made.owner = "variable"
        return made

    def pointer(self, value, kind=None, may_be_null=False):
        """A pointer, as a variable of its own."""
        if value is None and may_be_null or known(value) == 0:
            return None
        if not isinstance(value, Pointer):
            self.refuse("a value where a pointer is expected")
        return value.seen_as(kind or value.kind)

    # Statements.
    def block(self, statements, scope, types):
        scope = scope.new_child()
        for statement in statements:
            self.statement(statement, scope, types)

    def statement(self, statement, scope, types):
        self.line = statement[-1]
        self.reading(getattr(self, f"do_{statement[0]}"), statement, scope, types)

    def do_block(self, statement, scope, types):
        self.block(statement[1], scope, types)

    def do_declare(self, statement, scope, types):
        for (name, stars), own, size, first in statement[1]:
            value = None if first is None else self.value(first, scope, types)
            automatic = type_name(name) == "auto"
            if stars or automatic and isinstance(value, Pointer):
                kind = None if automatic else self.type(name, types)
                scope[own] = self.pointer(value, kind, first is not None)
            elif automatic:
                if value is None:
                    self.refuse(f"the variable {own} of a type that nothing says")
                scope[own] = self.variable(type_of(value), value)
            elif size is not None:
                count = self.known(size, scope, types)
                kind = self.type(name, types)
                scope[own] = Pointer(OwnMemory(kind, count, self.refuse), 0, kind)
                scope[own].owner = "array"
            else:
                scope[own] = self.variable(self.type(name, types), value)

    def do_value(self, statement, scope, types):
        self.effect(statement[1], scope, types)

    def effect(self, tree, scope, types):
        """An expression whose value nobody takes."""
        if tree[0] == "postfix":
            tree = ("assign", tree[1], tree[2], ("number", Const(1, INT32)))
        self.value(tree, scope, types)

    def do_return(self, statement, scope, types):
        value = None if statement[1] is None else self.value(statement[1], scope, types)
        raise Returned(value)

    def do_if(self, statement, scope, types):
        chosen = statement[2] if self.holds(statement[1], scope, types) else statement[3]
        if chosen is not None:
            self.statement(chosen, scope.new_child(), types)

    def do_for(self, statement, scope, types):
        scope = scope.new_child()
        self.statement(statement[1], scope, types)
        steps = 0
        while self.holds(statement[2], scope, types):
            self.statement(statement[4], scope.new_child(), types)
            self.effect(statement[3], scope, types)
            steps += 1
            if steps > _STEPS:
                self.refuse(f"a loop of more than {_STEPS} iterations")

    def do_asm(self, statement, scope, types):
        places, registers = [], []
        for constraint, operand in statement[2]:
            if constraint.strip("=+&") not in ("r", "n"):
                self.refuse(f"the constraint {constraint!r} of inline assembly")
            place = None
            if constraint[0] in "=+":
                place = self.place(operand, scope, types)
                if not isinstance(place, Pointer):
                    self.refuse("inline assembly that writes what is no variable")
            places.append(place)
            if place is None:
                # What nothing has written is a register for the text to work in.
                own = self.place(operand, scope, types) if operand[0] == "name" else None
                unset = isinstance(own, Pointer) and own.owner == "variable" and own.is_unset()
                value = None if unset else self.value(operand, scope, types)
                registers.append(None if unset else self.register(value))
            elif constraint[0] == "=" or place.is_unset():
                registers.append(None)
            else:
                registers.append(self.register(place.read()))
        ptx_text.run(statement[1], registers, self.refuse)
        for place, value in zip(places, registers, strict=True):
            if place is None:
                continue
            if value is None:
                self.refuse("inline assembly that does not write one of its results")
            bits = value if isinstance(value, Expr) else Const(value, unsigned(32))
            place.seen_as(unsigned(32)).write(bits)

    def register(self, value):
        """A value as a register of 32 bits: a number where it is known."""
        number = known(value)
        kind = None if isinstance(value, Pointer) or value is None else promoted(type_of(value))
        if kind is None or kind.bits != 32 or number is not None and kind.is_float:
            self.refuse("an operand of inline assembly that is no integer of 32 bits")
        return int(number) & 0xFFFFFFFF if number is not None else bits_of(value, kind)

    # Expressions.
    def known(self, tree, scope, types):
        """A number that is known while the kernel is traced."""
        return int(self.number(self.value(tree, scope, types)))

    def number(self, value):
        number = known(value)
        if number is None:
            self.refuse("a condition, a size or an index that only the kernel knows")
        return number

    def holds(self, tree, scope, types):
        """Whether a condition that is known is true."""
        return self.truth(self.value(tree, scope, types))

    def truth(self, value):
        if value is None or isinstance(value, Pointer):
            return value is not None
        return bool(self.number(value))

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
            base = self.value(tree[2], scope, types)
            return base if isinstance(base, Pointer) else self.refuse("this *")
        return self.refuse("an assignment to what is no variable")

    def value(self, tree, scope, types):
        """The value of an expression: a number, a value of the kernel, or a pointer."""
        return getattr(self, f"of_{tree[0]}")(tree, scope, types)

    def of_number(self, tree, scope, types):
        return tree[1]

    def of_name(self, tree, scope, types):
        found = self.place(tree, scope, types)
        if not isinstance(found, Pointer):
            return found
        return found.read() if found.owner == "variable" else found.seen_as(found.kind)

    def of_index(self, tree, scope, types):
        return self.place(tree, scope, types).read()

    def of_cast(self, tree, scope, types):
        (name, stars), inner = tree[1:]
        value = self.value(inner, scope, types)
        kind = self.type(name, types)
        if stars:
            return self.pointer(value, kind, True)
        if isinstance(value, Pointer):
            self.refuse("this cast")
        return typed(value, kind)

    def of_unary(self, tree, scope, types):
        sign, inner = tree[1:]
        if sign == "&":
            place = self.place(inner, scope, types)
            return self.pointer(place)
        if sign in ("++", "--"):
            step = ("assign", sign[0], inner, ("number", Const(1, INT32)))
            return self.of_assign(step, scope, types)
        if sign == "*":
            return self.place(tree, scope, types).read()
        value = self.value(inner, scope, types)
        if sign == "!" and (value is None or isinstance(value, Pointer)):
            return Const(value is None, BOOL)
        if known(value) is not None:
            return negated(sign, value, self.refuse)
        if isinstance(value, Pointer):
            self.refuse(f"{sign} of a pointer")
        if sign == "!":
            return compare("eq", value, 0)
        value = typed(value, promoted(type_of(value)))
        return {"-": lambda: -value, "+": lambda: value, "~": lambda: ~value}[sign]()

    def of_postfix(self, tree, scope, types):
        """The value in front of the step, by one, that follows."""
        sign, target = tree[1:]
        one, place = Const(1, INT32), self.place(target, scope, types)
        if self.is_pointer(place, target):
            self.move(target[1], place, self.combined(sign, place, one), scope)
            return place.seen_as(place.kind)
        if not isinstance(place, Pointer):
            self.refuse(f"{sign}{sign} of what is no variable")
        value = place.read()
        place.write(typed(self.combined(sign, value, one), place.kind))
        return value

    def of_binary(self, tree, scope, types):
        sign, left, right = tree[1:]
        a = self.value(left, scope, types)
        if sign in ("&&", "||"):
            if a is None or isinstance(a, Pointer) or known(a) is not None:
                if self.truth(a) == (sign == "||"):
                    return Const(sign == "||", BOOL)
                b = self.value(right, scope, types)
                if b is None or isinstance(b, Pointer) or known(b) is not None:
                    return Const(self.truth(b), BOOL)
                return cast(b, BOOL)
            self.no_effects(right, sign)
            b = self.value(right, scope, types)
            b = Const(self.truth(b), BOOL) if isinstance(b, Pointer) else typed(b, BOOL)
            return binary("and" if sign == "&&" else "or", cast(a, BOOL), b)
        return self.combined(sign, a, self.value(right, scope, types))

    def combined(self, sign, a, b):
        """An operator on two values."""
        if any(x is None or isinstance(x, Pointer) for x in (a, b)):
            return self.combined_pointers(sign, a, b)
        if known(a) is not None and known(b) is not None:
            return combine(sign, a, b, self.refuse)
        shifts = sign in ("<<", ">>")
        kind = promoted(type_of(a)) if shifts else common(a, b)
        a, b = typed(a, kind), typed(b, kind)
        if sign in COMPARISONS:
            return compare(COMPARISONS[sign], a, b)
        name = _SIGNS[sign]
        if name in ("div", "mod") and not kind.is_float:  # C rounds to zero
            if known(b) == 0:
                self.refuse("a division by zero")
            quotient = binary("truncdiv", a, b)
            return quotient if name == "div" else binary("sub", a, binary("mul", quotient, b))
        return binary(name, a, b)

    def combined_pointers(self, sign, a, b):
        """A pointer that is moved by a number; two pointers into one memory; a null pointer."""
        if sign == "+" and isinstance(b, Pointer) and not isinstance(a, Pointer):
            a, b = b, a
        if isinstance(a, Pointer) and sign in ("+", "-") and isinstance(b, Expr):
            return a.moved(int(self.number(b)) * (1 if sign == "+" else -1))
        if isinstance(a, Pointer) and isinstance(b, Pointer) and a.memory is b.memory:
            if sign == "-" and a.kind is b.kind:
                return Const((a.at - b.at) // a.kind.bits, INT64)
            if sign in COMPARISONS:
                return combine(sign, Const(a.at, INT64), Const(b.at, INT64), self.refuse)
        if sign in ("==", "!=") and all(_is_address(x) for x in (a, b)):
            same = not isinstance(a, Pointer) and not isinstance(b, Pointer)
            if same or not (isinstance(a, Pointer) and isinstance(b, Pointer)):
                return Const(same == (sign == "=="), BOOL)
        return self.refuse(f"{sign} of a pointer and what it cannot be combined with")

    def of_choose(self, tree, scope, types):
        condition = self.value(tree[1], scope, types)
        if condition is None or isinstance(condition, Pointer) or known(condition) is not None:
            chosen, other = tree[2:] if self.truth(condition) else tree[:1:-1]
            value = self.value(chosen, scope, types)
            sample = specimen(other, scope, lambda name: self.type(name, types))
            if sample is None or isinstance(value, (float, Pointer)) or value is None:
                return value
            kind = common(value, sample)
            return value if type_of(value) is kind else typed(value, kind)
        for arm in tree[2:]:
            self.no_effects(arm, "?:")
        yes, no = (self.value(x, scope, types) for x in tree[2:])
        if any(x is None or isinstance(x, Pointer) for x in (yes, no)):
            self.refuse("a choice between pointers whose condition only the kernel knows")
        kind = common(yes, no)
        return select(cast(condition, BOOL), typed(yes, kind), typed(no, kind))

    def no_effects(self, tree, sign):
        """Refuses what would be done although its condition, which only the kernel knows, is not
        true."""
        if self.acts(tree):
            self.refuse(
                f"an assignment or a call that writes memory in a part of {sign}, whose condition"
                " only the kernel knows,"
            )

    def acts(self, tree):
        """Whether an expression writes variables or memory."""
        if not isinstance(tree, (tuple, list)):
            return False
        if steps(tree) or tree and tree[0] == "assign":
            return True
        if tree and tree[0] == "call" and tree[1] in self.functions:
            if writes_memory(self.functions[tree[1]].body):
                return True
        return any(map(self.acts, tree))

    def is_pointer(self, place, target):
        """Whether a name is that of a pointer, not of a value."""
        if target[0] != "name" or isinstance(place, Pointer) and place.owner == "variable":
            return False
        if isinstance(place, Pointer) and place.owner == "array":
            self.refuse(f"an assignment to the array {target[1]}")
        return place is None or isinstance(place, Pointer)

    def move(self, name, place, value, scope):
        """A pointer gets another value, in the scope that declares it."""
        owner = next(x for x in scope.maps if name in x)
        owner[name] = self.pointer(value, place.kind if place is not None else None, True)

    def of_assign(self, tree, scope, types):
        sign, target, right = tree[1:]
        value = self.value(right, scope, types)
        place = self.place(target, scope, types)
        if self.is_pointer(place, target):
            value = self.combined(sign, place, value) if sign else value
            self.move(target[1], place, value, scope)
            return self.value(target, scope, types)
        if not isinstance(place, Pointer):
            self.refuse("an assignment to what is no variable")
        if sign:
            value = self.combined(sign, place.read(), value)
        if value is None or isinstance(value, Pointer):
            self.refuse(f"a pointer where a value of type {place.kind} is expected,")
        value = typed(value, place.kind)
        place.write(value)
        return value

    def of_call(self, tree, scope, types):
        name, template, arguments = tree[1:]
        given = [self.value(x, scope, types) for x in arguments]
        if name in self.functions:
            chosen = [
                # A type is a name and its number of stars.
                self.type(x[0], types) if isinstance(x[1], int) else self.value(x, scope, types)
                for x in template
            ]
            outer = self.name, self.line, self.depth
            self.name, self.depth = name, self.depth + 1
            if self.depth > _DEPTH:
                self.refuse(f"more than {_DEPTH} calls in each other")
            value = self.call(self.functions[name], chosen, given)
            self.name, self.line, self.depth = outer
            return value
        if any(x is None or isinstance(x, Pointer) for x in given):
            self.refuse(f"a call of {name} with a pointer")
        if name == "__pack_half2" and len(given) == 2:
            return ptx_text.packed(*(typed(x, dtype("float16")) for x in given))
        if name in ("min", "max") and len(given) == 2:
            kind = common(*given)
            return binary(name, *(typed(x, kind) for x in given))
        if function_of(name) is not None:
            return _argument(_builtin(name, [_plain(x) for x in given], self.refuse))
        return self.refuse(f"a call of {name}")


def _is_address(value):
    """Whether a value is a pointer, or what stands for a null pointer."""
    return value is None or isinstance(value, Pointer) or known(value) == 0


def _plain(value):
    """An int that is known as a number of Python's, as the language's functions take it."""
    number = known(value)
    return number if number is not None and type_of(value) in (INT32, FLOAT32, BOOL) else value
