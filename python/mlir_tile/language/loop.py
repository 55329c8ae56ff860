# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops: serial, unrolled, vectorized, parallel, pipelined, persistent."""

import itertools

from .builder import current
from .errors import fail, unsupported
from .ranges import bounds
from .statements import For
from .values import Expr, Variable, as_value, binary, number_of, reads_memory, truth


class Loop:
    """What `for` goes over in a kernel: one loop, or several nested ones that count together."""

    def __init__(self, kind, ranges, nested=False, stages=1, attributes=None):
        self.kind, self.ranges, self.nested = kind, ranges, nested
        self.stages, self.attributes = stages, attributes

    def __iter__(self):
        fail(
            "a loop of the kernel can only be used in a `for` statement of a kernel function or a"
            " macro"
        )

    def numbers(self):
        """The indices as Python's numbers; None where a bound is not known."""
        ends = [[number_of(x) for x in y] for y in self.ranges]
        if any(None in x for x in ends):
            return None
        counted = [range(*map(int, x)) for x in ends]
        alone = len(counted) == 1 and not self.nested
        return counted[0] if alone else itertools.product(*counted)

    def runs_once(self):
        """Whether the body runs exactly once."""
        ranges = getattr(self, "ranges", ())  # of one that goes over tiles: none
        if len(ranges) != 1:
            return False
        start, stop, step = (number_of(x) for x in ranges[0])
        return None not in (start, stop, step) and len(range(int(start), int(stop), int(step))) == 1

    def run(self, builder):
        """Traces the body once; yields the index, or a tuple of them."""
        values, statements, groups = [], [], []
        for at, (start, stop, step) in enumerate(self.ranges):
            # The iterations of the outer loops may change what the bounds of an inner one are
            # computed from, and those of a loop that counts down what its start is.
            inner = at > 0 and self.kind != "parallel"
            if inner or (number_of(step) or 0) < 0:
                start, stop, step = (_read_now(builder, x) for x in (start, stop, step))
            variable, value, lower, upper, stride = _index(start, stop, step)
            values.append(value)
            groups.append((variable, lower, upper, stride))
        if self.kind == "parallel":
            statement = For(
                "parallel",
                [g[0] for g in groups],
                [g[2] for g in groups],
                attributes=self.attributes,
            )
            statements.append(statement)
        else:
            for variable, lower, upper, stride in groups:
                statements.append(
                    For(self.kind, [variable], [upper], lower, stride, self.stages, self.attributes)
                )
        result = values[0] if len(values) == 1 and not self.nested else tuple(values)
        yield from builder.run_loop(statements, result)


def _read_now(builder, value):
    """A value that an expression inside of a loop uses, as it is in front of the loop."""
    return builder.define("_", value) if reads_memory(value) else value


def _index(start, stop, step):
    """The index of a loop: (its variable, the value that the body sees, first, end, step)."""
    number = number_of(step)
    if number == 0:
        fail("the step of a loop is zero")
    if number is not None and number < 0:
        count = ceildiv(binary("sub", start, stop), -number)
        variable = _variable(0, count)
        return variable, binary("add", binary("mul", variable, number), start), 0, count, 1
    variable = _variable(start, stop)
    return variable, variable, start, stop, step


def _variable(start, stop):
    kind = "int32"
    for x in (start, stop):
        if isinstance(x, Expr) and x.dtype == "int64":
            kind = "int64"
    from .dtypes import dtype

    high = bounds(stop)[1]
    return Variable("_", "loop", dtype(kind), bounds(start)[0], None if high is None else high - 1)


