# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TileLang's keys of `pass_configs`: what each means here (an option of ours, or nothing)."""

from __future__ import annotations

import enum
import logging
from collections.abc import Mapping
from typing import Any

__all__ = ["PassConfigKey", "options_of", "note_ignored"]

# Key -> its text in TileLang. All are accepted.
_KEYS = {
    "TL_SIMPLIFY": "tl.Simplify",
    "TL_SIMPLIFY_TRANSITIVELY_PROVE_INEQUALITIES": "transitively_prove_inequalities",
    "TL_SIMPLIFY_CONVERT_BOOLEAN_TO_AND_OF_ORS": "convert_boolean_to_and_of_ors",
    "TL_SIMPLIFY_APPLY_CONSTRAINTS_TO_BOOLEAN_BRANCHES": "apply_constraints_to_boolean_branches",
    "TL_SIMPLIFY_PROPAGATE_KNOWNS_TO_PROVE_CONDITIONAL": "propagate_knowns_to_prove_conditional",
    "TL_SIMPLIFY_PROPAGATE_KNOWNS_TO_SIMPLIFY_EXPRESSIONS": (
        "propagate_knowns_to_simplify_expressions"
    ),
    "TL_SIMPLIFY_ENABLE_LET_INLINE": "enable_simplify_let_inline",
    "TL_DISABLE_BUFFER_INIT_CHECK": "tl.disable_buffer_init_check",
    "TL_DISABLE_DATA_RACE_CHECK": "tl.disable_data_race_check",
    "TL_DISABLE_PRELOWER_SEMANTIC_CHECK": "tl.disable_prelower_semantic_check",
    "TL_DISABLE_WARP_SPECIALIZED": "tl.disable_warp_specialized",
    "TL_ENABLE_FAST_MATH": "tl.enable_fast_math",
    "TL_DISABLE_FAST_MATH": "tl.disable_fast_math",
    "TL_PTXAS_REGISTER_USAGE_LEVEL": "tl.ptxas_register_usage_level",
    "TL_ENABLE_PTXAS_VERBOSE_OUTPUT": "tl.enable_ptxas_verbose_output",
    "TL_DEVICE_COMPILE_FLAGS": "tl.device_compile_flags",
    "TL_EMIT_LINE_DIRECTIVES": "tl.emit_line_directives",
    "TL_CONFIG_INDEX_BITWIDTH": "tl.config_index_bitwidth",
    "TL_ENABLE_REDUCER_PLAN_VERBOSE": "tl.enable_reducer_plan_verbose",
    "TL_LAYOUT_COST_MODEL": "tl.layout_cost_model",
    "TL_REDUCER_FORCE_BASELINE": "tl.reducer_force_baseline",
    "TL_DISABLE_TMA_LOWER": "tl.disable_tma_lower",
    "TL_DISABLE_SAFE_MEMORY_ACCESS": "tl.disable_safe_memory_legalize",
    "TL_DISABLE_VECTORIZE_256": "tl.disable_vectorize_256",
    "TL_ENABLE_ASYNC_COPY": "tl.enable_async_copy",
    "TL_ENABLE_LOWER_LDGSTG": "tl.enable_lower_ldgstg",
    "TL_ENABLE_LOWER_LDGSTG_PREDICATED": "tl.enable_lower_ldgstg_predicated",
    "TL_ENABLE_VECTORIZE_PLANNER_VERBOSE": "tl.enable_vectorize_planner_verbose",
    "TL_DISABLE_WGMMA": "tl.disable_wgmma",
    "TL_DEBUG_MERGE_SHARED_MEMORY_ALLOCATIONS": "tl.debug_merge_shared_memory_allocations",
    "TL_ENABLE_AGGRESSIVE_SHARED_MEMORY_MERGE": "tl.enable_aggressive_shared_memory_merge",
    "TL_DISABLE_SHARED_MEMORY_REUSE": "tl.disable_shared_memory_reuse",
    "TL_DISABLE_SHUFFLE_ELECT": "tl.disable_shuffle_elect",
    "TL_DISABLE_LOOP_UNSWITCHING": "tl.disable_loop_unswitching",
    "TL_LOOP_UNSWITCHING_ALLOW_NON_TRIVIAL_ELSE": "tl.loop_unswitching_allow_non_trivial_else",
    "TL_IF_STMT_BINDING_INLINE_REPLAYABLE_BINDS": "tl.if_stmt_binding_inline_replayable_binds",
    "TL_DISABLE_THREAD_STORAGE_SYNC": "tl.disable_thread_storage_sync",
    "TL_FORCE_LET_INLINE": "tl.force_let_inline",
    "TL_AST_PRINT_ENABLE": "tl.ast_print_enable",
    "TL_LAYOUT_VISUALIZATION_ENABLE": "tl.layout_visualization_enable",
    "TL_LAYOUT_VISUALIZATION_FORMATS": "tl.layout_visualization_formats",
    "TL_STORAGE_REWRITE_DETECT_INPLACE": "tl.storage_rewrite_detect_inplace",
    "TL_DISABLE_OUT_OF_BOUND_WARNING": "tl.disable_out_of_bound_warning",
    "TL_ENABLE_DUMP_IR": "tl.enable_dump_ir",
    "TL_DUMP_IR_DIR": "tl.dump_ir_path",
    "TL_PASS_PROFILE": "tl.pass_profile",
    "TL_PASS_PROFILE_THRESHOLD_MS": "tl.pass_profile_threshold_ms",
    "TIR_ENABLE_EQUIV_TERMS_IN_CSE": "tir.enable_equiv_terms_in_cse_tir",
    "TIR_DISABLE_CSE": "tirx.disable_cse_tir",
    "TIR_SIMPLIFY": "tirx.Simplify",
    "TIR_DISABLE_STORAGE_REWRITE": "tirx.disable_storage_rewrite",
    "TIR_DISABLE_VECTORIZE": "tirx.disable_vectorize",
    "TIR_USE_ASYNC_COPY": "tirx.use_async_copy",
    "TIR_ENABLE_DEBUG": "tirx.enable_debug",
    "TIR_MERGE_STATIC_SMEM": "tirx.merge_static_smem",
    "TIR_ADD_LOWER_PASS": "tirx.add_lower_pass",
    "TIR_NOALIAS": "tirx.noalias",
    "CUDA_KERNELS_OUTPUT_DIR": "cuda.kernels_output_dir",
}

