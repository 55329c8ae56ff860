//===- CostFacts.cpp - what a kernel's blocks do, by number ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over a kernel: every operation adds its work to the phase that it
// stands in (a pipelined loop, or the straight-line rest), as numbers for given
// sizes and as a formula for any. What a gemm costs is in GemmFacts.cpp, what
// later passes will make of copies and results in ExpectedPasses.cpp. What
// depends on the block, like the bounds of a causal loop, is taken for the
// block in the middle of the grid.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CostFacts.h"
#include "KernelReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Analysis/ClusterSharing.h"
#include "tile/Analysis/Occupancy.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Target/ManifestBuilder.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cost;

/// Shared tiles start at multiples of the 128-byte swizzle's period.
static constexpr int64_t kSharedAlignment = 1024;
static constexpr int64_t kBarrierBytes = 16; // full and empty, a slot
/// Where shared memory has no room for a piece of a tile, stores leave
/// registers directly, in sectors that are half used: about 8,500 cycles for
/// 128 x 256 elements of f16 (5 % of 8192^3; RESULTS.md, ablation).
static constexpr double kScatteredStores = 8, kScatteredWaits = 1;
/// Latencies that a store through shared memory waits for (350 cycles), and one
/// that a reduction across threads does.
static constexpr double kStoreWaits = 0.15, kReduceWaits = 0.15;
/// What adding up a byte of a split tile takes, in bytes loaded from L2: some
/// 113 cycles a kilobyte, however many blocks share the tile (alone it takes 86
/// to 125, measured on an H200 for tiles of 32 to 96 KB).
static constexpr double kExchange = 5.5;
/// The same of the parts that others send, where each block finishes a part:
/// some 99 cycles a kilobyte (alone 70 to 80).
static constexpr double kPartExchange = 4.8;
/// The same as kExchange of persistent blocks, to which no shared memory is
/// left for it: 300 to 900 cycles a kilobyte (measured on an H200 for tiles of
/// 40 to 192 KB).
static constexpr double kPersistentExchange = 25;
/// The same of sums that go through global memory, where blocks share tiles of
/// the last round (stream-K): written, and read by who comes last. Times of an
/// H200 scatter by 19 % around what is predicted with it.
static constexpr double kStreamExchange = 10;
/// Left between two tiles' products where a role stores the first during the
/// second (tile-delay-stores): a wait and the conversion, fitted to K of 1536.
static constexpr double kConversionCycles = 900;

static double bitsOf(Value buffer) { return storageBitsOf(buffer); }

FactsReader::FactsReader(const TargetInfo &target, const DeviceInfo &device)
    : target(target), device(device) {}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

std::optional<std::string> KernelReader::readGrid() {
  if (kernel.getGridRank() > 3)
    return "a grid of more than three dimensions";
  for (auto [d, expr] : llvm::enumerate(kernel.getGrid().getResults())) {
    std::optional<int64_t> extent = numbers.extent(expr);
    facts.grid[d] = std::max<int64_t>(0, extent.value_or(1));
    numbers.set(kernel.getBlockId(d),
                std::max<int64_t>(0, (facts.grid[d] - 1) / 2));
    runtime::Expr tiles = gridExprOf(kernel, expr);
    spec.tiles[d] = tiles;
    symbols.set(kernel.getBlockId(d),
                runtime::Expr::binary(runtime::Expr::Kind::Max, 0,
                                      floorDiv(tiles - 1, 2)));
    if (kernel.getCluster())
      facts.cluster[d] = (*kernel.getCluster())[d];
    // Clusters cover the grid; what overhangs works for nothing.
    facts.grid[d] =
        llvm::divideCeil(facts.grid[d], facts.cluster[d]) * facts.cluster[d];
  }
  facts.threads = static_cast<int64_t>(kernel.getThreads());
  facts.panel = static_cast<int64_t>(kernel.getPanel().value_or(0));
  facts.persistent = static_cast<int64_t>(kernel.getPersistent().value_or(0));
  facts.split = static_cast<int64_t>(kernel.getSplit().value_or(1));
  facts.streamK = static_cast<int64_t>(kernel.getStreamK().value_or(0));
  return std::nullopt;
}

