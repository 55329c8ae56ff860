# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.Kernel: the grid of blocks, and the numbers of blocks and threads."""

from .builder import KernelScope, PhaseOneEnds, current
from .errors import StructureError, fail, here, unsupported
from .ranges import bounds
from .statements import Leave, Tile
from .values import Expr, Op, Variable, as_value, binary, number_of


class KernelFrame:
    """`with T.Kernel(...) as (bx, by)`, or `bx, by = T.Kernel(...)` until the function ends."""

    def __init__(self, grid, threads, cluster=None):
        self.location = here()
        if not 1 <= len(grid) <= 3:
            fail(f"T.Kernel takes one to three extents of the grid, got {len(grid)}", self.location)
        values = map(as_value, grid)
        self.grid = [int(x) if isinstance(x, bool) else x for x in values]
        for x in self.grid:
            if isinstance(x, float) or (isinstance(x, Expr) and not x.dtype.is_integer):
                fail(
                    f"T.Kernel: expected whole numbers as extents of the grid, got {x!r}",
                    self.location,
                )
            if number_of(x) is not None and number_of(x) <= 0:
                fail(
                    f"T.Kernel: the grid has an extent of {number_of(x)}; expected at least one"
                    " block",
                    self.location,
                    StructureError,
                )
        shape = (
            [128]
            if threads is None
            else list(threads)
            if isinstance(threads, (list, tuple))
            else [threads]
        )
        self.thread_shape = [number_of(as_value(x)) for x in shape]
        if None in self.thread_shape or any(x <= 0 for x in self.thread_shape):
            fail(f"T.Kernel: threads must be positive numbers, got {threads}", self.location)
        self.threads = 1
        for x in self.thread_shape:
            self.threads *= int(x)
        self.cluster = cluster

    def __enter__(self):
        builder = current("T.Kernel")
        if builder.phase == "declare":
            raise PhaseOneEnds
        if builder.kernel is not None:
            fail("T.Kernel inside of another T.Kernel", self.location)
        scope = KernelScope(self.grid, self.threads, self.location)
        scope.thread_shape = tuple(self.thread_shape)
        scope.cluster = self.cluster
        for axis, size in zip("xyz", self.grid):
            high = bounds(size)[1]
            scope.blocks.append(
                Variable(
                    f"b{axis}", "block", low=0, high=None if high is None else max(high - 1, 0)
                )
            )
        self.builder, self.scope = builder, scope
        builder.kernels.append(scope)
        builder.kernel, builder.block = scope, scope.body
        for axis, size in enumerate(self.grid):
            more = launched(size)
            if more is not None:
                scope.needed[axis] = size
                scope.grid[axis] = more
                self.leave_where(builder, scope.blocks[axis] >= size)
        builder.frame = self
        return scope.blocks[0] if len(scope.blocks) == 1 else tuple(scope.blocks)

    def leave_where(self, builder, condition):
        """Blocks for which a condition holds do nothing."""
        branch = builder.branch(condition)
        if builder.then(branch):
            builder.add(Leave("return"), self.location)
        builder.end(branch)
        self.scope.at_end.append(self.no_grid_barrier)

    def no_grid_barrier(self):
        """A barrier of all blocks would wait for those that do nothing."""
        if _meets(self.scope.body):
            unsupported(
                "T.sync_grid in a grid with T.max or T.min in its extents",
                "pass the extent as a scalar argument, or make it an extent of an argument",
                self.location,
            )

    def __exit__(self, *error):
        self.builder.close_kernel()
        if not any(error):
            for check in self.scope.at_end:
                check()

    def open_until_end(self, builder):
        """Opens the kernel until the function ends."""
        result = self.__enter__()
        builder.opened.append(self)
        return result

    # TileLang's frame answers these, too.
    @property
    def blocks(self):
        return list(self.scope.blocks)

    @property
    def num_threads(self):
        return self.threads

    def get_num_threads(self):
        return self.threads

    def get_thread_binding(self, dim=0):
        return get_thread_binding(dim)

    def get_thread_extent(self, dim=0):
        return get_thread_extent(dim)

    def get_block_binding(self, dim=0):
        return get_block_binding(dim)

    @staticmethod
    def Current():
        from .builder import current_or_none

        builder = current_or_none()
        return (
            getattr(builder, "frame", None)
            if builder is not None and builder.kernel is not None
            else None
        )


KernelLaunchFrame = KernelFrame


