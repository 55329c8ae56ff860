//===- TileAttrs.td - attributes of the tile dialect ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory spaces, layouts, and the decisions that passes record on operations.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ATTRS_TD
#define TILE_ATTRS_TD

include "tile/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tile_Attr<string name, string mnem, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = mnem;
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

def Tile_FragmentSpaceAttr : Tile_Attr<"FragmentSpace", "fragment"> {
  let summary = "memory space of fragments: registers spread over the threads of a block";
}
def Tile_LocalSpaceAttr : Tile_Attr<"LocalSpace", "local"> {
  let summary = "memory space private to a thread";
}
def Tile_TensorMemorySpaceAttr : Tile_Attr<"TensorMemorySpace", "tmem"> {
  let summary = "Blackwell tensor memory";
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def Tile_FragmentLayoutAttr : Tile_Attr<"FragmentLayout", "fragment_layout"> {
  let summary = "who holds which element of a fragment";
  let description = !strconcat(FragmentLayoutSyntax, [{
    Hardware axes register, lane, warp (and block of a cluster), each an ordered
    list of modes, fastest digit first. A mode `(extent, dim:stride)` says that
    the digit contributes `digit*stride` to logical dimension `dim`;
    `(extent, *)` is replication. See docs/Layouts.md.

    ```mlir
    // the accumulator of mma.sync m16n8
    #tile.fragment_layout<shape [16, 8] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp []>
    ```
  }]);
  // Modes are flattened to triples (extent, dim, stride); dim -1 replicates.
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        ArrayRefParameter<"int64_t">:$reg,
                        ArrayRefParameter<"int64_t">:$lane,
                        ArrayRefParameter<"int64_t">:$warp,
                        ArrayRefParameter<"int64_t">:$block);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static FragmentLayoutAttr get(::mlir::MLIRContext *context,
                         const ::mlir::tile::FragmentLayout &layout);
    ::mlir::tile::FragmentLayout getLayout() const;
  }];
  let cppClassName = "FragmentLayoutAttr";
}

def Tile_SharedLayoutAttr : Tile_Attr<"SharedLayout", "shared_layout"> {
  let summary = "where an element of a shared-memory buffer lies";
  let description = !strconcat(SharedLayoutSyntax, [{
    Strided mixed-radix modes per logical dimension, then an optional XOR
    swizzle `(bits, base, shift)` of the byte address.

    ```mlir
    #tile.shared_layout<shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)>
    ```
  }]);
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "int64_t":$elementBits,
                        ArrayRefParameter<"int64_t">:$modes,
                        ArrayRefParameter<"int64_t">:$swizzle);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let cppClassName = "SharedLayoutAttr";
  let extraClassDeclaration = [{
    static SharedLayoutAttr get(::mlir::MLIRContext *context,
                         const ::mlir::tile::SharedLayout &layout);
    ::mlir::tile::SharedLayout getLayout() const;
  }];
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class Tile_Enum<string name, string mnem, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::mlir::tile";
  let genSpecializedAttr = 0;
  string attrMnemonic = mnem;
}
class Tile_EnumAttr<Tile_Enum e> : EnumAttr<Tile_Dialect, e, e.attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_WarpPolicy : Tile_Enum<"WarpPolicy", "warp_policy", "how warps share the result of a gemm", [
  I32EnumAttrCase<"Square", 0, "square">, I32EnumAttrCase<"FullRow", 1, "full_row">,
  I32EnumAttrCase<"FullCol", 2, "full_col">]>;
def Tile_WarpPolicyAttr : Tile_EnumAttr<Tile_WarpPolicy> {
  let description = WarpPolicyCases;
}

def Tile_ReduceKind : Tile_Enum<"ReduceKind", "reduce_kind", "how elements are combined", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"AbsSum", 3, "abssum">,
  I32EnumAttrCase<"AbsMax", 4, "absmax">, I32EnumAttrCase<"BitAnd", 5, "bitand">,
  I32EnumAttrCase<"BitOr", 6, "bitor">, I32EnumAttrCase<"BitXor", 7, "bitxor">,
  I32EnumAttrCase<"Prod", 8, "prod">]>;
def Tile_ReduceKindAttr : Tile_EnumAttr<Tile_ReduceKind>;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "atomic_kind", "atomic read-modify-write", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKind>;

def Tile_MemoryOrder : Tile_Enum<"MemoryOrder", "memory_order", "what an access orders", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"SeqCst", 3, "seq_cst">]>;
def Tile_MemoryOrderAttr : Tile_EnumAttr<Tile_MemoryOrder>;

def Tile_Precision : Tile_Enum<"Precision", "precision", "arithmetic of an f32 gemm", [
  I32EnumAttrCase<"Tf32", 0, "tf32">, I32EnumAttrCase<"Ieee", 1, "ieee">]>;
def Tile_PrecisionAttr : Tile_EnumAttr<Tile_Precision> {
  let description = PrecisionCases;
}

