# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers, printing, assertions, hints about registers.

Barriers are the compiler's business here: T.sync_threads and fences say nothing that it does not
know.
"""

from .buffers import Buffer, Region, region_of
from .builder import current
from .errors import fail, unsupported
from .values import Expr, Let, Load, Variable, as_value, is_expr, truth


def sync_threads(barrier_id=None, arrive_count=None):
    """A barrier of the block's threads, or of the warps that run it: the compiler places those that
    are needed. In T.ws, more threads than the part has are those of several parts, which meet at
    the barrier of this number."""
    builder = current("T.sync_threads")
    if builder.warps is not None and isinstance(arrive_count, int):
        if arrive_count != 32 * builder.warps.count:
            from .named_barriers import meet_parts

            return meet_parts(barrier_id, arrive_count)
    if builder.block is not None:
        everyone = barrier_id is None and arrive_count is None and builder.warps is None
        builder.tile("sync", all=everyone)


def sync_grid():
    """A barrier of all blocks of the grid: the kernel is launched cooperatively, with no more
    blocks than the GPU holds at a time."""
    builder = current("T.sync_grid")
    if builder.block is None:
        fail("T.sync_grid stands inside of T.Kernel")
    builder.tile("grid_barrier")


def sync_global():
    """T.sync_grid, by TVM's name."""
    sync_grid()


def _nothing(name, doc):
    def function(*_, **__):
        current(f"T.{name}")

    function.__name__, function.__doc__ = name, doc
    return function


_IGNORED = [
    "fence_proxy_async",
    "sync_warp",
    "no_set_max_nreg",
    "inc_max_nreg",
    "dec_max_nreg",
    "disable_warp_group_reg_alloc",
    "annotate_producer_reg_dealloc",
    "annotate_consumer_reg_alloc",
    "wait_wgmma",
    "warpgroup_wait",
    "warpgroup_arrive",
    "warpgroup_commit_batch",
    "warpgroup_fence_operand",
    "ptx_wait_group",
    "ptx_commit_group",
    "cp_async_wait_group",
    "cp_async_commit_group",
    "tma_store_arrive",
    "tma_store_wait",
    "pdl_trigger",
    "pdl_sync",
]
for _name in _IGNORED:
    globals()[_name] = _nothing(
        _name, "Says nothing here: the compiler waits, fences and shares out registers itself."
    )


def set_max_nreg(reg_count=0, is_inc=1):
    """The registers of a thread of the warps that run it: in `with T.ws(...)`, or under a condition
    on whole warps with barriers. Elsewhere it says nothing."""
    builder = current("T.set_max_nreg")
    if builder.block is not None:
        builder.tile("set_max_nreg", registers=int(reg_count))


def print(obj=None, msg="", warp_group_id=0, warp_id=0, *_, **__):  # noqa: A001 - TileLang's name
    """Prints a value or the elements of a tile when the kernel runs."""
    builder = current("T.print")
    if isinstance(obj, (Buffer, Region)) and not getattr(obj, "is_var", False):
        builder.tile(
            "print", value=region_of(obj, "T.print"), message=str(msg or getattr(obj, "name", ""))
        )
        return
    if isinstance(obj, str):
        fail("T.print of a text alone is not supported yet; pass a value and the text as msg")
    value = as_value(obj) if is_expr(obj) or isinstance(obj, (int, float)) else obj
    # Without a text of the user's, the name of what is printed.
    named = isinstance(value, (Load, Let, Variable)) or getattr(obj, "is_var", False)
    text = msg or (getattr(obj, "name", None) or repr(value) if named else "")
    builder.tile("print", value=value, message=str(text))


def device_assert(condition, msg=""):
    """Stops the program with a message where the condition is false."""
    builder = current("T.device_assert")
    known = truth(condition)
    if isinstance(known, Expr):
        builder.tile("assert", condition=known, message=str(msg or "assertion failed"))
    elif not known:
        fail(f"the assertion is false whenever the kernel runs: {msg}")


def tvm_storage_sync(scope):
    """TVM's name of a barrier: "shared" and "shared.dyn", the block's; "warp", a warp's."""
    if scope in ("shared", "shared.dyn"):
        return sync_threads()
    if scope == "warp":
        return globals()["sync_warp"]()
    unsupported(f"T.tvm_storage_sync({scope!r})", 'it takes "shared", "shared.dyn" and "warp"')


def evaluate(value=None):
    """A value for its effects."""
    builder = current("T.evaluate")
    if isinstance(value, Expr):
        builder.statement(value)
