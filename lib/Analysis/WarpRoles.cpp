//===- WarpRoles.cpp - may warps be divided into roles? -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/WarpRoles.h"
#include "tile/Analysis/Dependence.h"

using namespace mlir;
using namespace mlir::tile;

bool tile::isTmaLoad(TileMoveOpInterface copy) {
  return copy.isSharedLoad() && copy.isMovedByProxy();
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
    Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
    if (!isa<KernelOp>(parent))
      add(parent);
  }
  void add(Operation *op) {
    if (seen.insert(op).second)
      pending.push_back(op);
  }
  void addEnclosing(Operation *op) {
    for (Operation *parent = op->getParentOp(); !isa<KernelOp>(parent);
         parent = parent->getParentOp())
      add(parent);
  }

  Operation *checkOne(Operation *op, std::string &why) {
    addEnclosing(op);
    for (Value operand : op->getOperands())
      if (!isa<MemRefType>(operand.getType()))
        addValue(operand);
    if (op->getNumRegions()) {
      if (op->hasTrait<OpTrait::IsTerminator>() || isa<TileOpInterface>(op)) {
        why = "which copies are made depends on a tile operation";
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
      why = "which copies are made depends on '" +
            op->getName().getStringRef().str() + "'";
      return unknown;
    }
    for (const OpAccess &access : own) {
      if (access.access.buffer == source || access.access.buffer == target)
        continue;
      if (access.access.isWrite || !isGlobal(access.access.buffer)) {
        why = "which copies are made depends on " +
              describeBuffer(access.access.buffer) + ", which the kernel fills";
        return op;
      }
      if (Operation *writer = writerOf(access.access.buffer)) {
        why = "which copies are made is read from " +
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

RoleDecision tile::decideRoles(KernelOp kernel, const TargetInfo &target) {
  auto no = [](std::string reason, Operation *cause = nullptr) {
    return RoleDecision{false, std::move(reason), cause};
  };
  if (auto stated = kernel.getSpecialize(); stated && !*stated)
    return no("`specialize = false` forbids it");
  if (!target.hasSetMaxRegisters())
    return no(target.arch.str() +
              " cannot redistribute registers between warps");
  int64_t threads = kernel.getThreads();
  if (threads % 128 || threads + kProducerThreads > 1024)
    return no("needs threads that are whole warpgroups with room for one more, "
              "got " +
              std::to_string(threads));
  if (!kernel.getBodyRegion().front().getOps<WarpSpecializeOp>().empty())
    return no("roles are written in the program");
  SmallVector<TileMoveOpInterface> loads;
  bool overlaps = false;
  kernel.getBodyRegion().walk([&](TileMoveOpInterface copy) {
    if (!isTmaLoad(copy))
      return;
    loads.push_back(copy);
    auto loop = dyn_cast<PipelinedOp>(copy->getParentOp());
    overlaps |= loop && static_cast<int64_t>(loop.getStages()) > 1;
  });
  if (!overlaps)
    return no("no copy by TMA stands in a pipelined loop of several stages");
  SmallVector<OpAccess> accesses;
  if (Operation *unknown =
          collectAccesses(kernel.getBodyRegion().front(), accesses))
    return no("'" + unknown->getName().getStringRef().str() +
                  "' may touch any buffer",
              unknown);
  ProducerSlice slice(kernel, accesses);
  for (TileMoveOpInterface copy : loads) {
    std::string why;
    if (Operation *cause = slice.check(copy, why))
      return no(why, cause);
    if (Operation *writer = slice.writerOf(copy.getSource()))
      return no(describeBuffer(copy.getSource()) +
                    " is written by the kernel that copies from it",
                writer);
  }
  return {true, "", nullptr};
}
