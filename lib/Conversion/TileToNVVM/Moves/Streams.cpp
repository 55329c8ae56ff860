//===- Streams.cpp - arguments that a kernel reads through ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why, and what it is worth: docs/Rationale/CopySelection.md.
//
//===----------------------------------------------------------------------===//
#include "Streams.h"
#include "CachePolicy.h"
#include "Endpoint.h"
#include "Schedule/Grid.h"
#include "ThreadRuns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Cache policies, the numbers that CUTLASS has for tensor copies
/// (include/cute/arch/copy_sm90_desc.hpp). With the first, loads took as long
/// as without a policy; with the one that `createpolicy` makes for evict_normal
/// they took 14.5 us in place of 12.8 (16 MB). Plain loads take both on an
/// H200, cp.async does not: an illegal instruction.
static constexpr int64_t kUsualPolicy = 0x1000000000000000;
static constexpr int64_t kKeepingPolicy = 0x14F0000000000000;
static constexpr int64_t kLeavingPolicy = 0x12F0000000000000;

/// A kernel writes little if it writes at most 2^-2 of what it reads once.
static constexpr unsigned kLittleBits = 2;

/// Bytes (i64) of a buffer without gaps between its rows.
static Value bytesOf(KernelLowering &lowering, BlockArgument argument) {
  Value elements = lowering.i64(1);
  for (Value size : lowering.globals[argument].sizes)
    elements = lowering.mul(elements, size);
  int64_t bits =
      getStorageBits(cast<MemRefType>(argument.getType()).getElementType());
  return lowering.builder.createOrFold<arith::ShRUIOp>(
      lowering.mulConst(elements, bits), lowering.i64(3));
}

/// Of the arguments that an attribute of the kernel names.
static Value bytesOfAll(KernelLowering &lowering, StringRef name) {
  Value bytes = lowering.i64(0);
  if (auto positions = lowering.kernel->getAttrOfType<DenseI64ArrayAttr>(name))
    for (int64_t position : positions.asArrayRef())
      bytes = lowering.add(
          bytes,
          bytesOf(lowering, lowering.kernel.getKernelArgument(position)));
  return bytes;
}

static int64_t streamLimit(KernelLowering &lowering, unsigned which) {
  return lowering.kernel->getAttrOfType<DenseI64ArrayAttr>(
      kStreamLimitsAttrName)[which];
}

/// Whether a copy loads by threads what is in one of `arguments`.
static bool loadsOneOf(KernelLowering &lowering, TileMoveOpInterface move,
                       const llvm::SmallDenseSet<Value> &arguments) {
  CopyPlanAttr plan = move.getPlanAttr();
  return lowering.streams.policy && !lowering.innerLayout && plan &&
         traitsOf(plan.getInstruction()).isPlain &&
         arguments.contains(move.getSource());
}

bool tile::nvvm::isStream(KernelLowering &lowering, TileMoveOpInterface move) {
  return loadsOneOf(lowering, move, lowering.streams.arguments);
}

Value tile::nvvm::policyOfLoad(KernelLowering &lowering,
                               TileMoveOpInterface move) {
  const Streams &streams = lowering.streams;
  if (isStream(lowering, move) ||
      loadsOneOf(lowering, move, streams.sharedReads))
    return streams.policy;
  CopyPlanAttr plan = move.getPlanAttr();
  if (!plan || lowering.innerLayout)
    return {};
  const CopyTraits &traits = traitsOf(plan.getInstruction());
  return traits.isPlain || traits.byAsyncProxy
             ? streams.readOnce.lookup(move.getSource())
             : Value();
}

