//===- ClusterReduce.cpp - fragments combined over a cluster --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tile.cluster_reduce`. All blocks hold a fragment in one layout, so register
// r of thread t meets register r of thread t: no thread needs what another
// thread of its own block holds, and the exchange is in the order of registers,
// free of bank conflicts. Each block writes its fragment to its own shared
// memory, combines one share of the registers of all blocks, in the order of
// ranks, and sends that to the last block. So every block reads as much as a
// fragment once, where the last block alone would read all of them.
//
// Two mbarriers a block count the warps of all blocks, one when fragments are
// written, one when shares have arrived; nobody passes the second while a peer
// may still read its memory, so that blocks may leave after it. Outside loops
// the slots of a ring are free by then and hold what is exchanged; otherwise a
// fragment that is larger than the shared memory left goes in pieces.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Conversion/Combination.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Rounds that are worth one more block on the multiprocessor, and blocks there
/// that are worth rounds.
static constexpr int64_t kMaxPieces = 4, kMaxRunning = 4;
/// Shared memory that every block takes besides its own.
static constexpr int64_t kReservedBytes = 1024;

/// The type that elements are exchanged and combined in.
static Type carrierOf(Type element) {
  MLIRContext *context = element.getContext();
  if (element.getIntOrFloatBitWidth() >= 32)
    return element;
  return isa<FloatType>(element) ? Type(Float32Type::get(context))
                                 : Type(IntegerType::get(context, 32));
}

static Value addressOf(KernelLowering &lowering, Value pointer) {
  return LLVM::PtrToIntOp::create(lowering.builder,
                                  lowering.builder.getI32Type(), pointer);
}

static void emit(KernelLowering &lowering, StringRef text,
                 StringRef constraints, ValueRange operands) {
  lowering.inlineAsm(TypeRange(), text, constraints.str() + ",~{memory}",
                     operands);
}

/// The same place in the shared memory of another block.
static Value mapToBlock(KernelLowering &lowering, Value address, Value rank) {
  return lowering
      .inlineAsm(lowering.builder.getI32Type(),
                 "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
                 {address, rank}, /*sideEffects=*/false)
      .getRes();
}