/// Shared memory and registers of all tiles; whether roles are likely.
void KernelReader::readMemory() {
  llvm::SmallDenseMap<Value, int64_t> slots;
  bool isPipelined = false;
  kernel.getBodyRegion().walk([&](TileMoveOpInterface copy) {
    int64_t stages = stagesAround(copy).value_or(1);
    if (stages < 2 || !copy.isSharedLoad())
      return;
    slots[copy.getTarget()] = stages;
    isPipelined |= !copy.getDisableTma();
  });
  int64_t fragmentBits = 0, barriers = 0;
  kernel.getBodyRegion().walk([&](AllocOp alloc) {
    MemRefType type = typeOf(alloc.getResult());
    int64_t bits =
        type.getNumElements() * int64_t(getStorageBits(type.getElementType()));
    if (isFragment(alloc.getResult())) {
      // Rows and columns of a tile are held by several threads.
      fragmentBits += type.getRank() < 2 ? 4 * bits : bits;
    } else if (isShared(alloc.getResult())) {
      int64_t count = std::max<int64_t>(1, slots.lookup(alloc.getResult()));
      int64_t bytes = llvm::alignTo(bits / 8, kSharedAlignment) * count;
      facts.sharedBytes += bytes;
      if (slots.contains(alloc.getResult())) {
        slotBytes += bytes;
        barriers = std::max(barriers, count * kBarrierBytes);
      }
    }
  });
  facts.sharedBytes += barriers;
  facts.registers = llvm::divideCeil(fragmentBits, 32 * facts.threads);
  bool isAskedFor = kernel.getSpecialize().value_or(false);
  facts.hasRoles = isPipelined && target.hasTma() && mayGetRoles(kernel) &&
                   whyNoRoles(target, facts.threads, isAskedFor).empty() &&
                   (isAskedFor || !whyFasterAlone(kernel, block(), target));
  fragmentRegisters = facts.registers;
  if (facts.hasRoles)
    facts.threads += kProducerThreads;
}

/// What decideRoles will read from the program, before layouts are known.
BlockFacts KernelReader::block() {
  BlockFacts block;
  block.threads = facts.threads;
  block.bytes = facts.sharedBytes;
  block.demand.fragments = facts.registers;
  bool multiplies = false, isWgmma = true;
  kernel.getBodyRegion().walk([&](GemmOp gemm) {
    const FactsReader::GemmFacts &own = reader.gemm(gemm);
    multiplies = true;
    isWgmma &= own.widest > 0;
    block.widest = std::max(block.widest, own.widest);
    block.demand.gemms = std::max(block.demand.gemms, own.held);
    block.stages =
        std::min(block.stages, stagesAround(gemm).value_or(block.stages));
  });
  block.multipliesByWgmma = multiplies && isWgmma;
  block.most =
      blocksEach(facts.grid[0] * facts.grid[1] * facts.grid[2], device);
  return block;
}

double KernelReader::trips(Value lower, Value upper, Value step) {
  std::optional<int64_t> from = numbers.of(lower), to = numbers.of(upper),
                         by = numbers.of(step);
  if (!from || !to || !by || *by <= 0)
    return double(kDefaultTrips);
  return *to <= *from ? 0 : double(llvm::divideCeil(*to - *from, *by));
}

void KernelReader::addDependences(Value value, std::array<bool, 3> &varies,
                                  llvm::SmallDenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return;
  for (unsigned d = 0; d < kernel.getGridRank(); ++d)
    varies[d] |= value == kernel.getBlockId(d);
  Operation *op = value.getDefiningOp();
  if (getKernelOfArgument(value))
    return;
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  for (Value operand : op->getOperands())
    addDependences(operand, varies, seen);
}

