//===- NvvmHazards.cpp - hazards that NVVM's verifier lets through --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections are named, not numbered: numbers change between editions of the PTX
// ISA manual.
//
//===----------------------------------------------------------------------===//
#include "tile/Target/NvvmHazards.h"
#include "NvvmShapes.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "tile/Target/PtxMnemonics.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::hazards;

StringRef hazards::assembly(Operation *op) {
  if (auto inlined = dyn_cast<LLVM::InlineAsmOp>(op))
    return inlined.getAsmString();
  return {};
}

bool hazards::isWgmma(Operation *op) {
  return assembly(op).contains(ptx::kWgmmaMma) ||
         op->getName().getStringRef() == "nvvm.wgmma.mma_async";
}

bool hazards::isTcgen05Mma(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return assembly(op).contains(ptx::kTcgen05Mma) ||
         name == "nvvm.tcgen05.mma" || name.starts_with("nvvm.tcgen05.mma.");
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

std::optional<std::pair<Value, Value>> hazards::phaseWait(Operation *op) {
  StringRef name = op->getName().getStringRef();
  bool waits = assembly(op).contains(ptx::kMbarrierTryWait) ||
               assembly(op).contains(ptx::kMbarrierTestWait) ||
               name.starts_with("nvvm.mbarrier.try_wait.parity");
  if (!waits || op->getNumOperands() < 2)
    return std::nullopt;
  return std::pair(op->getOperand(0), op->getOperand(1));
}

/// Computed anew in each iteration.
static bool varies(Value value, CFGLoop *loop,
                   llvm::SmallDenseSet<Value> &seen) {
  Block *block = value.getParentBlock();
  if (!loop->contains(block) || !seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  if (!isMemoryEffectFree(op) && !op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return varies(operand, loop, seen);
  });
}

static bool checkPhases(LLVM::LLVMFuncOp function, DominanceInfo &dominance) {
  bool ok = true;
  Region &region = function.getBody();
  if (region.hasOneBlock())
    return true;
  CFGLoopInfo loops(dominance.getDomTree(&region));
  function.walk([&](Operation *op) {
    auto wait = phaseWait(op);
    CFGLoop *loop = wait ? loops.getLoopFor(op->getBlock()) : nullptr;
    // A loop that only spins asks for one phase until it is complete.
    if (!loop || loop->getNumBlocks() == 1)
      return;
    llvm::SmallDenseSet<Value> seen;
    if (varies(wait->first, loop, seen) || varies(wait->second, loop, seen))
      return;
    op->emitError()
        << "every iteration waits for the same phase of the same mbarrier: PTX "
           "ISA, 'mbarrier.test_wait, mbarrier.try_wait', the parity "
           "alternates with the barrier's phases";
    ok = false;
  });
  return ok;
}

//===----------------------------------------------------------------------===//
// One issuer
//===----------------------------------------------------------------------===//

/// A bulk copy between global and shared memory, not its commit or wait.
static bool isBulkCopy(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("nvvm.cp.async.bulk") ||
      name.consume_front("nvvm.cp.reduce.async.bulk"))
    return !name.contains("wait_group") && !name.contains("commit_group") &&
           !name.contains("wait.group") && !name.contains("commit.group") &&
           !name.contains("prefetch");
  StringRef text = assembly(op);
  size_t at = text.find("async.bulk.");
  return at != StringRef::npos && !text.contains("async.bulk.prefetch") &&
         text.drop_front(at).contains("shared");
}

/// Index of the thread in its block or in a group of threads: it less a
/// constant, under a mask, or a remainder. Not a warp's.
static bool isThreadIndex(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (isa<NVVM::ThreadIdXOp, NVVM::LaneIdOp>(op))
    return true;
  if (isa<LLVM::SubOp, LLVM::AddOp, LLVM::AndOp, LLVM::URemOp, LLVM::ZExtOp,
          LLVM::SExtOp, LLVM::TruncOp>(op))
    return isThreadIndex(op->getOperand(0), depth + 1) ||
           (op->getNumOperands() > 1 &&
            isThreadIndex(op->getOperand(1), depth + 1));
  return false;
}

namespace {
/// Which conditions, and which blocks by the branches in front of them, belong
/// to a few threads or blocks. Each question is answered once: in the worst
/// case kernels have as many blocks as instructions, in a chain.
class Selection {
public:
  /// `selects`: whether an operation chooses by itself. `onTrueSideOnly`: the
  /// false side of a branch is for all the others.
  Selection(DominanceInfo &dominance,
            llvm::function_ref<bool(Operation *)> selects, bool onTrueSideOnly)
      : dominance(dominance), selects(selects), onTrueSideOnly(onTrueSideOnly) {
  }

  bool isSelected(Value condition);
  bool isSelected(Block *block);

private:
  bool isSelectedByBranch(Block *block, Block *above);

