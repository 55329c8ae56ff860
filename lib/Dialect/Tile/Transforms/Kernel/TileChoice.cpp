//===- TileChoice.cpp - candidates of a kernel with tunables --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate is made, verified and read like a program that was written with
// these numbers; nothing here knows what the numbers are for.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/Transforms/TileChoice.h"
#include "mlir/IR/Verifier.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Layout/Plural.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Options as text
//===----------------------------------------------------------------------===//

/// NAME=NUMBERxNUMBER...
static llvm::Error parseNumbers(StringRef text, StringRef &name,
                                SmallVectorImpl<int64_t> &numbers) {
  StringRef list;
  std::tie(name, list) = text.split('=');
  name = name.trim();
  SmallVector<StringRef> words;
  list.trim().split(words, 'x');
  for (StringRef word : words)
    if (word.trim().getAsInteger(10, numbers.emplace_back()) ||
        numbers.back() < 0)
      numbers.clear();
  if (name.empty() || numbers.size() != words.size())
    return llvm::createStringError(
        "expected NAME=NUMBER, or NAME=NUMBERxNUMBER "
        "for a buffer's sizes, got '" +
        text + "'");
  return llvm::Error::success();
}

llvm::Expected<cost::SizeHints>
tile::parseSizeHints(ArrayRef<std::string> texts) {
  cost::SizeHints hints;
  for (StringRef text : texts) {
    StringRef name;
    SmallVector<int64_t> numbers;
    if (auto error = parseNumbers(text, name, numbers))
      return error;
    hints[name] = std::move(numbers);
  }
  return hints;
}

llvm::Expected<FixedValues>
tile::parseFixedValues(ArrayRef<std::string> texts) {
  FixedValues values;
  for (StringRef text : texts) {
    StringRef name;
    SmallVector<int64_t> numbers;
    if (auto error = parseNumbers(text, name, numbers))
      return error;
    if (numbers.size() != 1)
      return llvm::createStringError("expected one value of a tunable, got '" +
                                     text + "'");
    values[name] = numbers.front();
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string tile::describeValues(KernelOp kernel, ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, value] : llvm::enumerate(values))
    os << (i ? ", " : "") << kernel.getTunable(i).getName() << " = " << value;
  return text;
}

