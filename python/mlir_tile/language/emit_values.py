# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions to operations of arith, math and memref."""

import math

from .dtypes import dtype, float_text
from .errors import fail, unsupported
from .float_functions import FLOAT_FUNCTIONS
from .ranges import Facts, bounds, combine, forms_of, is_pure, limits, linear, never_negative
from .values import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    Const,
    Expr,
    Let,
    Load,
    Op,
    Variable,
    type_of,
)
from .values import (
    cast as cast_value,
)

_FLOAT = {
    "add": "addf",
    "sub": "subf",
    "mul": "mulf",
    "div": "divf",
    "max": "maxnumf",
    "min": "minnumf",
    "rem": "remf",
    "exact_add": "addf",
    "exact_sub": "subf",
    "exact_mul": "mulf",
}
# A product and the sum that takes it are rounded once, as by CUDA's compiler; never those of
# T.ieee_*, the exact ones.
_CONTRACTED = ("add", "sub", "mul")
_SIGNED = {
    "add": "addi",
    "sub": "subi",
    "mul": "muli",
    "truncdiv": "divsi",
    "floordiv": "floordivsi",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
    "shl": "shli",
    "shr": "shrsi",
    "max": "maxsi",
    "min": "minsi",
}
_UNSIGNED = {
    **_SIGNED,
    "truncdiv": "divui",
    "floordiv": "divui",
    "shr": "shrui",
    "max": "maxui",
    "min": "minui",
    "mod": "remui",
}
_COMPARE = {
    "lt": ("olt", "slt", "ult"),
    "le": ("ole", "sle", "ule"),
    "gt": ("ogt", "sgt", "ugt"),
    "ge": ("oge", "sge", "uge"),
    "eq": ("oeq", "eq", "eq"),
    "ne": ("une", "ne", "ne"),
}
_MATH = {*FLOAT_FUNCTIONS, "roundeven"}
_INDEX_OPS = {"add", "sub", "mul", "floordiv", "truncdiv", "mod", "max", "min"}


def _is_size(expr):
    return isinstance(expr, Variable) and expr.kind == "dynamic"


