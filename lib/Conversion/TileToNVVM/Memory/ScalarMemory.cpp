//===- ScalarMemory.cpp - one element of any buffer -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "ScalarMemory.h"
#include "PackedMemory.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

static Type elementTypeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

FailureOr<Value> tile::nvvm::elementAddress(KernelLowering &lowering,
                                            Operation *op, Value buffer,
                                            ValueRange indices) {
  auto &b = lowering.builder;
  switch (getMemorySpace(buffer)) {
  case MemorySpace::Global: {
    FailureOr<GlobalBuffer> global = lowering.global(buffer, op);
    if (failed(global))
      return failure();
    SmallVector<Value> offsets;
    for (Value index : indices)
      offsets.push_back(lowering.toI64(index));
    return lowering.globalAddress(*global, elementTypeOf(buffer), offsets, {},
                                  {});
  }
  case MemorySpace::Shared: {
    FailureOr<SharedBuffer> shared = lowering.shared(buffer, op);
    if (failed(shared))
      return failure();
    SmallVector<Value> coordinates;
    for (Value index : indices)
      coordinates.push_back(lowering.toI32(index));
    return lowering.sharedElement(*shared, coordinates);
  }
  case MemorySpace::Local: {
    auto it = lowering.locals.find(buffer);
    if (it == lowering.locals.end())
      return op->emitOpError() << "expected a local buffer made by the kernel";
    Value linear;
    for (auto [index, extent] : llvm::zip(indices, it->second.shape)) {
      linear = linear ? lowering.mulConst(linear, extent) : linear;
      linear = lowering.add(linear, lowering.toI64(index));
    }
    if (!linear)
      return it->second.pointer;
    return Value(LLVM::GEPOp::create(
        b, it->second.pointer.getType(),
        lowering.storageType(elementTypeOf(buffer)), it->second.pointer,
        ArrayRef<LLVM::GEPArg>{linear}));
  }
  default:
    return op->emitOpError()
           << "expected global, shared or local memory outside "
              "`tile.parallel`, got "
           << buffer.getType();
  }
}

/// Where a packed element of a global or shared buffer lies.
static FailureOr<PackedPlace> packedPlace(KernelLowering &lowering,
                                          Operation *op, Value buffer,
                                          ValueRange indices) {
  SmallVector<Value> at;
  if (isShared(buffer)) {
    FailureOr<SharedBuffer> shared = lowering.shared(buffer, op);
    if (failed(shared))
      return failure();
    for (Value index : indices)
      at.push_back(lowering.toI32(index));
    return lowering.sharedPlace(*shared, at);
  }
  FailureOr<GlobalBuffer> global = lowering.global(buffer, op);
  if (failed(global))
    return failure();
  for (Value index : indices)
    at.push_back(lowering.toI64(index));
  return lowering.globalPlace(*global, at, {}, {});
}

/// Elements of local memory have a byte each.
static bool isPackedIn(Value buffer) {
  return isPacked(elementTypeOf(buffer)) &&
         (isShared(buffer) || isGlobal(buffer));
}

/// Whether iterations beside that of `load` store to its buffer in shared
/// memory.
static bool isStoredBeside(Operation *load, Value buffer) {
  auto loop = load->getParentOfType<TileOpInterface>();
  return loop && isShared(buffer) &&
         llvm::any_of(buffer.getUsers(), [&](Operation *user) {
           return isa<memref::StoreOp>(user) && loop->isAncestor(user);
         });
}

FailureOr<Value> tile::nvvm::loadScalar(KernelLowering &lowering, Operation *op,
                                        Value buffer, ValueRange indices) {
  if (isPackedIn(buffer)) {
    FailureOr<PackedPlace> place = packedPlace(lowering, op, buffer, indices);
    if (failed(place))
      return failure();
    return loadPacked(lowering, *place, elementTypeOf(buffer),
                      isStoredBeside(op, buffer));
  }
  FailureOr<Value> address = elementAddress(lowering, op, buffer, indices);
  if (failed(address))
    return failure();
  Type type = elementTypeOf(buffer);
  Value stored = LLVM::LoadOp::create(lowering.builder,
                                      lowering.storageType(type), *address);
  return lowering.fromStorage(stored, type);
}

