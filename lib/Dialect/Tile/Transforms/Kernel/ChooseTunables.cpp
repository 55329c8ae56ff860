//===- ChooseTunables.cpp - numbers for what kernels leave open -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after the target is known and before everything else: each kernel with
// tunables becomes its best candidate (TileChoice.h), an ordinary program. With
// `tile.versions` several become kernels, and the launcher chooses.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Dialect/Tile/Transforms/TileChoice.h"
#include "tile/Dialect/Tile/Transforms/Versions.h"
#include "tile/Target/ManifestBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>

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
  LogicalResult addVersions(KernelOp kernel, std::vector<Candidate> &ranked,
                            int64_t most, bool isListed);
  void explain(KernelOp kernel, const DeviceInfo &device,
               ArrayRef<Candidate> ranked);
  void explainVersions(KernelOp kernel, ArrayRef<Candidate> ranked,
                       ArrayRef<size_t> chosen);
};
} // namespace

LogicalResult ChooseTunablesPass::chooseAll() {
  ModuleOp module = getOperation();
  SmallVector<KernelOp> open;
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (kernel.getNumTunables())
      open.push_back(kernel);
  auto sizes = parseSizeHints(hints);
  if (!sizes)
    return module.emitError() << llvm::toString(sizes.takeError());
  auto fixed = parseFixedValues(values);
  if (!fixed)
    return module.emitError() << llvm::toString(fixed.takeError());
  // Options that say nothing about kernels without tunables are no error: one
  // command line serves a program and its fixed variant.
  if (open.empty())
    return success();
  if (failed(checkNames(open, *sizes, *fixed)))
    return failure();
  const TargetInfo *target = requireTarget(module);
  if (!target)
    return failure();
  const DeviceInfo &device = deviceOf(module, *target);
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
  int64_t wanted = 1;
  Attribute stated = kernel->removeAttr(kVersionsAttrName);
  if (auto count = dyn_cast_or_null<IntegerAttr>(stated))
    wanted = count.getInt();
  else if (auto list = dyn_cast_or_null<ArrayAttr>(stated))
    wanted = static_cast<int64_t>(list.size());
  if (wanted > 1 && versions)
    return addVersions(kernel, *ranked, wanted, isa<ArrayAttr>(stated));
  if (auto why = substituteTunables(kernel, ranked->front().values))
    return kernel.emitOpError() << *why;
  return success();
}

/// NAME__VALUE_VALUE..., in the order of the tunables.
static std::string nameOfVersion(KernelOp kernel, ArrayRef<int64_t> values) {
  std::string name = (kernel.getSymName() + "_").str();
  for (int64_t value : values)
    name += "_" + std::to_string(value);
  return name;
}

/// The kernel becomes the candidate that is best for all problems; others stand
/// behind all kernels, as versions of it.
LogicalResult ChooseTunablesPass::addVersions(KernelOp kernel,
                                              std::vector<Candidate> &ranked,
                                              int64_t most, bool isListed) {
  llvm::erase_if(ranked, [&](const Candidate &candidate) {
    // A launcher chooses by predictions.
    return !candidate.isPossible() || candidate.cost.empty();
  });
  if (ranked.empty())
    return kernel.emitOpError()
           << "expected a combination of tunables whose time the launcher can "
              "predict (at most "
           << runtime::kMaxCostLoops - 1 << " pipelined loops and "
           << runtime::kMaxCostStreams
           << " copies from or to global memory), got none";
  llvm::erase_if(ranked, [&](const Candidate &candidate) {
    return llvm::is_contained(without, nameOfVersion(kernel, candidate.values));
  });
  if (ranked.empty())
    return kernel.emitOpError() << "expected a combination of tunables that "
                                   "compiles, got none: all are left out";
  // What the program lists is compiled, whatever the model thinks of it.
  std::vector<size_t> chosen(isListed ? ranked.size() : 0);
  std::iota(chosen.begin(), chosen.end(), 0);
  if (!isListed)
    chosen = chooseVersions(ranked, most);
  SymbolTable symbols(getOperation());
  auto settle = [&](KernelOp version, const Candidate &candidate) {
    version->setAttr(
        kCostAttrName,
        StringAttr::get(&getContext(), runtime::serializeCost(candidate.cost)));
    return substituteTunables(version, candidate.values);
  };
  for (size_t index : ArrayRef(chosen).drop_front()) {
    KernelOp version = kernel.clone();
    version.setSymName(nameOfVersion(kernel, ranked[index].values));
    symbols.insert(version, getOperation().getBody()->end());
    version->setAttr(kVersionOfAttrName, kernel.getSymNameAttr());
    nameVersionInLocations(version, version.getSymNameAttr());
    if (auto why = settle(version, ranked[index]))
      return kernel.emitOpError() << *why;
  }
  explainVersions(kernel, ranked, chosen);
  const Candidate &own = ranked[chosen.front()];
  auto name = StringAttr::get(&getContext(), nameOfVersion(kernel, own.values));
  kernel->setAttr(kStandsForAttrName, name);
  if (auto why = settle(kernel, own))
    return kernel.emitOpError() << *why;
  nameVersionInLocations(kernel, name);
  return success();
}

/// How often each version is the fastest, and what all of them lose.
void ChooseTunablesPass::explainVersions(KernelOp kernel,
                                         ArrayRef<Candidate> ranked,
                                         ArrayRef<size_t> chosen) {
  if (!remarks)
    return;
  size_t problems = ranked.front().microseconds.size();
  std::vector<int64_t> wins(chosen.size());
  double lost = 0;
  for (size_t p = 0; p < problems; ++p) {
    auto timeOf = [&](size_t index) { return ranked[index].microseconds[p]; };
    size_t best = 0;
    for (size_t v = 1; v < chosen.size(); ++v)
      if (timeOf(chosen[v]) < timeOf(chosen[best]))
        best = v;
    ++wins[best];
    double least = timeOf(chosen[best]);
    for (const Candidate &candidate : ranked)
      least = std::min(least, candidate.microseconds[p]);
    lost += std::log(timeOf(chosen[best]) / least);
  }
  Remark diag = remarkAt(remarks, kernel);
  diag << "compiled " << plural(chosen.size(), "time") << " for "
       << plural(problems, "problem")
       << ", and the launcher takes the one that is predicted to be the "
          "fastest: ";
  for (auto [v, index] : llvm::enumerate(chosen))
    diag << (v ? "; " : "") << describeValues(kernel, ranked[index].values)
         << " for " << wins[v];
  diag << "; in the mean "
       << llvm::formatv("{0:F1}", 100 * (std::exp(lost / double(problems)) - 1))
              .str()
       << " % slower than the best of all combinations";
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
