//===- Analysis.cpp - targets and estimates in the C interface ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile-c/Analysis.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "tile/Analysis/CostFacts.h"
#include "tile/Dialect/Tile/Transforms/TileChoice.h"
#include "tile/Target/DeviceInfo.h"

using namespace mlir;
using namespace mlir::tile;

/// The rows of two names; null, with the reason in `error`, where one of them
/// is not known or they do not fit.
static std::pair<const TargetInfo *, const DeviceInfo *>
lookUp(StringRef arch, StringRef device, std::string &error) {
  const TargetInfo *target = TargetInfo::get(arch, &error);
  if (!target)
    return {};
  if (!device.empty()) {
    const DeviceInfo *named = DeviceInfo::get(device, &error);
    if (!named || !named->runs(*target, &error))
      return {};
  }
  return {target, &DeviceInfo::of(*target, device)};
}

bool tileTargetGetFigures(MlirStringRef arch, MlirStringRef device,
                          TileTargetFigures *figures, MlirStringCallback error,
                          void *userData) {
  std::string reason;
  auto [target, gpu] = lookUp(unwrap(arch), unwrap(device), reason);
  if (!target) {
    error(wrap(StringRef(reason)), userData);
    return false;
  }
  *figures = {wrap(target->arch),
              static_cast<int32_t>(target->capability),
              target->sharedPerBlock,
              target->sharedPerSm,
              target->registersPerSm,
              target->maxRegistersPerThread,
              target->threadsPerSm,
              target->blocksPerSm,
              wrap(gpu->name),
              gpu->multiprocessors,
              gpu->maxGHz,
              gpu->sustainedGHz,
              gpu->dramBytesPerSecond,
              gpu->l2Capacity,
              gpu->rates.tensorMultiplyAdds,
              gpu->rates.multiplyAdds,
              gpu->rates.sharedBytes,
              gpu->rates.l2Bytes};
  return true;
}

MlirStringRef tileTargetGetArch(intptr_t index) {
  ArrayRef<TargetInfo> all = TargetInfo::all();
  if (index < 0 || index >= static_cast<intptr_t>(all.size()))
    return wrap(StringRef());
  return wrap(all[index].arch);
}

/// Reads and estimates a kernel; a reason where that is not possible.
static std::optional<std::string> estimate(KernelOp kernel, StringRef arch,
                                           StringRef device, StringRef hints,
                                           cost::KernelFacts &facts,
                                           cost::Estimate &result) {
  std::string error;
  auto [target, gpu] = lookUp(arch, device, error);
  if (!target)
    return error;
  if (kernel.getNumTunables())
    return "expected a kernel without tunables; --tile-choose-tunables "
           "chooses them";
  SmallVector<StringRef> words;
  hints.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::Expected<cost::SizeHints> parsed =
      parseSizeHints(std::vector<std::string>(words.begin(), words.end()));
  if (!parsed)
    return llvm::toString(parsed.takeError());
  ScopedDiagnosticHandler handler(kernel.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (error.empty())
                                      error = diagnostic.str();
                                    return success();
                                  });
  auto problems = cost::problemSizes(kernel, *parsed);
  if (failed(problems))
    return error;
  // Of several the first.
  if (auto why = cost::FactsReader(*target, *gpu)
                     .read(kernel, problems->front(), facts))
    return why;
  result = cost::estimate(facts, *gpu, *target);
  if (!result.excluded.empty())
    return result.excluded;
  return std::nullopt;
}

bool tileKernelGetEstimate(MlirOperation operation, MlirStringRef arch,
                           MlirStringRef device, MlirStringRef hints,
                           TileKernelEstimate *estimated,
                           MlirStringCallback limit, void *userData) {
  auto say = [&](StringRef text) { limit(wrap(text), userData); };
  auto kernel = dyn_cast<KernelOp>(unwrap(operation));
  if (!kernel) {
    say("expected a tile.kernel");
    return false;
  }
  cost::KernelFacts facts;
  cost::Estimate result;
  if (auto why = estimate(kernel, unwrap(arch), unwrap(device), unwrap(hints),
                          facts, result)) {
    say(*why);
    return false;
  }
  cost::Work work;
  for (const cost::Phase &phase : facts.phases)
    work += phase.work * (phase.trips * phase.runs);
  double blocks = static_cast<double>(facts.blocks());
  *estimated = {
      result.microseconds,       facts.blocks(),    facts.threads,
      facts.registers,           facts.sharedBytes, result.rounds,
      result.resident,           result.tensorPart, result.gigahertz,
      result.dramBytes,          result.l2Bytes,    work.tensorCycles * blocks,
      work.threadCycles * blocks};
  say(result.limit);
  return true;
}