/// The elements between the starts of rows of an argument.
static runtime::Expr pitchOf(BlockArgument argument) {
  auto type = cast<MemRefType>(argument.getType());
  unsigned index = argument.getArgNumber();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() < 2 || failed(type.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return runtime::Expr(0);
  unsigned last = type.getRank() - 1;
  if (!ShapedType::isDynamic(strides[last - 1]))
    return runtime::Expr(strides[last - 1]);
  return type.getLayout().isIdentity() ? runtime::Expr::dim(index, last)
                                       : runtime::Expr::stride(index, last - 1);
}

static runtime::Expr elementsOf(BlockArgument argument) {
  runtime::Expr elements(1);
  auto type = cast<MemRefType>(argument.getType());
  for (auto [d, extent] : llvm::enumerate(type.getShape()))
    elements = elements * (ShapedType::isDynamic(extent)
                               ? runtime::Expr::dim(argument.getArgNumber(), d)
                               : runtime::Expr(extent));
  return elements;
}

/// Bytes from row to row of an argument, as far as its sizes say; 0 where they
/// do not.
static int64_t pitchBytes(BlockArgument argument, ArrayRef<int64_t> sizes) {
  auto type = cast<MemRefType>(argument.getType());
  if (type.getRank() < 2 || !type.getLayout().isIdentity())
    return 0;
  return sizes.back() * static_cast<int64_t>(storageBitsOf(argument)) / 8;
}

/// A block's traffic with a buffer: offsets say which blocks share it.
void KernelReader::addStream(Value buffer, ValueRange offsets, double bytes,
                             double loaded, bool isStore, unsigned phase) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getArgNumber() >= sizes.size())
    return;
  Stream stream;
  Phase &where = facts.phases[phase];
  ArrayRef<int64_t> extents = sizes[argument.getArgNumber()];
  stream.footprint = elements(extents) * bitsOf(argument) / 8;
  double share = where.stages > 1 ? double(facts.split) : 1;
  stream.bytesPerTile =
      std::min(bytes * where.trips * where.runs * share, stream.footprint);
  stream.isStore = isStore;
  llvm::SmallDenseSet<Value> seen;
  for (Value offset : offsets)
    addDependences(offset, stream.varies, seen);
  stream.outside =
      runtime::outsideBytes(stream, bytes * where.trips * where.runs * share,
                            loaded * where.trips * where.runs, facts.grid);
  facts.streams.push_back(stream);
  runtime::LaunchFacts launch;
  launch.grid = facts.grid;
  launch.cluster = facts.cluster;
  launch.panel = facts.panel;
  launch.split = facts.split;
  launch.streamK = facts.streamK;
  if (loaded > 0)
    where.requests +=
        loaded * runtime::requestsBeside(pitchBytes(argument, extents),
                                         stream.varies, launch);

  runtime::CostStream any;
  any.loop = phase;
  any.bytes = bytes;
  any.loaded = loaded;
  any.elements = elementsOf(argument);
  any.pitch = loaded ? pitchOf(argument) : runtime::Expr(0);
  any.elementBytes = bitsOf(argument) / 8;
  any.varies = stream.varies;
  any.isStore = isStore;
  spec.streams.push_back(any);
}

/// What decides where the global side of a move lies.
static SmallVector<Value> placesOf(TileMoveOpInterface copy,
                                   OperandRange offsets) {
  if (copy.getAddressing() == MoveAddressing::Box)
    return llvm::to_vector(offsets);
  return llvm::to_vector(
      llvm::make_filter_range(copy->getOperands(), [](Value operand) {
        return operand.getType().isIndex();
      }));
}

