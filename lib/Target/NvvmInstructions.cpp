//===- NvvmInstructions.cpp - which target has which instruction ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of PTX instructions that not every architecture has. NVVM
// operations, intrinsic calls and the text of inline assembly are all looked up
// in it. Source: PTX ISA 9.0, "Target ISA Notes" and "PTX ISA Notes" of each
// instruction.
//
//===----------------------------------------------------------------------===//
#include "tile/Target/NvvmInstructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile;

namespace {

/// Which architectures of at least `minCapability` have an instruction.
enum class Needs {
  Any,      ///< all of them
  Specific, ///< those with the 'a' suffix
  Exactly,  ///< the one with this capability and the 'a' suffix
  Tcgen05,  ///< those with tensor memory
  Tcgen05OfIntegers,
};

struct Row {
  /// PTX mnemonic up to a dot, or the end.
  StringLiteral mnemonic;
  /// A modifier the instruction must have for the row to apply; empty: any.
  StringLiteral modifier;
  /// NVVM operation (after "nvvm.") or intrinsic (after "llvm.nvvm."), up to a
  /// dot or the end; empty: there is none.
  StringLiteral operation;
  unsigned minCapability;
  Needs needs;
  unsigned minPtx;
};

} // namespace

static constexpr Row kRows[] = {
    // Matrix instructions.
    {"wgmma", "", "wgmma", 90, Needs::Exactly, 80},
    {"tcgen05", "", "tcgen05", 100, Needs::Tcgen05, 86},
    {"tcgen05.mma", "kind::i8", "", 100, Needs::Tcgen05OfIntegers, 86},
    {"ldmatrix", "", "ldmatrix", 75, Needs::Any, 65},
    {"ldmatrix", "b8x16", "", 100, Needs::Specific, 86},
    {"movmatrix", "", "movmatrix", 75, Needs::Any, 78},
    {"stmatrix", "", "stmatrix", 90, Needs::Any, 78},
    {"mma", "bf16", "", 80, Needs::Any, 70},
    {"mma", "tf32", "", 80, Needs::Any, 70},
    {"mma", "f64", "", 80, Needs::Any, 70},
    {"mma", "m16n8k16", "", 80, Needs::Any, 70},
    {"mma", "m16n8k32", "", 80, Needs::Any, 70},
    {"mma", "m16n8k64", "", 80, Needs::Any, 70},
    {"mma", "sp::ordered_metadata", "", 80, Needs::Any, 85},
    {"wgmma", "sp", "", 90, Needs::Exactly, 82},
    {"mma", "e4m3", "", 89, Needs::Any, 84},
    {"mma", "e5m2", "", 89, Needs::Any, 84},
    {"mma", "e2m1", "", 120, Needs::Specific, 87},
    {"mma", "e3m2", "", 120, Needs::Specific, 87},
    {"mma", "e2m3", "", 120, Needs::Specific, 87},
    {"mma", "block_scale", "mma.block_scale", 120, Needs::Specific, 87},
    // Asynchronous copies.
    {"cp.async", "", "cp.async", 80, Needs::Any, 70},
    // In assembly text for the ignore-src predicate, which 7.5 brought.
    {"cp.async", "shared", "", 80, Needs::Any, 75},
    {"cp.async.bulk", "", "cp.async.bulk", 90, Needs::Any, 80},
    {"cp.async.bulk.tensor", "tile::gather4", "", 100, Needs::Tcgen05, 86},
    {"cp.async.bulk.tensor", "tile::scatter4", "", 100, Needs::Tcgen05, 86},
    {"cp.reduce.async.bulk", "", "cp.reduce.async.bulk", 90, Needs::Any, 80},
    {"tensormap", "", "tensormap", 90, Needs::Specific, 83},
    {"multimem", "", "multimem", 90, Needs::Any, 81},
    {"st.async", "", "st.async", 90, Needs::Any, 81},
    {"red.async", "", "red.async", 90, Needs::Any, 81},
    {"st.bulk", "", "st.bulk", 100, Needs::Any, 86},
    // Barriers and fences.
    {"mbarrier", "", "mbarrier", 80, Needs::Any, 70},
    {"mbarrier", "shared::cta", "", 80, Needs::Any, 78},
    {"mbarrier.try_wait", "", "mbarrier.try_wait", 90, Needs::Any, 78},
    {"mbarrier.expect_tx", "", "mbarrier.expect_tx", 90, Needs::Any, 80},
    {"mbarrier.complete_tx", "", "mbarrier.complete_tx", 90, Needs::Any, 80},
    {"mbarrier.arrive.expect_tx", "", "mbarrier.arrive.expect_tx", 90,
     Needs::Any, 80},
    {"mbarrier", "cluster", "", 90, Needs::Any, 80},
    {"mbarrier", "shared::cluster", "", 90, Needs::Any, 80},
    {"barrier.cluster", "", "cluster", 90, Needs::Any, 78},
    {"barrier.cluster", "", "barrier.cluster", 90, Needs::Any, 78},
    {"barrier.cluster", "acquire", "", 90, Needs::Any, 80},
    {"barrier.cluster", "relaxed", "", 90, Needs::Any, 80},
    {"barrier.cluster", "release", "", 90, Needs::Any, 80},
    {"mapa", "", "mapa", 90, Needs::Any, 78},
    {"%cluster", "", "read.ptx.sreg.cluster", 90, Needs::Any, 78},
    {"%clusterid", "", "read.ptx.sreg.clusterid", 90, Needs::Any, 78},
    {"%nclusterid", "", "read.ptx.sreg.nclusterid", 90, Needs::Any, 78},
    {"getctarank", "", "getctarank", 90, Needs::Any, 78},
    {"fence.proxy.async", "", "fence.proxy", 90, Needs::Any, 80},
    {"fence.proxy.tensormap", "", "fence.proxy.acquire", 90, Needs::Any, 83},
    {"fence.proxy.tensormap", "", "fence.proxy.release", 90, Needs::Any, 83},
    {"fence.mbarrier_init", "", "fence.mbarrier.init", 90, Needs::Any, 80},
    {"fence", "cluster", "fence.sc.cluster", 90, Needs::Any, 78},
    {"elect", "", "elect", 90, Needs::Any, 80},
    {"setmaxnreg", "", "setmaxregister", 90, Needs::Specific, 80},
    {"setmaxnreg", "", "setmaxnreg", 90, Needs::Specific, 80},
    {"griddepcontrol", "", "griddepcontrol", 90, Needs::Any, 78},
    {"clusterlaunchcontrol", "", "clusterlaunchcontrol", 100, Needs::Any, 86},
    {"redux", "", "redux", 80, Needs::Any, 70},
    {"redux", "f32", "", 100, Needs::Specific, 86},
    // Conversions.
    {"cvt", "e4m3x2", "", 89, Needs::Any, 81},
    {"cvt", "e5m2x2", "", 89, Needs::Any, 81},
    {"cvt", "e2m1x2", "convert.f32x2.to.f4x2", 100, Needs::Specific, 86},
    {"cvt", "e2m3x2", "convert.f32x2.to.f6x2", 100, Needs::Specific, 86},
    {"cvt", "e3m2x2", "", 100, Needs::Specific, 86},
    {"cvt", "ue8m0x2", "", 100, Needs::Specific, 86},
    {"cvt", "tf32", "convert.float.to.tf32", 80, Needs::Any, 70},
    {"cvt", "bf16", "", 80, Needs::Any, 70},
    {"cvt", "bf16x2", "", 80, Needs::Any, 70},
    {"cvt", "f16x2", "", 80, Needs::Any, 70},
    {"cvt", "", "convert.f32x2.to.f8x2", 89, Needs::Any, 81},
    {"cvt", "", "convert.f16x2.to.f8x2", 89, Needs::Any, 81},
    {"cvt", "", "convert.f8x2.to.f16x2", 89, Needs::Any, 81},
    {"cvt", "", "convert.bf16x2.to.f8x2", 100, Needs::Specific, 86},
    // Arithmetic and memory.
    {"add", "f32x2", "", 100, Needs::Any, 86},
    {"mul", "f32x2", "", 100, Needs::Any, 86},
    {"fma", "f32x2", "", 100, Needs::Any, 86},
    {"tanh", "", "", 75, Needs::Any, 70},
    {"tanh", "bf16", "", 90, Needs::Any, 78},
    {"tanh", "bf16x2", "", 90, Needs::Any, 78},
    {"ex2", "f16", "", 75, Needs::Any, 70},
    {"ex2", "f16x2", "", 75, Needs::Any, 70},
    {"ex2", "bf16", "", 90, Needs::Any, 78},
    {"ex2", "bf16x2", "", 90, Needs::Any, 78},
    {"max", "NaN", "", 80, Needs::Any, 70},
    {"min", "NaN", "", 80, Needs::Any, 70},
    {"red", "v2", "", 90, Needs::Any, 81},
    {"red", "v4", "", 90, Needs::Any, 81},
    {"red", "v8", "", 90, Needs::Any, 81},
    {"red", "bf16", "", 90, Needs::Any, 78},
    {"red", "bf16x2", "", 90, Needs::Any, 78},
    {"atom", "v2", "", 90, Needs::Any, 81},
    {"atom", "v4", "", 90, Needs::Any, 81},
    {"atom", "bf16", "", 90, Needs::Any, 78},
    {"atom", "bf16x2", "", 90, Needs::Any, 78},
    {"ld", "v8", "", 100, Needs::Any, 88},
    {"st", "v8", "", 100, Needs::Any, 88},
    {"ld", "L1::no_allocate", "", 70, Needs::Any, 74},
    {"ld", "L2::cache_hint", "", 80, Needs::Any, 74},
    {"st", "L2::cache_hint", "", 80, Needs::Any, 74},
    {"cp", "L2::cache_hint", "", 80, Needs::Any, 74},
    {"createpolicy", "", "", 80, Needs::Any, 74},
    {"applypriority", "", "", 80, Needs::Any, 74},
};