def Tile_CopyInstruction : Tile_Enum<"CopyInstruction", "copy_instruction", "instruction that moves a tile", [
  I32EnumAttrCase<"Tma", 0, "tma">, I32EnumAttrCase<"Bulk", 1, "bulk">,
  I32EnumAttrCase<"CpAsync", 2, "cp_async">, I32EnumAttrCase<"Ldmatrix", 3, "ldmatrix">,
  I32EnumAttrCase<"Stmatrix", 4, "stmatrix">, I32EnumAttrCase<"Vector", 5, "vector">,
  I32EnumAttrCase<"Scalar", 6, "scalar">,
  I32EnumAttrCase<"Realign", 7, "realign">]>;
def Tile_CopyInstructionAttr : Tile_EnumAttr<Tile_CopyInstruction> {
  let description = CopyInstructionCases;
}

def Tile_MmaInstruction : Tile_Enum<"MmaInstruction", "mma_instruction", "instruction that multiplies tiles", [
  I32EnumAttrCase<"Fma", 0, "fma">, I32EnumAttrCase<"MmaSync", 1, "mma_sync">,
  I32EnumAttrCase<"Wgmma", 2, "wgmma">, I32EnumAttrCase<"Tcgen05", 3, "tcgen05">,
  I32EnumAttrCase<"WgmmaSp", 4, "wgmma_sp">, I32EnumAttrCase<"MmaSp", 5, "mma_sp">]>;
def Tile_MmaInstructionAttr : Tile_EnumAttr<Tile_MmaInstruction> {
  let description = MmaInstructionCases;
}

def Tile_RingProducer : Tile_Enum<"RingProducer", "ring_producer", "what fills the slots of a ring", [
  I32EnumAttrCase<"Threads", 0, "threads">, I32EnumAttrCase<"CpAsync", 1, "cp_async">,
  I32EnumAttrCase<"ThreadsMbarrier", 2, "threads_mbarrier">,
  I32EnumAttrCase<"CpAsyncMbarrier", 3, "cp_async_mbarrier">,
  I32EnumAttrCase<"Tma", 4, "tma">, I32EnumAttrCase<"Mma", 5, "mma">]>;

def Tile_RingConsumer : Tile_Enum<"RingConsumer", "ring_consumer", "what reads the slots of a ring", [
  I32EnumAttrCase<"Threads", 0, "threads">, I32EnumAttrCase<"Wgmma", 1, "wgmma">,
  I32EnumAttrCase<"Tcgen05", 2, "tcgen05">, I32EnumAttrCase<"TmaStore", 3, "tma_store">]>;

def Tile_IterationQuestion : Tile_Enum<"IterationQuestion", "iteration_question", "what is asked about the iterations of a loop", [
  I32EnumAttrCase<"Exists", 0, "exists">, I32EnumAttrCase<"Ahead", 1, "ahead">,
  I32EnumAttrCase<"Past", 2, "past">, I32EnumAttrCase<"Is", 3, "is">]>;
def Tile_IterationQuestionAttr : Tile_EnumAttr<Tile_IterationQuestion> {
  let description = IterationQuestionCases;
  let assemblyFormat = "$value";
}

def Tile_EvictionPolicy : Tile_Enum<"EvictionPolicy", "eviction_policy", "how long the L2 cache should keep what a copy moves", [
  I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"First", 1, "first">,
  I32EnumAttrCase<"Last", 2, "last">]>;
def Tile_EvictionPolicyAttr : Tile_EnumAttr<Tile_EvictionPolicy> {
  let description = EvictionPolicyCases;
}

//===----------------------------------------------------------------------===//
// What a kernel leaves open
//===----------------------------------------------------------------------===//

