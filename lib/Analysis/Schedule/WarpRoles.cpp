//===- WarpRoles.cpp - may warps be divided into roles? -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked by --tile-specialize-warps, which divides them, and by what has to know
// beforehand that it will: the pipeline, the cost model, the budget of threads.
// A kernel has roles where its loops copy ahead by an instruction that other
// warps can issue, and where nothing that they would have to do together stands
// between.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/WarpRoles.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/CopyRules.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/LayoutAnalysis.h"
#include "tile/Analysis/Occupancy.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Meeting.h"

using namespace mlir;
using namespace mlir::tile;

bool tile::statesRoles(KernelOp kernel) {
  if (meetsInCluster(kernel))
    return true; // by all threads of a block
  return kernel.getBodyRegion()
      .walk([](Operation *op) {
        return isa<TileAgentsOpInterface>(op) || makesMbarriers(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tile::makesMbarriers(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<MbarrierType>);
}

bool tile::isTmaLoad(TileMoveOpInterface copy) {
  return copy.isSharedLoad() && copy.isMovedByProxy();
}

bool tile::isInTileLoop(TileMoveOpInterface copy) {
  bool found = false;
  for (Operation *at : getEnclosingOps(copy)) {
    if (stagesOf(at))
      return false;
    found |= isa<LoopLikeOpInterface>(at);
  }
  return found;
}

namespace {
/// Follows what decides which copies are made back to the kernel's arguments.
class ProducerSlice {
public:
  ProducerSlice(KernelOp kernel, ArrayRef<OpAccess> accesses)
      : kernel(kernel), accesses(accesses) {}

  /// The operation that ties a copy to what others compute; null when none.
  Operation *check(TileMoveOpInterface copy, std::string &why) {
    // What it reads beside its source (where rows lie) decides, too.
    if (Operation *cause =
            checkReads(copy, copy.getSource(), copy.getTarget(), why))
      return cause;
    for (Value operand : copy->getOperands())
      if (!isa<MemRefType>(operand.getType()))
        addValue(operand);
    addEnclosing(copy);
    while (!pending.empty())
      if (Operation *cause = checkOne(pending.pop_back_val(), why))
        return cause;
    return nullptr;
  }

private:
  void addValue(Value value) {
    if (Operation *op = value.getDefiningOp()) {
      add(op);
      return;
    }
    if (!getKernelOfArgument(value))
      add(cast<BlockArgument>(value).getOwner()->getParentOp());
  }
  void add(Operation *op) {
    if (seen.insert(op).second)
      pending.push_back(op);
  }
  void addEnclosing(Operation *op) {
    for (Operation *parent : getEnclosingOps(op))
      add(parent);
  }

  Operation *checkOne(Operation *op, std::string &why) {
    addEnclosing(op);
    for (Value operand : op->getOperands())
      if (!isa<MemRefType>(operand.getType()))
        addValue(operand);
    if (op->getNumRegions()) {
      if (op->hasTrait<OpTrait::IsTerminator>() || isa<TileOpInterface>(op)) {
        why = "the choice of copies depends on a tile operation";
        return op;
      }
      // What a loop or branch yields decides with it.
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value operand : block.getTerminator()->getOperands())
            addValue(operand);
      return nullptr;
    }
    if (isMemoryEffectFree(op))
      return nullptr;
    return checkReads(op, Value(), Value(), why);
  }

  /// What `op` accesses, but for two buffers, has to be read only, by
  /// everybody.
  Operation *checkReads(Operation *op, Value source, Value target,
                        std::string &why) {
    SmallVector<OpAccess> own;
    if (Operation *unknown = collectAccesses(op, own)) {
      why = "the choice of copies depends on '" +
            op->getName().getStringRef().str() + "'";
      return unknown;
    }
    for (const OpAccess &access : own) {
      if (access.access.buffer == source || access.access.buffer == target)
        continue;
      if (access.access.isWrite || !isGlobal(access.access.buffer)) {
        why = "the choice of copies depends on " +
              describeBuffer(access.access.buffer) + ", which the kernel fills";
        return op;
      }
      if (Operation *writer = writerOf(access.access.buffer)) {
        why = "the choice of copies is read from " +
              describeBuffer(access.access.buffer) +
              ", which the kernel writes";
        return writer;
      }
    }
    return nullptr;
  }

public:
  Operation *writerOf(Value buffer) {
    for (const OpAccess &other : accesses)
      if (other.access.isWrite && mayAlias(other.access.buffer, buffer))
        return other.op;
    return nullptr;
  }

private:
  KernelOp kernel;
  ArrayRef<OpAccess> accesses;
  SmallVector<Operation *> pending;
  llvm::SmallDenseSet<Operation *> seen;
};
} // namespace

/// Whether a gemm by wgmma reads `buffer`.
static bool feedsWgmma(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    return readerOf(user, buffer) == RingConsumer::Wgmma;
  });
}