  DominanceInfo &dominance;
  llvm::function_ref<bool(Operation *)> selects;
  bool onTrueSideOnly;
  llvm::DenseMap<Operation *, bool> conditions;
  llvm::DenseMap<Block *, bool> blocks;
};
} // namespace

bool Selection::isSelected(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return false;
  // The answer is "no" while the operands are being examined.
  auto [known, isNew] = conditions.try_emplace(op, false);
  if (!isNew)
    return known->second;
  bool result = selects(op) ||
                llvm::any_of(op->getOperands(),
                             [&](Value value) { return isSelected(value); });
  conditions[op] = result;
  return result;
}

bool Selection::isSelectedByBranch(Block *block, Block *above) {
  // A single edge leads to what the block is under.
  auto branch = dyn_cast<LLVM::CondBrOp>(above->getTerminator());
  return branch && block->getSinglePredecessor() &&
         (!onTrueSideOnly || branch.getTrueDest() == block) &&
         isSelected(branch.getCondition());
}

bool Selection::isSelected(Block *block) {
  if (block->getParent()->hasOneBlock())
    return false; // no branches, and no dominator tree either
  SmallVector<Block *> way;
  bool result = false;
  for (auto *node = dominance.getNode(block); node && node->getIDom();
       node = node->getIDom()) {
    auto known = blocks.find(node->getBlock());
    if (known != blocks.end()) {
      result = known->second;
      break;
    }
    way.push_back(node->getBlock());
    result = isSelectedByBranch(node->getBlock(), node->getIDom()->getBlock());
    if (result)
      break;
  }
  for (Block *passed : way)
    blocks[passed] = result;
  return result;
}

/// What few threads of a block fulfil: an election, or a comparison of a
/// thread's index.
static bool selectsThread(Operation *op) {
  if (isa<NVVM::ElectSyncOp>(op) || assembly(op).contains("elect.sync"))
    return true;
  auto compare = dyn_cast<LLVM::ICmpOp>(op);
  return compare &&
         (compare.getPredicate() == LLVM::ICmpPredicate::eq ||
          compare.getPredicate() == LLVM::ICmpPredicate::ult) &&
         isThreadIndex(compare.getLhs());
}

static bool isElected(Operation *op, Selection &threads) {
  if (assembly(op).trim("{ \n").starts_with("@") &&
      llvm::any_of(op->getOperands(),
                   [&](Value operand) { return threads.isSelected(operand); }))
    return true;
  return threads.isSelected(op->getBlock());
}

/// Instructions of the tensor core that one thread issues for all.
static bool isTcgen05Issue(Operation *op) {
  return isTcgen05Mma(op) || assembly(op).contains(ptx::kTcgen05Commit) ||
         op->getName().getStringRef() == "nvvm.tcgen05.commit";
}

static bool checkIssuers(LLVM::LLVMFuncOp function, DominanceInfo &dominance) {
  bool ok = true;
  bool isSingle = false;
  if (auto threads = function->getAttrOfType<DenseI32ArrayAttr>(
          NVVM::NVVMDialect::getMaxntidAttrName()))
    isSingle = llvm::all_of(threads.asArrayRef(),
                            [](int32_t extent) { return extent == 1; });
  Selection threads(dominance, selectsThread, /*onTrueSideOnly=*/true);
  function.walk([&](Operation *op) {
    bool isIssue = isTcgen05Issue(op), copies = isBulkCopy(op);
    if (isSingle || (!isIssue && !copies) || isElected(op, threads))
      return;
    if (isIssue) {
      op->emitError() << "every thread issues this: PTX ISA, "
                      << (isTcgen05Mma(op) ? "'tcgen05.mma', each multiplies"
                                           : "'tcgen05.commit', each arrives")
                      << "; expected it under the condition of one elected "
                         "thread";
      ok = false;
    }
    if (!copies)
      return;
    op->emitError() << "every thread issues this bulk copy: PTX ISA, "
                       "'cp.async.bulk', it moves all of its bytes each time; "
                       "expected it under the condition of one elected thread";
    ok = false;
  });
  return ok;
}

//===----------------------------------------------------------------------===//
// Pairs of blocks
//===----------------------------------------------------------------------===//

/// 1 or 2, as an instruction of tcgen05 says how many blocks it is for; 0 for
/// anything else.
static int ctaGroupOf(Operation *op) {
  StringRef text = assembly(op);
  if (text.contains(ptx::kAnyTcgen05))
    return text.contains(ptx::kGroupOfTwo)   ? 2
           : text.contains(ptx::kGroupOfOne) ? 1
                                             : 0;
  if (!op->getName().getStringRef().starts_with("nvvm.tcgen05."))
    return 0;
  for (StringRef name : {"group", "ctaGroup"})
    if (auto group = op->getAttrOfType<NVVM::CTAGroupKindAttr>(name))
      return group.getValue() == NVVM::CTAGroupKind::CTA_2 ? 2 : 1;
  return 0;
}

