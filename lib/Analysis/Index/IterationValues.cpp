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
#include <set>

using namespace mlir;
using namespace mlir::tile;

/// A tile of 256 by 256 elements.
static constexpr int64_t kMostIterations = 65536;

namespace {
/// The operations between a loop's indices and an integer, folded for one
/// iteration after the other.
class Evaluator {
public:
  static std::optional<Evaluator> create(Value value, ValueRange ivs) {
    Evaluator result;
    result.ivs = llvm::to_vector(ivs);
    result.value = value;
    SetVector<Operation *> slice;
    if (!result.addSlice(value, slice))
      return std::nullopt;
    result.steps = topologicalSort(slice);
    return result;
  }

  /// Whether the number depends on an index of the loop.
  bool dependsOn(Value iv) const { return used.contains(iv); }

  std::optional<int64_t> evaluate(ArrayRef<int64_t> iteration) {
    DenseMap<Value, Attribute> known;
    for (auto [iv, at] : llvm::zip_equal(ivs, iteration))
      known[iv] = IntegerAttr::get(iv.getType(), at);
    for (Operation *step : steps) {
      SmallVector<Attribute> operands;
      for (Value operand : step->getOperands())
        operands.push_back(known.lookup(operand));
      SmallVector<OpFoldResult> results;
      if (failed(step->fold(operands, results)) || results.size() != 1)
        return std::nullopt;
      auto folded = dyn_cast<Attribute>(results.front());
      known[step->getResult(0)] =
          folded ? folded : known.lookup(cast<Value>(results.front()));
    }
    auto number = dyn_cast_or_null<IntegerAttr>(known.lookup(value));
    if (!number)
      return std::nullopt;
    return number.getValue().getSExtValue();
  }

private:
  /// What `value` is computed by; false where it is not of the loop's indices
  /// and constants alone.
  bool addSlice(Value next, SetVector<Operation *> &slice) {
    if (llvm::is_contained(ivs, next)) {
      used.insert(next);
      return true;
    }
    Operation *op = next.getDefiningOp();
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

  Value value;
  SmallVector<Value> ivs;
  llvm::SmallDenseSet<Value, 4> used;
  SetVector<Operation *> steps;
};

/// An integer of all iterations, once for each combination of the indices on
/// which it depends.
struct Column {
  SmallVector<int64_t> extents; // 1 for other indices
  SmallVector<int64_t> numbers;

  static std::optional<Column> compute(Value value, ValueRange ivs,
                                       ArrayRef<int64_t> loopExtents) {
    std::optional<Evaluator> evaluator = Evaluator::create(value, ivs);
    if (!evaluator)
      return std::nullopt;
    Column result;
    for (auto [iv, extent] : llvm::zip_equal(ivs, loopExtents))
      result.extents.push_back(evaluator->dependsOn(iv) ? extent : 1);
    SmallVector<int64_t> strides = computeStrides(result.extents);
    for (int64_t i = 0, e = computeProduct(result.extents); i < e; ++i) {
      std::optional<int64_t> number =
          evaluator->evaluate(delinearize(i, strides));
      if (!number)
        return std::nullopt;
      result.numbers.push_back(*number);
    }
    return result;
  }

  int64_t at(ArrayRef<int64_t> iteration) const {
    int64_t place = 0;
    for (auto [extent, index] : llvm::zip_equal(extents, iteration))
      place = extent == 1 ? place : place * extent + index;
    return numbers[place];
  }
};
} // namespace

std::optional<IterationValues>
IterationValues::compute(ValueRange values, ValueRange ivs,
                         ArrayRef<int64_t> extents) {
  if (llvm::is_contained(extents, ShapedType::kDynamic) ||
      computeProduct(extents) > kMostIterations)
    return std::nullopt;
  SmallVector<Column> columns;
  for (Value value : values) {
    std::optional<Column> column = Column::compute(value, ivs, extents);
    if (!column)
      return std::nullopt;
    columns.push_back(std::move(*column));
  }
  IterationValues result;
  result.extents.assign(extents.begin(), extents.end());
  result.numValues = values.size();
  SmallVector<int64_t> strides = computeStrides(extents);
  for (int64_t i = 0, e = computeProduct(extents); i < e; ++i) {
    SmallVector<int64_t> iteration = delinearize(i, strides);
    for (const Column &column : columns)
      result.numbers.push_back(column.at(iteration));
  }
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
                             const FragmentLayout &fragment,
                             bool isWrite) const {
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
    std::set<Thread> writers;
    for (const HardwareIndex &owner : loop.owners(delinearize(i, strides))) {
      writers.insert({owner.warp, owner.lane});
      auto found = held->second.find({owner.warp, owner.lane});
      if (found == held->second.end())
        return std::nullopt;
      int64_t &reg = registers[owner.reg];
      if (reg != -1 && reg != found->second)
        return std::nullopt;
      reg = found->second;
    }
    if (isWrite && writers.size() != held->second.size())
      return std::nullopt;
  }
  return registers;
}