/// i1: the streams are large, and blocks that are launched after this one load
/// less of them than the limit.
static Value isNearEnd(KernelLowering &lowering) {
  auto &b = lowering.builder;
  Type i32 = b.getI32Type();
  auto wide = [&](Value value) { return lowering.toI64(value); };
  // The launch goes through the first dimension first.
  Value count = lowering.i64(1), number = lowering.i64(0);
  auto addDimension = [&](Value id, Value extent) {
    number = lowering.add(number, lowering.mul(id, count));
    count = lowering.mul(count, extent);
  };
  unsigned rank = lowering.kernel.getGridRank();
  addDimension(wide(NVVM::BlockIdXOp::create(b, i32)),
               wide(NVVM::GridDimXOp::create(b, i32)));
  if (rank > 1)
    addDimension(wide(NVVM::BlockIdYOp::create(b, i32)),
                 wide(NVVM::GridDimYOp::create(b, i32)));
  if (rank > 2)
    addDimension(wide(NVVM::BlockIdZOp::create(b, i32)),
                 wide(NVVM::GridDimZOp::create(b, i32)));
  // left / count * bytes < limit, in megabytes so that products fit.
  constexpr int64_t kMegabyteBits = 20;
  Value left = b.createOrFold<arith::SubIOp>(count, number);
  Value megabytes = b.createOrFold<arith::ShRUIOp>(
      bytesOfAll(lowering, kStreamsAttrName), lowering.i64(kMegabyteBits));
  Value isNear = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::ult, lowering.mul(left, megabytes),
      lowering.mulConst(count, streamLimit(lowering, 1) >> kMegabyteBits));
  return both(lowering, lowering.streams.areLarge, isNear);
}

static Value compare(KernelLowering &lowering, arith::CmpIPredicate predicate,
                     Value lhs, Value rhs) {
  return lowering.builder.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}

static Value choose(KernelLowering &lowering, Value condition, int64_t policy,
                    Value otherwise) {
  return lowering.builder.createOrFold<arith::SelectOp>(
      condition, lowering.i64(policy), otherwise);
}

/// i1: blocks that differ along `dims` only run at the same time, so that what
/// they read alike is read once: there is one of them, or all blocks from the
/// first to the last of them, in the order of launch (BlockOrder.h), have
/// places. Null: there is one.
static Value runTogether(KernelLowering &lowering, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return {};
  auto &b = lowering.builder;
  KernelOp kernel = lowering.kernel;
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(kernel.getGridRank()));
  std::optional<int64_t> panel;
  if (order.size() > 1 && kernel.getPanel()) {
    panel = kernel.getPanel();
    std::swap(order[0], order[1]);
  }
  while (!llvm::is_contained(dims, order.back()))
    order.pop_back();
  Value span = lowering.i64(1), inOnePanel;
  for (int64_t d : order) {
    Value extent = gridExtent(lowering, d);
    if (panel && d == 1) {
      Value rows = lowering.i64(*panel);
      if (llvm::is_contained(dims, d))
        inOnePanel = compare(lowering, arith::CmpIPredicate::ule, extent, rows);
      extent = b.createOrFold<arith::MinUIOp>(extent, rows);
    }
    span = lowering.mul(span, extent);
  }
  Value alike = lowering.i64(1); // blocks that read the same
  for (int64_t d : dims)
    alike = lowering.mul(alike, gridExtent(lowering, d));
  Value isOne =
      compare(lowering, arith::CmpIPredicate::ule, alike, lowering.i64(1));
  Value havePlaces = both(lowering, inOnePanel,
                          compare(lowering, arith::CmpIPredicate::ule, span,
                                  lowering.i64(streamLimit(lowering, 3))));
  return b.createOrFold<arith::OrIOp>(isOne, havePlaces);
}

/// What loads of arguments ask that are read once.
static void beginReadOnce(KernelLowering &lowering, Value streamed,
                          Value usual) {
  KernelOp kernel = lowering.kernel;
  auto list = kernel->getAttrOfType<ArrayAttr>(kReadOnceAttrName);
  if (!list)
    return;
  auto &b = lowering.builder;
  Value read = streamed;
  for (auto numbers : list.getAsRange<DenseI64ArrayAttr>())
    read = lowering.add(
        read, bytesOf(lowering, kernel.getKernelArgument(numbers[0])));
  Value writesLittle =
      compare(lowering, arith::CmpIPredicate::ule,
              bytesOfAll(lowering, kResultsAttrName),
              b.createOrFold<arith::ShRUIOp>(read, lowering.i64(kLittleBits)));
  Value leaves = both(lowering, writesLittle,
                      compare(lowering, arith::CmpIPredicate::ule, read,
                              lowering.i64(streamLimit(lowering, 2))));
  for (auto numbers : list.getAsRange<DenseI64ArrayAttr>()) {
    ArrayRef<int64_t> dims = numbers.asArrayRef().drop_front();
    Value isOnce = both(lowering, runTogether(lowering, dims), leaves);
    if (!matchPattern(isOnce, m_Zero()))
      lowering.streams.readOnce[kernel.getKernelArgument(numbers[0])] =
          choose(lowering, isOnce, kLeavingPolicy, usual);
  }
}

