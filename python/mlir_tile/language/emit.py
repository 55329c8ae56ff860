# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A traced kernel to the text of a module with one tile.kernel.

Variables become values of SSA form: loops and branches carry those that they assign. Code outside
of T.Parallel runs once for the block; `mode` says where the emitter is: block or parallel.
"""

import contextlib
import re

from .arms import divide
from .buffers import Buffer
from .divergence import Divergence
from .emit_elementwise import Elementwise
from .emit_exchange import Exchange
from .emit_loops import Loops, Place
from .emit_memory import Memory, reads_fragment
from .emit_parallel import ParallelLoops
from .emit_threads import Threads
from .emit_tiles import Tiles
from .emit_values import Values
from .emit_warps import HandWarps, by_hand
from .errors import fail, unsupported
from .initialization import first_reductions
from .memory import Pointer
from .places import steady_buffers
from .ranges import Facts, forms_of, grid_facts, linear, promised_divisor, solved_for
from .returns import without_returns
from .statements import Alloc, Assume, Leave, Undefined
from .values import BOOL, Op, Variable, binary, number_of, type_of
from .warps_beside import divide_arms


class Emitter(
    Threads,
    Divergence,
    Elementwise,
    Exchange,
    HandWarps,
    Loops,
    ParallelLoops,
    Memory,
    Values,
    Tiles,
):
    """Writes one kernel of a traced function."""

    def __init__(self, name, arguments, kernel, promises=()):
        self.name, self.arguments, self.kernel = name, arguments, kernel
        self.lines, self.scopes, self.kept = [], [{}], []
        self.constants, self.count, self.locations = {}, 0, {}
        self.variables = {}
        self.small = set()  # memory of a thread that the block holds: no TMA for so little
        self.at_threads = {}  # conditions by identity, and what they are for each thread
        self.written_out = set()  # loops that are unrolled, by identity (elements.py)
        self.beyond = False  # accesses that have conditions are outside of their tensors
        self.depth = 0  # loops around what is written now
        self.names, self.sizes, self.dims = {}, {}, []
        self.touched, self.measured = set(), set()  # arguments by identity, sizes by name
        self.repeated = []  # (buffer, dimension) of a size that stood in another extent before
        self.promises = promises
        facts = Facts(forms=grid_facts(kernel.blocks, kernel.grid, promises))
        self.mode, self.facts, self.conditions = "block", facts, 0
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
        """Collects the operations of a region in `self.lines`, which are the outer ones again
        afterwards."""
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
        self.first_reductions = first_reductions(self.kernel)
        self.kernel.body[:] = without_returns(self.kernel.body)
        divide_arms(self, self.kernel.body)
        if by_hand(self.kernel.body) and self.kernel.thread_index is not None:
            divide(self, self.kernel.body)
        self.find_threads(self.kernel.body)
        self.warps, self.parted = None, {}
        self.crossing = set()
        if by_hand(self.kernel.body):
            self.sink(self.kernel.body)
            self.find_crossing(self.kernel.body)
        self.block(self.kernel.body)
        self.promise_sizes()
        lines = [
            f"tile.kernel @{self.name}({header[0]})",
            f"    grid({header[1]}) = ({header[2]}) threads({-(-self.kernel.threads // 32) * 32})",
        ]
        if self.kernel.cluster:
            lines[-1] += f" cluster({', '.join(map(str, self.kernel.cluster))})"
        attributes = [f"{k} = {v} : i64" for k, v in self.kernel.attributes.items()]
        attributes += self.launched_blocks()
        if attributes:
            lines[-1] += f" attributes {{{', '.join(attributes)}}}"
        lines[-1] += " {"
        self.locate(self.kernel.location)
        lines += [
            f"{name} = arith.constant {text} {self.loc}"
            for (text, _), name in self.constants.items()
        ]
        lines += self.dims + self.lines
        lines.append(f"}} {self.loc}")
        for (file, line, column), alias in self.locations.items():
            lines.append(f'{alias[4:-1]} = loc("{_escape(file)}":{line}:{column})')
        return "\n".join(lines) + "\n"

    def header(self):
        """Arguments, names of block indices, extents of the grid."""
        arguments, used = [], set()
        self.overlapping = {}  # the text of each tensor, and where it may overlap others
        for x in self.arguments:
            name = _identifier(x.name, used)
            if isinstance(x, Buffer):
                self.names[id(x)] = f"%{name}"
                alone = f"%{name}: {self.memref(x)} {{tile.alignment = {x.alignment}}}"
                overlapping = f"{alone[:-1]}, tile.may_alias}}"
                self.overlapping[x.name] = alone, overlapping
                arguments.append(overlapping if getattr(x, "may_alias", False) else alone)
                for i, size in enumerate(x.shape):
                    if type(size) is not Variable:
                        continue
                    if id(size) not in self.sizes:
                        self.sizes[id(size)] = (size, x, i)
                    else:
                        self.repeated.append((size, x, i))
            elif isinstance(x, Pointer):
                fail(
                    f"the argument {x.name} is an address (T.ptr) that T.make_tensor gives no"
                    " shape",
                    x.location,
                )
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

    def promise_sizes(self):
        """A size that stands in two extents makes them equal: the launcher checks it, the compiler uses it."""
        for size, buffer, i in self.repeated:
            _, first, j = self.sizes[id(size)]
            if not {id(first), id(buffer)} <= self.touched:
                continue  # None may stand for what the kernel does not touch
            pair = self.dimension(first, j), self.dimension(buffer, i)
            self.dims.append("tile.assume %s equals %s : index %s" % (*pair, self.loc))
        for buffer in self.arguments:
            if isinstance(buffer, Buffer) and id(buffer) in self.touched:
                self.promise_divisors(buffer)

    def promise_divisors(self, buffer):
        """What T.assume says that extents and strides of an argument are multiples of."""
        for i, size in enumerate(buffer.shape):
            self.promise_divisor(size, lambda i=i: self.dimension(buffer, i))
        if buffer.given_strides is None:
            return
        names = []

        def stride(i):
            if not names:
                self.count += 1
                rank, name = len(buffer.shape), f"%{self.count}"
                names.extend(f"{name}#{2 + rank + k}" if rank else "" for k in range(rank))
                kinds = ", ".join(["index"] * (2 * rank + 1))
                self.dims.append(
                    f"{name}:{2 + 2 * rank} = memref.extract_strided_metadata"
                    f" {self.names[id(buffer)]} : {self.memref(buffer)} ->"
                    f" memref<{buffer.dtype.mlir}>, {kinds} {self.loc}"
                )
            return names[i]

        for i, size in enumerate(buffer.given_strides):
            self.promise_divisor(size, lambda i=i: stride(i))

    def promise_divisor(self, size, name):
        if number_of(size) is None:
            divisor = promised_divisor(size, self.promises)
            if divisor > 1:
                self.dims.append(
                    f"tile.assume {name()} {{divisible_by = {divisor} : i64}} : index {self.loc}"
                )

    def alias_scalars(self, argument):
        """A size that is no extent may be an argument of its name."""
        for x in self.arguments:
            if isinstance(x, Buffer):
                for size in x.shape:
                    if (
                        type(size) is Variable
                        and size.kind == "dynamic"
                        and size.name == argument.name
                    ):
                        self.scopes[0].setdefault(
                            ("scalar", id(argument)), self.names[id(argument)]
                        )

    def grid(self, expr, inner=False):
        """An extent of the grid as the launcher computes it; `inner`: a part of one."""
        number, kind = number_of(expr), type_of(expr)
        if not kind.is_integer or (kind.bits < 32 and type(expr) is Op):
            # The launcher knows no floats, and cuts no bits off.
            unsupported(
                f"a value of type {kind}, {expr!r}, in an extent of the grid",
                "compute the extent in int32 or int64, from sizes, integers and scalar arguments",
                self.kernel.location,
            )
        if number is not None:
            return str(int(number) if inner else max(0, int(number)))
        if type(expr) is Variable:
            place = self.sizes.get(id(expr))
            self.measured.add(expr.name)
            if place is not None:
                return f"dim({self.names[id(place[1])]}, {place[2]})"
            if id(expr) in self.names:
                return self.names[id(expr)]
            for buffer, i, factor, (others, rest) in self.equations(expr):
                less = "".join(f" - {self._scaled(f, x)}" for f, x in others.values())
                return f"((dim({self.names[id(buffer)]}, {i}){less} - {rest}) floordiv {factor})"
            fail(
                f"the extent {expr!r} of the grid is no extent of an argument and no argument",
                self.kernel.location,
            )
        if type(expr) is Op and expr.name == "cast":
            return self.grid(expr.args[0], True)
        if type(expr) is Op and expr.name in ("shl", "shr") and number_of(expr.args[1]) is not None:
            name, factor = "mul" if expr.name == "shl" else "floordiv", 1 << number_of(expr.args[1])
            return self.grid(binary(name, expr.args[0], factor), True)
        if type(expr) is Op and expr.name in ("add", "sub", "mul", "floordiv", "truncdiv", "mod"):
            a, b = (x if number_of(x) is None else number_of(x) for x in expr.args)
            if expr.name in ("floordiv", "truncdiv") and isinstance(b, int):
                terms, constant = linear(a)
                if constant == b - 1 and terms:
                    rest = self.keep(binary("sub", a, b - 1))
                    parts = [self._scaled(f, x) for f, x in terms.values()]
                    if all(f > 0 for f, _ in terms.values()) and rest is not None:
                        return f"(({' + '.join(parts)}) ceildiv {b})"
            if expr.name in ("floordiv", "truncdiv", "mod") and not isinstance(b, int):
                unsupported(
                    f"a division by a size of run time, {expr!r}, in an extent of the grid",
                    location=self.kernel.location,
                )
            sign = {
                "add": "+",
                "sub": "-",
                "mul": "*",
                "floordiv": "floordiv",
                "truncdiv": "floordiv",
                "mod": "mod",
            }[expr.name]
            return f"({self.grid(a, True)} {sign} {self.grid(b, True)})"
        return unsupported(
            f"the extent {expr!r} of the grid",
            "use sums, products and quotients of sizes and numbers",
            self.kernel.location,
        )

    def launched_blocks(self):
        """The attribute that says which blocks of the grid do something, where not all do."""
        if not self.kernel.needed:
            return []
        extents = [self.kernel.needed.get(i, x) for i, x in enumerate(self.kernel.grid)]
        found = [self.blocks_of(x) for x in extents]
        return [] if None in found else [f"tile.launched_blocks = [{', '.join(found)}]"]

    def blocks_of(self, expr):
        """An extent of the grid as an expression of the artifact; None where it is none."""
        number = number_of(expr)
        if number is not None:
            return str(int(number))
        if type(expr) is Variable:
            place = self.sizes.get(id(expr))
            for i, x in enumerate(self.arguments):
                if place is not None and x is place[1]:
                    return f'["dim", {i}, {place[2]}]'
                if x is expr:
                    return f'["scalar", {i}]'
            return None
        if type(expr) is not Op:
            return None
        if expr.name == "cast":
            return self.blocks_of(expr.args[0])
        name = {"truncdiv": "floordiv"}.get(expr.name, expr.name)
        if name not in ("add", "sub", "mul", "floordiv", "mod", "max", "min"):
            return None
        parts = [self.blocks_of(x) for x in expr.args]
        return None if None in parts else f'["{name}", {", ".join(parts)}]'

    def _scaled(self, factor, atom):
        return self.grid(atom) if factor == 1 else f"{self.grid(atom)} * {factor}"

    def size_of(self, variable):
        """A size of run time: an extent of the first argument that has it."""
        place = self.sizes.get(id(variable))
        self.measured.add(variable.name)
        if place is None:
            for size, buffer, i in self.sizes.values():
                if size.name == variable.name:
                    place = (size, buffer, i)
                    break
        if place is None:
            return self.solved_size(variable)
        _, buffer, i = place
        return self.dimension(buffer, i)

    def solved_size(self, variable):
        """A size that stands in no extent by itself, but in one with sizes that do: n of n * 4 + 1,
        or of m + n."""
        found = self.scopes[0].get(("solved", id(variable)))
        for buffer, i, factor, (others, rest) in () if found else self.equations(variable):
            lines, self.lines = self.lines, self.dims
            found = self.dimension(buffer, i)
            for scale, other in others.values():
                part = self.size_of(other)
                if scale != 1:
                    part = self.op(f"arith.muli {part}, {self.constant(scale, 'index')} : index")
                found = self.op(f"arith.subi {found}, {part} : index")
            if rest:
                found = self.op(f"arith.subi {found}, {self.constant(rest, 'index')} : index")
            # Of extents that do not fit together the size is negative: nothing is done.
            whole = f"divisible_by = {factor} : i64, " if factor > 1 else ""
            self.lines.append(f"tile.assume {found} {{{whole}min = 0 : i64}} : index {self.loc}")
            if factor != 1:
                found = self.op(
                    f"arith.floordivsi {found}, {self.constant(factor, 'index')} : index"
                )
            self.lines = lines
            self.scopes[0][("solved", id(variable))] = found
            break
        return found

    def equations(self, variable):
        """(argument, dimension, factor, rest): extents that are a multiple of a size, and a linear
        form of sizes that stand in extents by themselves."""
        known = {size.name for size, _, _ in self.sizes.values()}
        for buffer in self.arguments:
            for i, size in enumerate(buffer.shape if isinstance(buffer, Buffer) else ()):
                found = solved_for(size, variable)
                if found and all(atom.name in known for _, atom in found[1][0].values()):
                    yield buffer, i, *found

    def dimension(self, buffer, i):
        """An extent of an argument, read at the kernel's start."""
        found = self.scopes[0].get(("dim", id(buffer), i))
        if found is None:
            self.count += 1
            found = f"%{self.count}"
            self.dims.append(
                f"{found} = memref.dim {self.names[id(buffer)]}, {self.constant(i, 'index')} :"
                f" {self.memref(buffer)} {self.loc}"
            )
            self.scopes[0][("dim", id(buffer), i)] = found
        return found

    def buffer(self, buffer):
        name = self.names.get(id(buffer)) or self.find(("buffer", id(buffer)))
        if name is None:
            fail(
                f"the buffer {buffer.name}, allocated at {buffer.location}, is used outside of the"
                " region that allocates it",
                self.location,
            )
        self.touched.add(id(buffer))
        return name

    def memref(self, buffer):
        return buffer.memref()

    # Statements.
    def block(self, statements):
        group, touched = [], set()
        for number, statement in enumerate(statements):
            self.locate(statement.location)
            if type(statement) is Leave:
                break
            if type(statement) is Assume:
                condition = self.keep(statement.condition)
                steady = steady_buffers(condition, statements[number + 1 :], self.small)
                self.facts = Facts(self.facts, forms_of(condition, steady=steady))
                continue
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

    def allocate_within(self, statements, spaces):
        """Memory that the statements of a parallel loop allocate is allocated in front of it."""
        for x in statements:
            if type(x) is Alloc and x.buffer.space in spaces:
                if self.find(("buffer", id(x.buffer))) is None:
                    self.do_Alloc(x)
            for block in x.blocks:
                self.allocate_within(block, spaces)

    def do_Alloc(self, statement):
        buffer = statement.buffer
        if self.mode != "block" and self.find(("buffer", id(buffer))) is not None:
            return
        if self.mode == "block" and (
            buffer in self.thread_buffers or buffer in self.thread_variables
        ):
            self.thread_memory(buffer)
            return
        if buffer.is_var or buffer.elements is not None:
            for variable in buffer.elements or [buffer]:
                self.variables[variable] = self.constant(0, buffer.dtype)
            return
        if buffer.space not in ("shared", "fragment", "local"):
            unsupported(f"a buffer of scope {buffer.scope_name}", location=statement.location)
        if self.mode != "block":
            if buffer.space != "local":
                fail(
                    f"{buffer.name} is allocated inside of T.Parallel; allocate it in front of the"
                    " loop",
                    statement.location,
                )
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
            fail(
                f"the variable {variable.name}, allocated at {variable.location}, is assigned"
                " outside of the region that allocates it",
                statement.location,
            )
        value = self.value(statement.value, variable.dtype)
        if isinstance(self.variables[variable], Place):
            self.store_place(self.variables[variable], value)
        else:
            self.variables[variable] = value

    def store_place(self, place, value):
        zero = self.constant(0, "index")
        self.effect(f"memref.store {value}, {place.name}[{zero}] : {place.kind}")

    def load_place(self, place):
        return self.op(f"memref.load {place.name}[{self.constant(0, 'index')}] : {place.kind}")

    def read_variable(self, variable):
        found = self.variables.get(variable)
        if found is None and self.find(("rows", id(variable))):
            return self.load_element(variable, (0,))
        if found is None:
            fail(
                f"the variable {variable.name}, allocated at {variable.location}, is used outside"
                " of the region that allocates it",
                self.location,
            )
        if isinstance(found, Place):
            return self.load_place(found)
        if isinstance(found, Undefined) and found.by_warps:
            fail(
                f"the variable {variable.name} is read after only some warps assigned it (T.ws at"
                f" {found.location}); each thread has its own: assign it here again, or keep it in"
                " a tile",
                self.location,
            )
        if isinstance(found, Undefined):
            fail(
                f"the variable {variable.name} is read after iterations of T.Parallel (at"
                f" {found.location}) assigned it, each "
                "on its own; reduce a fragment with T.reduce_sum (or the like), or loop with"
                " T.serial",
                self.location,
            )
        return found

    def do_Store(self, statement):
        buffer = statement.buffer
        if self.mode == "block" and (
            buffer.space == "fragment" or reads_fragment(statement.value, statement.indices)
        ):
            with self.parallel_of_one():
                self.store_element(buffer, statement.indices, statement.value)
            return
        if self.mode == "thread" and not self.conditions and buffer.space in ("global", "shared"):
            gaps = self.gaps(statement.indices)
            if gaps:
                return self.store_by_some(statement, gaps)
        self.store_element(buffer, statement.indices, statement.value)

    def store_by_some(self, statement, gaps):
        """Threads that differ in nothing that the indices say store one element: the first of them
        does."""
        condition = None
        for low, high in gaps:
            one = self.keep(self.is_first(low, high))
            condition = one if condition is None else self.keep(Op("and", (condition, one), BOOL))
        name, loc = self.value(condition), self.loc
        with self.region():
            self.store_element(statement.buffer, statement.indices, statement.value)
            lines = self.lines
        self.lines += [f"scf.if {name} {{", *lines, f"}} {loc}"]

    @contextlib.contextmanager
    def parallel_of_one(self):
        """One iteration of a parallel loop: where the block as one touches an element of a
        fragment."""
        mode, loc = self.mode, self.loc
        self.mode = "parallel"
        self.count += 1
        index = f"%{self.count}"
        with self.region():
            yield
            lines = self.lines
        self.mode = mode
        self.lines += [f"tile.parallel ({index}) in (1) {{", *lines, f"}} {loc}"]

    def do_Tile(self, statement):
        getattr(self, "tile_" + statement.name)(statement, **statement.operands)


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