void KernelReader::visitCopy(TileMoveOpInterface copy, double times,
                             unsigned phase, bool &hasLoad) {
  Value source = copy.getSource(), destination = copy.getTarget();
  double count = elements(copy.getTileShape());
  double from = count * bitsOf(source) / 8,
         to = count * bitsOf(destination) / 8;
  Work own;
  if (isGlobal(source)) {
    // Blocks of a cluster that copy the same load a part each.
    own.loaded = from / double(sharers(copy));
    if (!hasLoad && facts.phases[phase].stages <= 1)
      own.waits = 1;
    hasLoad = true;
    addStream(source, placesOf(copy, copy.getSourceOffsets()), from * times,
              own.loaded * times, false, phase);
  }
  if (isGlobal(destination)) {
    // Of a split tile a block stores its part alone.
    double each = to / double(finishers(source));
    own.stored = each;
    if (isFragment(source) && leavesLater(copy, phase)) {
      own.stored = 0;
      own.threadCycles = kConversionCycles;
    } else if (isFragment(source) && passesShared(copy)) {
      own.sharedRead = own.sharedWritten = each;
      own.waits = kStoreWaits;
    } else if (isFragment(source)) {
      own.stored *= kScatteredStores;
      own.waits = kScatteredWaits;
    }
    addStream(destination, placesOf(copy, copy.getTargetOffsets()), to * times,
              /*loaded=*/0, true, phase);
  }
  if (isShared(source) && !isGlobal(destination))
    own.sharedRead += from;
  if (isShared(destination))
    own.sharedWritten += to;
  work(phase) += own * times;
}

/// What a thread does for one element: arithmetic, special functions.
void KernelReader::visitParallel(ParallelOp loop, double times,
                                 unsigned phase) {
  double count = elements(loop.getExtents()) * times;
  Work own;
  loop.getBodyRegion().walk([&](Operation *op) {
    if (isa<math::MathDialect>(op->getDialect()))
      own.threadCycles += 1 / rates.specialFunctions;
    else if (isa<arith::ArithDialect>(op->getDialect()) &&
             op->getNumResults() == 1 &&
             isa<FloatType>(op->getResult(0).getType()) &&
             !op->hasTrait<OpTrait::ConstantLike>())
      own.threadCycles += 1 / rates.multiplyAdds;
    Value buffer;
    ValueRange indices;
    bool isStore = false;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      buffer = load.getMemRef();
      indices = load.getIndices();
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      buffer = store.getMemRef();
      indices = store.getIndices();
      isStore = true;
    }
    if (!buffer)
      return;
    double bytes = bitsOf(buffer) / 8;
    if (isGlobal(buffer)) {
      (isStore ? own.stored : own.loaded) += bytes;
      // Elements one by one: in whole sectors, wherever rows start.
      addStream(buffer, indices, bytes * count, /*loaded=*/0, isStore, phase);
    } else if (isShared(buffer)) {
      (isStore ? own.sharedWritten : own.sharedRead) += bytes;
    }
  });
  work(phase) += own * count;
}

