# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: F401 - the names are the module's interface
"""The language of kernels: `import mlir_tile.language as T`.

Names and meaning follow TileLang's. A kernel is a Python function (T.prim_func, or a function under
@mlir_tile.jit) whose statements are traced into operations of the tile dialect.
"""

from . import dtypes as _dtypes
from . import mathematics as _mathematics
from . import random as _random
from . import rounding as _rounding
from . import sync as _sync
from . import threads as _threads
from . import votes as _votes
from . import words as _words
from .annotations import (
    annotate_compile_flags,
    annotate_l2_hit_ratio,
    annotate_layout,
    annotate_min_blocks_per_sm,
    annotate_pass_configs,
    annotate_restrict_buffers,
    annotate_safe_value,
    attr,
    const,
    dynamic,
    func_attr,
    symbolic,
    use_persistent,
    use_split_k,
    use_stream_k,
    use_swizzle,
)
from .atomics import (
    atomic_add,
    atomic_addx2,
    atomic_addx4,
    atomic_load,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_store,
)
from .barriers import (
    alloc_barrier,
    alloc_cluster_barrier,
    barrier_arrive,
    barrier_wait,
    mbarrier_arrive,
    mbarrier_wait_parity,
    ptx_arrive_cluster_barrier,
    ws,
)
from .branches import Else, If, Then
from .buffers import Buffer as _Buffer
from .buffers import FragmentBuffer, LocalBuffer, SharedBuffer, StridedTensor, Tensor
from .builder import Ref
from .clusters import (
    block_rank_in_cluster,
    cluster_arrive,
    cluster_arrive_relaxed,
    cluster_gather,
    cluster_sync,
    cluster_wait,
    copy_cluster,
)
from .copying import async_copy, c2d_im2col, copy, im2col, tma_copy, transpose
from .cuda_calls import call_extern, call_pure_extern, import_source
from .dtypes import (
    AnyDType,
    dtype,
    is_f8f6f4_family,
    is_float4,
    is_float4_e2m1_unpacked,
    is_float4_e2m1fn,
    validate_gemm_ab_dtypes,
)
from .errors import LanguageError, NoBuilderError, UnsupportedError
from .filling import clear, fill
from .functions import Macro, PrimFunc, inline, macro, meta_class, prim_func
from .gemming import GemmWarpPolicy, gemm, gemm_v1, gemm_v2, wgmma_gemm
from .kernel import (
    ClusterKernel,
    Kernel,
    KernelLaunchFrame,
    get_block_binding,
    get_block_bindings,
    get_block_extent,
    get_block_extents,
    get_lane_idx,
    get_thread_binding,
    get_thread_bindings,
    get_thread_extent,
    get_thread_extents,
    get_warp_group_idx,
    get_warp_idx,
    get_warp_idx_sync,
)
from .layouts import Fragment, Layout
from .loop import (
    Parallel,
    Persistent,
    Pipelined,
    Serial,
    Unroll,
    Vectorized,
    align_up,
    cdiv,
    ceildiv,
    grid,
    loop_break,
    parallel,
    serial,
    thread_binding,
    unroll,
    vectorized,
)
from .memory import (
    alloc_buffer,
    alloc_fragment,
    alloc_global,
    alloc_local,
    alloc_shared,
    alloc_var,
    allocate,
    empty,
    handle,
    make_tensor,
    make_tensor_from_addr,
    match_buffer,
    ptr,
    reshape,
    view,
)
from .named_barriers import named_barrier_arrive
from .nulls import isnullptr
from .pieces import cp_async_barrier_noinc, ptx_cp_async
from .reducing import (
    all_of,
    alloc_reducer,
    any_of,
    cummax,
    cumprod,
    cumsum,
    finalize_reducer,
    reduce,
    reduce_absmax,
    reduce_abssum,
    reduce_bitand,
    reduce_bitor,
    reduce_bitxor,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
    reducer_init,
    reducer_update,
    sort,
    topk,
)
from .returns import thread_return
from .sparse import gemm_sp
from .tensor_memory import (
    alloc_tmem,
    deallocate_tmem,
    tcgen05_after_thread_sync,
    tcgen05_before_thread_sync,
    tcgen05_gemm,
    tcgen05_mma_arrive,
)
from .tile_schedule import BaseTileScheduler, PersistentTileScheduler
from .values import Const as FloatImm
from .values import Const as IntImm
from .values import Expr as PrimExpr
from .values import Variable as Var
from .vectors import Ramp, Shuffle, extract_lane, vectorcombine, vectorhigh, vectorlow
from .ws_schedule import (
    WSID,
    WSInstr,
    WSOpRef,
    WSPipeline,
    WSRole,
    WSSchedule,
    WSScope,
    WSSync,
    WSSyncKind,
    annotate_ws_schedule,
    ws_op,
)

Buffer = Tensor
DataType = _dtypes.dtype

_own = set(globals())
for _source in (_mathematics, _sync, _threads, _votes, _random, _rounding, _words):
    for _key, _value in vars(_source).items():
        if (
            callable(_value)
            and getattr(_value, "__module__", "").startswith(__name__)
            and not isinstance(_value, type)
            and _key not in _own
        ):
            globals().setdefault(_key, _value)  # T.cast is the one of mathematics
globals().update(_dtypes.all_names())
BufferType = _Buffer

__all__ = sorted(
    x for x in globals() if not x.startswith("_") or x.startswith("__") and not x.endswith("__")
)


class UnknownNameError(UnsupportedError, AttributeError):
    """A name that the language does not have."""


def __getattr__(name):
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    from .errors import fail

    return fail(
        f"T.{name} is not supported by mlir-tile (docs/TileLangCompatibility.md lists what is)",
        kind=UnknownNameError,
    )
