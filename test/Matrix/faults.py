# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs, and faults that are put into their lowered text, for faults_test.py.

A program is a kernel of the matrix, an architecture and arguments. A fault is an edit of its lowered text: a pattern, which
matches somewhere, what takes the place of the match numbered `at` (of all, where it is None), and what the executor has to say
about it.
"""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Program:
    kernel: str
    arch: str
    args: str
    options: str = ""  # of the pipeline


def gemm(kernel, arch, m, n, k, transposed=False, options="", transposed_a=False):
    a = f"{k}x{m}" if transposed_a else f"{m}x{k}"
    b = f"{n}x{k}" if transposed else f"{k}x{n}"
    return Program(kernel, arch, f"A={a}:smallint,B={b}:smallint,C={m}x{n}", options)


PROGRAMS = {
    "copies": gemm("stages_3_aligned", "sm_80", 64, 64, 136, transposed=True),  # cp.async in a ring of three, mma.sync
    "small": gemm("tile_16x8x16_w4_nn", "sm_80", 24, 8, 80),  # two blocks; ldmatrix.trans
    "roles80": gemm("roles_2_aligned", "sm_80", 32, 32, 80, transposed=True),  # a warp of producers, mbarriers
    "columns": Program("reduce_column_tall", "sm_80", "X=1x512x8:smallint,Y=1x8"),  # across warps
    "rows": Program("reduce_row_wide", "sm_80", "X=1x4x1024:smallint,Y=1x4"),  # within warps
    "wgmma": gemm("wgmma_k16", "sm_90a", 64, 64, 72, options=" roles=on"),  # TMA, a ring of two, wgmma, stores by TMA
    "flight": gemm("wgmma_f16_f32_tn", "sm_90a", 128, 256, 256, transposed_a=True),  # a group of wgmma in flight
    "halves": gemm("wgmma_f16_f16_nn", "sm_90a", 128, 128, 64),  # stmatrix, stores by TMA
    "square": gemm("square_nn", "sm_90a", 128, 128, 256),  # four blocks, multicast
    "split": gemm("split_2", "sm_90a", 64, 64, 96),  # two blocks add up through shared::cluster
    "tensor": gemm("tcgen05_k16", "sm_100a", 128, 64, 64),  # tcgen05
    "operand": gemm("tcgen05_registers_f16", "sm_100a", 128, 64, 96),  # tcgen05.st, A from tensor memory
    "budgets": gemm("square_w8", "sm_90a", 256, 256, 64),  # setmaxnreg
    "pair": gemm("tcgen05_pair_k16", "sm_100a", 256, 64, 64, transposed=True),  # tcgen05 of two blocks
}

# What the executor says, for several faults each.
RACE = "race: |which nothing has written"
UNWRITTEN = "which nothing has written"
DEADLOCK = "deadlock: "
FENCE = "missing fence.proxy.async: "
WRONG = "elements wrong"
LATE = "wait too late"  # threads that nothing keeps from being overtaken by a phase
ANY = f"{RACE}|{DEADLOCK}|{WRONG}"


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    program: str
    pattern: str
    replacement: str
    finds: str
    at: int | None = 0

    def edit(self, text):
        """The text with the fault, or None where there is no such place."""
        found = list(re.finditer(self.pattern, text, re.MULTILINE))
        if not found or (self.at is not None and not -len(found) <= self.at < len(found)):
            return None
        for match in reversed(found if self.at is None else [found[self.at]]):
            text = text[: match.start()] + match.expand(self.replacement) + text[match.end() :]
        return text


def line(what):
    """A whole line that contains the expression."""
    return rf"^.*{what}.*\n"


def json(key, value):
    """A value in a manifest, which is JSON in a string attribute: only the value is the match."""
    return rf"(?<=\\22{key}\\22: ){value}"


BARRIER = r"^ +nvvm\.barrier0\n"
NAMED = r"^ +nvvm\.barrier id = .*\n"
INIT = r"mbarrier\.init\.shared::cta\.b64 .*"
ARRIVE = line(r'"mbarrier\.arrive\.shared::cta\.b64')
STEP = r"(?P<before>constant\()3( : i32\) : i32\n +%\d+ = llvm\.urem)"
COUNT = r"constant\((\d+) : i32\) : i32\n(.*mbarrier\.init)"
BYTES = r"constant\(2048 : i32\)( : i32\n.*expect_tx)"
WAIT = r"(mbarrier\.t[a-z]+_wait\.parity.*)(%\d+), (%\d+) : "
PARITY = r"(%\d+ = llvm\.mlir\.constant\()1( : i32\) : i32\n +%\d+ = llvm\.xor)"
LOOP = r'icmp "slt"( %\d+, %\d+ : i64\n +llvm\.cond_br)'
BRANCH = r'(icmp "slt" %\d+, %\d+ : i64\n +llvm\.cond_br %\d+, )(\^bb\d+), (\^bb\d+)'

FENCE_BEFORE = line(r'"tcgen05\.fence::before_thread_sync;"')
FENCE_AFTER = line(r'"tcgen05\.fence::after_thread_sync;"')

FAULTS = [
    # cp.async and barriers of the block
    Fault("loop_barrier", "copies", BARRIER, "", RACE),
    Fault("wait_group_2_for_1", "copies", r"wait\.group 1", "wait.group 2", RACE),
    Fault("wait_group_none", "copies", r"^.*wait\.group 1\n", "", RACE),
    Fault("commit_first", "copies", line(r"cp\.async\.commit\.group"), "", RACE),
    Fault("commit_loop", "copies", line(r"cp\.async\.commit\.group"), "", RACE, at=2),
    Fault("ring_4_for_3", "copies", STEP, r"\g<before>4\2", f"{ANY}|outside of", at=-2),
    Fault("ring_2_for_3", "copies", STEP, r"\g<before>2\2", ANY, at=-1),
    Fault("loop_sle", "copies", LOOP, r'icmp "sle"\1', ANY, at=-2),
    Fault("loop_swapped", "copies", BRANCH, r"\1\3, \2", ANY, at=-2),
    Fault("loop_barrier_small", "small", BARRIER, "", RACE),
    Fault("wait_group_1_for_0", "small", r"wait\.group 0", "wait.group 1", RACE),
    Fault("ldmatrix_trans", "small", r"(ldmatrix .*mma_layout<)col", r"\1row", WRONG),
    Fault("grid_floor", "small", r"(?<=\\22)ceildiv(?=\\22)", "floordiv", WRONG, at=1),
    Fault("shared_bytes", "small", r"mlir_tile\.shared_bytes = \d+", "mlir_tile.shared_bytes = 512", "outside of the block's"),
    # Reductions
    Fault("scratch_barrier", "columns", BARRIER, "", RACE),
    Fault("shuffle_offset", "rows", r"constant\(16( : i32\)(.*\n){1,5}?.*shfl\.sync  bfly)", r"constant(8\1", WRONG),
    Fault("shuffle_mask", "rows", r"constant\(-1( : i32\)(.*\n){1,5}?.*shfl\.sync  bfly)", r"constant(65535\1", "does not name"),
    Fault("shuffle_clamp", "rows", r"constant\(31( : i32\)(.*\n).*shfl\.sync  bfly)", r"constant(0\1", WRONG),
    # A warp of producers without TMA
    Fault("full_count_more", "roles80", COUNT, r"constant(129 : i32) : i32\n\2", DEADLOCK),
    Fault("empty_count_more", "roles80", COUNT, r"constant(9 : i32) : i32\n\2", DEADLOCK, at=1),
    Fault("full_count_less", "roles80", COUNT, r"constant(1 : i32) : i32\n\2", f"{RACE}|{LATE}|more arrivals"),
    Fault("copy_arrive", "roles80", line(r"cp\.async\.mbarrier\.arrive"), "", DEADLOCK),
    Fault("empty_arrive", "roles80", ARRIVE, "", DEADLOCK),
    Fault("empty_parity", "roles80", PARITY, r"\g<1>0\2", ANY),
    Fault("warp_barrier", "roles80", line(r"nvvm\.bar\.warp\.sync"), "", RACE),
    # TMA, mbarriers, wgmma
    Fault("init_fence", "wgmma", line(r"fence\.mbarrier_init"), "", "no fence.mbarrier_init"),
    Fault("init_barrier", "wgmma", BARRIER, "", f"{RACE}|not initialized"),
    Fault("tma_count_more", "wgmma", COUNT, r"constant(2 : i32) : i32\n\2", DEADLOCK),
    # The consumers' role stands before the one that copies.
    Fault("release_removed", "wgmma", ARRIVE, "", DEADLOCK),
    Fault("tma_arrive", "wgmma", ARRIVE, "", DEADLOCK, at=1),
    Fault("tma_arrive_doubled", "wgmma", f"({ARRIVE})", r"\1\1", f"{RACE}|more arrivals", at=1),
    Fault("bytes_more", "wgmma", BYTES, r"constant(2064 : i32)\1", DEADLOCK),
    Fault("bytes_less", "wgmma", BYTES, r"constant(2032 : i32)\1", DEADLOCK),
    Fault("expect_removed", "wgmma", line(r"nvvm\.mbarrier\.expect_tx"), "", f"{ANY}|bytes expected"),
    Fault("full_wait_removed", "wgmma", line(WAIT), "", RACE),
    Fault("empty_wait_removed", "wgmma", line(WAIT), "", f"{RACE}|more arrivals", at=1),
    Fault("empty_parity_tma", "wgmma", PARITY, r"\g<1>0\2", ANY),
    Fault("released_early", "flight", r"wait_group\.sync\.aligned 1", "wait_group.sync.aligned 2", RACE),
    Fault("wgmma_wait_1_for_0", "flight", r"wait_group\.sync\.aligned 0", "wait_group.sync.aligned 1", "before wgmma.wait_group"),
    Fault("wgmma_fence", "wgmma", r"wgmma\.fence\.sync\.aligned;", "", "need wgmma.fence"),
    Fault("wgmma_commit", "wgmma", r"wgmma\.commit_group\.sync\.aligned;", "", "wgmma"),
    Fault("descriptor_swizzle", "wgmma", r"constant\(4611686293309489152 : i64", "constant(9223372311736877056 : i64", ANY),
    Fault("descriptor_stride", "wgmma", r"constant\(4611686293309489152 : i64", "constant(4611686224590012416 : i64", ANY),
    Fault("descriptor_start", "wgmma", r"constant\(4( : i32\) : i32\n.*lshr.*\n.*constant\(16383)", r"constant(3\1", f"{ANY}|outside of|expected"),
    Fault("map_box", "wgmma", r"(box\\22: \[\\0A *16,\\0A *)64", r"\g<1>32", ANY),
    Fault("map_swizzle", "wgmma", json("swizzle", r"\\2232B"), r"\\2264B", f"{ANY}|expected an inner box"),
    Fault("coordinates_swapped", "wgmma", r"(tensor\.shared\.cluster\.global .*box\[)(%\d+), (%\d+)", r"\1\3, \2", WRONG),
    Fault("store_fence", "wgmma", line(r"nvvm\.fence\.proxy"), "", FENCE),
    Fault("store_barrier", "wgmma", NAMED, "", f"{RACE}|{FENCE}"),
    Fault("named_count", "wgmma", r"(constant\()128( : i32\) : i32\n.*nvvm\.barrier id)", r"\g<1>160\2", f"{DEADLOCK}|at the same time"),
    Fault("store_read_wait", "flight", line(r"bulk\.wait_group 0 \{read\}"), "", RACE, at=None),
    Fault("store_commit", "wgmma", line(r"bulk\.commit\.group"), "", f"{RACE}|did not commit", at=None),
    Fault("store_last_wait", "wgmma", line(r"bulk\.wait_group 0 \{read\}"), "", "may still read", at=-1),
    Fault("shared_bytes_wgmma", "wgmma", r"shared_bytes = \d+", "shared_bytes = 10256", "outside of the block's"),
    Fault("stmatrix_address", "halves", r"(constant\()32( : i32\) : i32\n.*llvm\.xor(?:.*\n){1,10}?.*nvvm\.stmatrix)", r"\g<1>16\2", ANY),
    Fault("stmatrix_fence", "halves", line(r"nvvm\.fence\.proxy"), "", FENCE),
    # Clusters
    Fault("cluster_start", "square", line(r'"barrier\.cluster\.arrive\.aligned; barrier\.cluster\.wait'), "", "not initialized|init"),
    Fault("cluster_end", "square", line(r'"barrier\.cluster\.arrive\.aligned; barrier\.cluster\.wait'), "", "has ended|ends", at=-1),
    Fault("multicast_fewer", "square", r"constant\(3( : i32\) : i32\n.*llvm\.shl)", r"constant(1\1", DEADLOCK),
    Fault("multicast_more", "square", r"constant\(3( : i32\) : i32\n.*llvm\.shl)", r"constant(7\1", f"{RACE}|{DEADLOCK}|expected a block"),
    Fault("release_rank", "square", r"mapa\.shared::cluster\.u32 remote, \$0, \$1", "mapa.shared::cluster.u32 remote, $0, 0", f"{RACE}|{LATE}|{DEADLOCK}|more arrivals"),
    Fault("split_start", "split", line(r'"barrier\.cluster\.wait\.aligned;'), "", f"{RACE}|not initialized"),
    Fault("split_rank", "split", r"mapa\.shared::cluster\.u32 \$0, \$1, \$2", "mapa.shared::cluster.u32 $0, $1, 0", f"{ANY}|more arrivals"),
    Fault("split_arrive", "split", line(r"mbarrier\.arrive\.release\.cluster"), "", DEADLOCK),
    # tcgen05
    Fault("tensor_commit", "tensor", line(r"tcgen05\.commit"), "", DEADLOCK, at=-1),
    Fault("tensor_dealloc", "tensor", line(r"tcgen05\.dealloc"), "", "did not free"),
    Fault("tensor_descriptor", "tensor", r"mov\.b32 id, (\d+)", "mov.b32 id, 16", f"{ANY}|expected"),
    Fault("tensor_address", "tensor", r"add\.u32 ta, \$(\d+), 0", r"add.u32 ta, $\1, 32", f"{ANY}|not allocated"),
    Fault("tensor_load_wait", "tensor", r"tcgen05\.wait::ld\.sync\.aligned;", "", "before tcgen05.wait::ld"),
    Fault("tensor_fence_before", "tensor", FENCE_BEFORE, "", RACE, at=None),  # the next owner of the columns
    Fault("tensor_fence_after", "tensor", FENCE_AFTER, "", RACE, at=1),  # between products and loads
    Fault("operand_store_wait", "operand", line(r"tcgen05\.wait::st"), "", RACE),
    Fault("operand_fence_before", "operand", FENCE_BEFORE, "", RACE, at=1),
    Fault("operand_fence_after", "operand", r"tcgen05\.fence::after_thread_sync;", "", RACE, at=None),
    Fault("pair_fence_after", "pair", FENCE_AFTER, "", RACE, at=1),
    # Registers
    Fault("registers_more", "budgets", r"increase 232", "increase 240", DEADLOCK),
    Fault("registers_kept", "budgets", line(r"nvvm\.setmaxregister  decrease"), "", DEADLOCK),
    Fault("registers_less", "budgets", r"increase 232", "increase 160", "expected at least the 168 registers"),
    Fault("pair_commit", "pair", line(r"tcgen05\.commit"), "", DEADLOCK, at=-1),
    Fault("pair_leader", "pair", r"mapa\.shared::cluster\.u32 \$0, \$1, 0", "mapa.shared::cluster.u32 $0, $1, 1", f"{DEADLOCK}|{RACE}"),
]
