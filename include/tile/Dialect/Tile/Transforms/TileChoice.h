//===- TileChoice.h - candidates of a kernel with tunables ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All combinations of a kernel's tunables, each with the time that the cost
// model predicts or the reason why it is not possible. The pass takes the first
// one, or several for the launcher to choose from; tile-run --tune measures
// some.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_TRANSFORMS_TILECHOICE_H
#define TILE_DIALECT_TILE_TRANSFORMS_TILECHOICE_H

#include "tile/Analysis/CostFacts.h"
#include "llvm/Support/Error.h"

namespace mlir::tile {

struct Candidate {
  SmallVector<int64_t> values;      // one per tunable
  cost::Estimate estimate;          // of the first problem
  std::vector<double> microseconds; // of each problem
  runtime::CostSpec cost;           // of any problem; empty where unknown
  bool isPossible() const { return estimate.excluded.empty(); }
};

/// Tunables that are decided, by name.
using FixedValues = llvm::StringMap<int64_t>;

/// `A=8192x4096`, `s=4`: sizes of arguments, by name; `A=1x4096:64x4096` of
/// several problems. The same for tunables, which have one value.
llvm::Expected<cost::SizeHints> parseSizeHints(ArrayRef<std::string> texts);
llvm::Expected<FixedValues> parseFixedValues(ArrayRef<std::string> texts);

/// An error where a name in `sizes` is no argument, or one in `fixed` no
/// tunable, of any of the kernels.
LogicalResult checkNames(ArrayRef<KernelOp> kernels,
                         const cost::SizeHints &sizes,
                         const FixedValues &fixed);

/// Candidates (all combinations, or those that `tile.versions` lists) that are
/// possible, the fastest first (in the geometric mean of
/// the problems), then the others in order.
/// Equal times stay in the order of the tunables' values. An error at the
/// kernel where `sizes` or `fixed` do not fit it, or nothing is possible.
FailureOr<std::vector<Candidate>> rankCandidates(KernelOp kernel,
                                                 const TargetInfo &target,
                                                 const DeviceInfo &device,
                                                 const cost::SizeHints &sizes,
                                                 const FixedValues &fixed);

/// Which candidates to compile so that for each problem one of them is fast:
/// indices, the one that is best for all of them first, then always the one
/// that gains most. A greedy choice of at most `most`, no further than it gains
/// a tenth of a percent; without those that are the best for no problem in the
/// end. (It maximizes a submodular function, so it gains at
/// least 63 % of what the best choice of as many would: Nemhauser, Wolsey and
/// Fisher, Mathematical Programming 14, 1978.)
std::vector<size_t> chooseVersions(ArrayRef<Candidate> candidates,
                                   int64_t most);

/// `bm = 128, bn = 256`
std::string describeValues(KernelOp kernel, ArrayRef<int64_t> values);
/// `212.3 us (16 rounds of blocks, 97 % of places taken, limited by ...)`
std::string describeEstimate(const cost::Estimate &estimate);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_TRANSFORMS_TILECHOICE_H
