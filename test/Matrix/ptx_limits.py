# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptx_test.py accepts, each with its reason: spills, and kernels that an architecture refuses."""

# Estimated registers up to which no spills are accepted.
MOST_REGISTERS = 200
# Kernels that spill although the estimate fits, and at most how many bytes of spill stores: the
# nested loop keeps the predicates and addresses of unaligned copies alive across both levels, the
# others a few bytes. Each is printed, and fails where it gets worse. On sm_90 and sm_100 ptxas
# unpacks fp8 operands of mma.sync to f16; it keeps to 128 registers there, and in gemm_f16_f16_nt,
# for four blocks a multiprocessor: with `.minnctapersm 1` it takes 146 to 158 and spills nothing.
# policy_full_col_w4 has 128 accumulators and two steps of operands (80): its two spilled words are
# read in the loop of the last iterations only.
SPILLS = {"control_nested": 300, "gemm_f16_f16_nt": 16, "gemm_f8E4M3FN_f8E5M2_nt": 16, "gemm_f8E5M2_f8E4M3FN_nt": 16,
          "policy_full_col_w4": 16, "negate_guarded_f16": 16,
          "tcgen05_m64_n256": 24, "tile_80x48x32_w1_nn": 16}
# Where ptxas uses fewer registers than this, what it spills are predicates and convergence barriers of
# kernels with many branches (scalar atomics, rows without alignment), of which it has 7 and 16 and
# for which no estimate of ours stands. Up to so many bytes of these are accepted, and printed.
FEW_REGISTERS = 128
FEW_BYTES = 32

# (kernel, architecture, message, reason), the first three expressions that match whole names and a part of the message.
REFUSED = [
    (r".*", r"sm_(86|89|12.*)", r"expected at most \d+ bytes of shared memory",
     "these have 99 KiB of shared memory a block, and the kernel's slots need more (docs/Limits.md)"),
    (r".*", r"sm_8.*", r"expected at most \d+ bytes of shared memory",
     "sm_80 and sm_87 have 163 KiB of shared memory a block, and the kernel's slots, for sm_90a and sm_100a, need more (docs/Limits.md)"),
    (r"(roles|wgmma|square)_.*", r"sm_.*", r"which `specialize` asks for",
     "the kernel asks for roles in so many words, for the architectures that it names (docs/Limits.md)"),
]
