# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptx_test.py accepts, each with its reason: spills, and kernels that an architecture refuses."""

# Estimated registers up to which no spills are accepted: what a thread has.
MOST_REGISTERS = 255
# Kernels that spill although the estimate fits: (kernel, architecture, bytes at most, reason), the first two expressions that
# match whole names. Each is printed, and fails where it gets worse.
TENSOR_MEMORY = r"sm_1(00a|00f|03a|10a)"
MMA_SYNC = r"sm_(8.|90|100|120[af]?)"  # where neither wgmma nor tcgen05 multiplies
SPILLS = [
    (r"control_nested", r".*", 300, "predicates and addresses of unaligned copies are alive across both levels of the nest"),
    (r"gemm_f16_f16_nt", r".*", 16, "ptxas keeps to 128 registers, for four blocks a multiprocessor"),
    (r"policy_full_col_w4", r".*", 16,
     "128 accumulators and two steps of operands (80): its two spilled words are read in the loop of the last iterations only"),
    (r"negate_guarded_f16", r".*", 16, "predicates of guarded elements"),
    (r"policy_(square|full_row)_w2", r".*", 16, "as policy_full_col_w4: two words around the loop"),
    (r"tile_80x48x32_w1_nn", r".*", 60, "one warp holds 120 accumulators, two steps of operands (50), and an address for each unaligned row"),
    (r"tcgen05_m64_n256|wgmma_n256_n[nt]", TENSOR_MEMORY, 24,
     "roles leave 128 registers a thread (there is no setmaxnreg before the epilogue), which holds 128 accumulators piece by piece"),
    (r"wgmma_quantize_persistent", TENSOR_MEMORY, 32, "as above, with a row's largest magnitude and the scaled numbers beside the accumulators"),
    (r"conv_f16_3x3x3_.*_free", r"sm_1.*", 64,
     "rows of three dimensions that start anywhere: an address and a predicate for each, 255 registers"),
    (r"wgmma_static_.*", TENSOR_MEMORY, 8, "rows that start anywhere: a predicate of the epilogue"),
    (r"gemm_f64_f64_tn", TENSOR_MEMORY, 24, "ptxas keeps to 128 registers, for two blocks of 256 threads: it takes 134 with `.minnctapersm 1`"),
    (r"policy_full_row_w4", r"sm_8.", 16, "as policy_full_col_w4"),
    (r"tcgen05_n272_nt", MMA_SYNC, 480,
     "136 accumulators a thread, and operands of 17 instructions for two steps: for tensor memory, as below"),
    (r"tcgen05_pair_((f16|bf16)_[nt]t|f8E4M3FN_nt|n256_n[nt]|m256_persistent)|tcgen05_turns(_f16)?", r"sm_90", 504,
     "128 accumulators a thread, and 36 to 40 registers of operands for each step of k: for sm_90 ptxas loads three steps and more (the same "
     "PTX takes 232 to 254 registers for sm_80, or spills up to 232 bytes); for tensor memory, as below"),
    (r"wgmma_m128_n144_w12_full_col_r", TENSOR_MEMORY, 12,
     "512 threads have 128 registers, and the warp's number is read again behind setmaxnreg: two words of the epilogue"),
    (r"tile_f64_64x32x8_w2", r"sm_120[af]?", 8,
     "ptxas keeps to 168 registers, for six blocks a multiprocessor: it takes 178 with `.minnctapersm 1`"),
    (r"strided_f64", r"sm_.*", 136, "an estimate of 248 registers for operands and accumulators leaves 7 for the addresses of strided rows"),
    (r"tcgen05_turns_no_columns", r"sm_90a", 224, "a tile of 256×192 for tensor memory: 192 accumulators a thread by wgmma, an estimate of 230 registers"),
    (r"roles_f64", r"sm_100", 8, "ptxas keeps to 128 registers, for two blocks of 256 threads: it takes 136 with `.minnctapersm 1`"),
    # The largest seen are 248 bytes (wgmma_n256_nt) and 124 (wgmma_n136_nt, of 68 accumulators).
    (r"(wgmma|tcgen05|square)_.*", MMA_SYNC, 256,
     "written for instructions whose operands stay in shared memory (and whose accumulators stay in tensor memory): mma.sync holds two "
     "steps of operands beside them, and an address for each ldmatrix where n is no power of two"),
]
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