/// Whether `name` is `prefix`, or continues it after a dot.
static bool isUnder(StringRef name, StringRef prefix) {
  return name.consume_front(prefix) && (name.empty() || name.front() == '.');
}

static bool hasModifier(StringRef instruction, StringRef modifier) {
  for (StringRef part : llvm::split(instruction, '.'))
    if (part == modifier)
      return true;
  return false;
}

/// f64 mma.sync is on sm_80 as m8n8k4 only.
static bool isLargeF64Mma(StringRef instruction) {
  return isUnder(instruction, "mma") && hasModifier(instruction, "f64") &&
         !hasModifier(instruction, "m8n8k4");
}
static constexpr Row kLargeF64Mma = {"mma", "f64", "", 90, Needs::Any, 78};

/// fp8 mma.sync got accumulators in f16, and m16n8k16, late.
static bool isLateFp8Mma(StringRef instruction) {
  return isUnder(instruction, "mma") &&
         (hasModifier(instruction, "e4m3") ||
          hasModifier(instruction, "e5m2")) &&
         (hasModifier(instruction, "f16") ||
          hasModifier(instruction, "m16n8k16"));
}
static constexpr Row kLateFp8Mma = {"mma", "", "", 89, Needs::Any, 87};

/// wgmma of s8 and u8 together came after those of one type.
static bool isMixedWgmma(StringRef instruction) {
  return isUnder(instruction, "wgmma") && hasModifier(instruction, "s8") &&
         hasModifier(instruction, "u8");
}
static constexpr Row kMixedWgmma = {"wgmma", "", "", 90, Needs::Exactly, 84};

