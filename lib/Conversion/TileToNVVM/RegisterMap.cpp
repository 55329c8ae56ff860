//===- RegisterMap.cpp - registers of fragments by coordinate -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RegisterMap.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

RegisterMap::RegisterMap(const FragmentLayout &layout) {
  bases.assign(layout.rank(), 1);
  SmallVector<SmallVector<int64_t>> all;
  for (int64_t reg = 0, e = layout.numRegisters(); reg < e; ++reg) {
    all.push_back(layout.axisCoordinates(Axis::Register, reg));
    for (unsigned d = 0; d < layout.rank(); ++d)
      bases[d] = std::max(bases[d], all.back()[d] + 1);
  }
  for (auto [reg, coordinates] : llvm::enumerate(all))
    registers.try_emplace(key(coordinates), reg);
}

int64_t RegisterMap::key(ArrayRef<int64_t> coordinates) const {
  int64_t result = 0;
  for (auto [coordinate, base] : llvm::zip(coordinates, bases)) {
    if (coordinate < 0 || coordinate >= base)
      return -1;
    result = result * base + coordinate;
  }
  return result;
}

int64_t RegisterMap::operator()(ArrayRef<int64_t> coordinates) const {
  int64_t k = key(coordinates);
  auto it = k < 0 ? registers.end() : registers.find(k);
  return it == registers.end() ? -1 : it->second;
}

bool tile::nvvm::sameThreads(const FragmentLayout &loop,
                             const FragmentLayout &fragment,
                             ArrayRef<unsigned> dims) {
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    if (loop.size(axis) != fragment.size(axis))
      return false;
    for (int64_t i = 0, e = loop.size(axis); i < e; ++i) {
      SmallVector<int64_t> ofLoop = loop.axisCoordinates(axis, i);
      SmallVector<int64_t> ofFragment = fragment.axisCoordinates(axis, i);
      SmallVector<int64_t> expected(fragment.rank(), 0);
      for (unsigned d = 0; d < loop.rank(); ++d)
        if (dims[d] != ~0u)
          expected[dims[d]] = ofLoop[d];
      if (expected != ofFragment)
        return false;
    }
  }
  return true;
}

FailureOr<RegisterIndices> RegisterIndices::create(KernelLowering &lowering,
                                                   Operation *op, Value indices,
                                                   Value first,
                                                   const FragmentLayout &loop) {
  FailureOr<FragmentBuffer> fragment = lowering.fragment(indices, op);
  if (failed(fragment))
    return failure();
  std::optional<int64_t> constant = getConstantIntValue(first);
  if (!constant || !sameThreads(loop, fragment->layout, {0, ~0u}))
    return op->emitOpError()
           << "expected a loop layout whose threads hold the indices of their "
              "rows: run --tile-infer-layouts";
  Type element = cast<MemRefType>(indices.getType()).getElementType();
  return RegisterIndices(lowering, op, *fragment, element, *constant);
}

FailureOr<Value> RegisterIndices::load(int64_t constant) {
  int64_t reg = map({first + constant});
  if (reg < 0)
    return op->emitOpError() << "expected the indices' layout to hold what the "
                                "loop layout reads";
  return lowering->loadRegister(fragment, elementType, reg);
}
