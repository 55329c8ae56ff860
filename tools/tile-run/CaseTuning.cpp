//===- CaseTuning.cpp - values of tunables: chosen, or measured -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "CaseRunner.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Target/DeviceInfo.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

std::optional<std::vector<Candidate>> CaseRunner::rank(KernelOp kernel) {
  auto architecture = arch();
  if (!architecture) {
    fail(architecture.takeError());
    return std::nullopt;
  }
  auto fixed = parseFixedValues(which.tunables);
  if (!fixed) {
    fail("--tunables: " + llvm::toString(fixed.takeError()));
    return std::nullopt;
  }
  cost::SizeHints sizes;
  for (const Argument &argument : report.arguments) {
    if (argument.isBuffer)
      sizes[argument.name] = {argument.shape};
    else if (argument.element.isIntOrIndex())
      sizes[argument.name] = {{static_cast<int64_t>(argument.scalar)}};
  }
  if (failed(checkNames(kernel, sizes, *fixed)))
    return std::nullopt;
  const TargetInfo &target = *TargetInfo::get(*architecture);
  auto ranked = rankCandidates(kernel, target, DeviceInfo::of(target, device()),
                               sizes, *fixed);
  if (failed(ranked))
    return std::nullopt;
  return std::move(*ranked);
}

/// Leaves no tunables in a module: those of the kernel that runs are chosen,
/// other kernels that have some go.
bool CaseRunner::choose(ModuleOp module) {
  for (KernelOp kernel :
       llvm::make_early_inc_range(module.getOps<KernelOp>())) {
    if (!kernel.getNumTunables())
      continue;
    if (kernel.getSymName() != report.kernel) {
      kernel.erase();
      continue;
    }
    auto ranked = rank(kernel);
    if (!ranked)
      return false;
    ArrayRef<int64_t> values = ranked->front().values;
    report.chosen.clear();
    for (auto [i, value] : llvm::enumerate(values))
      report.chosen.emplace_back(kernel.getTunable(i).getName().str(), value);
    if (auto why = substituteTunables(kernel, values))
      return fail(*why);
  }
  return true;
}

/// Compiles, runs and checks one candidate; what goes wrong is its own.
void CaseRunner::measure(const Candidate &candidate, const Memory &memory,
                         const Memory *references, TunedCandidate &tuned) {
  OwningOpRef<ModuleOp> module = source.module->clone();
  for (KernelOp kernel : llvm::make_early_inc_range(module->getOps<KernelOp>()))
    if (kernel.getSymName() != report.kernel)
      kernel.erase();
    else if (auto why = substituteTunables(kernel, candidate.values))
      tuned.failure = *why;
  if (!tuned.failure.empty())
    return;
  std::optional<runtime::Artifact> compiled;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      if (tuned.failure.empty())
        tuned.failure = diagnostic.str();
      return success();
    });
    compiled = compile(*module);
  }
  if (!compiled) {
    if (tuned.failure.empty())
      tuned.failure = "it does not compile";
    return;
  }
  tuned.failure.clear();
  auto ran = runOnCuda(cuda, std::move(*compiled), report.kernel,
                       report.arguments, memory, runOptions());
  if (!ran) {
    tuned.failure = llvm::toString(ran.takeError());
    return;
  }
  result = std::move(*ran);
  tuned.seconds = result.seconds;
  if (references)
    tuned.comparisons = compareAll(memory, references);
}

bool CaseRunner::tune(const Memory &memory) {
  if (which.target == Target::Cpu)
    return fail("expected --target=cuda for --tune: times on a CPU say nothing "
                "of those on a GPU");
  if (auto failure = cuda.open())
    return fail(std::move(failure));
  KernelOp kernel = llvm::cantFail(findKernel(*source.module, report.kernel));
  auto ranked = rank(kernel);
  if (!ranked)
    return false;
  Tuning tuning;
  tuning.combinations = static_cast<int64_t>(ranked->size());
  tuning.possible = llvm::count_if(
      *ranked, [](const Candidate &c) { return c.isPossible(); });
  // Any candidate has the meaning of all of them.
  Memory references[2];
  OwningOpRef<ModuleOp> meaning = source.module->clone();
  for (KernelOp other : llvm::make_early_inc_range(meaning->getOps<KernelOp>()))
    if (other.getSymName() != report.kernel)
      other.erase();
    else if (auto why = substituteTunables(other, ranked->front().values))
      return fail(*why);
  report.work = measureWork(llvm::cantFail(findKernel(*meaning, report.kernel)),
                            extentsOf(report.arguments));
  if (which.check && !makeReferences(*meaning, memory, references))
    return false;
  report.target = "cuda";
  for (const Candidate &candidate : *ranked) {
    if (!candidate.isPossible() || tuning.candidates.size() == which.tune)
      break;
    TunedCandidate &tuned = tuning.candidates.emplace_back();
    tuned.rank = tuning.candidates.size();
    tuned.predictedSeconds = candidate.estimate.microseconds * 1e-6;
    for (auto [i, value] : llvm::enumerate(candidate.values))
      tuned.values.emplace_back(kernel.getTunable(i).getName().str(), value);
    measure(candidate, memory, which.check ? references : nullptr, tuned);
    if (tuned.isMeasured())
      report.where = result.where;
    if (cuda.isLost())
      return fail("the device does not answer any more after candidate " +
                  tuned.describe() + ": " + tuned.failure);
  }
  tuning.sort();
  report.checked = which.check;
  if (const TunedCandidate *best = tuning.winner()) {
    report.chosen = best->values;
    report.seconds = best->seconds;
    report.comparisons = best->comparisons;
  }
  report.tuning = std::move(tuning);
  return true;
}