/// Calls `visit` with each row that an instruction of inline assembly falls
/// under.
static void matchInstruction(StringRef instruction,
                             llvm::function_ref<void(const Row &)> visit) {
  for (const Row &row : kRows)
    // Rows with neither modifier nor a mnemonic of their own are for
    // operations: every `cvt` would match them.
    if (isUnder(instruction, row.mnemonic) &&
        (row.modifier.empty() ? row.mnemonic != "cvt"
                              : hasModifier(instruction, row.modifier)))
      visit(row);
  if (isLargeF64Mma(instruction))
    visit(kLargeF64Mma);
  if (isLateFp8Mma(instruction))
    visit(kLateFp8Mma);
  if (isMixedWgmma(instruction))
    visit(kMixedWgmma);
}

/// Calls `visit` with each instruction of assembly text: the first word of each
/// statement after labels, predicates and braces.
static void forEachInstruction(StringRef text,
                               llvm::function_ref<void(StringRef)> visit) {
  while (!text.empty()) {
    StringRef statement;
    size_t end = text.find_first_of(";\n{}");
    // Braces also enclose operand vectors, inside a statement whose first word
    // has been seen; what follows them then starts with '%', '$' or ','.
    statement = text.substr(0, end).trim();
    text = end == StringRef::npos ? StringRef() : text.substr(end + 1);
    auto takeWord = [&] {
      StringRef word =
          statement.take_while([](char c) { return !llvm::isSpace(c); });
      statement = statement.drop_front(word.size()).ltrim();
      return word;
    };
    StringRef word = takeWord();
    while (word.starts_with("@") || word.ends_with(":"))
      word = takeWord();
    if (!word.empty() && llvm::isAlpha(word.front()))
      visit(word);
  }
}

/// The PTX spelling of an mma.sync operation, as far as the table needs it.
static std::string spellMma(NVVM::MmaOp op) {
  NVVM::MMAShapeAttr shape = op.getShape();
  std::string text = "mma.sync.m" + std::to_string(shape.getM()) + "n" +
                     std::to_string(shape.getN()) + "k" +
                     std::to_string(shape.getK());
  for (std::optional<NVVM::MMATypes> type :
       {op.getMultiplicandAPtxType(), op.getMultiplicandBPtxType()})
    if (type)
      text += "." + stringifyMMATypes(*type).str();
  return text;
}

