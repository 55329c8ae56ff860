//===- Context.cpp - builders of a kernel's lowering ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, and thread coordinates from layouts; Buffers.cpp has addresses
// from coordinates. Nothing here knows an operation.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
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
/// Whether only operations without loops stand between an operation of the
/// block that is written and what is written next.
static bool standsNear(OpBuilder &builder, Operation *op) {
  auto next = builder.getInsertionPoint();
  if (op->getBlock() != builder.getInsertionBlock())
    return false;
  if (next != op->getBlock()->end() && !op->isBeforeInBlock(&*next))
    return false;
  for (auto it = std::next(op->getIterator()); it != next; ++it)
    if (isa<LoopLikeOpInterface>(*it))
      return false;
  return true;
}

Value KernelLowering::electHere(int64_t groups) {
  // ptxas knows that one thread runs behind it: it issues copies without a loop
  // over the threads that may be there.
  Value isElected = NVVM::ElectSyncOp::create(builder, builder.getI1Type(),
                                              /*membermask=*/Value());
  Value isInFirst = inFirstWarp(groups);
  return isInFirst ? arith::AndIOp::create(builder, isInFirst, isElected)
                   : isElected;
}
Value KernelLowering::elected(int64_t groups) {
  if (agent.isSingleThread)
    return {};
  if (target.electsThreads()) {
    Value &known = electedIn[{builder.getInsertionBlock(), groups}];
    if (!known || !standsNear(builder, known.getDefiningOp()))
      known = electHere(groups);
    return known;
  }
  Value thread = threadId();
  if (groups > 1)
    thread = builder.createOrFold<arith::RemUIOp>(thread,
                                                  i32(numThreads() / groups));
  return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, thread,
                                             i32(0));
}
Value KernelLowering::inFirstWarp(int64_t groups) {
  if (agent.isSingleThread || agent.warps == groups)
    return {};
  Value warp = uniformWarpId();
  if (groups > 1)
    warp =
        builder.createOrFold<arith::RemUIOp>(warp, i32(agent.warps / groups));
  return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, warp,
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
  // The lanes of one warp meet, and are ordered, without the block's barrier.
  if (numThreads() == kWarpSize) {
    NVVM::SyncWarpOp::create(builder, i32(-1));
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
