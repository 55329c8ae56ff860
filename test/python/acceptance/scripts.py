# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which example scripts of TileLang are run, and with which sizes on the CPU.

Scripts are run as they are. On a CPU many of their default sizes take minutes, so each has smaller
ones here: arguments of its command line (a list), of its own `main` (a dictionary), or a Call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Call:
    """What is run of a script: functions and their arguments, under other constants."""

    functions: tuple[str, ...] = ("main",)
    arguments: dict[str, Any] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)


# Scripts that must run unmodified and pass their own checks.
SCRIPTS = (
    "quickstart.py",
    "gemm/*.py",
    "gemm_splitk/*.py",
    "gemm_fp8/*.py",
    "elementwise/*.py",
    "norm/*.py",
    "online_softmax/*.py",
    "gemv/*.py",
    "flash_attention/*fwd*.py",
    "flash_decoding/*.py",
    "dynamic_shape/*.py",
    "cast/*.py",
    "convolution/*.py",
    "linear_attention/*fwd*.py",
    "plot_layout/*.py",
)
# Files that are no such scripts: tests and cases of the regression suite (run by `rows`), other
# vendors' and Blackwell's.
_OTHER = ("test_", "regression_")
_VENDORS = ("amd", "sm100", "mfma", "triton")

_GEMM = {"M": 256, "N": 256, "K": 256}
SIZES: dict[str, dict[str, Any] | list[str] | Call] = {
    "warp_specialize/example_warp_specialize_gemm_barrierpipe_stage2.py": _GEMM,
    "warp_specialize/example_warp_specialize_gemm_softpipe_stage2.py": _GEMM,
    "warp_specialize/example_warp_specialize_gemm_copy_1_gemm_0.py": _GEMM,
    "warp_specialize/example_warp_specialize_gemm_copy_0_gemm_1.py": _GEMM,
    "fusedmoe/example_fusedmoe_tilelang.py": {
        "d_hidden": 256,
        "d_expert": 256,
        "n_routed_experts": 4,
        "seq_len": 128,
    },
    # It compares at 1e-4 with a softmax in float16, which is that near for long contexts only.
    "deepseek_mla/example_mla_decode.py": {},
    "deepseek_mhc/example_mhc_pre.py": Call(
        ("test",), {"n": 512, "hidden_size": 1280, "hc_mult": 4}
    ),
    "deepseek_v32/fp8_lighting_indexer.py": Call(
        ("test_fp8_lighting_indexer",), {"S": 1024, "SKV": 2048, "H": 32, "HKV": 1, "D": 64}
    ),
    "deepseek_v32/sparse_mla_fwd.py": Call(
        ("test_sparse_mla_fwd",), {"S": 64, "SKV": 128, "H": 64, "HKV": 1, "topk": 64}
    ),
    "deepseek_v32/sparse_mla_fwd_pipelined.py": Call(
        ("test_sparse_mla_fwd_pipelined",), {"S": 64, "SKV": 128, "H": 64, "HKV": 1, "topk": 64}
    ),
    "deepseek_v32/sparse_mla_bwd.py": Call(
        ("test_sparse_mla_bwd",), {"S": 64, "SKV": 128, "H": 64, "HKV": 1, "topk": 64}
    ),
    "blocksparse_attention/example_tilelang_sparse_gqa_decode_varlen_indice.py": {
        "batch": 2,
        "heads": 16,
        "heads_kv": 4,
        "max_cache_seqlen": 512,
    },
    "blocksparse_attention/example_tilelang_sparse_gqa_decode_varlen_mask.py": {
        "batch": 2,
        "heads": 16,
        "heads_kv": 4,
        "max_cache_seqlen": 512,
    },
    "attention_sink/example_gqa_sink_bwd_bhsd.py": {"H": 64, "N_CTX": 64},
    "attention_sink/example_mha_sink_bwd_bhsd.py": {"H": 64, "N_CTX": 64, "D_HEAD": 64},
    "attention_sink/example_mha_sink_fwd_bhsd.py": {},
    "blocksparse_gemm/example_blocksparse_gemm.py": ["--m", "256", "--n", "256", "--k", "256"],
    "cast/example_group_per_split_token_cast_to_fp8.py": {
        "M": 128,
        "N": 512,
        "batch_sizes": [64] * 2,
    },
    "cast/example_per_token_cast_to_fp8.py": {"M": 64, "N": 512},
    "convolution/example_convolution.py": (
        [
            "--n",
            "1",
            "--c",
            "32",
            "--h",
            "16",
            "--w",
            "16",
            "--f",
            "64",
            "--k",
            "3",
            "--s",
            "1",
            "--d",
            "1",
            "--p",
            "1",
        ]
    ),
    "convolution/example_convolution_autotune.py": (
        [
            "--n",
            "1",
            "--c",
            "64",
            "--h",
            "8",
            "--w",
            "8",
            "--f",
            "128",
            "--k",
            "3",
            "--s",
            "1",
            "--d",
            "1",
            "--p",
            "1",
        ]
    ),
    "dynamic_shape/example_dynamic.py": _GEMM,
    "elementwise/example_elementwise_add.py": {"M": 128, "N": 128},
    "flash_attention/example_gqa_bwd.py": {
        "H": 2,
        "N_CTX": 128,
        "groups": 2,
        "D_HEAD_QK": 64,
        "D_HEAD_V": 64,
    },
    "flash_attention/example_gqa_fwd_bshd.py": {
        "batch": 1,
        "heads": 4,
        "seq_len": 256,
        "dim": 64,
        "is_causal": False,
        "groups": 2,
        "tune": False,
    },
    "flash_attention/example_gqa_fwd_varlen.py": (
        [
            "--batch",
            "2",
            "--heads",
            "4",
            "--groups",
            "2",
            "--q_seqlen",
            "128",
            "--k_seqlen",
            "128",
            "--dim",
            "64",
        ]
    ),
    "flash_attention/example_gqa_bwd_tma_reduce_varlen.py": {
        "H": 4,
        "N_CTX": 128,
        "D_HEAD_QK": 64,
        "D_HEAD_V": 64,
        "groups": 2,
    },
    "flash_attention/example_mha_bwd_bhsd.py": {"BATCH": 1, "H": 2, "N_CTX": 256, "D_HEAD": 64},
    "flash_attention/example_mha_bwd_bshd.py": {"BATCH": 1, "H": 2, "N_CTX": 256, "D_HEAD": 64},
    "flash_attention/example_mha_fwd_bhsd.py": {},
    "flash_attention/example_mha_fwd_bshd.py": {"batch": 1, "heads": 2, "seq_len": 256, "dim": 64},
    "flash_attention/example_mha_fwd_varlen.py": {"batch": 2, "heads": 2, "seq_len": 256},
    "flash_decoding/example_gqa_decode.py": {"heads": 32, "groups": 8, "kv_seqlen": 1024},
    "flash_decoding/example_gqa_decode_varlen_logits.py": (
        ["--q_heads", "8", "--kv_heads", "2", "--k_seqlen", "512"]
    ),
    "flash_decoding/example_mha_inference.py": {"H": 2, "KV_CTX": 1024},
    "gemm/example_gemm_advanced_autotune.py": ["--m", "256", "--n", "256", "--k", "256"],
    "gemm/example_gemm_autotune.py": ["--m", "256", "--n", "256", "--k", "256"],
    "gemm/example_gemm_autotune_early_stop.py": Call(
        ("run_api_mode", "run_decorator_mode"), constants={"M": 256, "N": 256, "K": 256}
    ),
    "gemm/example_gemm_autotune_pass_configs.py": ["--m", "256", "--n", "256", "--k", "256"],
    "gemm/example_gemm_intrinsics.py": _GEMM,
    "gemm/example_gemm_persistent.py": ["--M", "512", "--N", "512", "--K", "512"],
    "gemv/example_gemv.py": {"do_bench": False},
    "linear_attention/example_linear_attn_bwd.py": {"B": 1, "S": 256, "H": 2, "D": 128},
    "linear_attention/example_linear_attn_fwd.py": {"B": 1, "S": 256, "H": 2, "D": 128},
    "linear_attention/example_retention_fwd.py": [
        "--B",
        "1",
        "--S",
        "256",
        "--H",
        "2",
        "--D",
        "128",
    ],
}


