//===- ChooseTunables.cpp - numbers for what kernels leave open -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after the target is known and before everything else: each kernel with
// tunables becomes its best candidate (TileChoice.h), an ordinary program.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Dialect/Tile/Transforms/TileChoice.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CHOOSETUNABLESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct ChooseTunablesPass
    : tile::impl::ChooseTunablesPassBase<ChooseTunablesPass> {
  using ChooseTunablesPassBase::ChooseTunablesPassBase;

  void runOnOperation() override {
    if (failed(chooseAll()))
      signalPassFailure();
  }

private:
  LogicalResult chooseAll();
  LogicalResult choose(KernelOp kernel, const TargetInfo &target,
                       const DeviceInfo &device, const cost::SizeHints &sizes,
                       const FixedValues &fixed);
  void explain(KernelOp kernel, const DeviceInfo &device,
               ArrayRef<Candidate> ranked);
};
} // namespace

LogicalResult ChooseTunablesPass::chooseAll() {
  ModuleOp module = getOperation();
  SmallVector<KernelOp> open;
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (kernel.getNumTunables())
      open.push_back(kernel);
  // Options that say nothing about kernels without tunables are no error: one
  // command line serves a program and its fixed variant.
  if (open.empty())
    return success();
  auto sizes = parseSizeHints(hints);
  if (!sizes)
    return module.emitError() << llvm::toString(sizes.takeError());
  auto fixed = parseFixedValues(values);
  if (!fixed)
    return module.emitError() << llvm::toString(fixed.takeError());
  if (failed(checkNames(open, *sizes, *fixed)))
    return failure();
  const TargetInfo *target = requireTarget(module);
  if (!target)
    return failure();
  auto stated = module->getAttrOfType<TargetAttr>(kTargetAttrName);
  const DeviceInfo &device = DeviceInfo::of(*target, stated.getDevice());
  for (KernelOp kernel : open)
    if (failed(choose(kernel, *target, device, *sizes, *fixed)))
      return failure();
  return success();
}

LogicalResult ChooseTunablesPass::choose(KernelOp kernel,
                                         const TargetInfo &target,
                                         const DeviceInfo &device,
                                         const cost::SizeHints &sizes,
                                         const FixedValues &fixed) {
  FailureOr<std::vector<Candidate>> ranked =
      rankCandidates(kernel, target, device, sizes, fixed);
  if (failed(ranked))
    return failure();
  candidates += ranked->size();
  excluded += llvm::count_if(
      *ranked, [](const Candidate &c) { return !c.isPossible(); });
  explain(kernel, device, *ranked);
  if (auto why = substituteTunables(kernel, ranked->front().values))
    return kernel.emitOpError() << *why;
  return success();
}

void ChooseTunablesPass::explain(KernelOp kernel, const DeviceInfo &device,
                                 ArrayRef<Candidate> ranked) {
  const Candidate &best = ranked.front();
  if (!remarks)
    return;
  Remark diag = remarkAt(remarks, kernel);
  diag << "chose " << describeValues(kernel, best.values) << " for "
       << device.name << " ("
       << plural(device.multiprocessors, "multiprocessor") << "): predicted "
       << describeEstimate(best.estimate);
  if (ranked.size() > 1 && ranked[1].isPossible())
    diag << "; next " << describeValues(kernel, ranked[1].values) << ": "
         << describeEstimate(ranked[1].estimate);
  const Candidate *first =
      llvm::find_if(ranked, [](const Candidate &c) { return !c.isPossible(); });
  if (first == ranked.end())
    return;
  diag << "; " << static_cast<int64_t>(ranked.end() - first) << " of "
       << plural(ranked.size(), "combination")
       << (first + 1 == ranked.end() ? " is" : " are") << " not possible, like "
       << describeValues(kernel, first->values) << ": "
       << first->estimate.excluded;
}
