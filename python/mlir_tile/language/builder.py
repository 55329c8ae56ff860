# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a rewritten function calls: it records statements, and keeps Python's own control flow
Python's."""

import operator
import threading

from .buffers import Buffer, OutputTensor, Region
from .conditions import Conditions
from .errors import NoBuilderError, StructureError, fail, here
from .macros import Macros, Ref
from .rebinding import NO_NAMES, ArmNames, Names, is_rebound
from .statements import (
    Alloc,
    Assign,
    Define,
    For,
    If,
    Leave,
    Store,
    Tile,
    While,
    written_parallel,
)
from .values import (
    IMPURE,
    NUMBERS,
    Expr,
    Let,
    Load,
    Op,
    Variable,
    as_value,
    cast,
    reads_memory,
    same,
    truth,
)
from .vectors import Lanes, Ramp, as_typed, lane_count, lane_of, lanes_of

_OPERATORS = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitOr": operator.or_,
    "BitAnd": operator.and_,
    "BitXor": operator.xor,
    "MatMult": operator.matmul,
}
_state = threading.local()


def current(construct=None):
    """The builder of the kernel that is being traced; an error outside of one."""
    builder = getattr(_state, "builder", None)
    if builder is None:
        fail(
            f"{construct or 'this construct'} can only be used inside of a kernel (@T.prim_func,"
            " @tilelang.jit or a macro)",
            kind=NoBuilderError,
        )
    return builder


def current_or_none():
    return getattr(_state, "builder", None)


class PhaseOneEnds(Exception):
    """The first phase of an eager kernel ends where its T.Kernel begins."""


class Branch:
    """An `if` on its way: of the kernel (`statement`), or of Python (`known`)."""

    __slots__ = ("statement", "known", "names")

    def __init__(self, statement, known, names):
        self.statement, self.known, self.names = statement, known, names

    def other_arm(self, name, value):
        return self.names.other_arm(name, value)

    def behind(self, name, value):
        return self.names.behind(name, value)

    def behind_first(self, name, value):
        return self.names.behind_first(name, value)

    def behind_second(self, name, value):
        return self.names.behind_second(name, value)


class KernelScope:
    """One `with T.Kernel(...)`: its grid, its indices and its statements."""

    def __init__(self, grid, threads, location):
        self.threads, self.location = threads, location
        # The grid that is launched may have more blocks than the extents say: see kernel.launched.
        self.grid, self.extents = list(grid), grid
        self.thread_shape = (threads,)
        self.blocks, self.body = [], []
        self.cluster = None
        self.needed = {}  # by axis, an extent of which `grid` is a bound: blocks beyond do nothing
        self.attributes = {}
        self.thread_index = None
        self.thread_indices = {}  # of loops that differ from thread to thread, by identity
        self.names = {}
        self.named_barriers, self.named_phases = {}, {}  # by number; by part and number
        self.at_end = []  # what is checked when all of its statements are known


