//===- Context.cpp - builders and addresses of a kernel's lowering --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread coordinates from layouts, and addresses from coordinates. Nothing here
// knows an operation.
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
// Small builders
//===----------------------------------------------------------------------===//

Value KernelLowering::i32(int64_t value) {
  return arith::ConstantIntOp::create(builder, builder.getI32Type(), value);
}
Value KernelLowering::i64(int64_t value) {
  return arith::ConstantIntOp::create(builder, builder.getI64Type(), value);
}

Value KernelLowering::add(Value a, Value b) {
  if (!a)
    return b;
  if (!b)
    return a;
  return builder.createOrFold<arith::AddIOp>(a, b);
}

Value KernelLowering::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(a, b);
}

Value KernelLowering::mulConst(Value a, int64_t b) {
  if (!a || b == 0)
    return {};
  if (b == 1)
    return a;
  return mul(a, arith::ConstantIntOp::create(builder, a.getType(), b));
}

Value KernelLowering::addConst(Value a, int64_t b) {
  if (!a)
    return i32(b);
  if (b == 0)
    return a;
  return add(a, arith::ConstantIntOp::create(builder, a.getType(), b));
}

Value KernelLowering::toI64(Value value) {
  if (value.getType().isInteger(64))
    return value;
  if (value.getType().isIndex())
    return builder.createOrFold<arith::IndexCastOp>(builder.getI64Type(),
                                                    value);
  return builder.createOrFold<arith::ExtUIOp>(builder.getI64Type(), value);
}

Value KernelLowering::toI32(Value value) {
  if (value.getType().isInteger(32))
    return value;
  if (value.getType().isIndex())
    return builder.createOrFold<arith::IndexCastOp>(builder.getI32Type(),
                                                    value);
  return builder.createOrFold<arith::TruncIOp>(builder.getI32Type(), value);
}

Value KernelLowering::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return builder.createOrFold<arith::IndexCastUIOp>(builder.getIndexType(),
                                                    value);
}

Value KernelLowering::threadId() {
  Value id = NVVM::ThreadIdXOp::create(builder, builder.getI32Type());
  return addConst(id, -32 * agent.firstWarp);
}
Value KernelLowering::elected(int64_t groups) {
  if (agent.isSingleThread)
    return {};
  Value thread = threadId();
  if (groups > 1)
    thread = builder.createOrFold<arith::RemUIOp>(thread,
                                                  i32(numThreads() / groups));
  return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, thread,
                                             i32(0));
}
Value KernelLowering::groupId(int64_t groups) {
  return builder.createOrFold<arith::DivUIOp>(uniformWarpId(),
                                              i32(agent.warps / groups));
}
Value KernelLowering::threadForPlaces() {
  Value thread = threadId();
  if (!recomputesPlaces)
    return thread;
  return inlineAsm(builder.getI32Type(), "mov.u32 $0, $1;", "=r,r", {thread})
      .getRes();
}
Value KernelLowering::laneId() {
  return builder.createOrFold<arith::AndIOp>(threadForPlaces(), i32(31));
}
Value KernelLowering::warpId() {
  return builder.createOrFold<arith::ShRUIOp>(threadForPlaces(), i32(5));
}
Value KernelLowering::uniformWarpId() {
  if (!blockWarp) {
    // Once for the kernel: a shuffle is not moved out of loops.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    blockWarp = readUniformWarpId();
  }
  return addConst(blockWarp, -agent.firstWarp);
}
Value KernelLowering::readUniformWarpId() {
  Value thread = NVVM::ThreadIdXOp::create(builder, builder.getI32Type());
  Value warp = arith::ShRUIOp::create(builder, thread, i32(5));
  return NVVM::ShflOp::create(builder, builder.getI32Type(), i32(-1), warp,
                              i32(0), i32(31), NVVM::ShflKind::idx, UnitAttr());
}

Value KernelLowering::materialize(const ThreadCoordinate &coordinate) {
  return addConst(coordinate.base, coordinate.constant);
}

void KernelLowering::barrier(int64_t groups) {
  if (agent.isSingleThread)
    return;
  if (groups > 1) {
    // Barriers are counted out for groups of four warps.
    Value id = add(mulConst(groupId(groups), agent.warps / groups / 4),
                   i32(agent.groupBarrier));
    NVVM::BarrierOp::create(builder, TypeRange(), id,
                            i32(numThreads() / groups),
                            NVVM::BarrierReductionAttr(), Value());
    return;
  }
  if (agent.barrier == 0) {
    NVVM::Barrier0Op::create(builder);
    return;
  }
  NVVM::BarrierOp::create(builder, TypeRange(), i32(agent.barrier),
                          i32(numThreads()), NVVM::BarrierReductionAttr(),
                          Value());
}

void KernelLowering::clusterBarrier() {
  inlineAsm(TypeRange(),
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
            "~{memory}", ValueRange());
}

Value KernelLowering::roundToTf32(Value number) {
  Value source =
      number.getType().isF32()
          ? number
          : LLVM::BitcastOp::create(builder, builder.getF32Type(), number);
  return NVVM::ConvertFloatToTF32Op::create(builder, builder.getI32Type(),
                                            source, NVVM::FPRoundingMode::RNA);
}

