//===- LoadedRuns.cpp - elements on their way into a fragment -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "LoadedRuns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

LoadedRuns::LoadedRuns(KernelLowering &lowering, Type elementType,
                       int64_t registers)
    : lowering(lowering), elementType(elementType),
      storage(lowering.storageType(elementType)), registers(registers),
      array(lowering.allocaArray(elementType, registers)) {}

Value LoadedRuns::address(int64_t reg) {
  return LLVM::GEPOp::create(lowering.builder, array.getType(), storage, array,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(reg)});
}

void LoadedRuns::put(int64_t reg, ArrayRef<Value> elements) {
  SmallVector<Value> stored;
  for (Value element : elements)
    stored.push_back(lowering.toStorage(element));
  if (stored.size() == 1)
    return putBytes(reg, stored.front());
  auto type = VectorType::get({int64_t(stored.size())}, storage);
  putBytes(reg, vector::FromElementsOp::create(lowering.builder, type, stored));
}

void LoadedRuns::putBytes(int64_t reg, Value bytes) {
  LLVM::StoreOp::create(lowering.builder, bytes, address(reg));
}

SmallVector<Value> LoadedRuns::take(int64_t reg, int64_t count) {
  auto &b = lowering.builder;
  Type type = count == 1 ? storage : VectorType::get({count}, storage);
  Value run = LLVM::LoadOp::create(b, type, address(reg));
  if (count == 1)
    return {lowering.fromStorage(run, elementType)};
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(lowering.fromStorage(
        LLVM::ExtractElementOp::create(b, run, lowering.i32(i)), elementType));
  return elements;
}

LogicalResult LoadedRuns::storeTo(Endpoint &fragment, int64_t count) {
  for (int64_t reg = 0; reg < registers; reg += count)
    if (failed(fragment.store(
            reg,
            lowering.convertElements(take(reg, count), fragment.elementType))))
      return failure();
  return success();
}