/// Whether memory says where a copy reads, so that it cannot be issued before
/// memory has answered: rows by index, or an offset that is loaded.
static bool waitsForPlace(const AheadCopy &ahead) {
  TileMoveOpInterface copy = ahead.copy;
  return copy.getAddressing() == MoveAddressing::Indexed ||
         llvm::any_of(ahead.slice, [](Operation *op) {
           return hasSingleEffect<MemoryEffects::Read>(op);
         });
}

/// Copies that pipelining lets run ahead, but for those by TMA, whose slots
/// nobody but the copy writes.
static SmallVector<AheadCopy> sharedCandidates(KernelOp kernel) {
  SmallVector<AheadCopy> result;
  kernel.getBodyRegion().walk([&](PipelinedOp loop) {
    if (loop.getStages() < 2)
      return;
    Block &body = loop.getBodyRegion().front();
    SmallVector<OpAccess> accesses;
    Operation *unknown = collectAccesses(body, accesses);
    for (auto copy : body.getOps<TileMoveOpInterface>()) {
      AheadCopy ahead;
      if (!copy.isSharedLoad() || isTmaLoad(copy) ||
          whyNotAhead(copy, body, accesses, unknown, ahead))
        continue;
      SmallVector<TileMoveOpInterface> parts = partsOf(copy.getTarget(), body);
      bool isModified = llvm::any_of(accesses, [&](const OpAccess &other) {
        return other.op != copy && other.access.isWrite &&
               !llvm::is_contained(parts, other.op) &&
               mayAlias(other.access.buffer, copy.getTarget());
      });
      if (!isModified)
        result.push_back(std::move(ahead));
    }
  });
  return result;
}

Reason tile::whyNoRoles(const TargetInfo &target, int64_t threads,
                        bool isAskedFor) {
  if (!target.hasMbarriers())
    return {target.arch.str() + " has no mbarriers", "`--arch=sm_90a` has"};
  if (!isAskedFor && !target.hasSetMaxRegisters())
    return {target.arch.str() +
                " cannot redistribute registers between warps (sm_90a can)",
            kRolesAllTheSame};
  if (threads % kProducerThreads || threads + kProducerThreads > kMaxThreads)
    return {"needs threads that are whole warpgroups with room for one more, "
            "got " +
                std::to_string(threads),
            "`threads(...)` of a multiple of " +
                std::to_string(kProducerThreads) + ", at most " +
                std::to_string(kMaxThreads - kProducerThreads) +
                ", leave that"};
  return {};
}

static constexpr char kPlainChoice[] =
    "choose copies by indices, and by global memory that the kernel only reads";

RoleDecision tile::decideRoles(KernelOp kernel, const TargetInfo &target,
                               bool isAskedFor) {
  auto no = [](Reason reason, Operation *cause = nullptr) {
    RoleDecision decision;
    decision.reason = std::move(reason);
    decision.cause = cause;
    return decision;
  };
  Reason why = whyNoRoles(target, kernel.getThreads(), isAskedFor);
  if (!why.empty())
    return no(std::move(why));
  if (statesRoles(kernel))
    return no({"the program has roles or mbarriers already, or its blocks meet "
               "in a cluster",
               "a program without `tile.on_warps`, mbarriers and operations on "
               "the cluster leaves roles to the compiler"});
  SmallVector<TileMoveOpInterface> loads;
  bool overlaps = false;
  kernel.getBodyRegion().walk([&](TileMoveOpInterface copy) {
    if (!isTmaLoad(copy))
      return;
    loads.push_back(copy);
    overlaps |= stagesOf(copy->getParentOp()).value_or(1) > 1;
  });
  // Gemms by tcgen05 have roles of their own, which fill by TMA alone.
  SmallVector<AheadCopy> others;
  if (!target.hasTcgen05())
    others = sharedCandidates(kernel);
  bool feeds = llvm::any_of(others, [](AheadCopy &ahead) {
    return ahead.copy.getPlanAttr() && feedsWgmma(ahead.copy.getTarget());
  });
  // Measured with one warpgroup that computes
  // (docs/Rationale/ProducerWarps.md): two, with a third one that copies, leave
  // room for fewer blocks.
  bool waits = static_cast<int64_t>(kernel.getThreads()) == kProducerThreads &&
               llvm::any_of(others, waitsForPlace);
  if (!overlaps && isAskedFor && others.empty())
    return no({"no copy runs ahead in a pipelined loop of several stages",
               "`stages(2)` or more on a loop that copies into shared memory "
               "lets one"});
  if (!overlaps && !isAskedFor && !feeds && !waits)
    return no({"no copy by TMA stands in a pipelined loop of several stages, "
               "nor another that wgmma reads, or one whose place is read from "
               "memory beside 128 threads that compute",
               kRolesAllTheSame});
  SmallVector<OpAccess> accesses;
  if (Operation *unknown =
          collectAccesses(kernel.getBodyRegion().front(), accesses))
    return no({"'" + unknown->getName().getStringRef().str() +
                   "' may touch any buffer",
               "roles need a kernel without it"},
              unknown);
  ProducerSlice slice(kernel, accesses);
  for (TileMoveOpInterface copy : loads) {
    std::string why;
    if (Operation *cause = slice.check(copy, why))
      return no({why, kPlainChoice}, cause);
    if (Operation *writer = slice.writerOf(copy.getSource()))
      return no({describeBuffer(copy.getSource()) +
                     " is written by the kernel that copies from it",
                 "write to another buffer"},
                writer);
  }
  RoleDecision decision;
  std::string firstWhy;
  Operation *firstCause = nullptr;
  for (AheadCopy &ahead : others) {
    TileMoveOpInterface copy = ahead.copy;
    std::string why;
    Operation *cause = ProducerSlice(kernel, accesses).check(copy, why);
    if (!cause && (cause = slice.writerOf(copy.getSource())))
      why = describeBuffer(copy.getSource()) +
            " is written by the kernel that copies from it";
    if (!cause) {
      decision.shared.insert(copy);
    } else if (!firstCause) {
      firstCause = cause;
      firstWhy = std::move(why);
    }
  }
  if (!overlaps && decision.shared.empty())
    return no({firstWhy, kPlainChoice}, firstCause);
  if (!isAskedFor && others.empty())
    if (auto faster = whyFasterAlone(kernel, target))
      return no(*faster);
  decision.specialize = true;
  return decision;
}