LLVM::InlineAsmOp KernelLowering::inlineAsm(TypeRange results, StringRef text,
                                            StringRef constraints,
                                            ValueRange operands,
                                            bool sideEffects) {
  Type result;
  if (results.size() == 1)
    result = results[0];
  else if (results.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                              llvm::to_vector(results));
  return LLVM::InlineAsmOp::create(
      builder, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints, sideEffects, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

Value KernelLowering::sharedAt(int64_t offset) {
  return LLVM::GEPOp::create(
      builder, sharedBase.getType(), builder.getI8Type(), sharedBase,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Value tile::nvvm::digit(KernelLowering &lowering, Value index, int64_t divisor,
                        int64_t extent, bool slowest) {
  auto &b = lowering.builder;
  Value value = index;
  if (divisor != 1)
    value = b.createOrFold<arith::DivUIOp>(value, lowering.i32(divisor));
  if (!slowest)
    value = b.createOrFold<arith::RemUIOp>(value, lowering.i32(extent));
  return value;
}

Value KernelLowering::threadDigit(const FragmentLayout &layout, Axis axis,
                                  unsigned mode, Value &index, Value lane) {
  ArrayRef<Mode> modes = layout.modes(axis);
  if (axis == Axis::Warp) {
    size_t threads = modes.size() - loopDigits.size();
    if (mode >= threads)
      return loopDigits[mode - threads];
    modes = modes.take_front(threads);
  }
  if (!index)
    index = axis != Axis::Lane ? warpId() : lane ? lane : laneId();
  int64_t divisor = 1, size = 1;
  for (auto [i, other] : llvm::enumerate(modes)) {
    divisor *= i < mode ? other.extent : 1;
    size *= other.extent;
  }
  return digit(*this, index, divisor, modes[mode].extent,
               divisor * modes[mode].extent == size);
}

SmallVector<Value>
KernelLowering::threadCoordinates(const FragmentLayout &layout, Value lane) {
  SmallVector<Value> parts(layout.rank());
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    Value index;
    for (auto [i, mode] : llvm::enumerate(layout.modes(axis)))
      if (!mode.isReplication() && mode.extent > 1 && mode.stride != 0) {
        Value d = threadDigit(layout, axis, i, index, lane);
        parts[mode.dim] = add(parts[mode.dim], mulConst(d, mode.stride));
      }
  }
  return parts;
}

SmallVector<ThreadCoordinate>
KernelLowering::coordinates(ArrayRef<Value> threadPart,
                            const FragmentLayout &layout, int64_t reg) {
  SmallVector<ThreadCoordinate> result;
  SmallVector<int64_t> constants = layout.axisCoordinates(Axis::Register, reg);
  for (auto [part, constant] : llvm::zip(threadPart, constants))
    result.push_back({part, constant});
  return result;
}

/// Largest value of each coordinate's thread part.
static SmallVector<int64_t> maxThreadPart(const FragmentLayout &layout) {
  SmallVector<int64_t> largest(layout.rank(), 0);
  for (Axis axis : {Axis::Lane, Axis::Warp})
    for (const Mode &mode : layout.modes(axis))
      if (!mode.isReplication())
        largest[mode.dim] += (mode.extent - 1) * mode.stride;
  return largest;
}

Value KernelLowering::inBounds(const FragmentLayout &layout,
                               ArrayRef<Value> threadPart, int64_t reg) {
  SmallVector<int64_t> largest = maxThreadPart(layout);
  SmallVector<int64_t> constants = layout.axisCoordinates(Axis::Register, reg);
  Value predicate;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    int64_t extent = layout.shape()[d];
    if (constants[d] + largest[d] < extent)
      continue;
    Value inside = builder.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::ult, addConst(threadPart[d], constants[d]),
        i32(extent));
    predicate = predicate
                    ? builder.createOrFold<arith::AndIOp>(predicate, inside)
                    : inside;
  }
  return predicate;
}

Value KernelLowering::firstReplica(const FragmentLayout &layout) {
  Value predicate;
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    for (auto [i, mode] : llvm::enumerate(layout.modes(axis))) {
      if ((mode.isReplication() || mode.stride == 0) && mode.extent > 1) {
        Value index;
        Value d = threadDigit(layout, axis, i, index);
        Value first = builder.createOrFold<arith::CmpIOp>(
            arith::CmpIPredicate::eq, d, i32(0));
        predicate = predicate
                        ? builder.createOrFold<arith::AndIOp>(predicate, first)
                        : first;
      }
    }
  }
  return predicate;
}

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

bool tile::nvvm::convertsInPairs(Type from, Type to) {
  auto isFp8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  bool toFloat = isa<FloatType>(to) && to.getIntOrFloatBitWidth() <= 32;
  return (isPacked(from) && toFloat) || (isFp8(from) && toFloat) ||
         (isFp8(to) && isa<FloatType>(from));
}

SmallVector<Value>
tile::nvvm::inPairs(KernelLowering &lowering, ArrayRef<Value> values,
                    llvm::function_ref<Value(Value)> convert) {
  auto &b = lowering.builder;
  SmallVector<Value> results;
  size_t i = 0;
  for (; i + 1 < values.size(); i += 2) {
    Value pair = vector::FromElementsOp::create(
        b, VectorType::get(2, values[i].getType()),
        ValueRange{values[i], values[i + 1]});
    Value converted = convert(pair);
    for (int64_t e : {0, 1})
      results.push_back(vector::ExtractOp::create(b, converted, e));
  }
  if (i < values.size())
    results.push_back(convert(values[i]));
  return results;
}

SmallVector<Value> KernelLowering::convertElements(ArrayRef<Value> values,
                                                   Type to) {
  if (!values.empty() && convertsInPairs(values[0].getType(), to))
    return inPairs(*this, values,
                   [&](Value pair) { return convertElement(pair, to); });
  SmallVector<Value> results;
  for (Value value : values)
    results.push_back(convertElement(value, to));
  return results;
}