def Tile_TunableAttr : Tile_Attr<"Tunable", "tunable"> {
  let summary = "a number that a kernel leaves open, and the values it may have";
  let description = [{
    ```mlir
    #tile.tunable<"bm" in [64, 128, 256]>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, ArrayRefParameter<"int64_t">:$values);
  let assemblyFormat = "`<` $name `in` `[` $values `]` `>`";
  let cppClassName = "TunableAttr";
}
def Tile_TunableArrayAttr : TypedArrayAttrBase<Tile_TunableAttr, "array of tunables">;

def Tile_TunedAttr : Tile_Attr<"Tuned", "tuned"> {
  let summary = "an attribute of a kernel as a function of its tunables";
  let description = [{
    The map's symbols are the kernel's tunables, all of them, in order.

    ```mlir
    #tile.tuned<"threads" = affine_map<()[s0] -> (s0 * 2)>>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$attribute, "::mlir::AffineMapAttr":$value);
  let assemblyFormat = "`<` $attribute `=` $value `>`";
  let cppClassName = "TunedAttr";
}
def Tile_TunedArrayAttr : TypedArrayAttrBase<Tile_TunedAttr, "array of tuned attributes">;

//===----------------------------------------------------------------------===//
// Decisions and configuration
//===----------------------------------------------------------------------===//

def Tile_TargetAttr : Tile_Attr<"Target", "target"> {
  let summary = "the architecture, and the device, a module is compiled for";
  let description = [{
    `arch` takes LLVM's `-mcpu` names (`sm_80`, `sm_90a`, ...), on the module as
    the attribute `tile.target`. `device` names the GPU of this architecture for
    which tiles are chosen (docs/Rationale/Devices.md): `#tile.target<"sm_90a",
    device = "H100-PCIe">`. Without it each architecture has a default.
  }];
  let parameters = (ins StringRefParameter<"architecture">:$arch,
                        StringRefParameter<"device", "\"\"">:$device);
  let assemblyFormat = "`<` $arch (`,` `device` `=` $device^)? `>`";
  let genVerifyDecl = 1;
}

def Tile_CopyPlanAttr : Tile_Attr<"CopyPlan", "copy_plan"> {
  let summary = "the instruction chosen for a copy, and the bytes each thread moves at a time";
  let description = !strconcat(CopyPlanAttributes, [{
    `bytes` is positive. `exchange` holds two powers of two and stands with
    `vector` and `scalar` only.
  }]);
  let genVerifyDecl = 1;
  let parameters = (ins "CopyInstruction":$instruction, "int64_t":$bytes,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$exchange);
  let builders = [AttrBuilder<(ins "CopyInstruction":$instruction, "int64_t":$bytes), [{
    return $_get($_ctxt, instruction, bytes, ::mlir::DenseI64ArrayAttr());
  }]>];
  let assemblyFormat = "`<` $instruction `,` `bytes` `=` $bytes (`,` `exchange` `=` $exchange^)? `>`";
}

def Tile_MoveRequestAttr : Tile_Attr<"MoveRequest", "move_request"> {
  let summary = "what a program asks of an operation that moves a tile";
  let description = !strconcat([{
    Operations write its parts in their dictionary: `{disable_tma}`.

    ```mlir
    #tile.move_request<{eviction_policy = #tile.eviction_policy<first>, prefer = #tile.copy_instruction<tma>}>
    ```
  }], MoveRequestAttributes);
  let parameters = (ins OptionalParameter<"CopyInstructionAttr">:$prefer,
                        "bool":$disableTma,
                        OptionalParameter<"::mlir::IntegerAttr">:$coalescedWidth,
                        OptionalParameter<"EvictionPolicyAttr">:$evictionPolicy);
  let hasCustomAssemblyFormat = 1;
}

def Tile_MoveDecisionAttr : Tile_Attr<"MoveDecision", "move_decision"> {
  let summary = "what is decided of an operation that moves a tile";
  let description = !strconcat([{
    Operations write its parts behind `decided`.

    ```mlir
    #tile.move_decision<{multicast = 2 : i64, plan = #tile.copy_plan<tma, bytes = 2>}>
    ```
  }], MoveDecisionAttributes);
  let parameters = (ins OptionalParameter<"FragmentLayoutAttr">:$layout,
                        OptionalParameter<"CopyPlanAttr">:$plan,
                        OptionalParameter<"::mlir::IntegerAttr">:$multicast,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$multicastAlong,
                        "bool":$inside, "bool":$inFront,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$groups);
  let hasCustomAssemblyFormat = 1;
}

def Tile_MmaPlanAttr : Tile_Attr<"MmaPlan", "mma_plan"> {
  let summary = "the instruction chosen for a gemm, its shape, and the grid of warps";
  let description = !strconcat([{
    The shape and the counts of warps are in [1, 2^16]. `pair`, of tcgen05 only:
    one instruction multiplies for the two blocks of a pair (ranks 2i and 2i + 1
    of a cluster), m rows each; the shape and the warps are those of one block.
    `swapped`, of wgmma only: the instructions multiply the transposed operands,
    C^T = B^T A^T. m and n are still those of the instruction: m runs along the
    columns of C, n along its rows, and so do the warps.

    ```mlir
    #tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 1], pair>
    #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>
    ```
  }], MmaPlanAttributes);
  let genVerifyDecl = 1;
  let parameters = (ins "MmaInstruction":$instruction, "int64_t":$m, "int64_t":$n,
                        "int64_t":$k, "int64_t":$warpsM, "int64_t":$warpsN,
                        "bool":$pair, "bool":$swapped);
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "MmaInstruction":$instruction, "int64_t":$m, "int64_t":$n,
                     "int64_t":$k, "int64_t":$warpsM, "int64_t":$warpsN,
                     CArg<"bool", "false">:$pair,
                     CArg<"bool", "false">:$swapped), [{
      return $_get($_ctxt, instruction, m, n, k, warpsM, warpsN, pair, swapped);
    }]>];
  let assemblyFormat = "`<` $instruction `,` `m` `=` $m `,` `n` `=` $n `,` `k` `=` $k `,` `warps` `=` `[` $warpsM `,` $warpsN `]` `` custom<PlanFlags>($pair, $swapped) `>`";
}

#endif // TILE_ATTRS_TD
