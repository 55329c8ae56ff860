# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds and linear forms of integer expressions: extents of slices, accesses that stay inside."""

import math

from .values import Const, Expr, Let, Load, Op, Variable, binary


def key_of(value):
    """A hashable key; two values with one key are the same wherever both are defined."""
    if isinstance(value, (int, float)):
        return value
    if type(value) is Op:
        return (value.name, value.dtype, *map(key_of, value.args))
    if type(value) is Const:
        return (value.dtype, value.value)
    if isinstance(value, Load):
        return ("load", id(value.buffer), *map(key_of, value.indices))
    return id(value)


def linear(value):
    """A value as ({key: (factor, atom)}, constant)."""
    if isinstance(value, int):
        return {}, int(value)
    if type(value) is Const and value.dtype.is_integer:
        return {}, int(value.value)
    if type(value) is Let and not isinstance(value.value, Load):
        if is_pure(value.value):
            return linear(value.value)
    if type(value) is Op and value.dtype.is_integer:
        form = _linear(value.name, value.args)
        if form is not None and _keeps(form, value):
            return form
    return {key_of(value): (1, value)}, 0


def _linear(name, args):
    """The form of an operation, had its type all integers; None where it is not linear."""
    if name in ("add", "sub"):
        return combine(linear(args[0]), linear(args[1]), 1 if name == "add" else -1)
    if name == "mul":
        a, b = linear(args[0]), linear(args[1])
        if not b[0]:
            return scale(a, b[1])
        if not a[0]:
            return scale(b, a[1])
    if name == "cast" and isinstance(args[0], Expr) and args[0].dtype.is_integer:
        return linear(args[0])
    return None


def _keeps(form, value):
    """Whether an operation's type has the number that the form is: sums and products of signed
    integers of 32 and 64 bits do not overflow, as in C; what is narrower or unsigned wraps around,
    and casts cut off."""
    kind = value.dtype
    if value.name != "cast" and not kind.is_unsigned and kind.bits >= 32:
        return True
    low, high = bounds_of(form)
    if value.name == "cast":
        least, most = limits(value.args[0].dtype)
        low, high = least if low is None else low, most if high is None else high
    return fits((low, high), kind)


