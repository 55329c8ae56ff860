# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements about a kernel: order of blocks, layouts, values outside of tensors; symbols of
sizes."""

import operator
import re

from .builder import current
from .dtypes import dtype as element_type
from .errors import NoBuilderError, fail
from .values import INT32, Variable, as_value, cast


def use_swizzle(panel_size, order="row", enable=True):
    """Launches blocks in panels of `panel_size` rows, so that neighbours share operands in the L2
    cache."""
    builder = current("T.use_swizzle")
    if order not in ("row", "column", "mlx"):
        fail(f"T.use_swizzle: expected an order of row, column or mlx, got {order!r}")
    rows = _integer(panel_size)
    if rows is None:
        fail(
            "T.use_swizzle: expected an integer, the number of rows of blocks in a panel, got"
            f" {panel_size!r}"
        )
    if enable and builder.kernel is not None and len(builder.kernel.grid) >= 2 and rows > 0:
        builder.kernel.attributes["panel"] = rows


def _integer(value):
    """Python's integer that `value` is, or None."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _set_count(construct, attribute, count, low, high):
    """Gives the kernel that is traced a number of its own."""
    kernel = current(construct).kernel
    if kernel is None:
        fail(f"{construct}: expected to stand inside of `with T.Kernel(...)`")
    number = _integer(count)
    if number is None or not low <= number <= high:
        fail(f"{construct}: expected an integer from {low} to {high}, got {count!r}")
    kernel.attributes[attribute] = number


def _not_both(construct, attribute, other):
    kernel = current(construct).kernel
    if kernel is not None and attribute in kernel.attributes:
        fail(
            f"{construct}: the kernel has {other}, and either the blocks of a cluster or those of"
            " the whole grid can share a tile's iterations; take one of the two out"
        )


def use_persistent(blocks_per_sm=1):
    """Launches as many blocks as run at a time and no more, at most `blocks_per_sm` (1 to 32) on a
    multiprocessor. Each computes several blocks of the grid, one after the other."""
    _set_count("T.use_persistent", "persistent", blocks_per_sm, 1, 32)


def use_split_k(blocks):
    """`blocks` blocks (2 to 16, together with those of T.ClusterKernel) form a cluster and share
    the iterations of the kernel's T.Pipelined. What they accumulate is added in a fixed order.

    Without it a block runs all iterations. It needs clusters, which GPUs before sm_90 lack.
    """
    _not_both("T.use_split_k", "stream_k", "T.use_stream_k")
    _set_count("T.use_split_k", "split", blocks, 2, 16)


def use_stream_k(parts=16, blocks_per_sm=1):
    """Persistent blocks, as by T.use_persistent, that share the last tiles.

    Where the grid leaves a last round of tiles in which some blocks would have none, the iterations
    of these tiles' T.Pipelined are divided into `parts` parts (2 to 1024), which several blocks
    share. What they accumulate is added in a fixed order, through memory that the launcher
    provides; nobody waits. Results are the same from run to run on one GPU.
    """
    _not_both("T.use_stream_k", "split", "T.use_split_k")
    _set_count("T.use_stream_k", "persistent", blocks_per_sm, 1, 32)
    _set_count("T.use_stream_k", "stream_k", parts, 2, 1024)


def annotate_layout(layout_map, *_, **__):
    """Layouts of buffers: of mlir_tile.layout, or functions of indices, which are evaluated.

    A layout that the compiler does not have is left to it, with a LayoutWarning; one that puts two
    elements in one place is a LayoutError.
    """
    from .layouts import state_layout

    current("T.annotate_layout")
    for buffer, layout in layout_map.items():
        state_layout(buffer, layout)


def annotate_safe_value(safe_value_map, *_, **__):
    """What is read outside of a tensor (zero where it is not said)."""
    current("T.annotate_safe_value")
    for buffer, value in safe_value_map.items():
        buffer.safe_value = cast(as_value(value), buffer.dtype)


def annotate_restrict_buffers(*buffers):
    """These arguments may overlap each other."""
    current("T.annotate_restrict_buffers")
    for buffer in buffers:
        buffer.may_alias = True


def annotate_l2_hit_ratio(l2_hit_ratio_map):
    """How much of a tensor the L2 cache should keep: a hint, without effect here."""
    current("T.annotate_l2_hit_ratio")


def annotate_min_blocks_per_sm(n):
    """Blocks on a multiprocessor: a hint, without effect here."""
    current("T.annotate_min_blocks_per_sm")


def annotate_pass_configs(configs):
    """Options of the compiler for this function; those of @tilelang.jit win."""
    builder = current("T.annotate_pass_configs")
    builder.pass_configs = dict(configs)


def annotate_compile_flags(flags):
    """Flags of nvcc: accepted, without effect, as there is no nvcc."""
    builder = current("T.annotate_compile_flags")
    builder.compile_flags = flags


def func_attr(attributes):
    """Attributes of TVM's function: whether arguments share memory the launcher knows by itself, and names and targets
    are those of the compilation."""
    current("T.func_attr")
    known = ("tir.noalias", "global_symbol", "tir.is_entry_func", "target")
    for name in attributes:
        if name not in known:
            fail(f"T.func_attr: expected {', '.join(known)}, got {name!r}")


def _names(text):
    return [x for x in re.split(r"[,\s]+", text.strip()) if x]


def dynamic(name, dtype="int32"):
    """Sizes that each call chooses: T.dynamic("m"), T.dynamic("m, n")."""
    made = tuple(Variable(x, "dynamic", element_type(dtype), low=0) for x in _names(name))
    if not made:
        fail("T.dynamic needs a name")
    return made if len(made) > 1 or "," in name else made[0]


symbolic = dynamic


def const(name, dtype="int32"):
    """Sizes of an eager kernel's tensors: taken from the call, and known when the kernel is
    built."""
    from .builder import current_or_none

    builder = current_or_none()
    if builder is None or builder.phase is None:
        fail(
            "T.const() can only be used in a function of @tilelang.jit that is written in eager"
            " style",
            kind=NoBuilderError,
        )
    names = _names(name)
    if builder.phase == "declare":
        made = []
        for x in names:
            variable = builder.constants.get(x)
            if variable is None:
                variable = builder.constants[x] = Variable(x, "const", element_type(dtype), low=0)
            made.append(variable)
    else:
        for x in names:
            if x not in builder.sizes:
                fail(
                    f"the size {x} of T.const is not known: it must be an extent or a stride of a"
                    f" tensor by itself, or be given as {x}=..."
                )
        made = [builder.sizes[x] for x in names]
    return tuple(made) if len(made) > 1 or "," in name else made[0]


def attr(node=None, attr_key=None, value=None):
    """An attribute of what follows: accepted, without effect."""
    import contextlib

    from .threads import Reducer, ReduceScope

    if isinstance(node, Reducer):
        return ReduceScope(node)
    return contextlib.nullcontext()


INDEX_TYPE = INT32