void KernelReader::visitPipelined(PipelinedOp loop, double times,
                                  unsigned phase) {
  Phase own;
  own.stages = static_cast<int64_t>(loop.getStages());
  own.trips = trips(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  own.trips = std::ceil(own.trips / double(facts.split));
  runtime::CostLoop any;
  any.stages = own.stages;
  any.trips = runtime::Expr(static_cast<int64_t>(own.trips));
  any.times = times;
  any.parent = phase;
  if (auto expr = symbols.trips(loop.getLowerBound(), loop.getUpperBound(),
                                loop.getStep()))
    any.trips = facts.split > 1 ? ceilDiv(*expr, facts.split) : *expr;
  spec.loops.push_back(any);
  own.runs = facts.phases[phase].runs * facts.phases[phase].trips * times;
  if (auto from = numbers.of(loop.getLowerBound()))
    if (auto by = numbers.of(loop.getStep()))
      numbers.set(loop.getInductionVariable(),
                  *from + int64_t(own.trips / 2) * *by);
  facts.phases.push_back(own);
  visit(loop.getBodyRegion().front(), 1, facts.phases.size() - 1);
}

void KernelReader::visitOp(Operation *op, double times, unsigned phase,
                           bool &hasLoad) {
  if (auto loop = dyn_cast<PipelinedOp>(op))
    return visitPipelined(loop, times, phase);
  if (auto loop = dyn_cast<ParallelOp>(op))
    return visitParallel(loop, times, phase);
  if (auto copy = dyn_cast<TileMoveOpInterface>(op);
      copy && !copy.getCombining() && !isPrefetch(copy))
    return visitCopy(copy, times, phase, hasLoad);
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    const FactsReader::GemmFacts &facts = reader.gemm(gemm);
    if (!facts.refused.empty() && refused.empty())
      refused = facts.refused;
    work(phase) += facts.work * times;
    gemmRegisters = std::max(gemmRegisters, facts.registers);
    bool isShared = this->facts.split > 1 || this->facts.streamK;
    if (isShared && exchanged.insert(gemm.getC()).second) {
      double split = double(this->facts.split);
      double each = this->facts.streamK      ? kStreamExchange
                    : this->facts.persistent ? kPersistentExchange
                    : finishers(gemm.getC()) == 1
                        ? kExchange
                        : kPartExchange * (split - 1) / split;
      work(0).loaded += each * bitsOf(gemm.getC()) / 8 *
                        double(typeOf(gemm.getC()).getNumElements());
    }
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    double count =
        trips(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
    auto from = numbers.of(loop.getLowerBound()),
         by = numbers.of(loop.getStep());
    if (from && by)
      numbers.set(loop.getInductionVar(), *from + int64_t(count / 2) * *by);
    return visit(*loop.getBody(), times * count, phase);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::optional<int64_t> taken = numbers.of(branch.getCondition());
    for (Region &region : op->getRegions()) {
      bool isThen = region.getRegionNumber() == 0;
      double part = !taken ? 0.5 : (*taken != 0) == isThen ? 1 : 0;
      if (!region.empty() && part > 0)
        visit(region.front(), times * part, phase);
    }
    return;
  }
  if (isa<TileOpInterface>(op)) {
    // Other operations on tiles go over their elements once.
    SmallVector<TileAccess> accesses;
    cast<TileOpInterface>(op).getAccesses(accesses);
    double most = 0;
    for (const TileAccess &access : accesses)
      if (typeOf(access.buffer).hasStaticShape())
        most = std::max(most, double(typeOf(access.buffer).getNumElements()));
    Work own;
    own.threadCycles = most / rates.multiplyAdds;
    own.waits = combinesRows(op) ? kReduceWaits : 0;
    work(phase) += own * times;
    return;
  }
  double count = isa<LoopLikeOpInterface>(op) ? double(kDefaultTrips) : 1;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      visit(block, times * count, phase);
}

void KernelReader::visit(Block &block, double times, unsigned phase) {
  bool hasLoad = false;
  for (Operation &op : block)
    visitOp(&op, times, phase, hasLoad);
}

std::optional<std::string> KernelReader::read() {
  if (auto why = readGrid())
    return why;
  readMemory();
  facts.phases.assign(1, Phase());
  spec.loops.emplace_back();
  visit(kernel.getBodyRegion().front(), 1, 0);
  facts.registers += gemmRegisters;
  return refused.empty() ? std::nullopt : std::optional(refused);
}

runtime::CostSpec KernelReader::takeSpec() {
  if (spec.loops.size() > runtime::kMaxCostLoops ||
      spec.streams.size() > runtime::kMaxCostStreams)
    return {};
  for (auto [loop, phase] : llvm::zip_equal(spec.loops, facts.phases))
    loop.work = phase.work;
  return std::move(spec);
}

std::optional<std::string> FactsReader::read(KernelOp kernel,
                                             const ProblemSizes &sizes,
                                             KernelFacts &facts,
                                             runtime::CostSpec *spec) {
  KernelReader reader(*this, target, device, kernel, sizes, facts);
  std::optional<std::string> why = reader.read();
  if (spec)
    *spec = reader.takeSpec();
  return why;
}
