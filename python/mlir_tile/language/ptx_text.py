# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline assembly: straight PTX over registers of 32 bits, as values of the kernel.

A register holds a value of the kernel (uint32) or a number that is known. What an instruction does
becomes ordinary arithmetic, so that the kernel runs on every target, and LLVM finds the
instructions again."""

import re

from .dtypes import dtype
from .mathematics import reinterpret
from .values import Const, Expr, binary, cast, compare, select, unary

__all__ = ["run"]

WORD, HALF = dtype("uint32"), dtype("uint16")
SIGNED, WIDE = dtype("int32"), dtype("int64")
_MASK = 0xFFFFFFFF


def run(text, registers, refuse):
    """Runs the instructions of a text.

    Args:
      registers: the values of %0, %1, ... (None: never written); written ones are replaced.
      refuse: called with what is not supported.
    """
    names = {f"%{i}": value for i, value in enumerate(registers)}
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    for line in re.split(r"[;{}]", text):
        line = line.strip()
        if not line:
            continue
        if line.startswith(".reg"):
            for name in re.split(r"[,\s]+", line)[2:]:
                names[name] = None
            continue
        opcode, *rest = line.split(None, 1)
        rest = rest[0] if rest else ""
        places = [x.strip() for x in rest.split(",")]
        if not places[0] or places[0] not in names:
            refuse(f"the assembly {line!r}")
        operands = [_operand(x, names, refuse, line) for x in places[1:]]
        names[places[0]] = _instruction(opcode.strip(), operands, refuse, line)
    registers[:] = [names[f"%{i}"] for i in range(len(registers))]


def _operand(text, names, refuse, line):
    if text in names:
        if names[text] is None:
            refuse(f"{text} of {line!r}, which nothing has written,")
        return names[text]
    try:
        return int(text.rstrip("U"), 0) & _MASK
    except ValueError:
        return refuse(f"the operand {text!r} of {line!r}")


def word(value):
    """A value of 32 bits as uint32."""
    return Const(value & _MASK, WORD) if not isinstance(value, Expr) else cast(value, WORD)


def _bitwise(name, a, b):
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        return {"and": a & b, "or": a | b, "xor": a ^ b}[name]
    for x, y in ((a, b), (b, a)):
        if not isinstance(x, Expr) and name == "and" and x in (0, _MASK):
            return y if x else 0
        if not isinstance(x, Expr) and name != "and" and x == 0:
            return y
    return binary(name, word(a), word(b))


def shift(name, a, count):
    """a shifted by a number that is known: zero from 32 on, as PTX has it."""
    if count >= 32:
        return 0
    if count == 0:
        return a
    if not isinstance(a, Expr):
        return (a << count) & _MASK if name == "shl" else a >> count
    return binary(name, word(a), Const(count, WORD))


def _invert(a):
    return ~a & _MASK if not isinstance(a, Expr) else binary("xor", word(a), Const(_MASK, WORD))


def _permute(a, b, selector):
    """The bytes of a (0 to 3) and b (4 to 7) that the digits of a number name; from 8 on, copies of
    their signs."""
    result = 0
    for place in range(4):
        chosen = selector >> (4 * place) & 15
        source, byte = (b, chosen % 8 - 4) if chosen % 8 >= 4 else (a, chosen % 8)
        part = _bitwise("and", shift("shr", source, 8 * byte), 255)
        if chosen >= 8:
            sign = shift("shr", part, 7)
            known = not isinstance(sign, Expr)
            part = 255 * sign if known else binary("mul", sign, Const(255, WORD))
        result = _bitwise("or", result, shift("shl", part, 8 * place))
    return result


def _logic(a, b, c, table):
    """The function of three bits that a table of eight is."""
    known = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}
    for first in known:
        for second in known:
            if known[second](known[first](0xF0, 0xCC), 0xAA) == table:
                return _bitwise(second, _bitwise(first, a, b), c)
    result = 0
    for row in range(8):
        if table >> row & 1:
            term = _MASK
            for bit, x in ((4, a), (2, b), (1, c)):
                term = _bitwise("and", term, x if row & bit else _invert(x))
            result = _bitwise("or", result, term)
    return result


def _halves(value, kind):
    """The two floats that a word is."""
    element = dtype("bfloat16" if kind == "bf16x2" else "float16")
    halves = _bitwise("and", value, 0xFFFF), shift("shr", value, 16)
    return [reinterpret(cast(word(x), HALF), element) for x in halves]


def packed(low, high):
    """Two values of 16 bits as a word."""
    low, high = (cast(reinterpret(x, HALF), WORD) for x in (low, high))
    return binary("or", low, binary("shl", high, Const(16, WORD)))


def _packed_arithmetic(name, kind, modifiers, operands):
    results = []
    for parts in zip(*(_halves(x, kind) for x in operands), strict=True):
        if name == "fma":  # a product of 16 bits is exact in float32, a sum is rounded once more
            wide = [cast(x, dtype("float32")) for x in parts]
            value = binary("add", binary("mul", wide[0], wide[1]), wide[2])
        else:
            value = binary(name, *parts)
        value = cast(value, dtype("bfloat16" if kind == "bf16x2" else "float16"))
        zero, one = (Const(x, value.dtype) for x in (0.0, 1.0))
        if "relu" in modifiers:
            value = select(compare("le", value, zero), zero, value)
        if "sat" in modifiers:  # of what is no number, zero
            value = select(compare("gt", value, zero), binary("min", value, one), zero)
        results.append(value)
    return packed(*results)


def _saturated(name, operands):
    """A sum or difference of signed integers, at most and at least what 32 bits hold."""
    a, b = (cast(reinterpret(word(x), SIGNED), WIDE) for x in operands)
    value = binary("min", binary(name, a, b), Const(2**31 - 1, WIDE))
    return reinterpret(cast(binary("max", value, Const(-(2**31), WIDE)), SIGNED), WORD)


def _high(kind, operands):
    """The high half of a product."""
    wide, narrow = (WIDE, SIGNED) if kind == "s32" else (dtype("uint64"), WORD)
    a, b = (cast(reinterpret(word(x), narrow), wide) for x in operands)
    return cast(binary("shr", binary("mul", a, b), Const(32, wide)), WORD)


# By an instruction's name: how many operands it has, and its types with their modifiers.
_WORDS = {"b32": (), "u32": (), "s32": ()}
_HALF_SUM = {"f16x2": ("rn", "sat"), "bf16x2": ("rn",)}
_PAIRS = {"f16x2": (), "bf16x2": ()}
_INSTRUCTIONS = {
    "mov": (1, _WORDS),
    "and": (2, _WORDS),
    "or": (2, _WORDS),
    "xor": (2, _WORDS),
    "not": (1, _WORDS),
    "shl": (2, _WORDS),
    "shr": (2, _WORDS),
    "neg": (1, {"s32": ()}),
    "add": (2, {"u32": (), "s32": ("sat",), **_HALF_SUM}),
    "sub": (2, {"u32": (), "s32": ("sat",), **_HALF_SUM}),
    "mul": (2, {"u32": ("lo", "hi"), "s32": ("lo", "hi"), **_HALF_SUM}),
    "fma": (3, {"f16x2": ("rn", "sat", "relu"), "bf16x2": ("rn", "relu")}),
    "min": (2, _PAIRS),
    "max": (2, _PAIRS),
    "prmt": (3, {"b32": ()}),
    "lop3": (4, {"b32": ()}),
}


def _instruction(opcode, operands, refuse, line):
    name, *modifiers = opcode.split(".")
    kind = modifiers.pop() if modifiers else ""
    count, kinds = _INSTRUCTIONS.get(name, (0, {}))
    if kind not in kinds or len(operands) != count:
        return refuse(f"the assembly {line!r}")
    for x in modifiers:
        if x not in kinds[kind]:
            return refuse(f"the modifier .{x} of the assembly {line!r}")
    if kind in _PAIRS:
        return _packed_arithmetic(name, kind, modifiers, operands)
    if name == "mov":
        return operands[0]
    if name in ("and", "or", "xor"):
        return _bitwise(name, *operands)
    if name == "not":
        return _invert(operands[0])
    if name in ("shl", "shr") and not isinstance(operands[1], Expr):
        if name == "shr" and kind == "s32":
            signed = reinterpret(word(operands[0]), SIGNED)
            moved = binary("shr", signed, Const(min(operands[1], 31), SIGNED))
            return reinterpret(moved, WORD)
        return shift(name, *operands)
    if name == "neg":
        return reinterpret(unary("neg", reinterpret(word(operands[0]), SIGNED)), WORD)
    if modifiers == ["sat"]:
        return _saturated(name, operands)
    if name == "mul" and modifiers == ["hi"]:
        return _high(kind, operands)
    if name in ("add", "sub") or name == "mul" and modifiers == ["lo"]:
        if not any(isinstance(x, Expr) for x in operands):
            a, b = operands
            return {"add": a + b, "sub": a - b, "mul": a * b}[name] & _MASK
        return binary(name, *map(word, operands))
    if name == "prmt" and not isinstance(operands[2], Expr):
        return _permute(*operands)
    if name == "lop3" and not isinstance(operands[3], Expr):
        return _logic(*operands)
    return refuse(f"the assembly {line!r}")