def ceildiv(a, b):
    """The quotient, rounded up."""
    a, b = as_value(a), as_value(b)
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        return -(-a // b)
    if number_of(b) == 1:
        return a
    return binary("floordiv", binary("sub", binary("add", a, b), 1), b)


cdiv = ceildiv


def align_up(a, b):
    return binary("mul", ceildiv(a, b), b)


def _range(start, stop, step):
    start = as_value(start)
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else as_value(step)
    stop = as_value(stop)
    for x in (start, stop, step):
        if isinstance(x, float) or (isinstance(x, Expr) and not x.dtype.is_integer):
            fail(f"expected whole numbers as the bounds of a loop, got {x!r}")
    return tuple(int(x) if isinstance(x, bool) else x for x in (start, stop, step))


def serial(start, stop=None, step=None, *, annotations=None):
    """Iterations one after the other."""
    return Loop("serial", [_range(start, stop, step)])


Serial = serial


def unroll(start, stop=None, step=None, *, explicit=False, unroll_factor=None, annotations=None):
    """Iterations one after the other, written out."""
    return Loop("unroll", [_range(start, stop, step)])


Unroll = unroll


def vectorized(start, stop=None, *, annotations=None):
    """Iterations that may run as one instruction."""
    attributes = {"async_copy": True} if annotations and annotations.get("async_copy") else {}
    return Loop("vectorized", [_range(start, stop, None)], attributes=attributes)


Vectorized = vectorized


def parallel(start, stop=None, *, annotations=None):
    """Iterations in any order."""
    start, stop, _ = _range(start, stop, None)
    if number_of(start) != 0:
        unsupported("T.parallel with a first index other than zero", "subtract it from the bounds")
    return Loop("parallel", [(0, stop, 1)])


def Parallel(*extents, coalesced_width=None, loop_layout=None, prefer_async=None, annotations=None):
    """Iterations over all indices below `extents`, spread over the threads in any order."""
    if not extents:
        fail("T.Parallel needs at least one extent")
    ranges = [_range(x, None, None) for x in extents]
    attributes = {}
    if coalesced_width is not None:
        attributes["coalesced_width"] = int(coalesced_width)
    if loop_layout is not None:
        from .layouts import fragment_text

        text = fragment_text(loop_layout)
        if text is not None:
            attributes["layout"] = text
    return Loop("parallel", ranges, attributes=attributes)


def grid(*extents):
    """Nested serial loops."""
    return Loop("serial", [_range(x, None, None) for x in extents], nested=len(extents) > 1)


def Pipelined(
    start, stop=None, num_stages=0, order=None, stage=None, sync=None, group=None, annotations=None
):
    """Iterations whose copies may run ahead: `num_stages` buffers of each tile."""
    begin, end, step = _range(start, stop, None)
    stages = number_of(as_value(num_stages))
    if not isinstance(stages, int) or isinstance(stages, bool) or stages < 0:
        fail(
            "T.Pipelined: expected num_stages to be a number of tiles, 0 or more, got"
            f" {num_stages!r}"
        )
    if not stages and stage:
        stages = max(stage) + 1
    return Loop("pipelined", [(begin, end, step)], stages=max(1, int(stages)))


class Persistent(Loop):
    """Tiles of `domain` that this block works off: index, index + wave_size, ...; columns in groups
    of rows."""

    def __init__(self, domain, wave_size, index, group_size=8):
        self.domain, self.wave_size, self.index = (
            [as_value(x) for x in domain],
            as_value(wave_size),
            as_value(index),
        )
        self.group_size = 8 if group_size is None else as_value(group_size)

    def run(self, builder):
        self.domain = [_read_now(builder, x) for x in self.domain]
        self.wave_size, self.index, self.group_size = (
            _read_now(builder, x) for x in (self.wave_size, self.index, self.group_size)
        )
        total = 1
        for x in self.domain:
            total = binary("mul", total, x)
        waves = ceildiv(total, self.wave_size)
        for wave in Loop("serial", [(0, waves, 1)]).run(builder):
            tile = binary("add", binary("mul", wave, self.wave_size), self.index)
            branch = builder.branch(truth(tile < total))
            if builder.then(branch):
                found = tuple(self._coordinates(tile))
                yield found if len(found) > 1 else found[0]
            builder.end(branch)

    def _coordinates(self, tile):
        if len(self.domain) == 1:
            return [tile]
        group = self.group_size
        grid_m, grid_n = self.domain[0], self.domain[1]
        rest = []
        if len(self.domain) > 2:
            for x in reversed(self.domain[2:]):
                rest.insert(0, tile % x)
                tile = tile // x
        if number_of(grid_m) is not None and number_of(group) is not None:
            group = min(number_of(group), number_of(grid_m))
        per_group = binary("mul", group, grid_n)
        first = binary("mul", tile // per_group, group)
        size = binary("min", binary("sub", grid_m, first), group)
        inside = tile % per_group
        return [binary("add", first, inside % size), inside // size, *rest]


def thread_binding(start, stop=None, thread=None, *, annotations=None):
    """A loop over the threads (or blocks) of an axis: runs once in each. The axis may be the second
    argument, as in T.thread_binding(128, "threadIdx.x")."""
    if isinstance(stop, str):
        stop, thread = None, stop
    begin, end, _ = _range(start, stop, None)
    return _ThreadLoop(end, thread or "threadIdx.x")


class _ThreadLoop(Loop):
    def __init__(self, extent, axis):
        self.extent, self.axis = extent, axis

    def index(self):
        """The index of the thread or block along the axis."""
        from .kernel import get_block_binding, get_thread_binding

        dim = "xyz".index(self.axis[-1])
        if self.axis.startswith("threadIdx"):
            return get_thread_binding(dim)
        if self.axis.startswith("blockIdx"):
            return get_block_binding(dim)
        return unsupported(f"T.thread_binding of {self.axis}")

    def run(self, builder):
        yield self.index()

    def open_until_end(self, builder):
        """`tx = T.thread_binding(...)`: the index."""
        return self.index()


def loop_break():
    """`break` of the innermost loop."""
    current("T.loop_break").leave("break")