/// Calls `visit(row, what)` for each row of the table that an operation falls
/// under; `what` names the instruction.
static void matchOperation(
    Operation *op,
    llvm::function_ref<void(const Row &, StringRef instruction)> visit) {
  auto matchText = [&](StringRef text) {
    forEachInstruction(text, [&](StringRef instruction) {
      matchInstruction(instruction,
                       [&](const Row &row) { visit(row, instruction); });
    });
  };
  if (auto inlineAsm = dyn_cast<LLVM::InlineAsmOp>(op))
    return matchText(inlineAsm.getAsmString());
  if (auto inlinePtx = dyn_cast<NVVM::InlinePtxOp>(op))
    return matchText(inlinePtx.getPtxCode());
  if (auto mma = dyn_cast<NVVM::MmaOp>(op))
    return matchText(spellMma(mma));
  if (auto load = dyn_cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op);
      load && load.getMode() == NVVM::TMALoadMode::TILE_GATHER4)
    return matchText("cp.async.bulk.tensor.2d.tile::gather4");
  if (auto store = dyn_cast<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(op);
      store && store.getMode() == NVVM::TMAStoreMode::TILE_SCATTER4)
    return matchText("cp.async.bulk.tensor.2d.tile::scatter4");

  StringRef name = op->getName().getStringRef();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    name = call.getIntrin();
    if (!name.consume_front("llvm.nvvm."))
      return;
  } else if (!name.consume_front("nvvm.")) {
    return;
  }
  for (const Row &row : kRows)
    if (!row.operation.empty() && isUnder(name, row.operation))
      visit(row, name);
}

static bool hasInstruction(const TargetInfo &target, const Row &row) {
  switch (row.needs) {
  case Needs::Any:
    return target.capability >= row.minCapability;
  case Needs::Specific:
    return target.capability >= row.minCapability && target.specific;
  case Needs::Exactly:
    return target.capability == row.minCapability && target.specific;
  case Needs::Tcgen05:
    return target.hasTcgen05();
  case Needs::Tcgen05OfIntegers:
    return target.hasTcgen05OfIntegers();
  }
  return false;
}

/// `sm_100f, sm_100a or sm_110a`
static std::string listOf(const Row &row) {
  SmallVector<StringRef> names;
  for (const TargetInfo &target : TargetInfo::all())
    if (hasInstruction(target, row))
      names.push_back(target.arch);
  StringRef last = names.pop_back_val();
  std::string text = llvm::join(names, ", ");
  return (text.empty() ? "" : text + " or ") + last.str();
}

static std::string describe(const Row &row) {
  std::string arch = "sm_" + std::to_string(row.minCapability);
  switch (row.needs) {
  case Needs::Any:
    return arch + " or newer";
  case Needs::Specific:
    return arch + "a or a newer architecture with the suffix 'a'";
  case Needs::Exactly:
    return arch + "a";
  case Needs::Tcgen05:
  case Needs::Tcgen05OfIntegers:
    return listOf(row);
  }
  return arch;
}

LogicalResult mlir::tile::verifyForTarget(ModuleOp module,
                                          const TargetInfo &target) {
  bool failed = false;
  module.walk([&](Operation *op) {
    // One error per operation: its most demanding row.
    const Row *worst = nullptr;
    std::string instruction;
    matchOperation(op, [&](const Row &row, StringRef name) {
      if (hasInstruction(target, row) ||
          (worst && worst->minCapability > row.minCapability))
        return;
      worst = &row;
      instruction = name.str();
    });
    if (!worst)
      return;
    op->emitError() << "'" << instruction << "': expected " << describe(*worst)
                    << ", got " << target.arch;
    failed = true;
  });
  return failure(failed);
}

unsigned mlir::tile::requiredPtxVersion(ModuleOp module,
                                        const TargetInfo &target) {
  unsigned version = target.ptxVersion;
  module.walk([&](Operation *op) {
    matchOperation(op, [&](const Row &row, StringRef) {
      version = std::max(version, row.minPtx);
    });
    // Cluster dimensions are directives of PTX 7.8.
    if (op->hasAttr(NVVM::NVVMDialect::getClusterDimAttrName()) ||
        op->hasAttr(NVVM::NVVMDialect::getClusterMaxBlocksAttrName()))
      version = std::max(version, 78u);
  });
  return version;
}