def limits(kind):
    """The least and the greatest number of an integer type."""
    if kind.is_bool:
        return 0, 1
    if kind.is_unsigned:
        return 0, 2**kind.bits - 1
    return -(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1


def fits(found, kind):
    """Whether bounds are known, and of numbers that an integer type has."""
    low, high = found
    least, most = limits(kind)
    return low is not None and high is not None and least <= low and high <= most


def is_pure(value, steady=()):
    """Whether a value is the same wherever it is computed. `steady`: buffers that nothing writes
    meanwhile."""
    if type(value) is Load:
        inside = all(is_pure(x, steady) for x in value.indices if isinstance(x, Expr))
        return inside and any(value.buffer is x for x in steady)
    return type(value) is not Op or all(
        is_pure(x, steady) for x in value.args if isinstance(x, Expr)
    )


def combine(a, b, sign):
    terms = dict(a[0])
    for key, (factor, atom) in b[0].items():
        factor = terms.get(key, (0,))[0] + sign * factor
        if factor:
            terms[key] = (factor, atom)
        else:
            terms.pop(key, None)
    return terms, a[1] + sign * b[1]


def scale(a, factor):
    if not factor:
        return {}, 0
    return {k: (f * factor, atom) for k, (f, atom) in a[0].items()}, a[1] * factor


def difference(stop, start):
    """stop - start: a number where the terms cancel, else a value."""
    terms, constant = combine(linear(stop), linear(start), -1)
    if not terms:
        return constant
    result = None
    for factor, atom in terms.values():
        part = binary("mul", atom, factor)
        result = part if result is None else binary("add", result, part)
    return binary("add", result, constant)


def divided(value, divisor):
    """(quotient, remainder) of a division that rounds down, without an operation for the terms that
    are multiples of the divisor."""
    if not isinstance(divisor, int):
        return binary("floordiv", value, divisor), binary("mod", value, divisor)
    terms, constant = linear(value)
    whole = {k: (f // divisor, atom) for k, (f, atom) in terms.items() if f % divisor == 0}
    rest = {k: x for k, x in terms.items() if k not in whole}, constant % divisor
    quotient, left = value_of((whole, constant // divisor)), value_of(rest)
    low, high = bounds_of(rest)
    if low is not None and high is not None and 0 <= low and high < divisor:
        return quotient, left
    more = binary("floordiv", left, divisor)
    return binary("add", quotient, more), binary("mod", left, divisor)


def key_of_form(form):
    """A hashable key; two forms of one key are the same."""
    return frozenset((key, factor) for key, (factor, _) in form[0].items()), form[1]


def value_of(form):
    """The value that a linear form is."""
    result = form[1]
    for factor, atom in form[0].values():
        part = binary("mul", atom, factor)
        result = part if type(result) is int and not result else binary("add", result, part)
    return result


def bounds(value):
    """(low, high) of an integer, both included; None where unknown."""
    return bounds_of(linear(value))


def bounds_of(form):
    """Bounds of a linear form."""
    low = high = form[1]
    for factor, atom in form[0].values():
        a, b = _atom(atom)
        if factor < 0:
            a, b = b, a
        low = None if low is None or a is None else low + factor * a
        high = None if high is None or b is None else high + factor * b
    return low, high


def _atom(value):
    if type(value) is Variable:
        return value.low, value.high
    if type(value) is Const or isinstance(value, int):
        number = int(value if isinstance(value, int) else value.value)
        return number, number
    if type(value) is Op:
        found = _op(value)
        if found is not None:
            return found
    kind = value.dtype
    if kind.is_bool:
        return 0, 1
    if kind.is_integer and kind.bits <= 16:
        return limits(kind)
    return (0, None) if kind.is_unsigned else (None, None)


def _op(value):
    name, args = value.name, value.args
    if name == "cast":
        if not (isinstance(args[0], Expr) and args[0].dtype.is_integer):
            return None
        low, high = bounds(args[0])
        least, most = limits(args[0].dtype)
        whole = (least if low is None else low), (most if high is None else high)
        return (low, high) if fits(whole, value.dtype) else None
    if name == "select":
        (a, b), (c, d) = bounds(args[1]), bounds(args[2])
        return (None if a is None or c is None else min(a, c)), (
            None if b is None or d is None else max(b, d)
        )
    if len(args) != 2 or not value.dtype.is_integer:
        return None
    (a, b), (c, d) = bounds(args[0]), bounds(args[1])
    if name == "min":
        highs = [x for x in (b, d) if x is not None]
        return (None if a is None or c is None else min(a, c)), (min(highs) if highs else None)
    if name == "max":
        lows = [x for x in (a, c) if x is not None]
        return (max(lows) if lows else None), (None if b is None or d is None else max(b, d))
    if name in ("floordiv", "truncdiv") and c is not None and c > 0:
        if name == "truncdiv" and (a is None or a < 0):
            return None
        low = None if a is None else (a // c if a < 0 else (0 if d is None else a // d))
        return low, (None if b is None else (b // c if b >= 0 else (None if d is None else b // d)))
    if name == "mod" and c is not None and c > 0:
        if a is not None and a >= 0 and b is not None and b < c:
            return a, b
        return 0, (None if d is None else d - 1)
    wraps = value.dtype.is_unsigned or value.dtype.bits < 32
    if name == "mul" and None not in (a, b, c, d):
        products = (a * c, a * d, b * c, b * d)
        found = min(products), max(products)
        return found if not wraps or fits(found, value.dtype) else None
    if name == "mul" and not wraps and a is not None and c is not None and a >= 0 and c >= 0:
        return a * c, None
    if name == "and":
        for low, high in ((a, b), (c, d)):
            if low is not None and low >= 0 and high is not None:
                return 0, high
    if name == "shr" and a is not None and a >= 0 and c is not None and c >= 0:
        return 0, (None if b is None else b >> c)
    if name == "shl" and c is not None and c == d and 0 <= c < value.dtype.bits:
        found = (None if a is None else a << c), (None if b is None else b << c)
        return found if fits(found, value.dtype) else None
    return None


def solved_for(size, variable):
    """(factor, rest) where a size is factor * variable + rest, and the rest a linear form of other
    sizes; None elsewhere."""
    if isinstance(size, int):
        return None
    terms, constant = linear(size)
    others = dict(terms)
    own = [key for key, (_, atom) in terms.items() if _is_size(atom) and atom.name == variable.name]
    if len(own) != 1:
        return None
    factor, _ = others.pop(own[0])
    if factor <= 0 or not all(_is_size(atom) for _, atom in others.values()):
        return None
    return factor, (others, constant)


def _is_size(value):
    return type(value) is Variable and value.kind == "dynamic"


def never_negative(value):
    low = bounds(value)[0]
    return low is not None and low >= 0


class Facts:
    """What holds in a region: linear forms that are not negative."""

    def __init__(self, outer=None, forms=()):
        self.outer, self.forms = outer, list(forms)

    def holds(self, form):
        """Whether the form is known to be at least zero."""
        low = bounds_of(form)[0]
        if low is not None and low >= 0:
            return True
        scope = self
        while scope is not None:
            for fact in scope.forms:
                low = bounds_of(combine(form, fact, -1))[0]
                if low is not None and low >= 0:
                    return True
            scope = scope.outer
        return False


def grid_facts(blocks, extents, promises):
    """What the extents of the grid say of the indices of blocks: they are below; of a grid of
    ceildiv(n, m), m times the index is below n, and a whole m below it where n is promised to be a
    multiple of m."""
    forms = []
    for index, extent in zip(blocks, extents, strict=True):
        forms.append(combine(combine(linear(extent), linear(index), -1), ({}, 1), -1))
        if type(extent) is not Op or extent.name != "floordiv":
            continue
        number = linear(extent.args[1])
        if number[0] or number[1] < 1:
            continue
        step = number[1]
        size = combine(linear(extent.args[0]), ({}, step - 1), -1)
        left = combine(size, scale(linear(index), step), -1)
        whole = any(x % step == 0 for x in divisors_of(size, promises))
        forms.append(combine(left, ({}, step if whole else 1), -1))
    return forms


def promised_divisor(value, promises):
    """A number that divides an integer by what is promised (`n % k == 0`) of its parts."""
    if type(value) is Op and value.name == "mul":
        a, b = (promised_divisor(x, promises) for x in value.args)
        return a * b
    terms, constant = linear(value)
    result = abs(constant)
    for factor, atom in terms.values():
        part = abs(factor)
        if type(atom) is Op and atom.name == "mul":
            part *= promised_divisor(atom, promises)
        else:
            for divisor in divisors_of(linear(atom), promises):
                part = math.lcm(part, abs(factor) * divisor)
        result = math.gcd(result, part)
    return result


def divisors_of(form, promises):
    """The numbers of which promises (`n % k == 0`) say that a linear form is a multiple."""
    for promise in promises:
        if type(promise) is Op and promise.name == "and":
            yield from divisors_of(form, promise.args)
        if type(promise) is not Op or promise.name != "eq":
            continue
        for value, zero in (promise.args, promise.args[::-1]):
            if type(value) is Op and value.name == "mod" and linear(zero) == ({}, 0):
                divisor = linear(value.args[1])
                same = combine(linear(value.args[0]), form, -1) == ({}, 0)
                if same and not divisor[0] and divisor[1] > 0:
                    yield divisor[1]


def forms_of(condition, positive=True, steady=()):
    """Linear forms that are not negative where the condition holds (or, negated, does not). Of
    memory, only what is in `steady` buffers counts."""
    if type(condition) is not Op:
        return []
    name, args = condition.name, condition.args
    if (name == "and" and positive) or (name == "or" and not positive):
        return forms_of(args[0], positive, steady) + forms_of(args[1], positive, steady)
    if name == "xor" and args[1] is True:
        return forms_of(args[0], not positive, steady)
    if len(args) != 2 or name not in ("lt", "le", "gt", "ge", "eq"):
        return []
    for x in args:
        if isinstance(x, float) or (
            isinstance(x, Expr) and (not x.dtype.is_integer or not is_pure(x, steady))
        ):
            return []
    if not positive:
        name = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}.get(name)
    a, b = linear(args[0]), linear(args[1])
    if name == "lt":
        return [combine(combine(b, a, -1), ({}, 1), -1)]
    if name == "le":
        return [combine(b, a, -1)]
    if name == "gt":
        return [combine(combine(a, b, -1), ({}, 1), -1)]
    if name == "ge":
        return [combine(a, b, -1)]
    if name == "eq":
        return [combine(a, b, -1), combine(b, a, -1)]
    return []
