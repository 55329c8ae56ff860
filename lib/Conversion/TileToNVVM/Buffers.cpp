//===- Buffers.cpp - where the elements of a kernel's buffers are ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global addresses from coordinates, registers from their numbers, and elements
// as they are stored and computed with.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "tile/Conversion/ElementCast.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

//===----------------------------------------------------------------------===//
// Global addresses
//===----------------------------------------------------------------------===//

Value KernelLowering::globalAddress(const GlobalBuffer &buffer,
                                    Type elementType, ArrayRef<Value> uniform,
                                    ArrayRef<ThreadCoordinate> coordinates,
                                    ArrayRef<unsigned> dims) {
  // The uniform part first: it is shared by all registers of a copy and moves
  // out of loops that the thread part does not depend on.
  Value base;
  for (unsigned d = 0; d < uniform.size(); ++d)
    base = add(base, mul(uniform[d], buffer.strides[d]));
  Value thread, constant;
  for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
    unsigned dim = dims[d];
    Value stride = buffer.strides[dim];
    if (coordinate.base)
      thread = add(thread, mul(toI64(coordinate.base), stride));
    if (coordinate.constant)
      constant = add(constant, mul(i64(coordinate.constant), stride));
  }
  if (isPacked(elementType)) {
    Value one = i64(1);
    for (Value *part : {&base, &thread, &constant})
      if (*part)
        *part = builder.createOrFold<arith::ShRSIOp>(*part, one);
  }
  Type storage = storageType(elementType);
  Value pointer = buffer.pointer;
  for (Value part : {base, thread, constant})
    if (part)
      pointer = LLVM::GEPOp::create(builder, pointer.getType(), storage,
                                    pointer, ArrayRef<LLVM::GEPArg>{part});
  return pointer;
}

PackedPlace KernelLowering::globalPlace(const GlobalBuffer &buffer,
                                        ArrayRef<Value> uniform,
                                        ArrayRef<ThreadCoordinate> coordinates,
                                        ArrayRef<unsigned> dims) {
  Value element;
  for (unsigned d = 0; d < uniform.size(); ++d)
    element = add(element, mul(uniform[d], buffer.strides[d]));
  for (auto [d, coordinate] : llvm::enumerate(coordinates))
    if (coordinate.base || coordinate.constant)
      element = add(element, mul(toI64(materialize(coordinate)),
                                 buffer.strides[dims[d]]));
  if (!element)
    return {buffer.pointer, Value()};
  Value byte = builder.createOrFold<arith::ShRSIOp>(element, i64(1));
  Value half = builder.createOrFold<arith::AndIOp>(toI32(element), i32(1));
  return {LLVM::GEPOp::create(builder, buffer.pointer.getType(),
                              builder.getI8Type(), buffer.pointer,
                              ArrayRef<LLVM::GEPArg>{byte}),
          mulConst(half, 4)};
}

Value KernelLowering::globalInBounds(const GlobalBuffer &buffer,
                                     ArrayRef<Value> uniform,
                                     ArrayRef<ThreadCoordinate> coordinates,
                                     ArrayRef<unsigned> dims) {
  Value predicate;
  auto check = [&](Value index, Value size) {
    // One unsigned comparison rejects negative indices as well.
    Value inside = builder.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::ult, index, size);
    if (matchPattern(inside, m_One()))
      return;
    predicate = predicate
                    ? builder.createOrFold<arith::AndIOp>(predicate, inside)
                    : inside;
  };
  SmallVector<bool> seen(buffer.sizes.size(), false);
  for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
    unsigned dim = dims[d];
    seen[dim] = true;
    Value index = coordinate.base ? toI64(coordinate.base) : Value();
    if (coordinate.constant || (!index && uniform.empty()))
      index = add(index, i64(coordinate.constant));
    if (!uniform.empty())
      index = add(index, uniform[dim]);
    check(index, buffer.sizes[dim]);
  }
  for (unsigned dim = 0; dim < seen.size(); ++dim)
    if (!seen[dim])
      check(uniform.empty() ? i64(0) : uniform[dim], buffer.sizes[dim]);
  return predicate;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Type KernelLowering::storageType(Type elementType) {
  if (elementType.isInteger(1) || isPacked(elementType))
    return builder.getI8Type();
  if (elementType.isIndex())
    return builder.getI64Type();
  if (isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() == 8)
    return builder.getI8Type();
  return elementType;
}

Value KernelLowering::fromStorage(Value stored, Type elementType) {
  if (stored.getType() == elementType)
    return stored;
  if (elementType.isInteger(1))
    return arith::TruncIOp::create(builder, elementType, stored);
  if (isPacked(elementType)) {
    Type i4 = builder.getIntegerType(4);
    Value nibble = arith::TruncIOp::create(builder, i4, stored);
    return i4 == elementType
               ? nibble
               : arith::BitcastOp::create(builder, elementType, nibble);
  }
  if (elementType.isIndex())
    return arith::IndexCastOp::create(builder, elementType, stored);
  return arith::BitcastOp::create(builder, elementType, stored);
}

Value KernelLowering::toStorage(Value value) {
  Type type = value.getType(), storage = storageType(type);
  if (type == storage)
    return value;
  if (type.isInteger(1))
    return arith::ExtUIOp::create(builder, storage, value);
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, storage, value);
  if (isPacked(type)) {
    Type i4 = builder.getIntegerType(4);
    if (type != i4)
      value = arith::BitcastOp::create(builder, i4, value);
    return arith::ExtUIOp::create(builder, storage, value);
  }
  return arith::BitcastOp::create(builder, storage, value);
}

