# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose iterations are on their own: those of T.Parallel, and vectors, which have one
condition as a whole where they may lie outside of a tensor."""

import copy

from .emit_loops import Place
from .fused_loops import fuse_vector
from .places import accesses_of, behind_names
from .ranges import (
    combine,
    forms_of,
    is_pure,
    key_of,
    key_of_form,
    linear,
    promised_divisor,
    value_of,
)
from .statements import Define, For, If, Store, Undefined, leaves, written_variables
from .values import BOOL, Op, number_of, walk


class ParallelLoops:
    """The part of the emitter that writes loops of iterations on their own."""

    def whole_vector(self, statement):
        """Under which conditions all accesses of a vectorized loop are inside of their tensors, and
        what the loop is elsewhere: "outside" with all elements of all accesses that have a
        condition, or "guarded". No conditions where all are inside anyway, or where that does not
        follow from the loop's first and last element."""
        count, index = self.trip_count(statement), statement.indices[0]
        if not count or statement.start != 0 or statement.step != 1:
            return [], None
        found, ways, together = {}, set(), True
        for access in accesses_of(statement.body):
            if access.buffer.space != "global":
                continue
            mine = {}
            for place, size in zip(access.indices, access.buffer.shape):
                form = linear(place)
                for sign, at in ((-1, combine(linear(size), ({}, 1), -1)), (1, ({}, 0))):
                    least = self.least(combine(at, form, sign), index, count)
                    if least is None:
                        return [], None
                    if not self.facts.holds(least[0]):
                        mine[key_of_form(least[0])] = least[0]
                        together &= least[1]
            found.update(mine)
            if mine:
                ways.add(frozenset(mine))
        conditions = [Op("ge", (value_of(x), 0), BOOL) for x in found.values()]
        return conditions, "outside" if together and len(ways) == 1 else "guarded"

    def least(self, form, index, count):
        """The least that a linear form is for the indices of a loop, as a form, and whether it has
        one sign for all of them; None where it is not linear in them, or reads memory."""
        terms = dict(form[0])
        factor = terms.pop(key_of(index), (0,))[0]
        for _, atom in terms.values():
            if not is_pure(atom) or any(x is index for x in behind_names(walk(atom))):
                return None
        # It counts up or down by one, from or to a multiple of the loop's iterations.
        edge = value_of((terms, form[1] + (factor < 0)))
        together = not factor or (
            abs(factor) == 1 and promised_divisor(edge, self.promises) % count == 0
        )
        return (terms, form[1] + min(0, factor * (count - 1))), together

    def by_whole_vector(self, statement, conditions, rest):
        """Vectors that are inside as a whole, without a condition for each element; the others."""
        condition = conditions[0]
        for x in conditions[1:]:
            condition = Op("and", (condition, x), BOOL)
        made = If(self.keep(condition))
        guarded = copy.copy(statement)
        guarded.guarded = rest
        made.location = statement.location
        made.then, made.otherwise = [statement], [guarded]
        self.kept.append(made)
        return made

    def elementwise(self, statement):
        """Whether a vectorized loop of the block has nothing but stores to elements."""
        return (
            all(type(x) in (Store, Define) for x in statement.body)
            and number_of(statement.extents[0]) is not None
            and statement.start == 0
        )

    def parallel(self, statement):
        merged, body = list(zip(statement.indices, statement.extents)), statement.body
        while (
            len(body) == 1
            and type(body[0]) is For
            and body[0].kind in ("vectorized", "parallel")
            and body[0].start == 0
            and number_of(body[0].step) == 1
            and not leaves(body[0].body)
            and all(number_of(x) is not None for x in body[0].extents)
        ):
            if body is statement.body and body[0].kind == "vectorized":
                fuse_vector(statement)
                if body is not statement.body:
                    merged = list(zip(statement.indices, statement.extents))
                    body = statement.body
                    continue
            merged += list(zip(body[0].indices, body[0].extents))
            body = body[0].body
        sizes = [number_of(x) for _, x in merged]
        loc, location = self.loc, self.location
        written = [v for v in written_variables(body) if v in self.variables]
        chunks = self.chunks(sizes)
        lasts = [self.index(x) if size is None else None for (_, x), size in zip(merged, sizes)]
        mode, outer = self.mode, []
        self.allocate_within(body, ("local",))
        with self.region():
            names, extents, conditions = [], [], []
            for (variable, extent), size, chunk, last in zip(merged, sizes, chunks, lasts):
                self.count += 1
                names.append(f"%{self.count}")
                if size is not None:
                    extents.append(size)
                    self.scopes[-1][("index", id(variable))] = names[-1]
                    continue
                extents.append(chunk)
                self.count += 1
                base = f"%{self.count}"
                outer.append((base, last, chunk))
                conditions.append((variable, extent, base, names[-1]))
            self.mode = "parallel"
            for v in written:
                if isinstance(self.variables[v], Place):
                    self.variables[v] = self.read_variable(v)
            forms = self.chunk_indices(conditions)
            if conditions:
                self.guarded_body(conditions, forms, body)
            else:
                self.block(body)
            lines = self.lines
        self.mode = mode
        attributes = "".join(
            f", {k} = {v} : i64" for k, v in statement.attributes.items() if k == "coalesced_width"
        )
        layout = (
            f" layout({statement.attributes['layout']})" if "layout" in statement.attributes else ""
        )
        attributes = f" attributes {{{attributes[2:]}}}" if attributes else ""
        heads = [
            f"scf.for {base} = {self.constant(0, 'index')} to {last} step"
            f" {self.constant(chunk, 'index')} {{"
            for base, last, chunk in outer
        ]
        self.lines += [
            *heads,
            f"tile.parallel ({', '.join(names)}) in"
            f" ({', '.join(map(str, extents))}){layout}{attributes} {{",
            *lines,
            f"}} {loc}",
        ]
        self.lines += [f"}} {loc}"] * len(heads)
        for v in written:
            self.variables[v] = Undefined(location)

    def chunks(self, sizes):
        """Iterations of dimensions of run time that the threads take at a time."""
        known = 1
        for x in sizes:
            known *= x or 1
        room = max(1, self.kernel.threads // known)
        result = []
        for x in sizes:
            result.append(x if x is not None else room)
            if x is None:
                room = 1
        return result

    def chunk_indices(self, conditions):
        forms = []
        for variable, extent, base, name in conditions:
            self.scopes[-1][("index", id(variable))] = self.op(f"arith.addi {base}, {name} : index")
            forms += forms_of(self.keep(Op("lt", (variable, extent), BOOL)))
        return forms

    def guarded_body(self, conditions, forms, body):
        condition = None
        for variable, extent, _, _ in conditions:
            one = self.keep(Op("lt", (variable, extent), BOOL))
            condition = one if condition is None else self.keep(Op("and", (condition, one), BOOL))
        name, loc = self.value(condition), self.loc
        with self.region(forms):
            self.block(body)
            lines = self.lines
        self.lines += [f"scf.if {name} {{", *lines, f"}} {loc}"]

    def nested_parallel(self, statement):
        """A parallel loop inside of another: its iterations one after the other."""
        body = statement.body
        for variable, extent in reversed(list(zip(statement.indices, statement.extents))):
            loop = For("serial", [variable], [extent])
            loop.body, loop.location = body, statement.location
            self.kept.append(loop)
            body = [loop]
        self.block(body)
