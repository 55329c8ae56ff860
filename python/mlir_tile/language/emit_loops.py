# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops of a kernel to operations of scf and tile."""

import contextlib

from .buffers import Buffer
from .emit_warps import by_hand
from .places import steady_buffers
from .ranges import forms_of
from .statements import Alloc, Assign, For, If, Leave, Undefined, leaves, written_variables
from .values import BOOL, Op, number_of, reads_memory, unary

_UNROLLED = 64  # iterations of T.unroll that are written out


class Place:
    """Where a variable is in memory while a pipelined loop runs."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind


class Loops:
    """The part of the emitter that writes branches and loops; they carry the variables that they
    assign."""

    # Branches.
    def do_If(self, statement):
        if self.mode == "block" and self.has_threads and self.reads_threads(statement):
            if by_hand(statement.then) or by_hand(statement.otherwise):
                self.arms_on_warps(statement)
            else:
                self.of_some_threads(statement)
            return
        condition = self.value(statement.condition, BOOL)
        loc = self.loc
        before = self.variables
        # Of the block, every thread comes to the same arm.
        inside = self.mode == "thread"
        self.conditions += inside
        arms = []
        for positive, body in ((True, statement.then), (False, statement.otherwise)):
            steady = steady_buffers(statement.condition, body, self.small)
            with self.region(forms_of(statement.condition, positive, steady)):
                self.block(body)
                arms.append((self.lines, {k: self.variables[k] for k in before}))
        self.conditions -= inside
        changed = [
            v
            for v in before
            if any(arm[v] is not before[v] and arm[v] != before[v] for _, arm in arms)
        ]
        self.loc = loc
        names = []
        for v in changed:
            if any(isinstance(arm[v], Undefined) for _, arm in arms):
                self.variables[v] = next(arm[v] for _, arm in arms if isinstance(arm[v], Undefined))
            else:
                names.append(v)
        if not names:
            otherwise = [*arms[1][0]]
            if not arms[0][0] and not otherwise:
                return
            self.lines += [f"scf.if {condition} {{", *arms[0][0]]
            if otherwise:
                self.lines += ["} else {", *otherwise]
            self.lines.append(f"}} {loc}")
            return
        kinds = ", ".join(v.dtype.mlir for v in names)
        self.count += 1
        result = f"%{self.count}"
        text = [
            f"{result}{f':{len(names)}' if len(names) > 1 else ''} = scf.if {condition} ->"
            f" ({kinds}) {{"
        ]
        for i, (lines, values) in enumerate(arms):
            text += lines
            text.append(f"scf.yield {', '.join(values[v] for v in names)} : {kinds} {loc}")
            text.append("} else {" if i == 0 else f"}} {loc}")
        self.lines += text
        for i, v in enumerate(names):
            self.variables[v] = result if len(names) == 1 else f"{result}#{i}"

    # Loops.
    def do_For(self, statement):
        self.depth += 1
        outer, self.beyond = self.beyond, self.beyond or statement.guarded == "outside"
        some = self.some_rounds(statement)
        self.conditions += some
        self.write_loop(statement)
        self.conditions -= some
        self.depth, self.beyond = self.depth - 1, outer

    def write_loop(self, statement):
        if leaves(statement.body):
            return self.jumping_for(statement)
        if self.mode == "thread" and statement.kind == "vectorized" and not statement.guarded:
            conditions, rest = self.whole_vector(statement)
            if conditions:
                return self.do_If(self.by_whole_vector(statement, conditions, rest))
        if self.mode == "block" and statement.kind == "parallel":
            return self.parallel(statement)
        if self.mode == "block" and statement.kind == "vectorized" and self.elementwise(statement):
            return self.parallel(statement)
        if statement.kind == "parallel":
            return self.nested_parallel(statement)
        if id(statement) in self.written_out:
            return self.unrolled(statement, self.trip_count(statement))
        carried = self.carried(statement.body)
        count = self.trip_count(statement)
        if statement.kind == "unroll" and count is not None and count <= _UNROLLED:
            return self.unrolled(statement, count)
        if statement.kind == "pipelined" and self.mode == "block":
            # Where warps wait by hand, stages are slots of what they wait for.
            if statement.stages > 1 and not (carried and by_hand(statement.body)):
                return self.pipelined(statement, carried)
            if not carried and not by_hand(statement.body):
                return self.pipelined(statement, carried)
        return self.serial(statement, carried)

    def trip_count(self, statement):
        start, stop, step = (
            number_of(x) for x in (statement.start, statement.extents[0], statement.step)
        )
        if None in (start, stop, step):
            return None
        return max(0, -(-(stop - start) // step))

    def unrolled(self, statement, count):
        facts = self.facts
        for i in range(count):
            self.facts = facts  # what one round promises of its index
            with self.iteration():
                number = number_of(statement.start) + i * number_of(statement.step)
                variable = statement.indices[0]
                bounds = variable.low, variable.high
                variable.low = variable.high = number
                self.scopes[-1][("index", id(variable))] = self.constant(number, "index")
                self.block(statement.body)
                variable.low, variable.high = bounds

    @contextlib.contextmanager
    def iteration(self):
        """A scope of values without a region of its own."""
        self.scopes.append({})
        try:
            yield
        finally:
            self.scopes.pop()

    def bounds_of_loop(self, statement):
        return (
            self.index(statement.start),
            self.index(statement.extents[0]),
            self.index(statement.step),
        )

    def new_index(self, variable):
        self.count += 1
        name = f"%{self.count}"
        self.scopes[-1][("index", id(variable))] = name
        return name

    def loop_facts(self, statement):
        """Bounds of the index, where they are values."""
        variable = statement.indices[0]
        conditions = [
            Op("lt", (variable, statement.extents[0]), BOOL),
            Op("ge", (variable, statement.start), BOOL),
        ]
        forms = []
        for x in conditions:
            forms += forms_of(self.keep(x))
        return forms

    def carried(self, body):
        """Variables that a loop's statements assign and that are values outside (not places in
        memory).

        One that only iterations of T.Parallel assign is theirs: it carries nothing.
        """
        outside = written_variables(body, parallel=self.mode != "block")
        found = []
        for v in written_variables(body):
            if v not in self.variables or isinstance(self.variables[v], Place):
                continue
            if v in outside:
                found.append(v)
            else:
                self.variables[v] = Undefined(self.location)
        return found

    def pipelined(self, statement, carried):
        """A loop whose copies run ahead; the variables that it assigns are in shared memory
        meanwhile."""
        first, last, step = self.bounds_of_loop(statement)
        loc, places = self.loc, {}
        for v in carried:
            kind = f"memref<1x{v.dtype.mlir}, #gpu.address_space<workgroup>>"
            places[v] = Place(self.op(f"tile.alloc : {kind}"), kind)
            self.store_place(places[v], self.read_variable(v))
        with self.region(self.loop_facts(statement)):
            self.variables.update(places)
            index = self.new_index(statement.indices[0])
            self.block(statement.body)
            for v in carried:
                self.read_variable(v)  # of iterations of T.Parallel: the error that says so
            lines = self.lines
        self.lines += [
            f"tile.pipelined {index} = {first} to {last} step {step} stages({statement.stages}) {{",
            *lines,
            f"}} {loc}",
        ]
        for v in carried:
            self.variables[v] = self.load_place(places[v])

    def serial(self, statement, carried):
        first, last, step = self.bounds_of_loop(statement)
        loc = self.loc
        before = [self.read_variable(v) for v in carried]
        kinds = ", ".join(v.dtype.mlir for v in carried)
        with self.region(self.loop_facts(statement)):
            index = self.new_index(statement.indices[0])
            inner = []
            for v in carried:
                self.count += 1
                inner.append(f"%{self.count}")
                self.variables[v] = inner[-1]
            self.block(statement.body)
            lines = self.lines
            after = [self.read_variable(v) for v in carried]
        if not carried:
            copies = " {tile.async_copy}" if "async_copy" in statement.attributes else ""
            self.lines += [
                f"scf.for {index} = {first} to {last} step {step} {{",
                *lines,
                f"}}{copies} {loc}",
            ]
            return
        self.count += 1
        result = f"%{self.count}"
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(inner, before))
        self.lines += [
            f"{result}{f':{len(carried)}' if len(carried) > 1 else ''} = scf.for {index} = {first}"
            f" to {last} step {step} "
            f"iter_args({pairs}) -> ({kinds}) {{",
            *lines,
            f"scf.yield {', '.join(after)} : {kinds} {loc}",
            f"}} {loc}",
        ]
        for i, v in enumerate(carried):
            self.variables[v] = result if len(carried) == 1 else f"{result}#{i}"

    def do_While(self, statement):
        some = self.some_rounds(statement)
        self.depth, self.conditions = self.depth + 1, self.conditions + some
        self.write_while(statement)
        self.depth, self.conditions = self.depth - 1, self.conditions - some

    def write_while(self, statement):
        jumps = leaves(statement.body)
        body, condition = statement.body, statement.condition
        if jumps:
            left, skipped = self.flags(statement.location, jumps)
            body = self.body_without_jumps(statement, left, skipped)
            if left is not None:
                going = unary("not", left.as_load())
                condition = self.keep(Op("and", (going, condition), BOOL))
        carried = self.carried(body)
        loc = self.loc
        before = [self.read_variable(v) for v in carried]
        kinds = ", ".join(v.dtype.mlir for v in carried)
        tested, inner = [], []
        with self.region():
            for v in carried:
                self.count += 1
                tested.append(f"%{self.count}")
                self.variables[v] = tested[-1]
            name = self.value(condition, BOOL)
            values = f" {', '.join(tested)} : {kinds}" if carried else ""
            self.effect(f"scf.condition({name}){values}")
            head = self.lines
        with self.region(forms_of(condition) if not reads_memory(condition) else ()):
            for v in carried:
                self.count += 1
                inner.append(f"%{self.count}")
                self.variables[v] = inner[-1]
            self.block(body)
            lines = self.lines
            after = [self.read_variable(v) for v in carried]
        self.count += 1
        result = f"%{self.count}"
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(tested, before))
        if carried:
            names = f"{result}{f':{len(carried)}' if len(carried) > 1 else ''}"
            first = f"{names} = scf.while ({pairs}) : ({kinds}) -> ({kinds}) {{"
            second = [f"^bb0({', '.join(f'{a}: {v.dtype.mlir}' for a, v in zip(inner, carried))}):"]
            last = [f"scf.yield {', '.join(after)} : {kinds} {loc}"]
        else:
            first, second, last = "scf.while : () -> () {", [], [f"scf.yield {loc}"]
        self.lines += [first, *head, "} do {", *second, *lines, *last, f"}} {loc}"]
        for i, v in enumerate(carried):
            self.variables[v] = result if len(carried) == 1 else f"{result}#{i}"

    # break and continue.
    def flags(self, location, jumps):
        """Variables that say that the loop was left, or the rest of an iteration skipped."""
        made = []
        for kind in ("break", "continue"):
            if kind not in jumps:
                made.append(None)
                continue
            flag = Buffer((1,), "bool", "local.var", name=kind)
            flag.location = location
            self.kept.append(flag)
            if kind == "break":
                self.variables[flag] = self.constant(False, BOOL)
            made.append(flag)
        return made

    def body_without_jumps(self, statement, left, skipped):
        """The loop's body; `skipped` is false again at the start of each iteration."""
        body = structured(statement.body, left, skipped, statement.location)
        if skipped is not None:
            fresh = Alloc(skipped)
            fresh.location = statement.location
            body = [fresh, *body]
        return body

    def jumping_for(self, statement):
        left, skipped = self.flags(statement.location, leaves(statement.body))
        body = self.body_without_jumps(statement, left, skipped)
        if left is not None:
            guarded = If(unary("not", left.as_load()))
            guarded.location, guarded.then = statement.location, body
            body = [guarded]
        made = For(
            statement.kind if left is None else "serial",
            statement.indices,
            statement.extents,
            statement.start,
            statement.step,
            statement.stages,
            statement.attributes,
        )
        made.body, made.location = body, statement.location
        self.kept.append(made)
        self.do_For(made)

def structured(block, left, skipped, location):
    """A block without jumps: what follows one runs only where neither flag is set."""
    result = []
    for at, statement in enumerate(block):
        if type(statement) is Leave:
            flag = left if statement.kind == "break" else skipped
            made = Assign(flag, True)
            made.location = statement.location
            result.append(made)
            break
        if type(statement) is If and leaves([statement]):
            made = If(statement.condition)
            made.location = statement.location
            made.then = structured(statement.then, left, skipped, location)
            made.otherwise = structured(statement.otherwise, left, skipped, location)
            result.append(made)
            rest = block[at + 1 :]
            if rest:
                condition = None
                for flag in (left, skipped):
                    if flag is not None:
                        one = unary("not", flag.as_load())
                        condition = one if condition is None else Op("and", (condition, one), BOOL)
                guarded = If(condition)
                guarded.location = rest[0].location
                guarded.then = structured(rest, left, skipped, location)
                result.append(guarded)
            break
        result.append(statement)
    return result