//===----------------------------------------------------------------------===//
// Productions
//===----------------------------------------------------------------------===//

bool tile::isProduction(Operation *op) {
  auto isFilled = [](Value ring) {
    auto type = cast<RingType>(ring.getType());
    return type.usesMbarriers() && !type.inTensorMemory();
  };
  if (auto ringOp = dyn_cast<TileRingOpInterface>(op))
    return ringOp.fillsSlots() && isFilled(ringOp.getRing());
  auto copy = dyn_cast<TileMoveOpInterface>(op);
  return copy && isToBeFilled(copy.getTarget()) &&
         isFilled(ringOf(copy.getTarget()));
}

bool tile::awaitsRoles(KernelOp kernel) {
  Block &body = kernel.getBodyRegion().front();
  return hasRoles(kernel) && !statesRoles(kernel) &&
         llvm::any_of(body.getOps<RingCreateOp>(), [](RingCreateOp ring) {
           return ring.getRing().getType().usesMbarriers();
         });
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// What a role's counters, barriers' addresses, bounds and offsets take
/// (measured: with 8 rows a thread of a ragged matrix, nothing spills from 80
/// or 88 on).
static constexpr int64_t kControlRegisters = 72;
/// Rows whose places are kept from one iteration to the next.
static constexpr int64_t kKeptRows = 8;

std::optional<ProducerShare> tile::shareAmong(TileMoveOpInterface copy,
                                              const TargetInfo &target,
                                              int64_t threads) {
  FragmentLayoutAttr own = copy.getLayoutAttr();
  CopyPlanAttr plan = copy.getPlanAttr();
  copy.setLayoutAttr({});
  auto layout = memoryLoopLayout(cast<TileOpInterface>(copy.getOperation()),
                                 target, threads);
  std::optional<ProducerShare> share;
  if (layout && plan) {
    share = {FragmentLayoutAttr::get(copy.getContext(), *layout), plan};
    // As wide as the layout lets a thread move.
    copy.setLayoutAttr(share->layout);
    CopyDecision decision;
    if (decideCopy(CopyFacts::get(copy), target, plan.getInstruction(),
                   decision))
      share->plan = CopyPlanAttr::get(copy.getContext(), decision.instruction,
                                      decision.bytes);
  }
  copy.setLayoutAttr(own);
  return share;
}

int64_t tile::estimateCopyRegisters(Region &region, const TargetInfo &target,
                                    int64_t threads) {
  int64_t places = 0, data = 0;
  bool areShared = false;
  region.walk([&](TileMoveOpInterface copy) {
    if (!isProduction(copy) || copy.isMovedByProxy())
      return;
    areShared = true;
    std::optional<ProducerShare> share = shareAmong(copy, target, threads);
    if (!share)
      return;
    int64_t bytes = share->layout.getLayout().numRegisters() *
                    int64_t(storageBitsOf(copy.getSource())) / 8;
    int64_t runs =
        llvm::divideCeil(bytes, std::max<int64_t>(1, share->plan.getBytes()));
    // Addresses have 64 bits.
    places += 2 * std::min(runs, kKeptRows);
    data = std::max(data, traitsOf(share->plan).registersOnTheWay(bytes, runs));
  });
  return areShared ? kControlRegisters + places + data : 0;
}
