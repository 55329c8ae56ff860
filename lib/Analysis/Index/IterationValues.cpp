//===- IterationValues.cpp - what iterations compute of their indices -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/IterationValues.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <map>

using namespace mlir;
using namespace mlir::tile;

/// A tile of 256 by 256 elements.
static constexpr int64_t kMostIterations = 65536;

namespace {
/// The operations between a loop's indices and some integers, folded for one
/// iteration after the other.
class Evaluator {
public:
  static std::optional<Evaluator> create(ValueRange values, ValueRange ivs) {
    Evaluator result;
    result.ivs = llvm::to_vector(ivs);
    result.values = llvm::to_vector(values);
    SetVector<Operation *> slice;
    for (Value value : values)
      if (!result.addSlice(value, slice))
        return std::nullopt;
    result.steps = topologicalSort(slice);
    return result;
  }

  bool evaluate(ArrayRef<int64_t> iteration, SmallVectorImpl<int64_t> &out) {
    DenseMap<Value, Attribute> known;
    for (auto [iv, at] : llvm::zip_equal(ivs, iteration))
      known[iv] = IntegerAttr::get(iv.getType(), at);
    for (Operation *step : steps) {
      SmallVector<Attribute> operands;
      for (Value operand : step->getOperands())
        operands.push_back(known.lookup(operand));
      SmallVector<OpFoldResult> results;
      if (failed(step->fold(operands, results)) || results.size() != 1)
        return false;
      auto folded = dyn_cast<Attribute>(results.front());
      known[step->getResult(0)] =
          folded ? folded : known.lookup(cast<Value>(results.front()));
    }
    for (Value value : values) {
      auto number = dyn_cast_or_null<IntegerAttr>(known.lookup(value));
      if (!number)
        return false;
      out.push_back(number.getValue().getSExtValue());
    }
    return true;
  }

private:
  /// What `value` is computed by; false where it is not of the loop's indices
  /// and constants alone.
  bool addSlice(Value value, SetVector<Operation *> &slice) {
    if (llvm::is_contained(ivs, value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || op->getNumResults() != 1 ||
        !isMemoryEffectFree(op))
      return false;
    if (slice.contains(op))
      return true;
    for (Value operand : op->getOperands())
      if (!addSlice(operand, slice))
        return false;
    slice.insert(op);
    return true;
  }

  SmallVector<Value> ivs, values;
  SetVector<Operation *> steps;
};
} // namespace

std::optional<IterationValues>
IterationValues::compute(ValueRange values, ValueRange ivs,
                         ArrayRef<int64_t> extents) {
  if (llvm::is_contained(extents, ShapedType::kDynamic) ||
      computeProduct(extents) > kMostIterations)
    return std::nullopt;
  std::optional<Evaluator> evaluator = Evaluator::create(values, ivs);
  if (!evaluator)
    return std::nullopt;
  IterationValues result;
  result.extents.assign(extents.begin(), extents.end());
  result.numValues = values.size();
  SmallVector<int64_t> strides = computeStrides(extents);
  for (int64_t i = 0, e = computeProduct(extents); i < e; ++i)
    if (!evaluator->evaluate(delinearize(i, strides), result.numbers))
      return std::nullopt;
  return result;
}

bool IterationValues::hasRepeated() const {
  int64_t iterations = computeProduct(extents);
  SmallVector<ArrayRef<int64_t>> all;
  for (int64_t i = 0; i < iterations; ++i)
    all.push_back(ofIteration(i));
  llvm::sort(all, [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

std::optional<SmallVector<int64_t>>
IterationValues::registersOf(const FragmentLayout &loop,
                             const FragmentLayout &fragment) const {
  using Thread = std::pair<int64_t, int64_t>;
  SmallVector<int64_t> registers(loop.numRegisters(), -1);
  std::map<std::vector<int64_t>, std::map<Thread, int64_t>> holders;
  SmallVector<int64_t> strides = computeStrides(extents);
  for (int64_t i = 0, e = computeProduct(extents); i < e; ++i) {
    ArrayRef<int64_t> element = ofIteration(i);
    auto [held, isNew] = holders.try_emplace(element.vec());
    if (isNew && fragment.inBounds(element))
      for (const HardwareIndex &owner : fragment.owners(element))
        held->second.try_emplace({owner.warp, owner.lane}, owner.reg);
    for (const HardwareIndex &owner : loop.owners(delinearize(i, strides))) {
      auto found = held->second.find({owner.warp, owner.lane});
      if (found == held->second.end())
        return std::nullopt;
      int64_t &reg = registers[owner.reg];
      if (reg != -1 && reg != found->second)
        return std::nullopt;
      reg = found->second;
    }
  }
  return registers;
}
