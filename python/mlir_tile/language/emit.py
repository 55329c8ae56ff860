# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A traced kernel to the text of a module with one tile.kernel.

Variables become values of SSA form: loops and branches carry those that they assign. Code outside of
T.Parallel runs once for the block; `mode` says where the emitter is: block or parallel.
"""

import contextlib
import re

from .buffers import Buffer
from .emit_threads import Threads
from .emit_tiles import Tiles
from .emit_values import Values
from .errors import fail, unsupported
from .memory import Pointer
from .ranges import Facts, forms_of, linear
from .statements import Alloc, Assign, Define, For, If, Leave, Store, leaves, written_variables
from .values import BOOL, Load, Op, Variable, binary, number_of, reads_memory, unary, walk

_UNROLLED = 64  # iterations of T.unroll that are written out


class _Undefined:
    """What a variable holds after iterations of T.Parallel assigned it."""

    def __init__(self, location):
        self.location = location


class Emitter(Threads, Values, Tiles):
    """Writes one kernel of a traced function."""

    def __init__(self, name, arguments, kernel):
        self.name, self.arguments, self.kernel = name, arguments, kernel
        self.lines, self.scopes, self.kept = [], [{}], []
        self.constants, self.count, self.locations = {}, 0, {}
        self.variables = {}
        self.names, self.sizes, self.dims = {}, {}, []
        self.mode, self.facts = "block", Facts()
        self.location, self.loc = kernel.location, ""
        self.locate(kernel.location)

    # Places.
    def locate(self, location):
        self.location = location
        found = self.locations.get(location)
        if found is None:
            found = self.locations[location] = f"loc(#l{len(self.locations)})"
        self.loc = found

    @contextlib.contextmanager
    def region(self, forms=()):
        """Collects the operations of a region in `self.lines`, which are the outer ones again afterwards."""
        outer, facts = self.lines, self.facts
        variables = self.variables
        self.lines, self.variables = [], dict(variables)
        self.scopes.append({})
        if forms:
            self.facts = Facts(facts, forms)
        try:
            yield
        finally:
            self.scopes.pop()
            self.lines, self.facts, self.variables = outer, facts, variables

    # The kernel.
    def module(self):
        """The text of the module."""
        header = self.header()
        self.find_threads(self.kernel.body)
        self.block(self.kernel.body)
        lines = [f"tile.kernel @{self.name}({header[0]})", f"    grid({header[1]}) = ({header[2]}) threads({self.kernel.threads})"]
        if self.kernel.cluster:
            lines[-1] += f" cluster({', '.join(map(str, self.kernel.cluster))})"
        if self.kernel.attributes:
            attributes = ", ".join(f"{k} = {v} : i64" for k, v in self.kernel.attributes.items())
            lines[-1] += f" attributes {{{attributes}}}"
        lines[-1] += " {"
        self.locate(self.kernel.location)
        lines += [f"{name} = arith.constant {text} {self.loc}" for (text, _), name in self.constants.items()]
        lines += self.dims + self.lines
        lines.append(f"}} {self.loc}")
        for (file, line, column), alias in self.locations.items():
            lines.append(f'{alias[4:-1]} = loc("{_escape(file)}":{line}:{column})')
        return "\n".join(lines) + "\n"

    def header(self):
        """Arguments, names of block indices, extents of the grid."""
        arguments, used = [], set()
        for x in self.arguments:
            name = _identifier(x.name, used)
            if isinstance(x, Buffer):
                self.names[id(x)] = f"%{name}"
                promises = ["tile.alignment = 16"]
                if getattr(x, "may_alias", False):
                    promises.append("tile.may_alias")
                arguments.append(f"%{name}: {self.memref(x)} {{{', '.join(promises)}}}")
                for i, size in enumerate(x.shape):
                    if type(size) is Variable and id(size) not in self.sizes:
                        self.sizes[id(size)] = (size, x, i)
            elif isinstance(x, Pointer):
                fail(f"the argument {x.name} is an address (T.ptr) that T.make_tensor gives no shape", x.location)
            else:
                self.names[id(x)] = f"%{name}"
                arguments.append(f"%{name}: {x.dtype.mlir}")
                self.scopes[0][("scalar", id(x))] = f"%{name}"
        for x in self.arguments:
            if isinstance(x, Variable):
                self.alias_scalars(x)
        blocks = []
        for variable in self.kernel.blocks:
            name = _identifier(variable.name if variable.name != "_" else "block", used)
            blocks.append(f"%{name}")
            self.scopes[0][("index", id(variable))] = f"%{name}"
        grid = ", ".join(self.grid(x) for x in self.kernel.grid)
        return ", ".join(arguments), ", ".join(blocks), grid

    def alias_scalars(self, argument):
        """A size that is no extent may be an argument of its name."""
        for x in self.arguments:
            if isinstance(x, Buffer):
                for size in x.shape:
                    if type(size) is Variable and size.kind == "dynamic" and size.name == argument.name:
                        self.scopes[0].setdefault(("scalar", id(argument)), self.names[id(argument)])

    def grid(self, expr):
        """An extent of the grid as the launcher computes it."""
        number = number_of(expr)
        if number is not None:
            return str(max(0, int(number)))
        if type(expr) is Variable:
            place = self.sizes.get(id(expr))
            if place is not None:
                return f"dim({self.names[id(place[1])]}, {place[2]})"
            if id(expr) in self.names:
                return self.names[id(expr)]
            fail(f"the extent {expr!r} of the grid is no extent of an argument and no argument", self.kernel.location)
        if type(expr) is Op and expr.name == "cast":
            return self.grid(expr.args[0])
        if type(expr) is Op and expr.name in ("add", "sub", "mul", "floordiv", "truncdiv", "mod"):
            a, b = expr.args
            if expr.name in ("floordiv", "truncdiv") and isinstance(b, int):
                terms, constant = linear(a)
                if constant == b - 1 and terms:
                    rest = self.keep(binary("sub", a, b - 1))
                    parts = [self._scaled(f, x) for f, x in terms.values()]
                    if all(f > 0 for f, _ in terms.values()) and rest is not None:
                        return f"(({' + '.join(parts)}) ceildiv {b})"
            if expr.name == "mul" and not (isinstance(a, int) or isinstance(b, int)):
                unsupported(f"a product of sizes of run time, {expr!r}, as an extent of the grid",
                            "give the factors as extents of their own (the grid has up to three)", self.kernel.location)
            if expr.name in ("floordiv", "truncdiv", "mod") and not isinstance(b, int):
                unsupported(f"a division by a size of run time, {expr!r}, in an extent of the grid", location=self.kernel.location)
            sign = {"add": "+", "sub": "-", "mul": "*", "floordiv": "floordiv", "truncdiv": "floordiv", "mod": "mod"}[expr.name]
            return f"({self.grid(a)} {sign} {self.grid(b)})"
        return unsupported(f"the extent {expr!r} of the grid", "use sums, products and quotients of sizes and numbers", self.kernel.location)

    def _scaled(self, factor, atom):
        return self.grid(atom) if factor == 1 else f"{self.grid(atom)} * {factor}"

    def size_of(self, variable):
        """A size of run time: an extent of the first argument that has it."""
        place = self.sizes.get(id(variable))
        if place is None:
            for size, buffer, i in self.sizes.values():
                if size.name == variable.name:
                    place = (size, buffer, i)
                    break
        if place is None:
            return None
        _, buffer, i = place
        found = self.scopes[0].get(("dim", id(buffer), i))
        if found is None:
            self.count += 1
            found = f"%{self.count}"
            self.dims.append(f"{found} = memref.dim {self.names[id(buffer)]}, {self.constant(i, 'index')} : {self.memref(buffer)} {self.loc}")
            self.scopes[0][("dim", id(buffer), i)] = found
        return found

    def buffer(self, buffer):
        name = self.names.get(id(buffer)) or self.find(("buffer", id(buffer)))
        if name is None:
            fail(f"the buffer {buffer.name}, allocated at {buffer.location}, is used outside of the region that allocates it", self.location)
        return name

    def memref(self, buffer):
        return buffer.memref()

    # Statements.
    def block(self, statements):
        group, touched = [], set()
        for statement in statements:
            self.locate(statement.location)
            if type(statement) is Leave:
                break
            if self.mode == "block" and self.has_threads:
                if type(statement) is Alloc:
                    self.do_Alloc(statement)
                    continue
                if self.kind_of(statement) == "thread":
                    made = self.shared_accesses(statement, set())
                    if group and self.meet(touched, made):
                        self.locate(group[0].location)
                        self.run_group(group)
                        group, touched = [], set()
                        self.locate(statement.location)
                    group.append(statement)
                    touched |= made
                    continue
                if group:
                    self.locate(group[0].location)
                    self.run_group(group)
                    group, touched = [], set()
                    self.locate(statement.location)
            getattr(self, "do_" + type(statement).__name__)(statement)
        if group:
            self.locate(group[0].location)
            self.run_group(group)

    def do_Alloc(self, statement):
        buffer = statement.buffer
        if self.mode == "block" and (buffer in self.thread_buffers or buffer in self.thread_variables):
            self.thread_memory(buffer)
            return
        if buffer.is_var:
            self.variables[buffer] = self.constant(0, buffer.dtype)
            return
        if buffer.space not in ("shared", "fragment", "local"):
            unsupported(f"a buffer of scope {buffer.scope_name}", location=statement.location)
        if self.mode != "block":
            if buffer.space != "local":
                fail(f"{buffer.name} is allocated inside of T.Parallel; allocate it in front of the loop", statement.location)
        layout = f" layout({buffer.layout})" if buffer.layout else ""
        name = self.allocate(f"tile.alloc{layout} : {self.memref(buffer)}")
        self.scopes[-1][("buffer", id(buffer))] = name

    def allocate(self, text):
        return self.op(text)

    def do_Define(self, statement):
        let = statement.let
        name = self.value(let.value)
        self.scopes[-1][("let", id(let))] = name
        self.keep_for_threads(let, name)

    def do_Assign(self, statement):
        variable = statement.variable
        if variable not in self.variables and self.find(("rows", id(variable))):
            self.store_element(variable, (0,), statement.value)
            return
        if variable not in self.variables:
            fail(f"the variable {variable.name}, allocated at {variable.location}, is assigned outside of the region that allocates it", statement.location)
        self.variables[variable] = self.value(statement.value, variable.dtype)

    def read_variable(self, variable):
        found = self.variables.get(variable)
        if found is None and self.find(("rows", id(variable))):
            return self.load_element(variable, (0,))
        if found is None:
            fail(f"the variable {variable.name}, allocated at {variable.location}, is used outside of the region that allocates it", self.location)
        if isinstance(found, _Undefined):
            fail(
                f"the variable {variable.name} is read after iterations of T.Parallel (at {found.location}) assigned it, each "
                "on its own; reduce a fragment with T.reduce_sum (or the like), or loop with T.serial",
                self.location,
            )
        return found

    def do_Store(self, statement):
        buffer = statement.buffer
        if self.mode == "block" and (buffer.space == "fragment" or _reads_fragment(statement.value, statement.indices)):
            with self.parallel_of_one():
                self.store_element(buffer, statement.indices, statement.value)
            return
        if self.mode == "thread" and buffer.space in ("global", "shared") and not any(map(self.of_thread, nodes_of(statement.indices))):
            return self.store_by_first(statement)
        self.store_element(buffer, statement.indices, statement.value)

    def store_by_first(self, statement):
        """All threads store one element: one of them does."""
        first = self.keep(Op("eq", (self.kernel.thread_index, 0), BOOL))
        name, loc = self.value(first), self.loc
        with self.region():
            self.store_element(statement.buffer, statement.indices, statement.value)
            lines = self.lines
        self.lines += [f"scf.if {name} {{", *lines, f"}} {loc}"]

    @contextlib.contextmanager
    def parallel_of_one(self):
        """One iteration of a parallel loop: where the block as one touches an element of a fragment."""
        mode, loc = self.mode, self.loc
        self.mode = "parallel"
        self.count += 1
        index = f"%{self.count}"
        with self.region():
            yield
            lines = self.lines
        self.mode = mode
        self.lines += [f"tile.parallel ({index}) in (1) {{", *lines, f"}} {loc}"]

    # Branches.
    def do_If(self, statement):
        condition = self.value(statement.condition, BOOL)
        loc = self.loc
        before = self.variables
        arms = []
        for positive, body in ((True, statement.then), (False, statement.otherwise)):
            with self.region(forms_of(statement.condition, positive)):
                self.block(body)
                arms.append((self.lines, {k: self.variables[k] for k in before}))
        changed = [v for v in before if any(arm[v] is not before[v] and arm[v] != before[v] for _, arm in arms)]
        self.loc = loc
        names = []
        for v in changed:
            if any(isinstance(arm[v], _Undefined) for _, arm in arms):
                self.variables[v] = next(arm[v] for _, arm in arms if isinstance(arm[v], _Undefined))
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
        text = [f"{result}{f':{len(names)}' if len(names) > 1 else ''} = scf.if {condition} -> ({kinds}) {{"]
        for i, (lines, values) in enumerate(arms):
            text += lines
            text.append(f"scf.yield {', '.join(values[v] for v in names)} : {kinds} {loc}")
            text.append("} else {" if i == 0 else f"}} {loc}")
        self.lines += text
        for i, v in enumerate(names):
            self.variables[v] = result if len(names) == 1 else f"{result}#{i}"

    # Loops.
    def do_For(self, statement):
        if leaves(statement.body):
            return self.jumping_for(statement)
        if self.mode == "block" and statement.kind == "parallel":
            return self.parallel(statement)
        if self.mode == "block" and statement.kind == "vectorized" and self.elementwise(statement):
            return self.parallel(statement)
        if statement.kind == "parallel":
            return self.nested_parallel(statement)
        carried = [v for v in written_variables(statement.body) if v in self.variables]
        count = self.trip_count(statement)
        if statement.kind == "unroll" and count is not None and count <= _UNROLLED:
            return self.unrolled(statement, count)
        if statement.kind == "pipelined" and self.mode == "block" and not carried:
            return self.pipelined(statement)
        return self.serial(statement, carried)

    def elementwise(self, statement):
        """Whether a vectorized loop of the block has nothing but stores to elements."""
        return all(type(x) in (Store, Define) for x in statement.body) and number_of(statement.extents[0]) is not None and statement.start == 0

    def trip_count(self, statement):
        start, stop, step = (number_of(x) for x in (statement.start, statement.extents[0], statement.step))
        if None in (start, stop, step):
            return None
        return max(0, -(-(stop - start) // step))

    def unrolled(self, statement, count):
        for i in range(count):
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
        return self.index(statement.start), self.index(statement.extents[0]), self.index(statement.step)

    def new_index(self, variable):
        self.count += 1
        name = f"%{self.count}"
        self.scopes[-1][("index", id(variable))] = name
        return name

    def loop_facts(self, statement):
        """Bounds of the index, where they are values."""
        variable = statement.indices[0]
        conditions = [Op("lt", (variable, statement.extents[0]), BOOL), Op("ge", (variable, statement.start), BOOL)]
        forms = []
        for x in conditions:
            forms += forms_of(self.keep(x))
        return forms

    def pipelined(self, statement):
        first, last, step = self.bounds_of_loop(statement)
        loc = self.loc
        with self.region(self.loop_facts(statement)):
            index = self.new_index(statement.indices[0])
            self.block(statement.body)
            lines = self.lines
        self.lines += [f"tile.pipelined {index} = {first} to {last} step {step} stages({statement.stages}) {{", *lines, f"}} {loc}"]

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
            self.lines += [f"scf.for {index} = {first} to {last} step {step} {{", *lines, f"}} {loc}"]
            return
        self.count += 1
        result = f"%{self.count}"
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(inner, before))
        self.lines += [
            f"{result}{f':{len(carried)}' if len(carried) > 1 else ''} = scf.for {index} = {first} to {last} step {step} "
            f"iter_args({pairs}) -> ({kinds}) {{",
            *lines,
            f"scf.yield {', '.join(after)} : {kinds} {loc}",
            f"}} {loc}",
        ]
        for i, v in enumerate(carried):
            self.variables[v] = result if len(carried) == 1 else f"{result}#{i}"

    def do_While(self, statement):
        jumps = leaves(statement.body)
        body, condition = statement.body, statement.condition
        if jumps:
            left, skipped = self.flags(statement.location, jumps)
            body = self.body_without_jumps(statement, left, skipped)
            if left is not None:
                going = unary("not", left.as_load())
                condition = self.keep(Op("and", (going, condition), BOOL))
        carried = [v for v in written_variables(body) if v in self.variables]
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
            first = f"{result}{f':{len(carried)}' if len(carried) > 1 else ''} = scf.while ({pairs}) : ({kinds}) -> ({kinds}) {{"
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
        body = _structured(statement.body, left, skipped, statement.location)
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
        made = For(statement.kind if left is None else "serial", statement.indices, statement.extents, statement.start, statement.step, statement.stages, statement.attributes)
        made.body, made.location = body, statement.location
        self.kept.append(made)
        self.do_For(made)

    # Parallel loops.
    def parallel(self, statement):
        merged, body = list(zip(statement.indices, statement.extents)), statement.body
        while len(body) == 1 and type(body[0]) is For and body[0].kind in ("vectorized", "parallel") and body[0].start == 0 and \
                number_of(body[0].step) == 1 and not leaves(body[0].body) and all(number_of(x) is not None for x in body[0].extents):
            merged += list(zip(body[0].indices, body[0].extents))
            body = body[0].body
        sizes = [number_of(x) for _, x in merged]
        loc, location = self.loc, self.location
        written = [v for v in written_variables(body) if v in self.variables]
        chunks = self.chunks(sizes)
        lasts = [self.index(x) if size is None else None for (_, x), size in zip(merged, sizes)]
        mode, outer = self.mode, []
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
            forms = self.chunk_indices(conditions)
            if conditions:
                self.guarded_body(conditions, forms, body)
            else:
                self.block(body)
            lines = self.lines
        self.mode = mode
        attributes = "".join(f", {k} = {v} : i64" for k, v in statement.attributes.items() if k != "layout")
        layout = f" layout({statement.attributes['layout']})" if "layout" in statement.attributes else ""
        attributes = f" attributes {{{attributes[2:]}}}" if attributes else ""
        heads = [f"scf.for {base} = {self.constant(0, 'index')} to {last} step {self.constant(chunk, 'index')} {{" for base, last, chunk in outer]
        self.lines += [*heads, f"tile.parallel ({', '.join(names)}) in ({', '.join(map(str, extents))}){layout}{attributes} {{", *lines, f"}} {loc}"]
        self.lines += [f"}} {loc}"] * len(heads)
        for v in written:
            self.variables[v] = _Undefined(location)

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

    def do_Tile(self, statement):
        getattr(self, "tile_" + statement.name)(statement, **statement.operands)


def _structured(block, left, skipped, location):
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
            made.then = _structured(statement.then, left, skipped, location)
            made.otherwise = _structured(statement.otherwise, left, skipped, location)
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
                guarded.then = _structured(rest, left, skipped, location)
                result.append(guarded)
            break
        result.append(statement)
    return result


def nodes_of(values):
    """Every node of several values."""
    for x in values:
        yield from walk(x)


def _reads_fragment(value, indices):
    for root in (value, *indices):
        for node in walk(root):
            if isinstance(node, Load) and node.buffer.space == "fragment":
                return True
    return False


def _identifier(name, used):
    """A name of MLIR's that is not taken yet."""
    base = re.sub(r"[^A-Za-z0-9_]", "_", name) or "argument"
    if base[0].isdigit():
        base = "_" + base
    result, n = base, 1
    while result in used:
        n += 1
        result = f"{base}_{n}"
    used.add(result)
    return result


def _escape(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')

