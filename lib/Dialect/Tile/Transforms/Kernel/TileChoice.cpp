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
#include <limits>
#include <optional>
#include <utility>

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
    // NAME=SIZES:SIZES..., of several problems.
    auto [name, list] = text.split('=');
    SmallVector<StringRef> problems;
    list.split(problems, ':');
    auto &own = hints[name.trim()];
    own.clear();
    for (StringRef problem : problems) {
      StringRef same;
      std::string one = (name + "=" + problem).str();
      if (auto error = parseNumbers(one, same, own.emplace_back()))
        return error;
    }
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
                   const DeviceInfo &device,
                   ArrayRef<cost::ProblemSizes> problems)
      : kernel(kernel), target(target), device(device),
        figures(device.figures()), problems(problems), reader(target, device),
        module(ModuleOp::create(kernel.getLoc())) {}
  ~CandidateFactory() { module.erase(); }

  Candidate make(ArrayRef<int64_t> values) {
    Candidate candidate;
    candidate.values.assign(values.begin(), values.end());
    auto program = kernel.clone();
    module.getBody()->push_back(program);
    std::string why = read(program, values, candidate);
    if (!why.empty()) {
      candidate.estimate = {};
      candidate.estimate.excluded = std::move(why);
    }
    program.erase();
    return candidate;
  }

private:
  std::string read(KernelOp program, ArrayRef<int64_t> values,
                   Candidate &candidate) {
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
    if (auto why =
            reader.read(program, problems.front(), facts, &candidate.cost))
      return *why;
    candidate.estimate = cost::estimate(facts, device, target);
    if (!candidate.isPossible())
      return candidate.estimate.excluded;
    candidate.cost.device = figures;
    candidate.cost.launch =
        cost::launchOf(facts, device, candidate.estimate.resident);
    candidate.microseconds.push_back(candidate.estimate.microseconds);
    std::optional<runtime::LaunchPredictor> predictor;
    if (!candidate.cost.empty())
      predictor.emplace(std::vector{&std::as_const(candidate.cost)});
    for (const cost::ProblemSizes &sizes : ArrayRef(problems).drop_front())
      candidate.microseconds.push_back(predict(program, predictor, sizes));
    return "";
  }

  /// The time of another problem than the first.
  double predict(KernelOp program,
                 const std::optional<runtime::LaunchPredictor> &predictor,
                 const cost::ProblemSizes &sizes) {
    if (!predictor) {
      // More than a formula holds: it is read again for these sizes.
      cost::KernelFacts facts;
      if (reader.read(program, sizes, facts))
        return std::numeric_limits<double>::infinity();
      cost::Estimate estimate = cost::estimate(facts, device, target);
      return estimate.excluded.empty()
                 ? estimate.microseconds
                 : std::numeric_limits<double>::infinity();
    }
    SmallVector<runtime::ExprArg> arguments;
    SmallVector<SmallVector<int64_t>> strides(sizes.size());
    for (auto [own, steps] : llvm::zip_equal(sizes, strides)) {
      bool isBuffer = isa<MemRefType>(
          program.getKernelArgument(arguments.size()).getType());
      steps.assign(own.size(), 1);
      for (size_t d = own.size(); d-- > 1;)
        steps[d - 1] = steps[d] * own[d];
      arguments.push_back(
          {own.data(), steps.data(), isBuffer ? unsigned(own.size()) : 0,
           !isBuffer && !own.empty(), own.empty() ? 0 : own.front()});
    }
    double time = 0;
    predictor->predict(runtime::Span<const runtime::ExprArg>(arguments.data(),
                                                             arguments.size()),
                       &time);
    return time;
  }

  KernelOp kernel;
  const TargetInfo &target;
  const DeviceInfo &device;
  runtime::DeviceFigures figures;
  ArrayRef<cost::ProblemSizes> problems;
  cost::FactsReader reader;
  ModuleOp module;
};
} // namespace

/// The mean of the logarithms: of several problems each counts the same.
static double meanTime(const Candidate &candidate) {
  double sum = 0;
  for (double time : candidate.microseconds)
    sum += std::log(time);
  return sum / double(candidate.microseconds.size());
}

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