def examples(root: Path) -> list[Path]:
    """The example scripts below `root` (TileLang's folder examples)."""
    found = []
    for pattern in SCRIPTS:
        for path in sorted(root.glob(pattern)):
            if not path.name.startswith(_OTHER) and not any(v in path.name for v in _VENDORS):
                found.append(path)
    return found


def _regressions(root: Path) -> Iterator[tuple[Path, ast.FunctionDef]]:
    """The cases of the regression suite: their scripts and functions."""
    for path in sorted(root.glob("**/regression_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("regression_"):
                yield path, node


def rows(root: Path) -> list[tuple[str, Path]]:
    """Cases of the regression suite: name, and the script whose function it measures."""
    found = []
    for path, node in _regressions(root):
        script = path.parent / f"{_measured(node)}.py"
        found.append((node.name.removeprefix("regression_"), script))
    return [(name, script) for name, script in found if script.is_file()]


def latencies(root: Path) -> list[tuple[str, Path]]:
    """Cases of the regression suite: name, and the suite's script that measures it."""
    return [(node.name.removeprefix("regression_"), path) for path, node in _regressions(root)]


def _measured(case: ast.FunctionDef) -> str:
    """The module in `process_func(module.function, ...)`."""
    for node in ast.walk(case):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Attribute):
            module = node.args[0].value
            return module.id if isinstance(module, ast.Name) else ""
    return ""