LogicalResult tile::nvvm::storeScalar(KernelLowering &lowering, Operation *op,
                                      Value buffer, ValueRange indices,
                                      Value value) {
  if (isPackedIn(buffer)) {
    FailureOr<PackedPlace> place = packedPlace(lowering, op, buffer, indices);
    if (failed(place))
      return failure();
    storePacked(lowering, *place, value);
    return success();
  }
  FailureOr<Value> address = elementAddress(lowering, op, buffer, indices);
  if (failed(address))
    return failure();
  LLVM::StoreOp::create(lowering.builder, lowering.toStorage(value), *address);
  return success();
}

static std::optional<LLVM::AtomicBinOp> atomicKind(arith::AtomicRMWKind kind) {
  switch (kind) {
  case arith::AtomicRMWKind::addf:
    return LLVM::AtomicBinOp::fadd;
  case arith::AtomicRMWKind::addi:
    return LLVM::AtomicBinOp::add;
  case arith::AtomicRMWKind::maxnumf:
    return LLVM::AtomicBinOp::fmax;
  case arith::AtomicRMWKind::maximumf:
    return LLVM::AtomicBinOp::fmaximum;
  case arith::AtomicRMWKind::minnumf:
    return LLVM::AtomicBinOp::fmin;
  case arith::AtomicRMWKind::minimumf:
    return LLVM::AtomicBinOp::fminimum;
  case arith::AtomicRMWKind::maxs:
    return LLVM::AtomicBinOp::max;
  case arith::AtomicRMWKind::maxu:
    return LLVM::AtomicBinOp::umax;
  case arith::AtomicRMWKind::mins:
    return LLVM::AtomicBinOp::min;
  case arith::AtomicRMWKind::minu:
    return LLVM::AtomicBinOp::umin;
  case arith::AtomicRMWKind::andi:
    return LLVM::AtomicBinOp::_and;
  case arith::AtomicRMWKind::ori:
    return LLVM::AtomicBinOp::_or;
  case arith::AtomicRMWKind::xori:
    return LLVM::AtomicBinOp::_xor;
  case arith::AtomicRMWKind::assign:
    return LLVM::AtomicBinOp::xchg;
  default:
    return std::nullopt;
  }
}

FailureOr<Value> tile::nvvm::atomicAt(KernelLowering &lowering, Operation *op,
                                      Value address, arith::AtomicRMWKind kind,
                                      Value value) {
  std::optional<LLVM::AtomicBinOp> bin = atomicKind(kind);
  if (isPacked(value.getType()))
    return op->emitOpError()
           << "expected an atomic on whole bytes, got " << value.getType();
  if (!bin)
    return op->emitOpError() << "expected an atomic the target has, got "
                             << stringifyAtomicRMWKind(kind);
  return Value(LLVM::AtomicRMWOp::create(lowering.builder, *bin, address, value,
                                         LLVM::AtomicOrdering::monotonic,
                                         /*syncscope=*/"device"));
}

void tile::nvvm::addVector(KernelLowering &lowering, Value address,
                           ArrayRef<Value> values) {
  auto &b = lowering.builder;
  Type element = values.front().getType();
  // Words of 32 bits: two halves are one.
  SmallVector<Value> operands{address};
  std::string type = ".f32", ftz;
  if (element.isF32()) {
    llvm::append_range(operands, values);
  } else {
    type = element.isF16() ? ".f16x2" : ".bf16x2";
    ftz = ".noftz";
    for (size_t i = 0; i < values.size(); i += 2) {
      Value pair = vector::FromElementsOp::create(
          b, VectorType::get(2, element), values.slice(i, 2));
      operands.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), pair));
    }
  }
  size_t words = operands.size() - 1;
  std::string list, constraints = "l", width;
  for (size_t i = 1; i <= words; ++i) {
    list += (i > 1 ? ", $" : "$") + std::to_string(i);
    constraints += element.isF32() ? ",f" : ",r";
  }
  if (words > 1) {
    list = "{" + list + "}";
    width = ".v" + std::to_string(words);
  }
  lowering.inlineAsm(TypeRange(),
                     "red.relaxed.gpu.global.add" + ftz + width + type +
                         " [$0], " + list + ";",
                     constraints + ",~{memory}", operands);
}

FailureOr<Value> tile::nvvm::atomicScalar(KernelLowering &lowering,
                                          Operation *op, Value buffer,
                                          ValueRange indices,
                                          arith::AtomicRMWKind kind,
                                          Value value) {
  FailureOr<Value> address = elementAddress(lowering, op, buffer, indices);
  if (failed(address))
    return failure();
  return atomicAt(lowering, op, *address, kind, value);
}
