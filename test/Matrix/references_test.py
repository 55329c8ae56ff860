#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts mistakes into the meaning of kernels and expects the numpy references to report each.

A mistake is an edit of a kernel's text, so that compiler and executor do, consistently, something else than the generator's
parameters say: what `tile-run --check`, which derives its reference from the same text, cannot see. Without the edit the
kernel must be right. An edit that does not apply, and a mistake that is refused instead of computed, is a failure. So is a
description that generate.py accepts without a reference, or without whole tiles and parts of them. The last line counts.
"""

import copy
import dataclasses
import re
import sys

import generate
import runner
from execute import Case, execute, whole
from report import report


@dataclasses.dataclass(frozen=True)
class Mistake:
    name: str
    kernel: str
    pattern: str
    replacement: str
    modes: tuple = ("--stage=source",)


LOWERED = ("--stage=lowered", "--arch=sm_80")
MISTAKES = [
    # gemms
    Mistake("transposed_operand", "gemm_f8E4M3FN_f8E4M3FN_nt", r" \{transpose_b\}", ""),
    Mistake("rows_of_another_tile", "gemm_f16_f32_nt", r"%A\[%m, %k\]", "%A[%n, %k]"),
    Mistake("row_above", "tile_64x96x32_w4_nn", r"tile\.copy %acc to %C\[%m, %n\]", "%m1 = arith.addi %m, %c1 : index\n  tile.copy %acc to %C[%m1, %n]"),
    Mistake("first_of_k_left_out", "stages_3_any", r"%k = %c0 to", "%k = %cbk to"),
    Mistake("last_of_k_left_out", "stages_3_aligned", r"tile\.pipelined %k = %c0 to %K", "%K1 = arith.subi %K, %cbk : index\n  tile.pipelined %k = %c0 to %K1"),
    Mistake("every_other_k", "wgmma_k16", r"step %cbk", "step %cbm"),
    Mistake("accumulates_on_ones", "gemm_bf16_f32_tn", r"(%zero = arith\.constant )0\.0", r"\g<1>1.0"),
    Mistake("cleared_each_time", "gemm_i8_i32_nt", r"\{transpose_b\}", "{transpose_b, clear}"),
    Mistake("sign_of_an_operand", "gemm_i8_us", r"unsigned_a", "unsigned_b"),
    Mistake("operands_of_tf32", "gemm_ieee_nt", r", precision = #tile\.precision<ieee>", "", LOWERED),
    Mistake("sums_in_f16", "gemm_f16_out16", r"memref<128x128xf32, #tile\.fragment>|memref<128x64xf32, #tile\.fragment>|(?<=0\.0 : )f32|(?<=, )f32$",
            lambda match: match[0].replace("f32", "f16")),
    # epilogues
    Mistake("epilogue_left_out", "epilogue_relu", r"arith\.maximumf %x, %zero", "arith.addf %x, %zero"),
    Mistake("bias_of_another_column", "epilogue_bias", r"arith\.addi %n, %j", "arith.addi %n, %i"),
    Mistake("residual_of_another_tile", "epilogue_residual", r"%R\[%m, %n\]", "%R[%n, %m]"),
    Mistake("scaled_twice", "epilogue_scale", r"%y = arith\.mulf %x, %s : f32", "%x2 = arith.mulf %x, %s : f32\n    %y = arith.mulf %x2, %s : f32"),
    Mistake("smallest_of_a_row", "epilogue_rowmax", r"tile\.reduce max", "tile.reduce min"),
    Mistake("replaced_not_added", "epilogue_atomic", r"tile\.atomic add (.*)", r"tile.copy \1"),
    Mistake("not_squared", "epilogue_normalize", r"arith\.mulf %d, %d", "arith.addf %d, %d"),
    Mistake("signed_largest", "gemm_quantize", r"tile\.reduce absmax", "tile.reduce max"),
    Mistake("difference_of_the_other_sign", "chain_reduce", r"arith\.subf %x, %r", "arith.subf %r, %x"),
    # copies, conversions, reductions
    Mistake("rows_and_columns", "transpose_f16", r"tile\.copy %tt to %Y\[%n, %m\]", "tile.copy %t0 to %Y[%n, %m]"),
    Mistake("a_row_left_out", "copy_f32_f32_direct", r"sizes \[(\d+), ", lambda match: f"sizes [{int(match[1]) - 1}, "),
    Mistake("other_sign_of_half_bytes", "packed_i4_to_f16_aligned", r"arith\.sitofp", "arith.uitofp"),
    Mistake("absolute_values", "reduce_sum_0", r"tile\.reduce sum", "tile.reduce abssum"),
    Mistake("largest_only", "atomic_add_f32", r"tile\.atomic add", "tile.atomic max"),
    Mistake("not_accumulated", "reduce_max_1_accumulate", r" accumulate", ""),
    Mistake("difference_not_sum", "add_bf16", r"arith\.addf", "arith.subf"),
    # rows, convolutions, half bytes
    Mistake("rows_from_the_first", "rows_f16_i32_global_64x64x32_s2_t128", r"rows %I\[%m\]", "rows %I[%c0]"),
    Mistake("rows_to_where_they_come_from", "rows_f16_i64_shared_64x64x32_s2_t128_free", r"%J\[%m\]", "%I[%m]"),
    Mistake("padding_above", "conv_f16_3x3_s2x2_d2x1_p2x1_64x64x32_n2_t128", r"pad_lower \[2, 1\]", "pad_lower [1, 1]"),
    Mistake("taps_side_by_side", "conv_f16_3x3_s2x2_d2x1_p2x1_64x64x32_n2_t128_free", r" dilations \[2, 1\]", " dilations [1, 2]"),
    Mistake("taps_in_the_other_order", "conv_f16_3x3_p1x1_64x64x32_n2_t128", r"%W\[%n, %left1, %r1", "%W[%n, %r1, %left1"),
    Mistake("weights_without_scale", "w4a16", r"arith\.mulf %f, %s", "arith.addf %f, %s"),
    # what only the lowered kernel could show
    Mistake("lowered_transposed_operand", "gemm_f8E5M2_f8E5M2_nt", r" \{transpose_b\}", "", ("--stage=lowered", "--arch=sm_90a")),
    Mistake("lowered_row_above", "tile_64x96x32_w4_nt", r"tile\.copy %acc to %C\[%m, %n\]",
            "%m1 = arith.addi %m, %c1 : index\n  tile.copy %acc to %C[%m1, %n]", LOWERED),
]


def edited(mistake, folder):
    """The kernel's file with the mistake; none where the pattern does not match."""
    text = (folder / f"{mistake.kernel}.mlir").read_text()
    found, count = re.subn(mistake.pattern, mistake.replacement, text, flags=re.MULTILINE)
    path = folder / f"{mistake.name}.mlir"
    path.write_text(found)
    return path if count else None