class Builder(Conditions, Macros):
    """Records what one function does. `phase`: None, "declare" (eager, up to T.Kernel) or
    "build"."""

    def __init__(self, name, phase=None, sizes=None, nulls=frozenset()):
        self.name, self.phase, self.sizes = name, phase, sizes or {}
        self.nulls, self.asked_null = nulls, set()  # names of arguments (T.isnullptr)
        self.arguments, self.outputs, self.returned = [], [], []
        self.constants = {}
        self.kernels, self.kernel, self.block = [], None, None
        self.loops, self.opened, self.around = [], [], []
        self.branches, self.skips = [], False  # of T.If
        self.left_arm = None  # the branch of the T.Then or T.Else that ended last
        self.unknown_calls = 0  # statements that T.call_extern left to whoever takes them out
        self.warps = None
        self.returns = False  # T.thread_return was called
        self.pass_configs, self.compile_flags = {}, None
        self.globals, self.views, self.promises = [], [], []
        self.macro_depth = 0

    def __enter__(self):
        self.saved = getattr(_state, "builder", None)
        _state.builder = self
        return self

    def __exit__(self, *error):
        _state.builder = self.saved
        if error[0] is None:
            self.close_opened()

    def close_opened(self):
        """Ends a T.Kernel that was opened by an assignment."""
        while self.opened:
            self.opened.pop().__exit__(None, None, None)

    # Statements.
    def add(self, statement, location=None):
        if self.block is None:
            fail("a statement of the kernel stands outside of `with T.Kernel(...)`; move it inside")
        statement.location = location or here()
        self.block.append(statement)
        return statement

    def tile(self, name, **operands):
        return self.add(Tile(name, **operands))

    def allocate(self, buffer):
        self.add(Alloc(buffer), buffer.location)
        return buffer

    def open_loops(self):
        """The loops of the kernel around what is traced now, the outermost first."""
        return [x for x in self.around if type(x) is For]

    def in_parallel(self):
        return any(kind == "parallel" for kind, _ in self.loops)

    # Control flow.
    def branch(self, condition, values=(), names=()):
        """An `if` that binds `names`, of whose values `values` are those in front of it."""
        condition = truth(condition)
        if not isinstance(condition, Expr):
            return Branch(None, condition, NO_NAMES)
        known = Names({x: values[x] for x in names if x in values}, "branch")
        return Branch((self.add(If(condition)), self.block), True, known)

    def arm(self, values, names):
        """The names that an arm of T.If binds, in front of it."""
        return ArmNames({x: values[x] for x in names if x in values}, self)

    def part(self, values, names):
        """The names that the work of some warps (T.ws) binds, in front of it."""
        return Names({x: values[x] for x in names if x in values}, "work of some warps")

    def rounds(self, values, names, read=()):
        """The names that a loop binds; those that functions in it read count as read."""
        found = Names({x: values[x] for x in names if x in values}, "loop")
        found.read |= {x for x in read if x in found.before}
        return found

    def then(self, branch):
        if branch.statement is None:
            return branch.known
        self.block = branch.statement[0].then
        return True

    def otherwise(self, branch):
        if branch.statement is None:
            return not branch.known
        self.block = branch.statement[0].otherwise
        return True

    def end(self, branch):
        if branch.statement is not None:
            self.block = branch.statement[1]

    def taken(self):
        """Whether to trace the body of a `with`: that of a T.Then or T.Else may be known not to
        run."""
        skips, self.skips = self.skips, False
        return not skips

    def range(self, *arguments):
        from .loop import serial

        return serial(*arguments)

    def counted(self, loop):
        """What a loop around T.Kernel goes over: each iteration opens kernels of its own."""
        if loop.kind not in ("serial", "unroll"):
            fail(
                f"a {loop.kind} loop stands outside of `with T.Kernel(...)`; move it inside, or"
                " write range(...) to make a kernel in each iteration"
            )
        values = loop.numbers()
        if values is None:
            fail(
                "a loop around T.Kernel makes a kernel in each iteration, so its bounds must be"
                " known when the function is built; use numbers, or move the loop inside"
            )
        return values

    def loop(self, iterable, names=None):
        from .loop import Loop

        if isinstance(iterable, Loop) and self.block is None:
            iterable = self.counted(iterable)
        if isinstance(iterable, Loop):
            if names is not None and iterable.runs_once():
                names.before.clear()
            block, first = self.block, len(self.block or ())
            yield from iterable.run(self)
            if getattr(iterable, "kind", None) == "parallel":
                for statement in block[first:]:
                    self.check_parallel(statement)
            return
        if isinstance(iterable, Expr) or not hasattr(iterable, "__iter__"):
            fail(
                f"cannot loop over {iterable!r}; use range, T.serial, T.Parallel, T.Pipelined or a"
                " list of Python's"
            )
        if names is not None:
            names.before.clear()  # Python runs the loop, and binds its names
        depth = len(self.loops)
        for item in iterable:
            self.loops.append(("python", self.block))
            try:
                yield item
            finally:
                del self.loops[depth:]

    def check_parallel(self, statement):
        """T.Parallel in T.Parallel: only as its one statement, which makes one loop of both."""
        if type(statement) is not For:
            return
        statement.written = True
        inner = statement.body[0] if len(statement.body) == 1 else None
        whole = type(inner) is For and inner.kind == "parallel" and inner.written
        for found in () if whole else written_parallel(statement.body):
            fail(
                "T.Parallel inside of T.Parallel beside other statements or in another loop: its"
                " iterations have no order; put them into one T.Parallel, or loop with T.serial",
                found.location,
                StructureError,
            )

    def run_loop(self, loops, result):
        """Traces the body of nested loops: statements made by the caller, the innermost last."""
        outer, depth, around = self.block, len(self.loops), len(self.around)
        for statement in loops:
            self.add(statement)
            self.block = statement.body
        self.loops.append((loops[-1].kind, self.block))
        self.around += loops
        yield result
        del self.loops[depth:], self.around[around:]
        self.block = outer

    def repeat(self, condition):
        outer, self.block = self.block, []
        try:
            value = truth(condition())
        finally:
            made, self.block = self.block, outer
        if not isinstance(value, Expr):
            if value:
                fail(
                    "the condition of this `while` is always true, and the kernel would never end;"
                    " loop over range and use break"
                )
            return
        self.block = self.repeated(value, made)
        depth = len(self.loops)
        self.loops.append(("while", self.block))
        yield None
        del self.loops[depth:]
        self.block = outer

    def repeated(self, value, made):
        """The body of a loop `while value`. The statements that the value takes are repeated with
        it: then the loop is one over whether to go on, which each round decides first."""
        if not made:
            return self.add(While(value)).body
        going = self.allocate(Buffer((1,), "bool", "local.var", name="going"))
        self.add(Assign(going, as_value(True)))
        outer, self.block = self.block, self.add(While(going.as_load())).body
        for statement in made:
            self.block.append(statement)
        self.add(Assign(going, value))
        body = self.add(If(going.as_load())).then
        self.block = outer
        return body

    def leave(self, kind):
        """`break` or `continue`: true where the loop is Python's."""
        if not self.loops:
            fail(f"`{kind}` outside of a loop")
        loop, block = self.loops[-1]
        if loop == "python":
            if block is not self.block:
                fail(
                    f"`{kind}` of a loop of Python's under a condition of the kernel; loop over"
                    " range(...) instead"
                )
            return True
        if loop == "parallel" and kind == "break":
            fail("`break` in T.Parallel: its iterations run in any order; use T.serial")
        self.add(Leave(kind))
        return False

    def enter(self, context):
        return context

    def close_kernel(self):
        self.block, self.kernel, self.random = None, None, None

    # Names.
    def bind(self, name, value, old, copies):
        if is_rebound(old):
            old = None
        kind = type(value)
        if kind in NUMBERS and not isinstance(old, (Buffer, Ref)):
            return value
        if (
            isinstance(old, Buffer)
            and old.is_var
            and not (isinstance(value, Buffer) and not (value.is_var and (copies or value is old)))
        ):
            if (
                isinstance(value, (Expr, *NUMBERS))
                or value is old
                or getattr(value, "is_var", False)
            ):
                self.assign(old, value)
                return old
        if type(old) is Ref and isinstance(value, (Expr, *NUMBERS)):
            self.add(Store(old.buffer, old.indices, cast(value, old.dtype)))
            return old
        if isinstance(value, Buffer):
            if value.is_var and copies:
                return self.define(name, value.as_load())
            if value.name in ("buffer", "variable"):
                value.name = name
            return value
        if isinstance(value, OutputTensor):
            return self.output(name, value)
        if isinstance(value, Expr):
            return self.named(name, value)
        frame = getattr(value, "open_until_end", None)
        return frame(self) if frame is not None else value

    def named(self, name, value):
        if type(value) is Variable:
            if value.name == "_":
                value.name = name
            return value
        if self.block is None:
            return value
        count = lane_count(value)
        if count > 1:
            lanes = [lane_of(value, i) for i in range(count)]
            read = any(map(reads_memory, lanes))
            return Lanes([self.named(name, x) for x in lanes]) if read else value
        return self.define(name, value) if reads_memory(value) else value

    def define(self, name, value):
        let = Let(name, as_typed(value))
        self.add(Define(let))
        return let

    def read(self, value):
        """The value of a name: a variable is read now."""
        if isinstance(value, Buffer) and value.is_var and self.block is not None:
            return self.define(value.name, value.as_load())
        return value

    plain = read

    def unpack(self, value, count):
        frame = getattr(value, "open_until_end", None)
        if frame is not None:
            value = frame(self)
        if isinstance(value, (Expr, Buffer)):
            if count == 1:
                return (value,)
            fail(f"cannot unpack {value!r} into {count} names")
        items = tuple(value)
        if len(items) != count:
            fail(f"expected {count} values to unpack, got {len(items)}")
        return tuple(self.named("_", x) if isinstance(x, Expr) else x for x in items)

    def declare(self, name, old, annotation):
        """`A: T.Tensor(...)` in the body: an argument gets its type; else nothing."""
        from .arguments import declare_argument

        return declare_argument(self, name, old, annotation)

    def output(self, name, value):
        buffer = Buffer(value.shape, value.dtype, "global", None, name)
        buffer.location = value.location
        buffer.output = len(self.outputs)
        self.outputs.append(buffer)
        self.arguments.append(buffer)
        return buffer

    # Stores.
    def assign(self, variable, value):
        self.add(Assign(variable, cast(as_value(value), variable.dtype)))

    def store(self, target, key, value):
        if isinstance(target, (Buffer, Region)):
            place = target[key]
            if type(place) is Lanes:
                return self.store_vector(place, value)
            if isinstance(place, Region):
                from .copying import copy
                from .filling import fill

                return (
                    copy(value, place)
                    if isinstance(value, (Buffer, Region))
                    else fill(place, value)
                )
            if target.is_var if isinstance(target, Buffer) else False:
                return self.assign(target, value)
            ramp = next((x for x in place.indices if type(x) is Ramp), None)
            if ramp is not None:
                value = cast(as_value(value), place.dtype)
                for lane in range(ramp.lanes):
                    indices = lanes_of(place, lane)
                    self.add(Store(place.buffer, indices, lane_of(value, lane)))
                return None
            if place.buffer.reducer is not None and self.in_parallel():
                return self.contribution(place, value)
            if lane_count(as_value(value)) > 1:
                fail(
                    f"expected one value for the element {place!r}, got a vector of"
                    f" {lane_count(value)}; store its lanes, vector[i], or allocate the buffer with"
                    " the vector's type"
                )
            return self.add(Store(place.buffer, place.indices, cast(as_value(value), place.dtype)))
        if isinstance(target, Load):
            fail(f"cannot assign to an element of {target!r}, which is a value")
        target[key] = value
        return None

    def store_vector(self, place, value):
        """An element of a VectorBuffer takes a vector, or one value in each lane."""
        value = as_value(value)
        if lane_count(value) not in (1, len(place.parts)):
            fail(f"expected a vector of {len(place.parts)} values, got one of {lane_count(value)}")
        value = self.named("lane", value)
        for lane, part in enumerate(place.parts):
            self.add(Store(part.buffer, part.indices, cast(lane_of(value, lane), part.dtype)))

    def contribution(self, place, value):
        """`acc[i] += x`, `acc[i] = T.max(acc[i], x)` on a reducer, in iterations that run in any
        order."""
        from .reducing import contribute

        kinds = {
            "sum": "add",
            "max": "max",
            "min": "min",
            "bitand": "and",
            "bitor": "or",
            "bitxor": "xor",
        }
        if type(value) is Op and value.name == kinds[place.buffer.reducer] and len(value.args) == 2:
            for at in (0, 1):
                if same(value.args[at], place):
                    return contribute(place.buffer, place.indices, value.args[1 - at])
        return fail(
            f"an iteration of T.Parallel contributes to the reducer {place.buffer.name} by its"
            f" operation ({place.buffer.reducer}) only"
        )

    def update(self, target, key, operation, value):
        if isinstance(target, (Buffer, Region)):
            place = target[key]
            if isinstance(place, Region):
                fail(
                    f"cannot update a slice, {place!r}, at once; loop over its elements in"
                    " T.Parallel"
                )
            return self.store(target, key, self.operate(operation, place, value))
        target[key] = self.operate(operation, target[key], value)
        return None

    def operate(self, operation, a, b):
        return _OPERATORS[operation](a, b)

    def augment(self, name, old, operation, value):
        if isinstance(old, Buffer) and old.is_var:
            self.assign(old, self.operate(operation, old.as_load(), value))
            return old
        if type(old) is Ref:
            self.add(
                Store(old.buffer, old.indices, cast(self.operate(operation, old, value), old.dtype))
            )
            return old
        if isinstance(old, Buffer):
            fail(
                f"cannot update the buffer {old.name} as a whole; name an element, as in"
                f" {old.name}[i] += ..."
            )
        result = self.operate(operation, old, value)
        return self.named(name, result) if isinstance(result, Expr) else result

    def statement(self, value):
        if (
            type(value) is Op
            and value.name in IMPURE
            or type(value) is Op
            and any(type(x) is Op and x.name in IMPURE for x in value.args)
        ):
            self.add(Tile("evaluate", value=value))
        else:
            frame = getattr(value, "open_until_end", None)
            if frame is not None:
                frame(self)
        return value

    def goes_on(self):
        """`return` without a value: of the kernel, where it stands under a condition."""
        from .returns import thread_return

        if self.macro_depth or self.block is None or self.block is self.kernel.body:
            return False
        thread_return()
        return True

    def ret(self, value):
        if not self.macro_depth and self.block is not None and self.block is not self.kernel.body:
            fail(
                "`return` with a value under a condition or in a loop of the kernel is not supported:"
                " a kernel's results are the same tensors for all blocks; return them behind it"
            )
        if self.macro_depth:
            if self.block is not self.macro_blocks[-1]:
                fail(
                    "`return` of a macro under a condition or in a loop of the kernel is not"
                    " supported; assign to a "
                    "variable (T.alloc_var) there and return it at the end"
                )
            return tuple(map(self.read, value)) if isinstance(value, tuple) else self.read(value)
        if value is not None:
            values = value if isinstance(value, (tuple, list)) else (value,)
            for x in values:
                if not isinstance(x, Buffer) or x.output is None:
                    fail(f"a kernel returns tensors made by T.empty only, got {x!r}")
            self.returned = [x.output for x in values]
        return value
