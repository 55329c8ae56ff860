//===- Candidates.cpp - combinations of tunables as JSON ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cost model thinks of each combination of a kernel's tunables, for
// people who ask why one was chosen, and for scripts that choose themselves.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/TileChoice.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Target/DeviceInfo.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;

/// With three digits; null where it is not known.
static void writeNumber(llvm::json::OStream &json, double number) {
  json.rawValue([&](raw_ostream &os) {
    if (std::isfinite(number))
      os << llvm::format("%.3f", number);
    else
      os << "null";
  });
}

static void write(raw_ostream &os, KernelOp kernel,
                  const Candidate &candidate) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("kernel", kernel.getSymName());
    json.attributeObject("values", [&] {
      for (auto [i, value] : llvm::enumerate(candidate.values))
        json.attribute(kernel.getTunable(i).getName(), value);
    });
    if (!candidate.isPossible()) {
      json.attribute("excluded", candidate.estimate.excluded);
      return;
    }
    json.attributeArray("microseconds", [&] {
      for (double time : candidate.microseconds)
        writeNumber(json, time);
    });
    // Of the first problem.
    json.attribute("rounds", candidate.estimate.rounds);
    json.attributeBegin("busy");
    writeNumber(json, candidate.estimate.busy);
    json.attributeEnd();
    json.attribute("limit", candidate.estimate.limit);
  });
  os << "\n";
}

FailureOr<std::string>
mlir::tile::listCandidates(ModuleOp module, const CompileOptions &options) {
  SmallVector<KernelOp> open;
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (kernel.getNumTunables())
      open.push_back(kernel);
  if (open.empty())
    return module.emitError() << "expected a kernel with tunables";
  FailureOr<TargetAttr> stated = resolveTarget(module, options);
  if (failed(stated))
    return failure();
  const TargetInfo &target = *TargetInfo::get(stated->getArch());
  llvm::Expected<cost::SizeHints> sizes = parseSizeHints(options.hints);
  if (!sizes)
    return module.emitError() << llvm::toString(sizes.takeError());
  llvm::Expected<FixedValues> fixed = parseFixedValues(options.tunables);
  if (!fixed)
    return module.emitError() << llvm::toString(fixed.takeError());
  if (failed(checkNames(open, *sizes, *fixed)))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  for (KernelOp kernel : open) {
    FailureOr<std::vector<Candidate>> ranked = rankCandidates(
        kernel, target, DeviceInfo::of(target, stated->getDevice()), *sizes,
        *fixed);
    if (failed(ranked))
      return failure();
    for (const Candidate &candidate : *ranked)
      write(os, kernel, candidate);
  }
  return text;
}
