//===- TileReference.td - what the reference says besides -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How operations with a parser of their own are written, and what attributes mean,
// in which unit: parts of the descriptions in docs/Dialects/Tile.md. They are
// empty where TILE_REFERENCE is not defined (scripts/update-docs.sh defines it),
// since descriptions become comments of the generated headers: what is written
// here rebuilds nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_REFERENCE_TD
#define TILE_REFERENCE_TD

#ifdef TILE_REFERENCE
defvar ScheduleFacts = [{

    **What a schedule says of itself.** Conditions of a schedule are
    `tile.iteration`. What else a pass knows about a schedule it writes as one of
    these attributes, and later passes and the lowering ask for it
    (ScheduleFacts.h). The dialect checks where they stand, `--tile-verify-rings`
    that arrivals are so (R9 of docs/Rings.md).

    | attribute | on | meaning | written by |
    |---|---|---|---|
    | `tile.arrivals` | `tile.ring.create` | arrivals that complete a phase of the `full` and of the `empty` mbarrier of a slot, and `by` which threads of a consumer: `warp`, `warpgroup`, `agent` (one thread), or `none` (the tensor core) | `--tile-count-arrivals` |
    | `tile.meet` | `tile.ring.release` | threads have read, and the warps of each warpgroup meet before one thread arrives for them | `--tile-count-arrivals` |
    | `tile.packed` | `tile.alloc` | a thread keeps two f16 or bf16 elements of the fragment as one word | `--tile-delay-stores` |
}];
defvar KernelSyntax = [{
    Syntax:

    ```
    operation   ::= `tile.kernel` symbol-name `(` (argument (`,` argument)*)? `)`
                    (`tunable` `(` tunable (`,` tunable)* `)`)?
                    `grid` `(` ssa-id (`,` ssa-id)* `)` `=` `(` sum (`,` sum)* `)`
                    `threads` `(` sum `)` (`cluster` `(` sum (`,` sum)* `)`)?
                    (`tuned` `(` attr-name `=` sum (`,` attr-name `=` sum)* `)`)?
                    (`attributes` attr-dict)? region
    argument    ::= ssa-id `:` type attr-dict?
    tunable     ::= ssa-id `in` `[` integer (`,` integer)* `]`
    sum         ::= product ((`+` | `-`) product)*
    product     ::= atom ((`*` | `ceildiv` | `floordiv` | `mod`) atom)*
    atom        ::= integer | `dim` `(` argument-id `,` integer `)` | argument-id | tunable-id | `(` sum `)`
    ```

    `dim(%A, 0)` is the extent of the first dimension of `%A`. Behind `threads`,
    `cluster` and `tuned`, a `sum` is of numbers and tunables only. `panel`,
    `persistent`, `specialize`, `pairs`, `split` and `stream_k` are written behind
    `attributes`.
}];
defvar KernelAttributes = [{
    Attributes of arguments:

    | attribute | unit | meaning |
    |---|---|---|
    | `tile.alignment` | bytes | a promise that the launcher checks: the buffer's address is a multiple of it; absent: of the element's size |
    | `tile.may_alias` | | the argument may overlap others with this mark; where one of two lacks it, the launcher refuses that they overlap and one is written |
    | `tile.shape_hint` | elements (of a scalar: its value) | the sizes to expect. It promises nothing: other sizes stay right. `--tile-choose-tunables` chooses for them, and `tile-run` makes arguments of these sizes where `--args` names none. A list `[array<i64: ...>, ...]` has the sizes of several problems: the i-th entries of all arguments are problem i, an argument with one entry has it in all problems, and `tile-run` takes the first |

    ```mlir
    %A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8192, 4096>},
    %length: i32 {tile.shape_hint = array<i64: 4096>}
    ```

    Attributes of the kernel:

    | attribute | unit | meaning |
    |---|---|---|
    | `sym_name` |  | the kernel's name, and that of the entry point in the code |
    | `arg_types`, `arg_names`, `arg_attrs` |  | one entry for each argument, in order |
    | `grid` | blocks | extents, x (the fastest) first, as a map of symbols |
    | `grid_operands` |  | what the symbols are: pairs of an argument's number and a dimension (-1: the scalar itself; -2: the number is a tunable's) |
    | `threads` | threads | of a block, all of its roles together |
    | `cluster` | blocks | of a cluster along each dimension of the grid; absent: no clusters |
    | `panel` | blocks | rows (along y) of a panel of the rasterized grid; absent: row by row |
    | `persistent` | blocks | the most that a multiprocessor is given, each for a range of the grid; absent: one block for each of the grid |
    | `split` | blocks | of a cluster that share the range of the pipelined loop; absent: a block runs all of it |
    | `stream_k` | parts | that the range of a tile's pipelined loop is divided into, for the tiles beyond whole rounds of all blocks, which blocks share; absent: a tile is one block's (or a cluster's, with `split`) |
    | `tile.stream_least` | iterations | of a tile that sharing it by `stream_k` has to save at least; absent: what sums through memory cost on an H200 |
    | `specialize` |  | whether warps are divided into roles: true, or an error; false, never; absent, the compiler's choice |
    | `pairs` |  | the same of gemms that two blocks of a cluster multiply together |
    | `tunables` |  | what the kernel leaves open, with the values that each may have |
    | `tuned` |  | the attributes that depend on tunables, and how |
    | `tile.versions` | combinations of tunables | that `--tile-choose-tunables` compiles for an artifact, for the launcher to choose from: up to so many (an `i64` of 1 to 192) that are the best for the problems in `tile.shape_hint`; or those of a list (`[array<i64: ...>, ...]`, at most 192, a value for each tunable in order); absent: one |

    ```mlir
    attributes {tile.versions = 8 : i64}
    attributes {tile.versions = [array<i64: 16, 64>, array<i64: 128, 256>]}
    ```

    Decisions of `--tile-choose-tunables`:

    | attribute | unit | meaning |
    |---|---|---|
    | `tile.chosen` |  | the value of each tunable, by name |
    | `tile.cost` |  | of a kernel with versions, and of each version: JSON text of what the launcher predicts the time of a launch by, for any sizes (docs/Artifact.md) |

    Decisions of `--tile-place-shared-memory`, where a block of the kernel has what:

    | attribute | unit | meaning |
    |---|---|---|
    | `tile.shared_bytes` | bytes | of shared memory that a block asks for |
    | `tile.cluster_barriers` | bytes | where the mbarriers lie on which the blocks of a cluster meet (`tile.cluster_reduce`); absent: there are none |
    | `tile.has_barriers` |  | `--tile-insert-barriers` has run |
    | `tile.tensor_barriers` | bytes | where the mbarriers of gemms by tcgen05 lie, and behind them the address of the block's tensor memory; absent: there are none |
}];
defvar AllocAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `layout` |  | who holds which element of a fragment, or where an element lies in shared memory; absent until layout inference, or a choice that it must respect |
    | `tile.offset` | bytes | where the tile begins in the block's shared memory: the decision of `--tile-place-shared-memory`; absent before, and on tiles that nothing uses |
}];
defvar ParallelSyntax = [{
    Syntax:

    ```
    operation ::= `tile.parallel` `(` ssa-id (`,` ssa-id)* `)` `in` `(` extent (`,` extent)* `)`
                  (`layout` `(` fragment-layout `)`)? (`attributes` attr-dict)? region
    extent    ::= integer | tunable-id
    ```
}];
defvar ParallelAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `extents` | iterations | along each index; an open one is dynamic |
    | `layout` |  | which thread runs which iteration; absent until layout inference, or a choice that it must respect |
    | `coalesced_width` | elements | that a thread takes next to each other along the contiguous dimension; absent: 16 bytes of them where that divides |
}];
defvar PipelinedSyntax = [{
    Syntax:

    ```
    operation ::= `tile.pipelined` ssa-id `=` lower-bound `to` upper-bound `step` step
                  `stages` `(` (integer | tunable-id) `)` (`attributes` attr-dict)? region
    ```

    The bounds and the step are values of type `index`; the upper bound is
    excluded.
}];
defvar PipelinedAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `stages` | iterations | whose buffers may be alive at once: n take n times the shared memory. Copies that the multiplying threads make themselves, by `cp.async` or through registers, run n - 1 iterations ahead; copies by TMA, and copies of a role, run n ahead, since a slot is filled again as soon as it has been read. 1: no overlap |
}];
defvar RingAcquireSyntax = [{
    Syntax:

    ```
    operation ::= (ssa-id (`,` ssa-id)* `=`)? `tile.ring.acquire` ring `[` use `]` attr-dict? `:` ring-type
    ```

    The results are the slot's buffers, one for each of the ring's, in order.
    `use` counts from the ring's creation: the slot is use mod stages.
}];
defvar RingWaitSyntax = [{
    Syntax:

    ```
    operation ::= (ssa-id (`,` ssa-id)* `=`)? `tile.ring.wait` ring `[` use `]` attr-dict? `:` ring-type
    ```

    The results are the slot's buffers, one for each of the ring's, in order.
    `use` counts from the ring's creation: the slot is use mod stages.
}];
defvar RingWaitAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `in_flight` | groups of copies | (`tile.ring.commit`s) after this use's that may still be under way; absent: none |
    | `again` |  | every thread of the agent has waited for this use before |
}];
defvar RingCreateAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `layouts` |  | where an element lies in each buffer; absent until layout inference |
    | `peers` | blocks | of a cluster that fill each other's slots; absent: a block fills its own |
    | `pair` | dimensions | that the two blocks of a pair share out, one for each buffer |
    | `tile.offset` | bytes | where the first slot begins in the block's shared memory: the decision of `--tile-place-shared-memory` |
    | `tile.mbarriers` | bytes | where the ring's mbarriers lie, 8 bytes each: `full` of each slot, then `empty` of each slot. Decided likewise |
}];
defvar AwaitAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `read` |  | waits only until the sources of copies may be overwritten |
    | `groups` | groups of warps | that each wait for their own part of the copies |
}];
defvar IterationAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `question` |  | `exists`, `ahead`, `past` or `is` |
    | `count` | iterations | the number in parentheses |
}];
defvar BarrierAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `groups` | groups of warps | that each meet on their own; absent: all threads of the agent meet |
}];
defvar FenceAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `copies` |  | waits for the thread's own copies by `cp.async` |
    | `inFlight` | groups | `in_flight(n)`: so many of the newest groups of these copies, from 1 to 7, need not have landed |
    | `proxy` |  | orders the thread's accesses to shared memory before those of the asynchronous proxy |
}];
defvar WarpSpecializeSyntax = [{
    Syntax:

    ```
    operation ::= `tile.warp_specialize` attr-dict? role+
    role      ::= `role` string-literal `warps` `(` integer `)` (`registers` `(` integer `)`)? region
    ```
}];
defvar WarpSpecializeAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `names` |  | of the roles, in order; for diagnostics |
    | `warps` | warps of 32 threads | that a role has |
    | `registers` | 32-bit registers of a thread | the budget after redistribution (`setmaxnreg`); 0, or not written: as launched |
}];
defvar AtomicAccessAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `order` |  | `relaxed`, `acquire` (loads), `release` (stores) or `seq_cst` |
}];
defvar MbarrierCreateAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `arrivals` | threads | that complete a phase: one number for all barriers, or one for each |
    | `cluster` |  | threads of other blocks of the cluster may arrive, too |
}];
defvar OnWarpsAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `first`, `count` | warps of 32 threads | the first that runs the region, and how many do |
    | `registers` | 32-bit registers of a thread | the budget of these warps; 0, or not written: as launched |
}];
defvar CopyAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `source_sizes`, `target_sizes` | elements | extents of the region, written behind `sizes` |
    | `prefer` |  | the instruction to take; an error says why it cannot be taken |
    | `disable_tma` |  | TMA is not considered |
    | `coalesced_width` | elements | the most that a thread moves at a time, rounded down to a power of two |
    | `eviction_policy` |  | how long the L2 cache should keep what is moved |
    | `layout` |  | decided: which thread moves which element; absent until layout inference, or a choice that it must respect |
    | `plan` |  | decided: the instruction (`--tile-select-copies`), and the bytes that a thread moves at a time |
    | `multicast` | blocks | decided: of a cluster that share the copy |
    | `multicast_along` | dimensions of the cluster | decided: along which these blocks differ; absent: all |
    | `inside` |  | decided: the regions overhang nothing, which is a promise where a program writes it |
    | `in_front` |  | decided: a store may begin at a negative index, where threads make it in place of a tensor copy |
    | `groups` | groups of warps | decided: along each dimension of the shared buffer |
    | `request` |  | `prefer` and what else is asked for, as one attribute (`#tile.move_request`) |
    | `decision` |  | `layout` and what else is decided, as one attribute (`#tile.move_decision`) |
}];
defvar ClusterCopyAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `source_sizes`, `target_sizes` | elements | extents of the region, written behind `sizes` |
    | `coalesced_width` | elements | the most that a thread moves at a time, rounded down to a power of two |
    | `layout` |  | decided: which thread moves which element; absent until layout inference, or a choice that it must respect |
    | `plan` |  | decided: the bytes that a thread moves at a time (`--tile-select-copies`) |
    | `request` |  | what is asked for, as one attribute (`#tile.move_request`) |
    | `decision` |  | `layout` and what else is decided, as one attribute (`#tile.move_decision`) |
}];
defvar FillAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `sizes` | elements | extents of the region |
    | `layout` |  | which thread writes which element; absent until layout inference |
}];
defvar AtomicAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `kind` |  | `add`, `max` or `min` |
    | `source_sizes`, `target_sizes` | elements | extents of the region, written behind `sizes` |
    | `prefer` |  | the instruction to take; an error says why it cannot be taken |
    | `disable_tma` |  | TMA is not considered |
    | `eviction_policy` |  | how long the L2 cache should keep what is moved |
    | `is_unsigned` |  | integers have no sign |
    | `layout` |  | decided: which thread moves which element; absent until layout inference, or a choice that it must respect |
    | `plan` |  | decided: the instruction (`--tile-select-copies`), and the bytes that a thread moves at a time |
    | `request` |  | `prefer` and what else is asked for, as one attribute (`#tile.move_request`) |
    | `decision` |  | `layout` and what else is decided, as one attribute (`#tile.move_decision`) |
}];
defvar Im2colAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `kernel` | pixels | extents of the filter, one for each spatial dimension, as in all that follow |
    | `strides` | pixels | from an output to the next; absent: 1 |
    | `dilations` | pixels | from a position of the filter to the next; absent: 1 |
    | `pad_lower`, `pad_upper` | pixels | of zeros in front of and behind the image; absent: 0 |
    | `prefer` |  | the instruction to take; an error says why it cannot be taken |
    | `disable_tma` |  | TMA is not considered |
    | `coalesced_width` | elements | the most that a thread moves at a time, rounded down to a power of two |
    | `eviction_policy` |  | how long the L2 cache should keep what is moved |
    | `layout` |  | decided: which thread moves which element; absent until layout inference, or a choice that it must respect |
    | `plan` |  | decided: the instruction (`--tile-select-copies`), and the bytes that a thread moves at a time |
    | `multicast` | blocks | decided: of a cluster that share the copy |
    | `multicast_along` | dimensions of the cluster | decided: along which these blocks differ; absent: all |
    | `request` |  | `prefer` and what else is asked for, as one attribute (`#tile.move_request`) |
    | `decision` |  | `layout` and what else is decided, as one attribute (`#tile.move_decision`) |
}];
defvar GatherAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `prefer` |  | the instruction to take; an error says why it cannot be taken |
    | `disable_tma` |  | TMA is not considered |
    | `coalesced_width` | elements | the most that a thread moves at a time, rounded down to a power of two |
    | `eviction_policy` |  | how long the L2 cache should keep what is moved |
    | `layout` |  | decided: which thread moves which element; absent until layout inference, or a choice that it must respect |
    | `plan` |  | decided: the instruction (`--tile-select-copies`), and the bytes that a thread moves at a time |
    | `multicast` | blocks | decided: of a cluster that share the copy |
    | `multicast_along` | dimensions of the cluster | decided: along which these blocks differ; absent: all |
    | `request` |  | `prefer` and what else is asked for, as one attribute (`#tile.move_request`) |
    | `decision` |  | `layout` and what else is decided, as one attribute (`#tile.move_decision`) |
}];
defvar ScatterAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `prefer` |  | the instruction to take; an error says why it cannot be taken |
    | `disable_tma` |  | TMA is not considered |
    | `coalesced_width` | elements | the most that a thread moves at a time, rounded down to a power of two |
    | `eviction_policy` |  | how long the L2 cache should keep what is moved |
    | `layout` |  | decided: which thread moves which element; absent until layout inference, or a choice that it must respect |
    | `plan` |  | decided: the instruction (`--tile-select-copies`), and the bytes that a thread moves at a time |
    | `request` |  | `prefer` and what else is asked for, as one attribute (`#tile.move_request`) |
    | `decision` |  | `layout` and what else is decided, as one attribute (`#tile.move_decision`) |
}];
defvar GemmAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `transpose_a`, `transpose_b`, `transpose_metadata` |  | the operand is stored with its dimensions exchanged |
    | `clear` |  | C starts from zero |
    | `policy` |  | how warps share C: `square` takes the grid of warps that costs least, `full_row` puts them one below the other (whole rows each) while each has an instruction's rows, `full_col` side by side (whole columns each) while each has its columns; what is left stands the other way |
    | `precision` |  | of an f32 gemm: `tf32` (also where it is absent), or `ieee` |
    | `unsigned_a`, `unsigned_b` |  | the i8 operand has no sign |
    | `promote_every` | elements of K | whose partial sums are added to C in full f32 at a time |
    | `plan` |  | the decision of layout inference: the instruction, its shape in elements, the grid of warps; or a choice that it must respect |
}];
defvar ReduceAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `kind` |  | `sum`, `prod`, `max`, `min`, `abssum` or `absmax` (of absolute values), `bitand`, `bitor` or `bitxor` |
    | `dim` |  | the dimension that goes, from 0 |
    | `accumulate` |  | the target takes part |
    | `propagate_nan` |  | a NaN among the operands is the result |
    | `is_unsigned` |  | integers have no sign |
}];
defvar ScanAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `kind` |  | `sum`, `prod`, `max` or `min` |
    | `dim` |  | the dimension along which elements are combined, from 0 |
    | `reverse` |  | from the last element on |
    | `exclusive` |  | an element does not take part in its own result |
    | `layout` |  | which thread combines which elements; absent until layout inference, or a choice that it must respect |
    | `propagate_nan` |  | a NaN among the operands is the result |
    | `is_unsigned` |  | integers have no sign |
}];
defvar ReduceWithAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `dim` |  | the dimension that goes, from 0 |
    | `accumulate` |  | the targets take part, as the first tuple |
    | `layout` |  | which thread combines which elements first; absent until layout inference, or a choice that it must respect |
}];
defvar ScanWithAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `dim` |  | the dimension along which elements are combined, from 0 |
    | `reverse` |  | from the last element on |
    | `exclusive` |  | an element does not take part in its own result |
    | `layout` |  | which thread combines which elements; absent until layout inference, or a choice that it must respect |
}];
defvar SortAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `dim` |  | the dimension along which rows lie, from 0 |
    | `descending` |  | the greatest key first |
    | `is_unsigned` |  | integers have no sign |
}];
defvar TopKAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `dim` |  | the dimension along which rows lie, from 0 |
    | `smallest` |  | the smallest elements, in increasing order |
    | `is_unsigned` |  | integers have no sign |
}];
defvar ClusterReduceAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `kind` |  | `sum`, `max` or `min` |
    | `blocks` | blocks | whose fragments are combined |
    | `stride` | blocks | from the rank of one to that of the next |
    | `parts` |  | the dimension of which each block gets a part; absent: the last block gets all |
    | `is_unsigned` |  | integers have no sign |
    | `tile.offset` | bytes | where the shared memory begins through which the blocks exchange: the decision of `--tile-place-shared-memory` |
    | `tile.exchanged` | registers of a thread | that the blocks exchange at a time, of one part with `parts`. Decided likewise |
    | `tile.in_ring` |  | that memory is a ring's, whose slots are free by then. Decided likewise |
}];
defvar ClusterPartsAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `blocks` | blocks | that the parts are shared out among |
    | `stride` | blocks | from the rank of one to that of the next |
}];
defvar ClusterPartAttributes = "";
defvar ClusterGatherAttributes = "";
defvar PrintAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `message` |  | what stands in front of each value |
}];
defvar AssertAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `message` |  | what was expected to hold |
}];
defvar AssumeAttributes = [{
    | attribute | unit | meaning |
    |---|---|---|
    | `divisible_by` |  | of which the value is a multiple; absent: nothing is promised |
    | `min`, `max` |  | between which the value lies, both included; absent: no bound |
}];
defvar FragmentLayoutSyntax = [{
    Syntax:

    ```
    fragment-layout ::= `#tile.fragment_layout<` `shape` `[` integers `]` `reg` modes `lane` modes `warp` modes (`block` modes)? `>`
    modes           ::= `[` (mode (`,` mode)*)? `]`
    mode            ::= `(` extent `,` (dim `:` stride | `*`) `)`
    ```

    `shape` and strides are in elements; `reg` numbers the elements of a thread,
    `lane` the 32 threads of a warp, `warp` the warps of a block, `block` the
    blocks of a cluster.
}];
defvar SharedLayoutSyntax = [{
    Syntax:

    ```
    shared-layout ::= `#tile.shared_layout<` `shape` `[` integers `]` `bits` integer `modes` modes (`swizzle` `(` bits `,` base `,` shift `)`)? `>`
    modes         ::= `[` (mode (`,` mode)*)? `]`
    mode          ::= `(` extent `,` dim `:` stride `)`
    ```

    `shape` and strides are in elements, `bits` is the width of one. The swizzle
    XORs bits [base, base + bits) of the byte address with its bits [base + shift,
    base + shift + bits). See docs/Layouts.md.
}];
defvar CopyPlanAttributes = [{
    `bytes` is what a thread moves at a time; of TMA and bulk copies, the width of an
    element. `exchange = [lane, register]` of a store to shared memory:
    lanes whose number has the bit `lane` set store register r ^ `register` when
    the others store r, so that they meet in fewer banks.

    ```mlir
    #tile.copy_plan<cp_async, bytes = 16>
    ```
}];
defvar MoveRequestAttributes = [{
    | part | unit | meaning |
    |---|---|---|
    | `prefer` |  | the instruction to take where its conditions hold |
    | `disable_tma` |  | TMA is not considered |
    | `coalesced_width` | elements | the most that a thread moves at a time |
    | `eviction_policy` |  | how long the L2 cache should keep what is moved |
}];
defvar MoveDecisionAttributes = [{
    | part | unit | meaning | written by |
    |---|---|---|---|
    | `layout` |  | which thread moves which element | `--tile-infer-layouts`; for the threads of a role `--tile-specialize-warps` |
    | `plan` |  | the instruction, and the bytes that a thread moves at a time | `--tile-select-copies`; where a slot or a role needs another, `--tile-pipeline` and `--tile-specialize-warps` |
    | `multicast` | blocks | of a cluster that share the move | `--tile-pipeline`; `--tile-pair-gemms` takes it away |
    | `multicast_along` | dimensions of the cluster | along which these blocks differ; absent: all | `--tile-pipeline` |
    | `inside` |  | the regions overhang nothing | `--tile-prefetch-operands` |
    | `in_front` |  | a store may begin at a negative index, where threads make it in place of a tensor copy | `--tile-select-copies` |
    | `groups` | groups of warps | along each dimension of the shared buffer | `--tile-schedule-stores` |

    A program may state a part itself: passes respect it where they decide.
}];
defvar MmaPlanAttributes = [{
    `m`, `n` and `k` are the elements that one instruction multiplies, `warps` the
    warps along m and along n. `pair` and `swapped` exclude each other.
}];
defvar RingSyntax = [{
    Syntax:

    ```
    ring-type ::= `!tile.ring<` stages `x` `[` type (`,` type)* `]` `,` producer `->` consumers `>`
    producer  ::= `threads` | `cp_async` | `cp_async_mbarrier` | `threads_mbarrier` | `tma` | `mma`
    consumers ::= consumer | `(` consumer (`,` consumer)* `)`
    consumer  ::= `threads` | `wgmma` | `tcgen05` | `tma_store`
    ```
}];
defvar CopyInstructionCases = [{
    | case | instruction |
    |---|---|
    | `tma` | `cp.async.bulk.tensor` (or `cp.reduce.async.bulk.tensor`): boxes of a tensor map, by one thread |
    | `bulk` | `cp.async.bulk`: contiguous bytes, by one thread |
    | `cp_async` | `cp.async`: 4, 8 or 16 bytes a thread, from global to shared memory |
    | `ldmatrix`, `stmatrix` | 8x8 matrices of 16 bits between shared memory and fragments |
    | `vector` | loads and stores of up to 16 bytes a thread |
    | `scalar` | loads and stores of an element |
    | `realign` | aligned loads or stores of 16 bytes, shifted together, for rows that start anywhere |
}];
defvar MmaInstructionCases = [{
    `fma`: multiply-adds of the threads; `mma_sync`: tensor cores, by a warp, from
    registers; `wgmma`: by four warps, from shared memory, sm_90a; `tcgen05`: by one
    thread, into tensor memory, sm_100a and its kin; `wgmma_sp`, `mma_sp`: those of
    wgmma and mma_sync whose A is sparse, 2 of 4.
}];
defvar WarpPolicyCases = [{
    `square`: the grid of warps that costs least; `full_row`: one below the other,
    each with whole rows, as many as have an instruction's rows each, and groups
    of so many side by side; `full_col`: the same along columns.
}];
defvar PrecisionCases = [{
    `tf32`: operands are rounded to 10 bits of mantissa, for tensor cores; `ieee`:
    products and sums of full f32, by the threads.
}];
defvar IterationQuestionCases = [{
    `exists`: whether the loop has that iteration; `ahead`: whether it has one so
    many after this one; `past`: whether so many came before this one; `is`:
    whether this one has that number.
}];
defvar EvictionPolicyCases = [{
    `normal`: the hardware's default; `first`: leaves the L2 cache before others;
    `last`: stays longer than others.
}];
#else
defvar ScheduleFacts = "";
defvar KernelSyntax = "";
defvar KernelAttributes = "";
defvar AllocAttributes = "";
defvar ParallelSyntax = "";
defvar ParallelAttributes = "";
defvar PipelinedSyntax = "";
defvar PipelinedAttributes = "";
defvar RingAcquireSyntax = "";
defvar RingWaitSyntax = "";
defvar RingWaitAttributes = "";
defvar RingCreateAttributes = "";
defvar AwaitAttributes = "";
defvar IterationAttributes = "";
defvar BarrierAttributes = "";
defvar FenceAttributes = "";
defvar WarpSpecializeSyntax = "";
defvar WarpSpecializeAttributes = "";
defvar AtomicAccessAttributes = "";
defvar MbarrierCreateAttributes = "";
defvar OnWarpsAttributes = "";
defvar CopyAttributes = "";
defvar ClusterCopyAttributes = "";
defvar FillAttributes = "";
defvar AtomicAttributes = "";
defvar Im2colAttributes = "";
defvar GatherAttributes = "";
defvar ScatterAttributes = "";
defvar GemmAttributes = "";
defvar ReduceAttributes = "";
defvar ScanAttributes = "";
defvar ReduceWithAttributes = "";
defvar ScanWithAttributes = "";
defvar SortAttributes = "";
defvar TopKAttributes = "";
defvar ClusterReduceAttributes = "";
defvar ClusterPartsAttributes = "";
defvar ClusterGatherAttributes = "";
defvar ClusterPartAttributes = "";
defvar PrintAttributes = "";
defvar AssertAttributes = "";
defvar AssumeAttributes = "";
defvar FragmentLayoutSyntax = "";
defvar SharedLayoutSyntax = "";
defvar CopyPlanAttributes = "";
defvar MoveRequestAttributes = "";
defvar MoveDecisionAttributes = "";
defvar MmaPlanAttributes = "";
defvar RingSyntax = "";
defvar CopyInstructionCases = "";
defvar MmaInstructionCases = "";
defvar WarpPolicyCases = "";
defvar PrecisionCases = "";
defvar IterationQuestionCases = "";
defvar EvictionPolicyCases = "";
#endif // TILE_REFERENCE

#endif // TILE_REFERENCE_TD