def missing_parts(kernels):
    """Descriptions that generate.py must refuse: (what is missing, description)."""
    gemm, bias = (copy.deepcopy(kernels[name]) for name in ("odd_nn", "epilogue_rowsum"))
    yield "no_reference", gemm | {"ref": ""}
    yield "reference_of_one_output", bias | {"ref": re.sub(r"\bS =", "T =", bias["ref"])}
    yield "no_run", gemm | {"runs": []}
    yield "no_part_of_a_tile", gemm | {"runs": [dict(M=128, N=128, K=64)]}
    yield "no_whole_tile", gemm | {"runs": [dict(M=63, N=100, K=100)]}


def accepted(kernel):
    try:
        generate.check(kernel)
    except ValueError:
        return []
    return ["generate.py accepts the description"]


def main():
    with runner.kernels(__doc__.splitlines()[0], "tile-run") as (options, found, folder):
        kernels = {kernel["name"]: kernel for kernel in found}
        chosen = [mistake for mistake in MISTAKES if re.search(options.only, mistake.name)]
        results = [(name, accepted(kernel)) for name, kernel in missing_parts(kernels) if re.search(options.only, name)]
        paths = {mistake.name: edited(mistake, folder) for mistake in chosen}
        results += [(mistake.name, ["the pattern does not match the kernel"]) for mistake in chosen if not paths[mistake.name]]
        chosen = [mistake for mistake in chosen if paths[mistake.name]]
        cases = [Case(kernels[m.kernel], whole(kernels[m.kernel]), folder / f"{m.kernel}.mlir", list(m.modes)) for m in chosen]
        cases += [dataclasses.replace(case, path=paths[m.name]) for case, m in zip(cases, chosen)]
        wrong = execute(cases, options, folder)
        for mistake, right, reported in zip(chosen, wrong, wrong[len(chosen):]):
            text = "; ".join(reported)
            missed = [] if "elements wrong" in text else [f"was not reported: {text}" if text else "was not reported"]
            results.append((mistake.name, [f"without the mistake: {text}" for text in right] + missed))
    sys.exit(report("matrix-references", results, options.junit))


if __name__ == "__main__":
    main()