/// The block's place in its cluster.
static bool selectsBlock(Operation *op) {
  return isa<NVVM::ClusterId>(op) || assembly(op).contains("%cluster_ctarank");
}

/// A kernel's tcgen05 are all for one block or all for two; of two blocks one
/// issues.
static bool checkPairs(LLVM::LLVMFuncOp function, DominanceInfo &dominance) {
  bool ok = true;
  Operation *first = nullptr;
  Selection blocks(dominance, selectsBlock, /*onTrueSideOnly=*/false);
  function.walk([&](Operation *op) {
    int group = ctaGroupOf(op);
    if (!group)
      return;
    if (!first)
      first = op;
    if (group != ctaGroupOf(first)) {
      InFlightDiagnostic diag =
          op->emitError()
          << "cta_group::" << group
          << " in a kernel with another: PTX ISA, 'TensorCore 5th Generation "
             "Family Instructions', all tcgen05 of a kernel have the same";
      diag.attachNote(first->getLoc())
          << "this one has cta_group::" << ctaGroupOf(first);
      ok = false;
    }
    if (group == 2 && isTcgen05Issue(op) &&
        !blocks.isSelected(op->getBlock())) {
      op->emitError() << "both blocks of a pair issue this: PTX ISA, 'Issue "
                         "Granularity', one thread of the pair does; expected "
                         "it under a condition on %cluster_ctarank";
      ok = false;
    }
  });
  return ok;
}

//===----------------------------------------------------------------------===//
// Proxies
//===----------------------------------------------------------------------===//

bool hazards::writesShared(Operation *op) {
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    auto type = cast<LLVM::LLVMPointerType>(store.getAddr().getType());
    return type.getAddressSpace() == 3;
  }
  StringRef text = assembly(op);
  return isa<NVVM::CpAsyncOp, NVVM::StMatrixOp>(op) ||
         text.contains("st.shared") || text.contains("stmatrix") ||
         (text.contains("cp.async.c") && text.contains("shared"));
}

bool hazards::isProxyFence(Operation *op) {
  return isa<NVVM::FenceProxyOp>(op) || assembly(op).contains(ptx::kProxyFence);
}

/// Where nothing but generic writes fills shared memory, the first wgmma or
/// tcgen05.mma that follows one needs a fence on the way.
static bool checkProxies(LLVM::LLVMFuncOp function) {
  bool hasBulk = false, hasMma = false;
  auto isMma = [](Operation *op) { return isWgmma(op) || isTcgen05Mma(op); };
  function.walk([&](Operation *op) {
    hasBulk |= isBulkCopy(op);
    hasMma |= isMma(op);
  });
  if (hasBulk || !hasMma)
    return true;
  // Per block: a write came, and no fence since the function began.
  bool ok = true;
  SmallVector<Block *> pending{&function.getBody().front()};
  llvm::DenseMap<Block *, int> entered; // bits: clean, after a write
  entered[pending.front()] = 1;
  llvm::SmallPtrSet<Operation *, 4> reported;
  auto run = [&](Block *block, bool wrote) -> std::optional<bool> {
    for (Operation &op : *block) {
      if (isProxyFence(&op))
        return std::nullopt; // from here on a fence may have served
      if (writesShared(&op))
        wrote = true;
      if (wrote && isMma(&op) && reported.insert(&op).second) {
        op.emitError()
            << (isWgmma(&op) ? "wgmma" : "tcgen05.mma")
            << " follows generic writes of shared memory without "
               "fence.proxy.async: PTX ISA, 'Async Proxy', it reads through "
               "another proxy than they wrote through";
        ok = false;
      }
    }
    return wrote;
  };
  while (!pending.empty()) {
    Block *block = pending.pop_back_val();
    for (int state : {1, 2}) {
      if (!(entered[block] & state))
        continue;
      std::optional<bool> wrote = run(block, state == 2);
      if (!wrote)
        continue;
      for (Block *next : block->getSuccessors()) {
        int &bits = entered[next];
        int bit = *wrote ? 2 : 1;
        if (bits & bit)
          continue;
        bits |= bit;
        pending.push_back(next);
      }
    }
  }
  return ok;
}

LogicalResult tile::verifyHazards(ModuleOp module) {
  bool ok = true;
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (function.isExternal())
      return;
    DominanceInfo dominance(function);
    ok &= checkAccumulators(function);
    ok &= checkTensorLoads(function);
    ok &= checkPhases(function, dominance);
    ok &= checkIssuers(function, dominance);
    ok &= checkPairs(function, dominance);
    ok &= checkProxies(function);
    ok &= checkMbarriers(function, dominance);
  });
  return success(ok);
}