PassConfigKey = enum.Enum("PassConfigKey", _KEYS, type=str, module=__name__)
PassConfigKey.__doc__ = "Keys of `pass_configs`; see docs/TileLangCompatibility.md for each."

# What has a meaning here: key's text -> (name in CompileOptions, value from theirs).
_MAPPED = {
    "tl.enable_fast_math": ("fast_math", bool),
    "tl.disable_fast_math": ("fast_math", lambda value: not value),
    "tl.disable_warp_specialized": ("roles", lambda value: "off" if value else "auto"),
    "tl.emit_line_directives": ("line_info", bool),
    "tl.disable_safe_memory_legalize": ("guards", lambda value: not value),
}


def _text(key: Any) -> str:
    return key.value if isinstance(key, enum.Enum) else str(key)


def options_of(pass_configs: Mapping[Any, Any] | None) -> dict[str, Any]:
    """The options of `CompileOptions` that TileLang's `pass_configs` stand for.

    What only steers TileLang's own passes has no meaning here and is left out; see `note_ignored`.
    """
    options = {}
    for key, value in (pass_configs or {}).items():
        mapped = _MAPPED.get(_text(key))
        if mapped is not None:
            options[mapped[0]] = mapped[1](value)
    return options


def note_ignored(pass_configs: Mapping[Any, Any] | None) -> list[str]:
    """The keys that have no meaning here, as texts; each is logged (level debug)."""
    ignored = sorted(_text(key) for key in pass_configs or {} if _text(key) not in _MAPPED)
    for key in ignored:
        logging.getLogger("mlir_tile").debug("pass_configs: %s has no meaning here", key)
    return ignored


def normalize_pass_configs(pass_configs: Mapping[Any, Any] | None) -> dict[str, Any]:
    """The same configurations under the keys' texts."""
    return {_text(key): value for key, value in (pass_configs or {}).items()}


def simplify_prim_func(func: Any = None, **_: Any) -> Any:
    """TileLang's decorator that simplifies a prim_func: the compiler does so itself."""
    return func if func is not None else lambda function: function