void tile::nvvm::beginStreams(KernelLowering &lowering) {
  KernelOp kernel = lowering.kernel;
  if (!kernel->hasAttr(kStreamLimitsAttrName))
    return;
  Streams &streams = lowering.streams;
  Value usual = lowering.i64(kUsualPolicy);
  Value streamed = bytesOfAll(lowering, kStreamsAttrName);
  beginReadOnce(lowering, streamed, usual);
  auto positions = kernel->getAttrOfType<DenseI64ArrayAttr>(kStreamsAttrName);
  if (!positions)
    return;
  for (int64_t position : positions.asArrayRef())
    streams.arguments.insert(kernel.getKernelArgument(position));
  if (auto shared =
          kernel->getAttrOfType<DenseI64ArrayAttr>(kSharedReadsAttrName))
    for (int64_t position : shared.asArrayRef())
      streams.sharedReads.insert(kernel.getKernelArgument(position));
  streams.areLarge = compare(lowering, arith::CmpIPredicate::uge, streamed,
                             lowering.i64(streamLimit(lowering, 0)));
  if (matchPattern(streams.areLarge, m_Zero()))
    return;
  streams.policy = choose(lowering, streams.areLarge, kKeepingPolicy, usual);
}

/// Gives up the line at `pointer`, where `isHeld` (i1, or null) and one begins
/// there: of the threads that load a line, the first one does it.
static void leaveLine(KernelLowering &lowering, Value pointer, Value isHeld) {
  constexpr int64_t kLineBytes = 128;
  auto &b = lowering.builder;
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
  Value place =
      b.createOrFold<arith::AndIOp>(address, lowering.i64(kLineBytes - 1));
  Value begins = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, place,
                                               lowering.i64(0));
  lowering.inlineAsm(TypeRange(),
                     "@$1 applypriority.global.L2::evict_normal [$0], 128;",
                     "l,b", {address, both(lowering, isHeld, begins)});
}

Value tile::nvvm::loadOfLoop(KernelLowering &lowering, Value buffer,
                             Value pointer, Type type, unsigned bytes) {
  Streams &streams = lowering.streams;
  if (Value policy = streams.readOnce.lookup(buffer))
    return loadWithPolicy(lowering, pointer, type, bytes, policy,
                          /*isConstant=*/true);
  if (!streams.policy || !streams.arguments.contains(buffer))
    return LLVM::LoadOp::create(lowering.builder, type, pointer, bytes);
  Value loaded = loadWithPolicy(lowering, pointer, type, bytes, streams.policy,
                                /*isConstant=*/true);
  leaveLine(lowering, pointer, isNearEnd(lowering));
  return loaded;
}

LogicalResult tile::nvvm::leaveStream(KernelLowering &lowering, CopyOp copy,
                                      const FragmentLayout &loop) {
  auto &b = lowering.builder;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(copy->getBlock()->getTerminator());
  auto branch = scf::IfOp::create(b, isNearEnd(lowering));
  b.setInsertionPointToStart(branch.thenBlock());
  FailureOr<Endpoint> source =
      Endpoint::create(lowering, copy, copy.getSource(),
                       copy.getSourceOffsets(), copy.getSourceExtents(), loop);
  if (failed(source))
    return failure();
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  Value first = lowering.firstReplica(loop);
  int64_t count = runLength(
      loop, elementsIn(copy.getPlan()->getBytes(), source->elementType));
  for (int64_t reg = 0, e = loop.numRegisters(); reg < e; reg += count) {
    Value isHeld = both(lowering, first,
                        both(lowering, lowering.inBounds(loop, threadPart, reg),
                             source->inside(reg)));
    leaveLine(lowering, source->address(reg), isHeld);
  }
  return success();
}