def _meets(block):
    """Whether statements, nested ones too, have a barrier of the grid."""
    return any(
        (type(x) is Tile and x.name == "grid_barrier") or any(map(_meets, x.blocks)) for x in block
    )


def launched(size):
    """An extent without max and min that is no smaller (None where there is none in it): the grid
    is computed by sums, products and quotients."""
    if type(size) is not Op:
        return None
    a, b = (*size.args, None)[:2]
    if size.name in ("max", "min"):
        a, b = (x if launched(x) is None else launched(x) for x in size.args)
        return binary("add", a, b) if size.name == "max" else a
    more = launched(a)
    if size.name == "cast":
        return more
    # A sum, and a product or quotient of a number that is not negative, grow with their operands.
    if size.name == "add" and (more is not None or launched(b) is not None):
        return binary("add", a if more is None else more, b if launched(b) is None else launched(b))
    number = number_of(b) if b is not None else None
    if more is not None and number is not None:
        if size.name == "sub" or (size.name in ("mul", "floordiv", "truncdiv") and number >= 0):
            return binary(size.name, more, b)
    return None


def Kernel(*blocks, threads=None, prelude=None):
    """Opens a kernel: `blocks` extents of the grid (x first), `threads` of a block (128 by
    default)."""
    current("T.Kernel")
    if prelude is not None:
        unsupported(
            "T.Kernel(prelude=...), C++ source in a kernel",
            "there is no C++ compiler behind this package",
        )
    return KernelFrame(blocks, threads)


def ClusterKernel(*blocks, cluster_dims, threads=None, prelude=None):
    """T.Kernel with blocks in clusters of `cluster_dims`."""
    current("T.ClusterKernel")
    if prelude is not None:
        unsupported("T.ClusterKernel(prelude=...), C++ source in a kernel")
    dims = list(cluster_dims) if isinstance(cluster_dims, (list, tuple)) else [cluster_dims]
    dims = (dims + [1] * 3)[: len(blocks)]
    return KernelFrame(blocks, threads, None if all(x == 1 for x in dims) else dims)


def _scope(construct):
    builder = current(construct)
    if builder.kernel is None:
        fail(f"{construct} stands outside of `with T.Kernel(...)`")
    return builder.kernel


def thread_index(scope):
    """The number of the thread in its block."""
    if scope.thread_index is None:
        scope.thread_index = Variable("thread", "thread", low=0, high=scope.threads - 1)
    return scope.thread_index


def get_thread_binding(dim=0):
    """The index of the thread along one dimension of the block of threads."""
    scope = _scope("T.get_thread_binding")
    if not 0 <= dim < 3:
        fail(f"T.get_thread_binding: expected a dimension of 0, 1 or 2, got {dim}")
    shape = (*scope.thread_shape, 1, 1)[:3]
    if shape[dim] == 1:
        return 0
    below = 1
    for x in shape[:dim]:
        below *= x
    index = thread_index(scope)
    if shape[dim] == scope.threads:
        return index
    value = index if below == 1 else index // below
    return value % shape[dim] if below * shape[dim] < scope.threads else value


def get_thread_bindings():
    return [get_thread_binding(i) for i in range(3)]


def get_thread_extent(dim=0):
    return (*_scope("T.get_thread_extent").thread_shape, 1, 1)[dim]


def get_thread_extents():
    return [get_thread_extent(i) for i in range(3)]


def get_block_binding(dim=0):
    """The index of the block along one dimension of the grid."""
    blocks = _scope("T.get_block_binding").blocks
    return blocks[dim] if dim < len(blocks) else 0


def get_block_bindings():
    return list(_scope("T.get_block_bindings").blocks)


def get_block_extent(dim=0):
    grid = _scope("T.get_block_extent").extents
    return grid[dim] if dim < len(grid) else 1


def get_block_extents():
    return [get_block_extent(i) for i in range(3)]


def get_lane_idx(warp_size=None):
    """The number of the thread in its warp."""
    return thread_index(_scope("T.get_lane_idx")) % (warp_size or 32)


def get_warp_idx(warp_size=None):
    """The number of the thread's warp in the block."""
    return thread_index(_scope("T.get_warp_idx")) // (warp_size or 32)


get_warp_idx_sync = get_warp_idx


def get_warp_group_idx(warp_size=None, warps_per_group=None):
    return thread_index(_scope("T.get_warp_group_idx")) // (
        (warp_size or 32) * (warps_per_group or 4)
    )
