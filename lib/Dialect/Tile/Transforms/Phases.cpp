//===- Phases.cpp - what passes need of those before them -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Tunables.h"

using namespace mlir;
using namespace mlir::tile;

/// The first operation of the kind for which `isMissing` holds.
template <typename OpT>
static Operation *findFirst(KernelOp kernel,
                            llvm::function_ref<bool(OpT)> isMissing) {
  Operation *found = nullptr;
  kernel.getBodyRegion().walk([&](OpT op) {
    if (!isMissing(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// The kernel, where its warps are to have roles, has rings whose sides may be
/// different warps, and no roles.
static Operation *findMissingRoles(KernelOp kernel) {
  Block &body = kernel.getBodyRegion().front();
  bool hasRings =
      llvm::any_of(body.getOps<RingCreateOp>(), [](RingCreateOp ring) {
        return cast<RingType>(ring.getRing().getType()).usesMbarriers();
      });
  bool isMissing =
      hasRoles(kernel) && hasRings && body.getOps<WarpSpecializeOp>().empty();
  return isMissing ? kernel.getOperation() : nullptr;
}

namespace {
struct Missing {
  Operation *op;
  StringRef expected, pass;
};
} // namespace

/// What shows that `kernel` lacks a need; `op` is null where it has it.
static Missing findMissing(KernelOp kernel, Need need) {
  switch (need) {
  case Need::Numbers: // reported by requireChosen
    return {};
  case Need::Layouts:
    return {findFirst<AllocOp>(
                kernel,
                [](AllocOp alloc) {
                  Value buffer = alloc.getResult();
                  return (isFragment(buffer) && !getFragmentLayout(buffer)) ||
                         (isShared(buffer) && !getSharedLayout(buffer));
                }),
            "a tile with a layout", "tile-infer-layouts"};
  case Need::Rings:
    return {findFirst<PipelinedOp>(kernel, [](PipelinedOp) { return true; }),
            "rings in place of pipelined loops", "tile-pipeline"};
  case Need::Roles:
    return {findMissingRoles(kernel), "roles in a kernel with `specialize`",
            "tile-specialize-warps"};
  case Need::GemmTokens:
    return {findUnscheduledGemm(kernel), "a token on this gemm",
            "tile-schedule-gemms"};
  case Need::StoreTokens:
    return {findUnscheduledStore(kernel), "a token on this store",
            "tile-schedule-stores"};
  }
  llvm_unreachable("all needs are listed");
}

LogicalResult tile::reportMissing(Pass &pass, Operation *op, StringRef expected,
                                  StringRef missing) {
  return op->emitError() << "expected " << expected << ": run --" << missing
                         << " before --" << pass.getArgument();
}

LogicalResult tile::requireBefore(Pass &pass, ModuleOp module,
                                  ArrayRef<Need> needs) {
  if (llvm::is_contained(needs, Need::Numbers) && failed(requireChosen(module)))
    return failure();
  for (KernelOp kernel : module.getOps<KernelOp>())
    for (Need need : needs)
      if (Missing missing = findMissing(kernel, need); missing.op)
        return reportMissing(pass, missing.op, missing.expected, missing.pass);
  return success();
}