/// All combinations of values, the last tunable running fastest; or those that
/// the kernel lists, as far as they have values that are not decided otherwise.
static FailureOr<std::vector<SmallVector<int64_t>>>
combinationsOf(KernelOp kernel, ArrayRef<SmallVector<int64_t>> domains) {
  std::vector<SmallVector<int64_t>> combinations;
  if (auto list = kernel->getAttrOfType<ArrayAttr>(kVersionsAttrName)) {
    for (auto listed : list.getAsRange<DenseI64ArrayAttr>()) {
      ArrayRef<int64_t> values = listed.asArrayRef();
      bool fits = values.size() == domains.size(), isOpen = fits;
      for (size_t i = 0; fits && i < values.size(); ++i) {
        fits = llvm::is_contained(kernel.getTunable(i).getValues(), values[i]);
        isOpen &= llvm::is_contained(domains[i], values[i]);
      }
      if (!fits)
        return kernel.emitOpError()
               << "expected combinations in `" << kVersionsAttrName
               << "` of one value for each of its "
               << plural(domains.size(), "tunable")
               << ", among those that it may have, got " << listed;
      if (isOpen)
        combinations.emplace_back(values);
    }
    if (combinations.empty())
      return kernel.emitOpError()
             << "expected a combination in `" << kVersionsAttrName
             << "` with the tunables that are decided, got none";
    return combinations;
  }
  SmallVector<size_t> digits(domains.size(), 0);
  for (bool done = false; !done;) {
    SmallVector<int64_t> &values = combinations.emplace_back();
    for (auto [digit, domain] : llvm::zip(digits, domains))
      values.push_back(domain[digit]);
    done = true;
    for (size_t i = digits.size(); i-- > 0;) {
      if (++digits[i] < domains[i].size()) {
        done = false;
        break;
      }
      digits[i] = 0;
    }
  }
  return combinations;
}

FailureOr<std::vector<Candidate>>
tile::rankCandidates(KernelOp kernel, const TargetInfo &target,
                     const DeviceInfo &device, const cost::SizeHints &hints,
                     const FixedValues &fixed) {
  auto problems = cost::problemSizes(kernel, hints);
  if (failed(problems))
    return failure();
  auto domains = openValues(kernel, fixed);
  if (failed(domains))
    return failure();
  CandidateFactory factory(kernel, target, device, *problems);
  auto combinations = combinationsOf(kernel, *domains);
  if (failed(combinations))
    return failure();
  std::vector<Candidate> candidates;
  for (ArrayRef<int64_t> values : *combinations)
    candidates.push_back(factory.make(values));
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    if (a.isPossible() != b.isPossible())
      return a.isPossible();
    return a.isPossible() && meanTime(a) < meanTime(b);
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

std::vector<size_t> tile::chooseVersions(ArrayRef<Candidate> candidates,
                                         int64_t most) {
  size_t problems = candidates.front().microseconds.size();
  std::vector<double> best(problems, std::numeric_limits<double>::infinity());
  std::vector<size_t> chosen;
  // What the next one has to gain in the mean: a tenth of a percent.
  constexpr double kWorthwhile = 1e-3;
  while (chosen.size() < static_cast<size_t>(most)) {
    double largest = 0;
    size_t next = 0;
    bool isFirst = chosen.empty();
    for (auto [i, candidate] : llvm::enumerate(candidates)) {
      if (!candidate.isPossible())
        continue;
      double gain = 0;
      for (auto [p, time] : llvm::enumerate(candidate.microseconds))
        if (isFirst)
          gain -= std::log(time);
        else if (time < best[p])
          gain += std::log(best[p] / time);
      gain /= double(problems);
      if (gain > largest || (isFirst && i == 0)) {
        largest = gain;
        next = i;
      }
    }
    if (!isFirst && largest < kWorthwhile)
      break;
    chosen.push_back(next);
    for (auto [p, time] : llvm::enumerate(candidates[next].microseconds))
      best[p] = std::min(best[p], time);
  }
  // What was best for all at first may be best for none by now.
  llvm::erase_if(chosen, [&](size_t index) {
    for (auto [p, time] : llvm::enumerate(candidates[index].microseconds))
      if (time <= best[p])
        return false;
    return true;
  });
  return chosen;
}
