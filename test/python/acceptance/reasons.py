# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why scripts and tests of TileLang do not pass: what the page says beside the error."""

from __future__ import annotations

import re

_TILELANG = "looks at a part of TileLang's own compiler or package"
_WS = "describes warp specialization by hand; this compiler decides it"

# (a pattern of "name error", the reason); the first that is found counts.
REASONS = (
    (r"libcuda.so cannot found|Legacy CUDA profiling|cannot be accessed from Triton",
     "the script measures a kernel of Triton's, or by PyTorch's profiler of GPUs, beside its own"),
    (r"2628.*syncwarp_mul.*Scalars are not close",
     "PyTorch's product of bfloat16 on the CPU rounds each step; the kernel's is the nearer one"),
    (r"No module named 'cloudpickle'", _TILELANG),
    (r"got 'sm_75'", "is for another GPU"),
    (r"test_atomic_load_store.*SIGSEGV", "an error of this package at that commit, mended since"),
    (r"DID NOT RAISE", "expects an error of TileLang's for what this compiler takes"),
    (r"vertical_slash_sparse_attn.*(cpp_extension|CUDA_HOME|ninja|nvcc|illegal memory access)",
     "the script builds a CUDA C++ extension of PyTorch's for its reference"),
    (r"sparse_mla_fwd_pipelined.*NI should be", "the smaller sizes of this run are none of its"),
    (r"import_source|call_extern", "CUDA C++ source text in the kernel, which needs nvcc"),
    (r"common\.h|mma_sm120_macro_generator\.py|No such file.*\.(h|py)\b",
     "reads the text of TileLang's own sources"),
    (r"WS(Role|Schedule|Scope|Sync)|ws_op|annotate_ws_schedule", _WS),
    (r"alloc_barrier|mbarrier|barrier_(arrive|wait)", "barriers by hand"),
    (r"cluster_(barrier|copy)|copy_cluster|cluster", "an error of this package at that commit, mended since"),
    (r"test_bench_cupti", "measures a GPU"),
    (r"needs compute capability", "is for another GPU"),
    (r"gemv/example_gemv.*time limit",
     "tunes over 720 configurations: longer than the time limit beside ten other scripts"),
    (r"time limit|timeout", "longer than the time limit here (8 GB of memory on the CPU)"),
    (r"test_math_ieee_math.*'rz'", "a rounding mode that the target has no instruction for"),
    (r"static_zero_grid_dim", "an empty grid is an error here, with its line"),
    (r"T\.gemm inside", "T.gemm in T.Parallel is an error here, with its line"),
    (r"extents of tiles must be known", "tiles of a size that only the call knows"),
    (r"nvrtc.*'kernels'", _TILELANG),
    (r"jit_nvrtc|pass_config_disable_warp_specialized",
     "sums in float16 are rounded to float16 at each step here on the CPU, as the script says;"
     " tensor cores keep more bits"),
    (r"get_backend|kernel_cache|lower_trace|grouped_compile|language\.common|engine\.callback|jit_callback"
     r"|cuda\.language\.intrinsics|mma_load_a_32x32|SwizzleMode|_TORCH_DTYPE|tilelang_out_idx",
     _TILELANG),
    (r"Buffer read before initialization", "the same is said by the logger `mlir_tile`"),
    (r"packed_fp4|subbyte", "PyTorch's packed types of four bits have half of the elements"),
    (r"CUDASourceCodeKernel|source_kernel", "CUDA C++ source text in the kernel, which needs nvcc"),
)  # fmt: skip


def reason_of(name: str, error: str) -> str | None:
    """Why a case did not pass; None where the table does not say."""
    for pattern, reason in REASONS:
        if re.search(pattern, f"{name} {error}"):
            return reason
    said = re.search(r": (?!/)([^:;]*) is not supported yet by mlir-tile", error)
    return f"{said[1]} is not there yet" if said else None
