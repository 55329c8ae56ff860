//===- CodeSelect.cpp - The best code for a device ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of an artifact's targets a device can run, after the compatibility
// rules of the CUDA programming guide (binary, PTX, architecture-specific and
// family-specific compatibility).
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Launcher.h"

#include <algorithm>

using namespace mlir::tile::runtime;

/// Higher is better; 0 where the device cannot run the code.
static int rankOf(const CodeSpec &code, int major, int minor) {
  ArchName arch;
  if (!parseArch(code.arch, arch))
    return 0;
  int device = major * 10 + minor;
  int target = arch.major * 10 + arch.minor;
  bool cubin = code.format == CodeFormat::Cubin;
  bool sameMajor = arch.major == major && arch.minor <= minor;
  constexpr int kClass = 10000; // above any architecture's number
  switch (arch.suffix) {
  case 'a': // this device only
    return target == device ? (cubin ? 6 : 5) * kClass + target : 0;
  case 'f': // this device and newer ones of its family; 10.1 is 11.0's
    return sameMajor && (device != 101 || target == 101)
               ? (cubin ? 4 : 2) * kClass + target
               : 0;
  default:
    if (cubin) // binaries run within a major version
      return sameMajor ? 3 * kClass + target : 0;
    return target <= device ? kClass + target : 0;
  }
}

std::vector<size_t> mlir::tile::runtime::selectCode(Span<const CodeSpec> code,
                                                    int computeMajor,
                                                    int computeMinor) {
  std::vector<std::pair<int, size_t>> ranked;
  for (size_t i = 0; i < code.size(); ++i)
    if (int rank = rankOf(code[i], computeMajor, computeMinor))
      ranked.emplace_back(rank, i);
  // Best first; among equals, which the manifest rules out, the first.
  std::sort(ranked.begin(), ranked.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<size_t> result;
  result.reserve(ranked.size());
  for (const auto &entry : ranked)
    result.push_back(entry.second);
  return result;
}
