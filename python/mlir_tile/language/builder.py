# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a rewritten function calls: it records statements, and keeps Python's own control flow
Python's."""

import operator
import threading

from .buffers import Buffer, OutputTensor, Region
from .conditions import Conditions
from .control_flow import ControlFlow
from .errors import NoBuilderError, fail, here
from .macros import Macros, Ref
from .operands import OPERATORS, Operands
from .rebinding import is_rebound
from .statements import Alloc, Assign, Define, For, Store, Tile
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
    is_expr,
    reads_memory,
    same,
)
from .vectors import Lanes, Ramp, as_typed, lane_count, lane_of, lanes_of

_IN_PLACE = {k: getattr(operator, "i" + x.__name__.strip("_")) for k, x in OPERATORS.items()}
_state = threading.local()


def is_number(value):
    """Whether a value is a number of Python's or of NumPy's, or an array of no dimensions."""
    return isinstance(value, NUMBERS) or (
        hasattr(value, "item") and getattr(value, "shape", None) == ()
    )


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


class Builder(Conditions, ControlFlow, Macros, Operands):
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

    def enter(self, context):
        return context

    def close_kernel(self):
        self.block, self.kernel, self.random = None, None, None

    # Names.
    def bind(self, name, value, old, copies):
        if is_rebound(old):
            old = None
        if copies == "named":  # an expression, whose value may be a new variable, which has no name
            copies = getattr(value, "name", None) != "variable"
        kind = type(value)
        if kind in NUMBERS and not isinstance(old, (Buffer, Ref)):
            return value
        if (
            isinstance(old, Buffer)
            and old.is_var
            and not (isinstance(value, Buffer) and not (value.is_var and (copies or value is old)))
        ):
            if is_number(value) or is_expr(value) or value is old:
                self.assign(old, value)
                return old
        if type(old) is Ref and (is_number(value) or is_expr(value)):
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
        if self.block is not None and (kind in (list, dict) or isinstance(value, tuple)):
            return self.items(value)
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

    def plain(self, name, value):
        """What an attribute of an object of Python's is bound to."""
        value = self.read(value)
        return self.named(name, value) if isinstance(value, Expr) else value

    def unpack(self, value, count, starred=None):
        """The values that `count` names take; a list at the place `starred`."""
        frame = getattr(value, "open_until_end", None)
        if frame is not None:
            value = frame(self)
        if isinstance(value, (Expr, Buffer)):
            if count == 1:
                return (value,)
            fail(f"cannot unpack {value!r} into {count} names")
        items = tuple(value)
        least = count if starred is None else count - 1
        if len(items) < least or starred is None and len(items) > count:
            more = "" if starred is None else "at least "
            fail(f"expected {more}{least} values to unpack, got {len(items)}")
        items = [self.named("_", x) if isinstance(x, Expr) else x for x in items]
        if starred is not None:
            end = starred + len(items) - least
            items[starred:end] = [items[starred:end]]
        return tuple(items)

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
        target[key] = self.named("_", value) if isinstance(value, Expr) else value
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

    def put(self, value, mark, target, key):
        """`target[key] = value` whose target calls something: Python computes the value first."""
        self.store(target, key, self.before(value, mark))

    @staticmethod
    def element(target, key):
        """What `target[key] += ...` updates: of Python's own, what is there before."""
        return target, key, None if isinstance(target, (Buffer, Region)) else target[key]

    def update(self, target, key, old, operation, mark, value):
        if isinstance(target, (Buffer, Region)):
            key = self.before(key, mark)
            place = target[key]
            if isinstance(place, Region):
                fail(
                    f"cannot update a slice, {place!r}, at once; loop over its elements in"
                    " T.Parallel"
                )
            return self.store(target, key, self.ordered(operation, place, mark, value))
        result = _IN_PLACE[operation](self.before(old, mark), value)
        target[key] = self.named("_", result) if isinstance(result, Expr) else result
        return None

    def augment(self, name, old, operation, mark, value):
        if isinstance(old, Buffer) and old.is_var:
            self.assign(old, self.ordered(operation, old.as_load(), mark, value))
            return old
        if type(old) is Ref:
            result = cast(self.ordered(operation, old, mark, value), old.dtype)
            self.add(Store(old.buffer, old.indices, result))
            return old
        if isinstance(old, Buffer):
            fail(
                f"cannot update the buffer {old.name} as a whole; name an element, as in"
                f" {old.name}[i] += ..."
            )
        # A list of Python's stays the one that it is.
        if type(old) in (list, dict, set) and self.block is not None:
            value = self.item(value)
        result = _IN_PLACE[operation](self.before(old, mark), value)
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