Value KernelLowering::allocaArray(Type elementType, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  Type array = LLVM::LLVMArrayType::get(storageType(elementType), count);
  Value one = i32(1);
  return LLVM::AllocaOp::create(
      builder, LLVM::LLVMPointerType::get(builder.getContext()), array, one,
      /*alignment=*/16);
}

Value KernelLowering::registerAddress(const FragmentBuffer &buffer,
                                      Type elementType, int64_t reg) {
  if (isPacked(elementType))
    reg /= 2;
  return LLVM::GEPOp::create(builder, buffer.registers.getType(),
                             storageType(elementType), buffer.registers,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(reg)});
}

Value KernelLowering::loadRegister(const FragmentBuffer &buffer,
                                   Type elementType, int64_t reg) {
  Value stored =
      LLVM::LoadOp::create(builder, storageType(elementType),
                           registerAddress(buffer, elementType, reg));
  if (isPacked(elementType) && reg % 2)
    stored = arith::ShRUIOp::create(
        builder, stored,
        arith::ConstantOp::create(builder, builder.getI8IntegerAttr(4)));
  return fromStorage(stored, elementType);
}

void KernelLowering::storeRegister(const FragmentBuffer &buffer,
                                   Type elementType, int64_t reg, Value value) {
  Value address = registerAddress(buffer, elementType, reg);
  Value stored = toStorage(value);
  if (isPacked(elementType)) {
    auto byte = [&](int64_t constant) -> Value {
      return arith::ConstantOp::create(builder,
                                       builder.getI8IntegerAttr(constant));
    };
    if (reg % 2)
      stored = arith::ShLIOp::create(builder, stored, byte(4));
    Value other = LLVM::LoadOp::create(builder, builder.getI8Type(), address);
    other = arith::AndIOp::create(builder, other, byte(reg % 2 ? 0x0f : -16));
    stored = arith::OrIOp::create(builder, other, stored);
  }
  LLVM::StoreOp::create(builder, stored, address);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

template <typename MapT>
static auto lookup(MapT &map, Value buffer, Operation *user, StringRef kind)
    -> FailureOr<decltype(map.begin()->second)> {
  auto it = map.find(buffer);
  if (it != map.end())
    return it->second;
  if (auto table = buffer.getDefiningOp<memref::GetGlobalOp>())
    return user->emitOpError()
           << "reads the table @" << table.getName()
           << ", which only the CPU can: on a GPU, make it an argument of the "
              "kernel, or compute its elements";
  InFlightDiagnostic diag = user->emitOpError()
                            << "expected a buffer in " << kind
                            << " made by the kernel, got " << buffer.getType();
  diag.attachNote(buffer.getLoc()) << "this value";
  return failure();
}

FailureOr<FragmentBuffer> KernelLowering::fragment(Value buffer,
                                                   Operation *user) {
  return lookup(fragments, buffer, user, "a fragment");
}
FailureOr<SharedBuffer> KernelLowering::shared(Value buffer, Operation *user) {
  return lookup(shareds, buffer, user, "shared memory");
}
FailureOr<GlobalBuffer> KernelLowering::global(Value buffer, Operation *user) {
  return lookup(globals, buffer, user, "global memory");
}

Value KernelLowering::convertElement(Value value, Type to, bool isUnsigned) {
  Type from = value.getType();
  // Signedness matters where an unsigned integer grows or becomes a float; all
  // else is the dialect's one conversion, the CPU's too.
  if (isUnsigned && isa<IntegerType>(from)) {
    if (isa<FloatType>(to))
      return arith::UIToFPOp::create(builder, to, value);
    if (isa<IntegerType>(to) &&
        from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return arith::ExtUIOp::create(builder, to, value);
  }
  return castElement(builder, builder.getLoc(), value, to);
}

LLVM::LoopAnnotationAttr tile::nvvm::notUnrolled(MLIRContext *context) {
  auto yes = BoolAttr::get(context, true);
  auto unroll = LLVM::LoopUnrollAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {});
}

int64_t tile::nvvm::convertedTogether(Type from, Type to) {
  auto isFp8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  if (from.isInteger(4) && (to.isInteger(8) || to.isInteger(16)))
    return 32 / to.getIntOrFloatBitWidth();
  bool toFloat = isa<FloatType>(to) && to.getIntOrFloatBitWidth() <= 32;
  bool inPairs =
      (isPacked(from) && toFloat) || (from.isInteger(8) && to.isF16()) ||
      (isFp8(from) && toFloat) || (isFp8(to) && isa<FloatType>(from));
  return inPairs ? 2 : 1;
}

SmallVector<Value>
tile::nvvm::together(KernelLowering &lowering, ArrayRef<Value> values,
                     int64_t count, llvm::function_ref<Value(Value)> convert) {
  auto &b = lowering.builder;
  SmallVector<Value> results;
  for (; values.size() >= size_t(count); values = values.drop_front(count)) {
    Value group = vector::FromElementsOp::create(
        b, VectorType::get(count, values[0].getType()),
        values.take_front(count));
    Value converted = convert(group);
    for (int64_t e = 0; e < count; ++e)
      results.push_back(vector::ExtractOp::create(b, converted, e));
  }
  for (Value value : values)
    results.push_back(convert(value));
  return results;
}

SmallVector<Value> KernelLowering::convertElements(ArrayRef<Value> values,
                                                   Type to) {
  int64_t count =
      values.empty() ? 1 : convertedTogether(values[0].getType(), to);
  if (count > 1)
    return together(*this, values, count,
                    [&](Value group) { return convertElement(group, to); });
  SmallVector<Value> results;
  for (Value value : values)
    results.push_back(convertElement(value, to));
  return results;
}