static Value mbarrierPointer(KernelLowering &lowering, int64_t number) {
  int64_t offset = lowering.arena.clusterBarriers + number * kMbarrierBytes;
  return LLVM::GEPOp::create(
      lowering.builder, lowering.sharedBase.getType(),
      lowering.builder.getI8Type(), lowering.sharedBase,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

static int64_t ringBytes(RingCreateOp ring) {
  int64_t bytes;
  ringBufferOffsets(ring, bytes);
  return bytes * ring.getRing().getType().getStages();
}

/// A ring that nobody uses from `op` on: what was copied into it was waited
/// for, read, and is not needed again. Null in a loop, whose next round would.
static RingCreateOp findIdleRing(ClusterReduceOp op, const SharedArena &arena) {
  Region *agent = op->getParentRegion();
  for (; !isa<WarpSpecializeOp, KernelOp>(agent->getParentOp());
       agent = agent->getParentRegion())
    if (isa<LoopLikeOpInterface>(agent->getParentOp()))
      return {};
  Operation *here = agent->front().findAncestorOpInBlock(*op);
  RingCreateOp result;
  int64_t most = 0;
  for (auto [owner, offset] : arena.offsets) {
    auto ring = dyn_cast<RingCreateOp>(owner);
    if (!ring || !ring.getRing().getType().usesMbarriers() ||
        ring.getPeers().value_or(1) > 1)
      continue;
    bool isIdle = llvm::all_of(ring->getUsers(), [&](Operation *user) {
      if (!agent->isAncestor(user->getParentRegion()))
        return isa<RingAcquireOp, RingCommitOp, RingDrainOp>(user);
      return agent->front().findAncestorOpInBlock(*user)->isBeforeInBlock(here);
    });
    if (int64_t bytes = ringBytes(ring); isIdle && bytes > most) {
      result = ring;
      most = bytes;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

LogicalResult tile::nvvm::createClusterBarriers(KernelLowering &lowering,
                                                KernelOp kernel) {
  ClusterReduceOp first;
  WalkResult walk = kernel.walk([&](ClusterReduceOp op) {
    if (!first)
      first = op;
    if (op.getBlocks() == first.getBlocks() &&
        op.getStride() == first.getStride() &&
        getAgentThreads(op) == getAgentThreads(first))
      return WalkResult::advance();
    op.emitOpError() << "expected all of a kernel to combine over the same "
                        "blocks and threads";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!first)
    return success();
  if (!lowering.target.hasClusters())
    return first.emitOpError()
           << "expected a target with clusters, got " << lowering.target.arch;
  auto &b = lowering.builder;
  Value elected = lowering.elected();
  auto branch = scf::IfOp::create(b, elected, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    int64_t arrivals = static_cast<int64_t>(first.getBlocks()) *
                       getAgentThreads(first) / kWarpSize;
    for (int64_t number : {0, 1})
      emit(lowering, "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r",
           {addressOf(lowering, mbarrierPointer(lowering, number)),
            lowering.i32(arrivals)});
    lowering.inlineAsm(TypeRange(), "fence.mbarrier_init.release.cluster;",
                       "~{memory}", ValueRange());
  }
  // While roles are still apart.
  kernel.walk([&](ClusterReduceOp op) {
    lowering.idleRings[op] = findIdleRing(op, lowering.arena);
  });
  // Published to the cluster. A role waits for the other blocks when it is
  // about to combine, beside the first loads, or at its end; where rings have
  // peers everybody waits here.
  lowering.clusterBarrierPends =
      first->getParentOfType<WarpSpecializeOp>() &&
      llvm::none_of(
          kernel.getBodyRegion().getOps<RingCreateOp>(),
          [](RingCreateOp ring) { return ring.getPeers().value_or(1) > 1; });
  if (lowering.clusterBarrierPends)
    lowering.inlineAsm(TypeRange(), "barrier.cluster.arrive.aligned;",
                       "~{memory}", ValueRange());
  else
    lowering.clusterBarrier();
  // Which phase the barriers are in: the same in all threads that reduce.
  lowering.clusterPhase = lowering.allocaArray(b.getI32Type(), 1);
  LLVM::StoreOp::create(b, lowering.i32(0), lowering.clusterPhase);
  return success();
}

void tile::nvvm::awaitCluster(KernelLowering &lowering) {
  if (lowering.clusterBarrierPends)
    lowering.inlineAsm(TypeRange(), "barrier.cluster.wait.aligned;",
                       "~{memory}", ValueRange());
}

namespace {
class ClusterReduction {
public:
  ClusterReduction(KernelLowering &lowering, ClusterReduceOp op,
                   const FragmentBuffer &fragment)
      : lowering(lowering), b(lowering.builder), op(op), fragment(fragment),
        element(cast<MemRefType>(op.getTarget().getType()).getElementType()),
        carrier(carrierOf(element)), blocks(op.getBlocks()),
        registers(fragment.layout.numRegisters()) {}

  LogicalResult run();

private:
  /// One access of a thread: `width` registers of `bytes` together.
  struct Shape {
    int64_t width, groups, perBlock, groupBytes;
  };
  Shape shapeOf(int64_t count);
  int64_t chooseChunk(int64_t available);
  int64_t choosePieces();
  void exchange(int64_t first, int64_t count);
  void meet(int64_t number);
  SmallVector<Value> load(Value address, int64_t offset, int64_t width,
                          bool isRemote);
  void store(Value address, int64_t offset, ArrayRef<Value> values,
             bool isRemote);
  int64_t bytes() { return carrier.getIntOrFloatBitWidth() / 8; }

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  ClusterReduceOp op;
  FragmentBuffer fragment;
  Type element, carrier;
  int64_t blocks, registers;
  SmallVector<Value> ranks; ///< of the blocks that meet, in their order
  Value base;               ///< of the memory that is exchanged
  Value digit;              ///< this block's place among them
};
} // namespace

/// How `count` registers are grouped: as wide as an access can be while every
/// block has a share. `groups` is rounded up to whole shares.
ClusterReduction::Shape ClusterReduction::shapeOf(int64_t count) {
  int64_t width = 1;
  while (width * 2 * bytes() <= 16 && count % (width * 2) == 0 &&
         count >= width * 2 * blocks)
    width *= 2;
  int64_t perBlock = llvm::divideCeil(count / width, blocks);
  return {width, perBlock * blocks, perBlock,
          width * bytes() * lowering.numThreads()};
}

/// The most registers that are exchanged at once in `available` bytes.
int64_t ClusterReduction::chooseChunk(int64_t available) {
  for (int64_t count = registers; count > 1; count = (count + 1) / 2) {
    Shape shape = shapeOf(count);
    if (shape.groups * shape.groupBytes <= available)
      return count;
  }
  return 1;
}

/// As many blocks are to run on a multiprocessor as without the exchange,
/// unless it would take many rounds.
int64_t ClusterReduction::choosePieces() {
  const TargetInfo &target = lowering.target;
  int64_t used = llvm::alignTo(lowering.arena.bytes, 16);
  int64_t limit = lowering.kernel.getPersistent().value_or(kMaxRunning);
  int64_t running =
      std::min<int64_t>(limit, target.sharedPerSm / (used + kReservedBytes));
  for (; running > 1; --running) {
    int64_t chunk =
        chooseChunk(target.sharedPerSm / running - kReservedBytes - used);
    if (llvm::divideCeil(registers, chunk) <= kMaxPieces)
      return chunk;
  }
  return chooseChunk(target.sharedPerBlock - used);
}

/// Every warp says so in all blocks, and waits until all warps have.
void ClusterReduction::meet(int64_t number) {
  Value barrier = addressOf(lowering, mbarrierPointer(lowering, number));
  NVVM::SyncWarpOp::create(b, lowering.i32(-1));
  Value lane = lowering.laneId();
  Value arrives = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, lane,
                                                lowering.i32(blocks));
  auto branch = scf::IfOp::create(b, arrives, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value stride = lowering.i32(op.getStride());
    Value rank = lowering.add(ranks.front(), lowering.mul(lane, stride));
    emit(lowering,
         "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [$0];", "r",
         mapToBlock(lowering, barrier, rank));
  }
  Value phase = LLVM::LoadOp::create(b, b.getI32Type(), lowering.clusterPhase);
  emit(lowering,
       "{ .reg .pred done; again: "
       "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [$0], "
       "$1; @!done bra again; }",
       "r,r", {barrier, phase});
}

/// `width` registers as words: memory is moved in 32 or 64 bits an element.
static std::string accessText(StringRef operation, StringRef space,
                              int64_t width, int64_t bits) {
  std::string text = operation.str() + space.str();
  if (width > 1)
    text += ".v" + std::to_string(width);
  return text + ".b" + std::to_string(bits);
}

static std::string registerList(int64_t first, int64_t width) {
  std::string text;
  for (int64_t i = 0; i < width; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return width > 1 ? "{" + text + "}" : text;
}

SmallVector<Value> ClusterReduction::load(Value address, int64_t offset,
                                          int64_t width, bool isRemote) {
  int64_t bits = bytes() * 8;
  Type word = b.getIntegerType(bits);
  std::string constraints;
  for (int64_t i = 0; i < width; ++i)
    constraints += bits == 64 ? "=l," : "=r,";
  std::string text =
      accessText("ld", isRemote ? ".shared::cluster" : ".shared::cta", width,
                 bits) +
      " " + registerList(0, width) + ", [$" + std::to_string(width) + "+" +
      std::to_string(offset) + "];";
  SmallVector<Type> types(width, word);
  Value loaded =
      lowering.inlineAsm(types, text, constraints + "r,~{memory}", address)
          .getRes();
  SmallVector<Value> values;
  for (int64_t i = 0; i < width; ++i) {
    Value value =
        width == 1 ? loaded : Value(LLVM::ExtractValueOp::create(b, loaded, i));
    values.push_back(isa<FloatType>(carrier)
                         ? Value(arith::BitcastOp::create(b, carrier, value))
                         : value);
  }
  return values;
}

void ClusterReduction::store(Value address, int64_t offset,
                             ArrayRef<Value> values, bool isRemote) {
  int64_t bits = bytes() * 8, width = values.size();
  SmallVector<Value> operands{address};
  std::string constraints = "r";
  for (Value value : values) {
    operands.push_back(
        isa<FloatType>(carrier)
            ? Value(arith::BitcastOp::create(b, b.getIntegerType(bits), value))
            : value);
    constraints += bits == 64 ? ",l" : ",r";
  }
  emit(lowering,
       accessText("st", isRemote ? ".shared::cluster" : ".shared::cta", width,
                  bits) +
           " [$0+" + std::to_string(offset) + "], " + registerList(1, width) +
           ";",
       constraints, operands);
}

/// Registers [first, first + count) of all blocks.
void ClusterReduction::exchange(int64_t first, int64_t count) {
  Shape shape = shapeOf(count);
  Value own = addressOf(lowering, base);
  own = lowering.add(
      own, lowering.mulConst(lowering.threadId(), shape.width * bytes()));
  for (int64_t i = 0; i < count; i += shape.width) {
    SmallVector<Value> values;
    for (int64_t r = i; r < i + shape.width; ++r)
      values.push_back(lowering.convertElement(
          lowering.loadRegister(fragment, element, first + r), carrier,
          op.getIsUnsigned()));
    store(own, i / shape.width * shape.groupBytes, values, /*isRemote=*/false);
  }
  meet(0);
  // This block's share of everybody's registers. Those beyond the fragment hold
  // what is there; nobody reads their sums.
  Value share = lowering.add(
      own, lowering.mulConst(digit, shape.perBlock * shape.groupBytes));
  SmallVector<Value> shares;
  for (Value rank : ranks)
    shares.push_back(mapToBlock(lowering, share, rank));
  for (int64_t group = 0; group < shape.perBlock; ++group) {
    SmallVector<SmallVector<Value>> parts;
    for (Value peer : shares)
      parts.push_back(load(peer, group * shape.groupBytes, shape.width,
                           /*isRemote=*/true));
    SmallVector<Value> sum = parts.front();
    for (ArrayRef<Value> part : ArrayRef(parts).drop_front())
      for (auto [total, value] : llvm::zip(sum, part))
        total = Combination(op).combine(b, b.getLoc(), total, value);
    store(shares.back(), group * shape.groupBytes, sum, /*isRemote=*/true);
  }
  meet(1);
  for (int64_t i = 0; i < count; i += shape.width)
    for (auto [r, value] :
         llvm::enumerate(load(own, i / shape.width * shape.groupBytes,
                              shape.width, /*isRemote=*/false)))
      lowering.storeRegister(
          fragment, element, first + i + int64_t(r),
          lowering.convertElement(value, element, op.getIsUnsigned()));
  Value phase = LLVM::LoadOp::create(b, b.getI32Type(), lowering.clusterPhase);
  LLVM::StoreOp::create(b,
                        b.createOrFold<arith::XOrIOp>(phase, lowering.i32(1)),
                        lowering.clusterPhase);
}

LogicalResult ClusterReduction::run() {
  Value rank = NVVM::ClusterId::create(b, b.getI32Type());
  Value stride = lowering.i32(op.getStride());
  digit = b.createOrFold<arith::RemUIOp>(
      b.createOrFold<arith::DivUIOp>(rank, stride), lowering.i32(blocks));
  Value first =
      b.createOrFold<arith::SubIOp>(rank, lowering.mul(digit, stride));
  for (int64_t i = 0; i < blocks; ++i)
    ranks.push_back(
        lowering.addConst(first, i * static_cast<int64_t>(op.getStride())));
  lowering.barrier(); // earlier users of the scratch are done
  int64_t chunk = choosePieces();
  auto idle = cast_or_null<RingCreateOp>(lowering.idleRings.lookup(op));
  if (idle && chooseChunk(ringBytes(idle)) >= chunk) {
    chunk = chooseChunk(ringBytes(idle));
    base = LLVM::GEPOp::create(b, lowering.sharedBase.getType(), b.getI8Type(),
                               lowering.sharedBase,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                                   lowering.arena.offsets.lookup(idle))});
  } else {
    idle = {};
    base = lowering.scratch(0);
    Shape shape = shapeOf(chunk);
    lowering.reserveScratch(shape.groups * shape.groupBytes);
  }
  for (int64_t start = 0; start < registers; start += chunk)
    exchange(start, std::min(chunk, registers - start));
  if (idle)
    lowering.barrier(); // what follows may lie in the ring's bytes
  return success();
}

static LogicalResult lowerClusterReduce(KernelLowering &lowering,
                                        Operation *op) {
  auto reduce = cast<ClusterReduceOp>(op);
  FailureOr<FragmentBuffer> fragment =
      lowering.fragment(reduce.getTarget(), op);
  if (failed(fragment))
    return failure();
  return ClusterReduction(lowering, reduce, *fragment).run();
}

void tile::nvvm::registerClusterLowerings(Registry &registry) {
  registry.add<ClusterReduceOp>(lowerClusterReduce);
}
