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
  return llvm::all_of(comparisons,
                      [](const Comparison &c) { return c.wrong == 0; });
}

/// Bytes of the arguments, each counted once for reading and once for writing.
static double bytesMoved(ArrayRef<Argument> arguments) {
  double bytes = 0;
  for (const Argument &argument : arguments)
    if (argument.isBuffer)
      bytes += double(argument.numElements()) *
               double(elementBytes(argument.element)) *
               (int(argument.isRead) + int(argument.isWritten));
  return bytes;
}

namespace {
struct Times {
  double best, median;
};
} // namespace
static Times summarize(std::vector<double> seconds) {
  llvm::sort(seconds);
  return {seconds.front(), seconds[seconds.size() / 2]};
}

void Report::printText(raw_ostream &stream) const {
  stream << "kernel '" << kernel << "' on " << target << " (" << where << "), "
         << work.blocks << " block" << (work.blocks == 1 ? "" : "s") << "\n";
  for (const Argument &argument : arguments)
    stream << "  " << argument.name << ": " << argument.describe() << "\n";
  if (!seconds.empty()) {
    Times times = summarize(seconds);
    stream << llvm::format("time: %.3f ms (median %.3f of %zu)",
                           times.best * 1e3, times.median * 1e3,
                           seconds.size());
    if (work.flops && *work.flops > 0)
      stream << llvm::format(", %.2f GFLOP/s", *work.flops / times.best * 1e-9);
    stream << llvm::format(", %.2f GB/s\n",
                           bytesMoved(arguments) / times.best * 1e-9);
  }
  for (const Comparison &c : comparisons) {
    stream << "check " << c.name << ": ";
    if (c.wrong) {
      stream << c.wrong << " of " << c.elements
             << " elements wrong, first at [";
      llvm::interleaveComma(c.where, stream);
      stream << llvm::format("]: expected %.9g, got %.9g", c.expected, c.got);
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
  if (!seconds.empty()) {
    Times times = summarize(seconds);
    all["seconds"] = times.best;
    all["median_seconds"] = times.median;
    all["runs"] = static_cast<int64_t>(seconds.size());
    if (work.flops && *work.flops > 0)
      all["gflops"] = *work.flops / times.best * 1e-9;
    all["gigabytes_per_second"] = bytesMoved(arguments) / times.best * 1e-9;
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
