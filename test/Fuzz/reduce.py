# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Smaller programs from a program: statements left out, loops and guards opened, expressions replaced by their parts.

Numpy says of each whether it is still sane and what it computes then, so what is left is a finding, not an accident.
"""

import copy
import re

from elements import Unfit
from expressions import Const, Expr
from statements import Alloc, Assume, If, Loop, Parallel, Store


def _lists(statements):
    """Every list of statements of a program."""
    yield statements
    for statement in statements:
        if isinstance(statement, Loop):
            yield from _lists(statement.body)
        elif isinstance(statement, If):
            yield from _lists(statement.then)
            if statement.other:
                yield from _lists(statement.other)
        elif hasattr(statement, "parts"):
            for _, _, body in statement.parts:
                yield from _lists(body)


def _parts(value):
    """Expressions of the same type that are part of one."""
    found = []
    for name in ("a", "b", "load", "other"):
        part = getattr(value, name, None)
        if isinstance(part, Expr):
            found += [part] if part.element == value.element else _parts(part)
    return found + [Const(1, value.element)] * (not isinstance(value, Const))


def _cuts(program):
    """Functions that make a copy of the program smaller, each by a little."""
    for number, statements in enumerate(_lists(program.body)):
        size = len(statements)
        for width in (8, 4, 2, 1):
            for start in range(0, size, width):
                if width == 1 or size >= 2 * width:
                    yield lambda p, n=number, s=start, w=width: _at(p, n).__delitem__(slice(s, s + w))
        for place, statement in enumerate(statements):
            if isinstance(statement, If):
                yield lambda p, n=number, i=place: _at(p, n).__setitem__(slice(i, i + 1), _at(p, n)[i].then)
            if isinstance(statement, Loop) and statement.stages != 1:
                yield lambda p, n=number, i=place: setattr(_at(p, n)[i], "stages", 1 if _at(p, n)[i].stages else None)
            if isinstance(statement, Parallel):
                for which, store in enumerate(statement.body):
                    if isinstance(store, Store):
                        for part in range(len(_parts(store.value))):
                            yield lambda p, n=number, i=place, w=which, c=part: setattr(
                                _at(p, n)[i].body[w], "value", _parts(_at(p, n)[i].body[w].value)[c])
            if getattr(statement, "attributes", None):
                yield lambda p, n=number, i=place: setattr(_at(p, n)[i], "attributes", type(_at(p, n)[i].attributes)())
            if getattr(statement, "pad", None) is not None:
                yield lambda p, n=number, i=place: setattr(_at(p, n)[i], "pad", None)
            for end in ("source", "target"):
                offsets = getattr(getattr(statement, end, None), "offsets", None)
                for d in range(len(offsets or ())):
                    if not isinstance(offsets[d], Const):
                        yield lambda p, n=number, i=place, e=end, d=d: getattr(_at(p, n)[i], e).offsets.__setitem__(d, Const(0))
    for key in list(program.attributes):
        yield lambda p, key=key: p.attributes.pop(key)
    if program.cluster:
        yield lambda p: setattr(p, "cluster", ())
    for d, (_, extent) in enumerate(program.grid):
        if any(extent(run) > 1 for run in program.runs):
            yield lambda p, d=d: p.grid.__setitem__(d, ("1", lambda run: 1))
    for index in range(len(program.arguments)):
        for key in ("attributes", "memory"):
            if getattr(program.arguments[index], key):
                yield lambda p, i=index, key=key: _plain(p, i, key)


def _plain(program, index, key):
    buffer = program.arguments[index]
    setattr(buffer, key, "")
    if key == "memory":
        buffer.strides = ()


def _at(program, number):
    return list(_lists(program.body))[number]


def _clean(program):
    """Leaves out tiles and arguments that nothing names."""
    while True:
        head, _, body = program.text(comment=False).partition(" threads(")
        names = set(re.findall(r"%(\w+)", body)) | set(re.findall(r"dim\(%(\w+)", head))
        once = [s for s in program.body if isinstance(s, Alloc) and len(re.findall(rf"%{s.buffer.name}\b", body)) < 2]
        once += [s for s in program.body if isinstance(s, Assume) and len(re.findall(rf"%{s.value.buffer.name}\b", body)) < 2
                 and f"dim(%{s.value.buffer.name}" not in head]
        program.body = [s for s in program.body if s not in once]
        program.arguments = [b for b in program.arguments if b.name in names]
        program.outputs = [n for n in program.outputs if n in names]
        program.scalars = [s for s in program.scalars if s[0] in names]
        if not once:
            return


def reduced(program, shows, limit=2000):
    """The smallest program found that `shows(program, expected results)`."""
    tried, progress = 0, True
    program.runs = program.runs[:1]
    while progress and tried < limit:
        progress, number = False, 0
        while True:
            cuts = list(_cuts(program))
            if number >= len(cuts) or tried >= limit:
                break
            candidate = copy.deepcopy(program)
            tried += 1
            try:
                cuts[number](candidate)
                _clean(candidate)
                if not candidate.outputs:
                    raise Unfit("stores nothing")
                kept = shows(candidate, [candidate.expected(run) for run in candidate.runs])
            except (Unfit, KeyError, IndexError, TypeError, AttributeError, ValueError):
                kept = False
            if kept and candidate.text(False) != program.text(False):
                program, progress = candidate, True
            else:
                number += 1
    return program
