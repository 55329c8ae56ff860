//===- Tune.cpp - what measuring candidates found -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Tune.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tile::run;

bool TunedCandidate::isCorrect() const {
  return llvm::all_of(comparisons,
                      [](const Comparison &c) { return c.wrong == 0; });
}

double TunedCandidate::median() const {
  std::vector<double> sorted = seconds;
  llvm::sort(sorted);
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

std::string TunedCandidate::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values, os, [&](const auto &value) {
    os << value.first << " = " << value.second;
  });
  return text;
}

void Tuning::sort() {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const TunedCandidate &a, const TunedCandidate &b) {
                     if (a.isMeasured() != b.isMeasured())
                       return a.isMeasured();
                     return a.isMeasured() && a.median() < b.median();
                   });
}

const TunedCandidate *Tuning::winner() const {
  return candidates.empty() || !candidates.front().isMeasured()
             ? nullptr
             : &candidates.front();
}

bool Tuning::passed() const {
  return winner() && llvm::all_of(candidates, [](const TunedCandidate &c) {
           return c.isMeasured();
         });
}

void Tuning::printText(raw_ostream &stream) const {
  stream << "tuned: " << candidates.size() << " of " << possible
         << " possible candidates measured (" << combinations
         << " combinations)\n";
  stream << "  measured ms  predicted ms  rank by the model  candidate\n";
  for (const TunedCandidate &candidate : candidates) {
    if (candidate.isMeasured())
      stream << llvm::format("  %11.4f", candidate.median() * 1e3);
    else
      stream << llvm::format("  %11s", "-");
    stream << llvm::format("  %12.4f  %17u  ", candidate.predictedSeconds * 1e3,
                           candidate.rank)
           << candidate.describe();
    if (!candidate.failure.empty())
      stream << ": not measured: " << candidate.failure;
    else if (!candidate.isCorrect())
      stream << ": wrong";
    stream << "\n";
  }
  if (const TunedCandidate *best = winner())
    stream << "winner: " << best->describe() << "\n";
  else
    stream << "winner: none\n";
}

llvm::json::Object Tuning::toJson() const {
  llvm::json::Array list;
  for (const TunedCandidate &candidate : candidates) {
    llvm::json::Object tunables;
    for (const auto &[name, value] : candidate.values)
      tunables[name] = value;
    llvm::json::Object one{
        {"tunables", std::move(tunables)},
        {"predicted_seconds", candidate.predictedSeconds},
        {"rank", static_cast<int64_t>(candidate.rank)},
        {"correct", candidate.failure.empty() && candidate.isCorrect()}};
    if (candidate.isMeasured())
      one["median_seconds"] = candidate.median();
    if (!candidate.failure.empty())
      one["error"] = candidate.failure;
    list.push_back(std::move(one));
  }
  llvm::json::Object all{{"combinations", combinations},
                         {"possible", possible},
                         {"candidates", std::move(list)}};
  if (const TunedCandidate *best = winner()) {
    llvm::json::Object values;
    for (const auto &[name, value] : best->values)
      values[name] = value;
    all["winner"] = std::move(values);
  }
  return all;
}