class Values:
    """The part of the emitter that evaluates expressions."""

    # Scopes of values.
    def find(self, key):
        for scope in reversed(self.scopes):
            found = scope.get(key)
            if found is not None:
                return found
        return None

    def op(self, text):
        """Adds an operation with one result; gives the result's name."""
        self.count += 1
        name = f"%{self.count}"
        self.lines.append(f"{name} = {text} {self.loc}")
        return name

    def effect(self, text):
        self.lines.append(f"{text} {self.loc}")

    def constant(self, number, kind):
        """A number as a value: all of a kernel's stand at its start."""
        text = self.number_text(number, kind)
        key = (text, kind)
        found = self.constants.get(key)
        if found is None:
            found = self.constants[key] = f"%c{len(self.constants)}_"
        return found

    def number_text(self, number, kind):
        if kind == "index":
            return f"{int(number)} : index"
        kind = dtype(kind)
        if kind.is_bool:
            return "true" if number else "false"
        if kind.is_float:
            return f"{float_text(float(number), kind)} : {kind.mlir}"
        if isinstance(number, float) and not number.is_integer() and not math.isfinite(number):
            fail(f"{number} has no value in {kind}", self.location)
        number = int(number)
        if not -(1 << (kind.bits - 1)) <= number < 1 << kind.bits:
            low = "0" if kind.is_unsigned else f"-2^{kind.bits - 1}"
            high = kind.bits if kind.is_unsigned else kind.bits - 1
            fail(
                f"expected a number that fits {kind}, from {low} to 2^{high} - 1, got {number}",
                self.location,
            )
        number &= (1 << kind.bits) - 1
        if number >> (kind.bits - 1):
            number -= 1 << kind.bits
        return f"{number} : {kind.mlir}"

    # Values in their own type.
    def value(self, expr, kind=None):
        """The name of a value in its type (that of a number is `kind`)."""
        if not isinstance(expr, Expr):
            return self.constant(expr, kind or type_of(expr))
        if kind is not None and expr.dtype is not kind:
            expr = self.keep(cast_value(expr, kind))
            if not isinstance(expr, Expr):
                return self.constant(expr, kind)
        if type(expr) is Const:
            return self.constant(expr.value, expr.dtype)
        found = self.find(id(expr))
        if found is not None:
            return found
        if type(expr) is Variable:
            return self.remember(expr, self.variable_value(expr))
        if type(expr) is Let:
            return self.let_value(expr)
        if isinstance(expr, Load):
            return self.load(expr)
        if expr.dtype in (INT32, INT64) and expr.name in _INDEX_OPS and self.like_index(expr):
            name = self.from_index(self.index(expr), expr.dtype)
        else:
            name = self.operation(expr)
        return self.remember(expr, name) if is_pure(expr) else name

    def keep(self, expr):
        """Keeps a tree alive, since values are remembered by its identity."""
        self.kept.append(expr)
        return expr

    def remember(self, expr, name):
        self.scopes[-1][id(expr)] = name
        return name

    def let_value(self, let):
        found = self.find(("let", id(let)))
        if found is None:
            again = self.recompute(let)
            if again is not None:
                return again
            fail(
                f"{let.name}, defined at {let.location}, is used outside of the region (loop,"
                " branch or kernel) that "
                "defines it; use a variable (T.alloc_var) that is allocated in front of the region",
                self.location,
            )
        return found

    def variable_value(self, variable):
        """A size, a scalar, or an index as an integer."""
        if variable.kind == "scalar" or (
            variable.kind == "dynamic" and self.find(("scalar", id(variable)))
        ):
            found = self.find(("scalar", id(variable)))
            if found is not None:
                return found
        return self.from_index(self.index(variable), variable.dtype)

    def from_index(self, name, kind):
        return self.op(f"arith.index_cast {name} : index to {kind.mlir}")

    # Values as indices.
    def like_index(self, expr):
        """Whether an integer is computed from sizes and indices only."""
        if isinstance(expr, int):
            return True
        kind = type(expr)
        if kind is Variable:
            return expr.kind != "scalar" and not expr.dtype.is_unsigned
        if kind is Const:
            return expr.dtype.is_integer
        if kind is Let:
            return (
                isinstance(expr.value, (Op, Variable))
                and self.find(("let", id(expr))) is None
                and is_pure(expr.value)
                and self.like_index(expr.value)
            )
        if kind is Op:
            if expr.name == "cast":
                return (
                    expr.dtype in (INT32, INT64)
                    and self.like_index(expr.args[0])
                    and type_of(expr.args[0]).is_integer
                    and self.keeps_number(expr)
                )
            return (
                expr.dtype in (INT32, INT64)
                and expr.name in _INDEX_OPS
                and all(map(self.like_index, expr.args))
            )
        return False

    def keeps_number(self, expr):
        """Whether a cast of an integer to a signed one leaves its number as it is."""
        value, kind = expr.args[0], expr.dtype
        if type_of(value).bits < kind.bits or type_of(value) is kind:
            return True
        low, high = limits(kind)
        form = linear(value)
        return self.facts.holds(combine(form, ({}, low), -1)) and self.facts.holds(
            combine(({}, high), form, -1)
        )

    def index(self, expr):
        """The name of an integer as a value of type index."""
        if not isinstance(expr, Expr):
            return self.constant(expr, "index")
        if type(expr) is Const:
            return self.constant(int(expr.value), "index")
        found = self.find(("index", id(expr)))
        if found is not None:
            return found
        if type(expr) is Variable:
            name = self.variable_index(expr)
        elif (
            type(expr) is Op
            and expr.name == "cast"
            and expr.dtype in (INT32, INT64)
            and self.like_index(expr)
        ):
            return self.index(expr.args[0])
        elif type(expr) is Op and expr.dtype in (INT32, INT64) and expr.name in _INDEX_OPS:
            name = self.integer(expr.name, *map(self.index, expr.args), "index", expr.args)
            if not is_pure(expr):
                return name
        else:
            if not expr.dtype.is_integer:
                fail(
                    f"expected an integer as an index, got {expr!r} of type {expr.dtype}",
                    self.location,
                )
            cast = "index_castui" if expr.dtype.is_unsigned else "index_cast"
            name = self.op(f"arith.{cast} {self.value(expr)} : {expr.dtype.mlir} to index")
            if not is_pure(expr):
                return name
        self.scopes[-1][("index", id(expr))] = name
        return name

    def variable_index(self, variable):
        if variable.kind == "dynamic":
            name = self.size_of(variable)
            if name is not None:
                return name
        scalar = self.find(("scalar", id(variable)))
        if scalar is not None:
            return self.op(f"arith.index_cast {scalar} : {variable.dtype.mlir} to index")
        if variable.kind == "dynamic":
            fail(
                f"the size {variable.name} is no extent of an argument, so nothing says what it is",
                self.location,
            )
        place = self.kernel.thread_indices.get(id(variable))
        if place is not None:
            return self.index(place)
        if variable.kind == "thread":
            fail("the index of the thread is used where the block runs as one", self.location)
        return fail(
            f"{variable.name}"
            + (f", of the loop at {variable.location}," if variable.location else "")
            + " is used outside of the loop that defines it; set a variable (T.alloc_var) in the loop,"
            " and read that behind it",
            self.location,
        )

    def integer(self, name, a, b, kind, args, unsigned=False):
        """An operation on integers of the type `kind` (a text)."""
        if name in ("floordiv", "mod", "truncdiv"):
            plain = unsigned or all(map(never_negative, args))
            if name == "mod":
                if plain:
                    return self.op(f"arith.remui {a}, {b} : {kind}")
                return self.floor_mod(a, b, kind)
            if plain:
                return self.op(f"arith.divui {a}, {b} : {kind}")
        table = _UNSIGNED if unsigned else _SIGNED
        return self.op(f"arith.{table[name]} {a}, {b} : {kind}")

    def floor_mod(self, a, b, kind):
        quotient = self.op(f"arith.floordivsi {a}, {b} : {kind}")
        product = self.op(f"arith.muli {quotient}, {b} : {kind}")
        return self.op(f"arith.subi {a}, {product} : {kind}")

    # Operations.
    def operation(self, expr):
        name, args, kind = expr.name, expr.args, expr.dtype
        if name == "cast":
            return self.convert(args[0], kind)
        if name in _COMPARE:
            return self.comparison(name, args)
        if name == "select":
            return self.selection(args, kind)
        if name == "atomic":
            return self.atomic(*args)
        if name == "bitcast":
            return self.bitcast(args[0], kind)
        if kind.is_bool and name in ("and", "or"):
            return self.logic(name, args)
        if kind.is_float and kind.bits < 16 and name != "cast":
            wide = self.keep(Op(name, tuple(cast_value(x, FLOAT32) for x in args), FLOAT32))
            return self.value(self.keep(cast_value(wide, kind)))
        if len(args) == 2:
            if kind.is_float:
                return self.float_operation(name, args, kind)
            a, b = self.value(args[0], kind), self.value(args[1], kind)
            return self.integer(name, a, b, kind.mlir, args, kind.is_unsigned)
        if name == "fma":
            return self.op(f"math.fma {', '.join(self.value(x, kind) for x in args)} : {kind.mlir}")
        return self.unary_operation(name, self.value(args[0], kind), kind)

    def float_operation(self, name, args, kind):
        if name in ("pow", "atan2", "copysign"):
            name = {"pow": "powf"}.get(name, name)
            return self.op(
                f"math.{name} {self.value(args[0], kind)}, {self.value(args[1], kind)} :"
                f" {kind.mlir}"
            )
        a, b = self.value(args[0], kind), self.value(args[1], kind)
        if name == "mod":
            quotient = self.op(f"arith.divf {a}, {b} : {kind.mlir}")
            floor = self.op(f"math.floor {quotient} : {kind.mlir}")
            product = self.op(f"arith.mulf {floor}, {b} : {kind.mlir}")
            return self.op(f"arith.subf {a}, {product} : {kind.mlir}")
        flags = " fastmath<contract>" if name in _CONTRACTED else ""
        return self.op(f"arith.{_FLOAT[name]} {a}, {b}{flags} : {kind.mlir}")

    def unary_operation(self, name, a, kind):
        if name == "neg":
            return self.op(f"arith.negf {a} : {kind.mlir}")
        if name == "abs":
            return self.op(f"math.{'absf' if kind.is_float else 'absi'} {a} : {kind.mlir}")
        if name in ("ctpop", "ctlz"):
            return self.op(f"math.{name} {a} : {kind.mlir}")
        if name in _MATH:
            # By the GPU's own instruction, as other compilers for these kernels take it.
            flags = " fastmath<afn>" if name == "exp2" and kind.bits <= 32 else ""
            return self.op(f"math.{name} {a}{flags} : {kind.mlir}")
        return unsupported(f"the function {name}", location=self.location)

    def comparison(self, name, args):
        kind = type_of(args[0]) if isinstance(args[0], Expr) else type_of(args[1])
        of_float, signed, unsigned = _COMPARE[name]
        if kind.is_float:
            if kind.bits < 16:
                kind = FLOAT32
            return self.op(
                f"arith.cmpf {of_float}, {self.value(args[0], kind)}, {self.value(args[1], kind)}"
                f" : {kind.mlir}"
            )
        # A size may need more than 32 bits, whatever it is compared with.
        if kind in (INT32, INT64) and (
            all(map(self.like_index, args)) or any(map(_is_size, args))
        ):
            a, b = map(self.index, args)
            return self.op(f"arith.cmpi {signed}, {a}, {b} : index")
        a, b = self.value(args[0], kind), self.value(args[1], kind)
        return self.op(
            f"arith.cmpi {unsigned if kind.is_unsigned else signed}, {a}, {b} : {kind.mlir}"
        )

    def selection(self, args, kind):
        condition = self.value(args[0], BOOL)
        if self.harmless(args[1], forms_of(args[0])) and self.harmless(
            args[2], forms_of(args[0], False)
        ):
            yes, no = self.value(args[1], kind), self.value(args[2], kind)
            return self.op(f"arith.select {condition}, {yes}, {no} : {kind.mlir}")
        return self.branches(
            condition,
            kind.mlir,
            [
                (forms_of(args[0]), lambda: self.value(args[1], kind)),
                (forms_of(args[0], False), lambda: self.value(args[2], kind)),
            ],
        )

    def logic(self, name, args):
        first = self.value(args[0], BOOL)
        known = forms_of(args[0], name == "and")
        if self.harmless(args[1], known):
            return self.op(
                f"arith.{'andi' if name == 'and' else 'ori'} {first}, {self.value(args[1], BOOL)}"
                " : i1"
            )
        second, plain = (
            (known, lambda: self.value(args[1], BOOL)),
            ([], lambda: self.constant(name == "or", BOOL)),
        )
        return self.branches(first, "i1", [second, plain] if name == "and" else [plain, second])

    def branches(self, condition, kind, arms):
        """A value that an `if` yields; each arm knows forms that are not negative there."""
        texts = []
        for forms, make in arms:
            with self.region(forms):
                result = make()
                self.effect(f"scf.yield {result} : {kind}")
                texts.append(self.lines)
        self.count += 1
        name = f"%{self.count}"
        self.lines += [
            f"{name} = scf.if {condition} -> ({kind}) {{",
            *texts[0],
            "} else {",
            *texts[1],
            f"}} {self.loc}",
        ]
        return name

    def harmless(self, expr, forms=()):
        """Whether a value may be computed although it is not needed."""
        if not isinstance(expr, Expr) or type(expr) in (Variable, Let, Const):
            return True
        if isinstance(expr, Load):
            if not all(map(self.harmless, expr.indices)):
                return False
            if expr.buffer.space == "var":
                return self.mode != "block"
            if expr.buffer.space == "fragment":
                return self.mode != "block" and not self.guards(expr.buffer, expr.indices)
            if expr.buffer.space != "global":
                return self.inside(expr.buffer, expr.indices)
            facts, self.facts = self.facts, Facts(self.facts, forms)
            needed = self.guards(expr.buffer, expr.indices)
            self.facts = facts
            return not needed
        if expr.name == "atomic":
            return False
        if expr.name in ("floordiv", "truncdiv", "mod") and expr.dtype.is_integer:
            low, high = bounds(expr.args[1])
            if (low is None or low <= 0) and (high is None or high >= 0):
                return False
        return all(self.harmless(x, forms) for x in expr.args)

    # Conversions.
    def convert(self, expr, kind):
        source = type_of(expr)
        if (
            kind.is_integer
            and kind.bits >= 32
            and not kind.is_unsigned
            and isinstance(expr, Expr)
            and self.like_index(expr)
            and type(expr) is not Variable
        ):
            return self.from_index(self.index(expr), kind)
        a = self.value(expr)
        return self.convert_value(a, source, kind)

    def convert_value(self, a, source, kind):
        s, t = source.mlir, kind.mlir
        if kind.is_bool:
            if source.is_bool:
                return a
            compare = "cmpf une" if source.is_float else "cmpi ne"
            return self.op(f"arith.{compare}, {a}, {self.constant(0, source)} : {s}")
        if source.is_float and kind.is_float:
            if s == t:
                return a
            if (
                source.bits == kind.bits
                or min(source.bits, kind.bits) < 16
                and max(source.bits, kind.bits) != 32
            ):
                a = self.convert_value(a, source, FLOAT32)
                return self.convert_value(a, FLOAT32, kind)
            return self.op(
                f"arith.{'extf' if kind.bits > source.bits else 'truncf'} {a} : {s} to {t}"
            )
        if kind.is_float:
            if kind.bits < 16:
                return self.convert_value(self.convert_value(a, source, FLOAT32), FLOAT32, kind)
            return self.op(f"arith.{'uitofp' if source.is_unsigned else 'sitofp'} {a} : {s} to {t}")
        if source.is_float:
            if source.bits < 16:
                return self.convert_value(self.convert_value(a, source, FLOAT32), FLOAT32, kind)
            return self.op(f"arith.{'fptoui' if kind.is_unsigned else 'fptosi'} {a} : {s} to {t}")
        if source.bits == kind.bits:
            return a
        if kind.bits < source.bits:
            return self.op(f"arith.trunci {a} : {s} to {t}")
        return self.op(f"arith.{'extui' if source.is_unsigned else 'extsi'} {a} : {s} to {t}")

    def bitcast(self, expr, kind):
        source = type_of(expr)
        a = self.value(expr)
        if source.mlir == kind.mlir:
            return a
        return self.op(f"arith.bitcast {a} : {source.mlir} to {kind.mlir}")
