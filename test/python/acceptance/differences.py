# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What works differently from TileLang on purpose, and what is not planned."""

_CLUSTER = "a barrier of the block where no block sees what another one does"
_MASK = (
    "the blocks of a `cluster_mask` read what the first of them names, each for itself unless all"
    " of a cluster do"
)

DIFFERENCES = {
    "tilelang.jit": (
        "`execution_backend`, `target_host`, `debug_root_path` have no meaning; target names are "
        "`auto`, `cuda`, `cuda:sm_90a`, `cpu`, `lowered:sm_90a`, and TileLang's"
    ),
    "tilelang.lower": "compiles; host code has no source of its own",
    "tilelang.Profiler": "`cudagraph` measures by events, too",
    "tilelang.autotune": "takes any `concurrent.futures.Executor`; Ctrl-C keeps what was found",
    "T.atomic_add": (
        "outside of T.Parallel, in a kernel that names no thread, an update happens once for the"
        " block; every memory order is taken as relaxed, with a warning"
    ),
    "T.cluster_sync": _CLUSTER,
    "T.cluster_wait": _CLUSTER,
    "T.cluster_arrive": "the block that arrives waits for none; see `T.cluster_sync`",
    "T.cluster_arrive_relaxed": "the block that arrives waits for none; see `T.cluster_sync`",
    "T.copy_cluster": f"the copy to another block is one arrival, whatever its region; {_MASK}",
    "T.tma_copy": _MASK,
    "T.annotate_ws_schedule": "checked and not followed: the compiler parts warps itself",
    "T.alloc_tmem": (
        "an accumulator or left operand: the compiler keeps it in tensor memory where the target"
        " has it, else in registers"
    ),
    "T.isnullptr": "known when the kernel is called, which is compiled for it",
    "T.import_source": (
        "small device functions of CUDA C++ over a thread's own arrays, with inline PTX"
        " (docs/Python.md); there is no compiler of C++ behind it"
    ),
    "T.call_extern": "functions of T.import_source, and CUDA's built-in functions (docs/Python.md)",
    "T.gemm_sp": "by wgmma.sp or mma.sp where one can read the tiles, else the product of the whole A, put together in shared memory",
    "T.rng_init": "the numbers are Philox's for every generator, not cuRAND's sequence",
    "T.rng_rand": "a function of seed, call and iteration; not cuRAND's sequence",
    "T.rng_rand_float": "a function of seed, call and iteration; not cuRAND's sequence",
    "T.annotate_layout": (
        "functions of indices are evaluated; one that is no layout of this compiler, or that of a "
        "tensor in global memory, is left to it, with a warning"
    ),
    "tilelang.tools": "`plot_layout` writes SVG",
}

_COMPILER = "part of TileLang's compiler"
_VENDOR = "another vendor's devices"

NOT_PLANNED = {
    "tilelang.analysis": _COMPILER,
    "tilelang.ir": _COMPILER,
    "tilelang.tileop": _COMPILER,
    "tilelang.libinfo": _COMPILER,
    "tilelang.get_windows_runtime_dll_dirs": "Windows",
    "tilelang.prepend_dll_search_path": "Windows",
    "tilelang.register_cuda_postproc": "there is no CUDA C text to change",
    "tilelang.register_c_postproc": "there is no C text to change",
    "tilelang.register_hip_postproc": _VENDOR,
    "tilelang.rocm": _VENDOR,
    "tilelang.metal": _VENDOR,
    "tilelang.webgpu": _VENDOR,
}

# Groups of names of the language that are not planned.
NOT_PLANNED_GROUPS = {
    r"T\.(tvm_|anylist_|call_(c?packed|intrin|llvm)|q_multiply_shift|get_tvm_dtype)": (
        "calls of TVM's host code and intrinsics by TVM's names"
    ),
    r"T\.(get|has)_let_value$|T\.(StringImm|DataTypeCode|undef|ret)$": "TVM's builder",
    r"T\.float8_\w+fnuz$|T\.float8_(e3m4|e4m3b11fnuz)$": "no type of NVIDIA's GPUs",
    r"T\.ptx_mma_sm70$": "GPUs before sm_80 are no targets",
}