std::string tile::describeEstimate(const cost::Estimate &estimate) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.1f us (", estimate.microseconds)
     << plural(estimate.rounds, "round") << " of blocks, "
     << std::lround(100 * estimate.busy) << " % of places taken, limited by "
     << estimate.limit << ")";
  return text;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {
/// Makes candidates in a module of their own, one after the other.
class CandidateFactory {
public:
  CandidateFactory(KernelOp kernel, const TargetInfo &target,
                   const DeviceInfo &device, const cost::ProblemSizes &sizes)
      : kernel(kernel), target(target), device(device), sizes(sizes),
        reader(target, device), module(ModuleOp::create(kernel.getLoc())) {}
  ~CandidateFactory() { module.erase(); }

  Candidate make(ArrayRef<int64_t> values) {
    Candidate candidate;
    candidate.values.assign(values.begin(), values.end());
    auto program = kernel.clone();
    module.getBody()->push_back(program);
    std::string why = read(program, values, candidate.estimate);
    if (!why.empty()) {
      candidate.estimate = {};
      candidate.estimate.excluded = std::move(why);
    }
    program.erase();
    return candidate;
  }

private:
  std::string read(KernelOp program, ArrayRef<int64_t> values,
                   cost::Estimate &estimate) {
    if (auto why = substituteTunables(program, values))
      return *why;
    std::string error;
    {
      ScopedDiagnosticHandler handler(
          kernel.getContext(), [&](Diagnostic &diagnostic) {
            if (error.empty() &&
                diagnostic.getSeverity() == DiagnosticSeverity::Error)
              error = diagnostic.str();
            return success();
          });
      if (failed(verify(program)))
        return error.empty() ? "a program that is not valid" : error;
    }
    cost::KernelFacts facts;
    if (auto why = reader.read(program, sizes, facts))
      return *why;
    estimate = cost::estimate(facts, device, target);
    return estimate.excluded;
  }

  KernelOp kernel;
  const TargetInfo &target;
  const DeviceInfo &device;
  const cost::ProblemSizes &sizes;
  cost::FactsReader reader;
  ModuleOp module;
};
} // namespace

/// The values that each tunable may have, as far as they are not decided.
static FailureOr<SmallVector<SmallVector<int64_t>>>
openValues(KernelOp kernel, const FixedValues &fixed) {
  SmallVector<SmallVector<int64_t>> domains;
  for (unsigned i = 0; i < kernel.getNumTunables(); ++i) {
    TunableAttr tunable = kernel.getTunable(i);
    auto it = fixed.find(tunable.getName());
    if (it == fixed.end()) {
      domains.emplace_back(tunable.getValues());
      continue;
    }
    if (!llvm::is_contained(tunable.getValues(), it->second))
      return kernel.emitOpError()
             << "expected a value of " << tunable << ", got " << it->second;
    domains.push_back({it->second});
  }
  return domains;
}

LogicalResult tile::checkNames(ArrayRef<KernelOp> kernels,
                               const cost::SizeHints &sizes,
                               const FixedValues &fixed) {
  llvm::StringSet<> arguments, tunables;
  for (KernelOp kernel : kernels) {
    for (Attribute name : kernel.getArgNames())
      arguments.insert(cast<StringAttr>(name).getValue());
    for (unsigned i = 0; i < kernel.getNumTunables(); ++i)
      tunables.insert(kernel.getTunable(i).getName());
  }
  auto check = [&](const auto &given, const llvm::StringSet<> &known,
                   StringRef what) -> LogicalResult {
    SmallVector<StringRef> names(given.keys());
    llvm::sort(names);
    for (StringRef name : names)
      if (!known.contains(name))
        return KernelOp(kernels.front()).emitOpError()
               << "expected " << what << ", got '" << name << "'";
    return success();
  };
  if (failed(check(sizes, arguments,
                   "sizes to choose for by the names of arguments")))
    return failure();
  return check(fixed, tunables, "values by the names of tunables");
}

FailureOr<std::vector<Candidate>>
tile::rankCandidates(KernelOp kernel, const TargetInfo &target,
                     const DeviceInfo &device, const cost::SizeHints &hints,
                     const FixedValues &fixed) {
  auto sizes = cost::problemSizes(kernel, hints);
  if (failed(sizes))
    return failure();
  auto domains = openValues(kernel, fixed);
  if (failed(domains))
    return failure();
  CandidateFactory factory(kernel, target, device, *sizes);
  std::vector<Candidate> candidates;
  SmallVector<size_t> digits(domains->size(), 0);
  for (bool done = false; !done;) {
    SmallVector<int64_t> values;
    for (auto [digit, domain] : llvm::zip(digits, *domains))
      values.push_back(domain[digit]);
    candidates.push_back(factory.make(values));
    // The last tunable runs fastest.
    done = true;
    for (size_t i = digits.size(); i-- > 0;) {
      if (++digits[i] < (*domains)[i].size()) {
        done = false;
        break;
      }
      digits[i] = 0;
    }
  }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    if (a.isPossible() != b.isPossible())
      return a.isPossible();
    return a.isPossible() && a.estimate.microseconds < b.estimate.microseconds;
  });
  if (candidates.front().isPossible())
    return candidates;
  InFlightDiagnostic diag = kernel.emitOpError()
                            << "expected a combination of tunables that is "
                               "possible on "
                            << target.arch << ", got none among "
                            << static_cast<int64_t>(candidates.size());
  SmallVector<StringRef> reasons;
  constexpr size_t kNotes = 3;
  for (const Candidate &candidate : candidates) {
    StringRef reason = candidate.estimate.excluded;
    if (reasons.size() == kNotes || llvm::is_contained(reasons, reason))
      continue;
    reasons.push_back(reason);
    diag.attachNote(kernel.getLoc())
        << describeValues(kernel, candidate.values) << ": " << reason;
  }
  return diag;
}
