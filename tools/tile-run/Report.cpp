//===- Report.cpp - what a run prints -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "Elements.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile::run;

bool Report::passed() const {
  return (!tuning || tuning->passed()) &&
         llvm::all_of(comparisons,
                      [](const Comparison &c) { return c.wrong == 0; });
}

/// Bytes of the arguments, each counted once for reading and once for writing.
static double bytesMoved(ArrayRef<Argument> arguments) {
  double bytes = 0;
  for (const Argument &argument : arguments)
    if (argument.isBuffer)
      bytes += double(bytesOf(argument.element, argument.numElements())) *
               (int(argument.isRead) + int(argument.isWritten));
  return bytes;
}

namespace {
/// Figures are by the median: the best of many runs is luck.
struct Times {
  double best, median;
};
} // namespace
static Times summarize(std::vector<double> seconds) {
  llvm::sort(seconds);
  return {seconds.front(), seconds[seconds.size() / 2]};
}

/// `, 1.25 TFLOP/s, 310.00 GB/s`
static void printRates(const Report &report, double seconds,
                       raw_ostream &stream) {
  double flops = report.work.flops.value_or(0) / seconds;
  if (flops >= 1e12)
    stream << llvm::format(", %.2f TFLOP/s", flops * 1e-12);
  else if (flops > 0)
    stream << llvm::format(", %.2f GFLOP/s", flops * 1e-9);
  stream << llvm::format(", %.2f GB/s",
                         bytesMoved(report.arguments) / seconds * 1e-9);
}

/// `[3, 5]: expected 2, got 2.5`
static void printFirstWrong(const Comparison &c, raw_ostream &stream) {
  auto [expected, got] = textsOf(c.expected, c.got);
  stream << "[";
  llvm::interleaveComma(c.where, stream);
  stream << "]: expected " << expected << ", got " << got;
}

void Report::printSummary(raw_ostream &stream) const {
  double absolute = 0, relative = 0, part = 0;
  int64_t wrong = 0, elements = 0;
  bool exact = true;
  const Comparison *first = nullptr;
  for (const Comparison &c : comparisons) {
    absolute = std::max(absolute, c.maxAbsolute);
    relative = std::max(relative, c.relative);
    part = std::max(part, c.worst);
    wrong += c.wrong;
    elements += c.elements;
    exact &= c.exact;
    if (c.wrong && !first)
      first = &c;
  }
  if (!launched)
    stream << "not launched";
  else if (!checked)
    stream << "not checked";
  else
    stream << llvm::format("max_err %.3g, relative %.3g", absolute, relative);
  if (first) {
    stream << ", " << wrong << " of " << elements << " wrong, first "
           << first->name;
    printFirstWrong(*first, stream);
  } else if (checked) {
    if (exact)
      stream << ", exact";
    else
      stream << llvm::format(", %.2f of the bound", part);
  }
  if (seconds.empty())
    return;
  double median = summarize(seconds).median;
  stream << llvm::format(", %.4f ms", median * 1e3);
  printRates(*this, median, stream);
}

void Report::printText(raw_ostream &stream) const {
  stream << "kernel '" << kernel << "' on " << target << " (" << where << "), "
         << work.blocks << " block" << (work.blocks == 1 ? "" : "s")
         << (launched ? "" : ", not launched") << "\n";
  for (const Argument &argument : arguments)
    stream << "  " << argument.name << ": " << argument.describe() << "\n";
  if (!chosen.empty()) {
    stream << "  chosen: ";
    llvm::interleaveComma(chosen, stream, [&](const auto &value) {
      stream << value.first << " = " << value.second;
    });
    stream << "\n";
  }
  if (tuning)
    tuning->printText(stream);
  if (!seconds.empty()) {
    Times times = summarize(seconds);
    stream << llvm::format("time: %.4f ms (median of %zu, best %.4f)",
                           times.median * 1e3, seconds.size(),
                           times.best * 1e3);
    printRates(*this, times.median, stream);
    stream << "\n";
  }
  for (const Comparison &c : comparisons) {
    stream << "check " << c.name << ": ";
    if (c.wrong) {
      stream << c.wrong << " of " << c.elements << " elements wrong, first at ";
      printFirstWrong(c, stream);
    } else if (c.exact) {
      stream << c.elements << " elements equal";
    } else {
      stream << llvm::format("max error %.3g, relative %.3g, at most %.2f of "
                             "the bound",
                             c.maxAbsolute, c.relative, c.worst);
    }
    stream << "\n";
  }
  if (checked)
    stream << (passed() ? "PASS" : "FAIL") << "\n";
}

/// JSON has no infinities and no NaN.
static llvm::json::Value number(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

static llvm::json::Value number(const Number &number) {
  if (number.integer)
    return *number.integer;
  return ::number(number.value);
}

void Report::printJson(raw_ostream &stream) const {
  llvm::json::Array argumentList;
  for (const Argument &argument : arguments) {
    std::string type;
    llvm::raw_string_ostream(type) << argument.element;
    llvm::json::Object object{{"name", argument.name}, {"element", type}};
    if (argument.isBuffer) {
      object["shape"] = llvm::json::Array(argument.shape);
      object["strides"] = llvm::json::Array(argument.strides);
      object["data"] = argument.describe();
    } else {
      object["value"] = number(argument.scalar);
    }
    argumentList.push_back(std::move(object));
  }
  llvm::json::Object all{{"kernel", kernel},
                         {"target", target},
                         {"device", where},
                         {"blocks", work.blocks},
                         {"arguments", std::move(argumentList)}};
  if (!name.empty())
    all["name"] = name;
  if (!launched)
    all["launched"] = false;
  if (!chosen.empty()) {
    llvm::json::Object values;
    for (const auto &[tunable, value] : chosen)
      values[tunable] = value;
    all["tunables"] = std::move(values);
  }
  if (tuning)
    all["tuning"] = tuning->toJson();
  if (!seconds.empty()) {
    Times times = summarize(seconds);
    all["median_seconds"] = times.median;
    all["seconds"] = times.best;
    all["runs"] = static_cast<int64_t>(seconds.size());
    if (work.flops && *work.flops > 0)
      all["gflops"] = *work.flops / times.median * 1e-9;
    all["gigabytes_per_second"] = bytesMoved(arguments) / times.median * 1e-9;
  }
  if (checked) {
    llvm::json::Array list;
    for (const Comparison &c : comparisons) {
      llvm::json::Object object{{"name", c.name},
                                {"elements", c.elements},
                                {"wrong", c.wrong},
                                {"exact", c.exact},
                                {"max_absolute_error", number(c.maxAbsolute)},
                                {"relative_error", number(c.relative)},
                                {"part_of_bound", number(c.worst)}};
      if (c.wrong) {
        object["where"] = llvm::json::Array(c.where);
        object["expected"] = number(c.expected);
        object["got"] = number(c.got);
      }
      list.push_back(std::move(object));
    }
    all["check"] = std::move(list);
    all["passed"] = passed();
  }
  stream << llvm::json::Value(std::move(all)) << "\n";
}
