//===- KeepRows.cpp - rows that are read more than once stay on chip ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. A row that is longer than registers hold is walked piece
// by piece, and often more than once: for its maximum and its sum, then for its
// results. Each walk reads it from global memory. The rows of all blocks that
// run at a time exceed the caches, so a row is fetched as often as it is
// walked. Where shared memory has room, one copy brings the whole row there in
// front of the first walk, and every walk reads it there. All of the copy is
// under way at once, where a walk waits for its pieces one after the other.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_KEEPROWSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Rows of fewer bytes are still in the caches when they are read again.
/// Measured on an H100: RMSNorm of rows of 16 KB that walks them twice runs at
/// the speed of one that keeps them in registers, of rows of 32 KB at 0.9 of it
/// (docs/Rationale/SharedMemory.md).
static constexpr int64_t kSmallestBytes = 32 * 1024;
/// Left for what is decided later: scratch of reductions, mbarriers, tiles that
/// stores go through.
static constexpr int64_t kOtherBytes = 8 * 1024;

/// The most bytes that a thread copies at once: code is written out for each of
/// its pieces.
static constexpr int64_t kBytesOfThread = 512;

namespace {
/// A loop that copies a row into a fragment, a piece in each iteration.
struct Walk {
  scf::ForOp loop;
  CopyOp copy;
  unsigned dim;       // of the source, along which the pieces follow
  int64_t end, piece; // elements of a row, of a piece
};

struct KeepRowsPass : tile::impl::KeepRowsPassBase<KeepRowsPass> {
  using KeepRowsPassBase::KeepRowsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    if (getOperation().getOps<KernelOp>().empty())
      return;
    target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      keepRows(kernel);
  }

private:
  void keepRows(KernelOp kernel);
  void keep(ArrayRef<Walk> walks, int64_t freeBytes);

  const TargetInfo *target = nullptr;
};
} // namespace

/// Moves what computes `value` in front of the loop; false where it depends on
/// the iteration.
static bool hoist(Value value, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !isPure(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return hoist(operand, loop); }))
    return false;
  loop.moveOutOfLoop(op);
  return true;
}

/// Whether both values are computed alike from the same values.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return x && y && isPure(x) &&
         OperationEquivalence::isEquivalentTo(
             x, y,
             [](Value one, Value other) { return success(isSame(one, other)); },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Elements by which `offset` moves on in each iteration of a loop from zero,
/// where it begins: `%n` or `%n * piece`.
static std::optional<int64_t> strideOf(Value offset, scf::ForOp loop) {
  auto step = getConstantIntValue(loop.getStep());
  if (!step || offset == loop.getInductionVar())
    return step;
  auto product = offset.getDefiningOp<arith::MulIOp>();
  if (!product)
    return std::nullopt;
  for (auto [factor, other] : {std::pair(product.getLhs(), product.getRhs()),
                               std::pair(product.getRhs(), product.getLhs())})
    if (factor == loop.getInductionVar())
      if (auto number = getConstantIntValue(other))
        return *number * *step;
  return std::nullopt;
}

/// The walk that `copy` makes in the loop around it; nullopt where it makes
/// none that starts at zero and takes whole pieces in turn.
static std::optional<Walk> walkOf(CopyOp copy) {
  auto loop = dyn_cast<scf::ForOp>(copy->getParentOp());
  if (!loop || !isGlobal(copy.getSource()) || !isFragment(copy.getTarget()) ||
      !copy.getTargetOffsets().empty() || copy.isAsync() || copy.getPrefer() ||
      copy.getLayoutAttr() || copy.getPlanAttr())
    return std::nullopt;
  auto start = getConstantIntValue(loop.getLowerBound()),
       end = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (start != 0 || !end || !step || *end <= *step || *step <= 0)
    return std::nullopt;
  SmallVector<int64_t> extents = copy.getSourceExtents();
  std::optional<Walk> walk;
  for (auto [dim, offset] : llvm::enumerate(copy.getSourceOffsets())) {
    if (hoist(offset, loop))
      continue;
    int64_t piece = extents[dim];
    if (walk || strideOf(offset, loop) != piece)
      return std::nullopt;
    bool countsElements = offset == loop.getInductionVar();
    walk =
        Walk{loop, copy, unsigned(dim),
             countsElements ? *end : (*end + *step - 1) / *step * piece, piece};
  }
  return walk;
}

/// Whether both walk the same rows, in pieces of one size. Loops may stand in
/// one block only: the first dominates the others.
static bool walksSameRows(Walk a, Walk b) {
  if (a.loop == b.loop || a.loop->getBlock() != b.loop->getBlock() ||
      a.copy.getSource() != b.copy.getSource() || a.dim != b.dim ||
      a.end != b.end || a.piece != b.piece ||
      a.copy.getSourceExtents() != b.copy.getSourceExtents())
    return false;
  for (auto [dim, offsets] : llvm::enumerate(llvm::zip_equal(
           a.copy.getSourceOffsets(), b.copy.getSourceOffsets())))
    if (dim != a.dim && !isSame(std::get<0>(offsets), std::get<1>(offsets)))
      return false;
  return true;
}

/// Whether `offset` is a block index of which the grid has as many as the
/// buffer has elements along `dim`.
static bool isBlockOfEach(Value offset, Value buffer, unsigned dim) {
  auto block = dyn_cast<BlockArgument>(offset);
  auto argument = dyn_cast<BlockArgument>(buffer);
  KernelOp kernel = block ? getKernelOfArgument(block) : KernelOp();
  if (!kernel || !argument || kernel.getClusterAttr() ||
      getKernelOfArgument(argument) != kernel ||
      block.getArgNumber() < kernel.getNumKernelArguments())
    return false;
  unsigned position = block.getArgNumber() - kernel.getNumKernelArguments();
  if (position >= kernel.getGridRank())
    return false;
  auto extent =
      dyn_cast<AffineSymbolExpr>(kernel.getGrid().getResult(position));
  ArrayRef<int64_t> operands = kernel.getGridOperands();
  return extent &&
         operands[2 * extent.getPosition()] ==
             int64_t(argument.getArgNumber()) &&
         operands[2 * extent.getPosition() + 1] == int64_t(dim);
}

/// Whether the pieces may reach beyond the source.
static bool mayOverhang(Walk walk) {
  auto type = cast<MemRefType>(walk.copy.getSource().getType());
  SmallVector<int64_t> extents = walk.copy.getSourceExtents();
  for (auto [dim, offset] : llvm::enumerate(walk.copy.getSourceOffsets())) {
    if (dim == walk.dim) {
      if (type.isDynamicDim(dim) || walk.end % walk.piece ||
          walk.end > type.getDimSize(dim))
        return true;
    } else if (extents[dim] != 1 ||
               !isBlockOfEach(offset, walk.copy.getSource(), dim)) {
      return true;
    }
  }
  return false;
}

/// The pad as an attribute of the source's element type; null where there is
/// none, failure where it is no constant that the type has.
static FailureOr<TypedAttr> padOf(Walk walk) {
  Value pad = walk.copy.getPad();
  if (!pad)
    return TypedAttr();
  Type element =
      cast<MemRefType>(walk.copy.getSource().getType()).getElementType();
  FloatAttr number;
  IntegerAttr integer;
  if (matchPattern(pad, m_Constant(&integer)) && integer.getType() == element)
    return TypedAttr(integer);
  auto type = dyn_cast<FloatType>(element);
  if (!type || !matchPattern(pad, m_Constant(&number)))
    return failure();
  APFloat value = number.getValue();
  bool losesInfo = false;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  if (losesInfo)
    return failure();
  return TypedAttr(FloatAttr::get(type, value));
}

/// Bytes of shared memory that the kernel's own tiles take.
static int64_t bytesOfTiles(KernelOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](AllocOp alloc) {
    if (!isShared(alloc.getResult()))
      return;
    auto type = cast<MemRefType>(alloc.getResult().getType());
    bytes += llvm::divideCeil(
        type.getNumElements() * getStorageBits(type.getElementType()), 8);
  });
  return bytes;
}

void KeepRowsPass::keepRows(KernelOp kernel) {
  // Loops that are pipelined have a use for shared memory of their own.
  bool isPipelined =
      kernel.walk([](PipelinedOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (isPipelined)
    return;
  SmallVector<SmallVector<Walk>> groups;
  kernel.walk([&](CopyOp copy) {
    std::optional<Walk> walk = walkOf(copy);
    if (!walk || mayWrite(kernel, copy.getSource()))
      return;
    for (SmallVector<Walk> &group : groups)
      if (walksSameRows(group.front(), *walk)) {
        group.push_back(*walk);
        return;
      }
    groups.push_back({*walk});
  });
  for (ArrayRef<Walk> group : groups)
    if (group.size() > 1)
      keep(group, target->sharedPerBlock - kOtherBytes - bytesOfTiles(kernel));
}

void KeepRowsPass::keep(ArrayRef<Walk> walks, int64_t freeBytes) {
  Walk first = walks.front();
  CopyOp copy = first.copy;
  Type element = cast<MemRefType>(copy.getSource().getType()).getElementType();
  SmallVector<int64_t> extents = copy.getSourceExtents();
  extents[first.dim] = llvm::alignTo(first.end, first.piece);
  int64_t bytes = getStorageBits(element) / 8;
  for (int64_t extent : extents)
    bytes *= extent;
  if (bytes < kSmallestBytes)
    return;
  auto refuse = [&](const Twine &why, const Twine &advice) {
    missedAt(remarks, copy, "read from global memory in each walk", why,
             advice);
  };
  if (bytes > freeBytes)
    return refuse("its rows take " + Twine(bytes) +
                      " bytes of shared memory, " +
                      Twine(std::max<int64_t>(freeBytes, 0)) + " are left",
                  "fewer rows a block, or rows divided among blocks, fit");

  int64_t threads = getAgentThreads(copy);
  if (bytes > threads * kBytesOfThread)
    return refuse("its rows take " + Twine(bytes / threads) +
                      " bytes of a thread, more than " + Twine(kBytesOfThread),
                  "more `threads(...)` bring them at once");

  // What lies outside is one value in shared memory.
  TypedAttr pad;
  if (llvm::any_of(walks, mayOverhang)) {
    FailureOr<TypedAttr> own = padOf(first);
    for (Walk walk : walks) {
      FailureOr<TypedAttr> other = padOf(walk);
      if (failed(own) || failed(other) || *own != *other)
        return refuse("its walks may reach beyond the buffer and pad "
                      "differently, or by what its elements cannot be",
                      "the same constant `pad` in all walks serves");
    }
    pad = *own;
  }

  OpBuilder b(first.loop);
  Location loc = copy.getLoc();
  auto type = MemRefType::get(
      extents, element, MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(&getContext(),
                                 gpu::GPUDialect::getWorkgroupAddressSpace()));
  Value kept = AllocOp::create(b, loc, type, Attribute());
  SmallVector<Value> offsets(copy.getSourceOffsets());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  offsets[first.dim] = zero;
  Value outside;
  if (pad)
    outside = arith::ConstantOp::create(b, loc, pad);
  auto fill = CopyOp::create(b, loc, copy.getSource(), offsets, kept,
                             ValueRange(), extents);
  fill.setEvictionPolicyAttr(copy.getEvictionPolicyAttr());
  if (outside)
    fill.getPadMutable().assign(outside);
  remarkAt(remarks, copy) << "rows stay in shared memory: " << bytes
                          << " bytes that " << walks.size()
                          << " walks read, and global memory is read once";
  for (Walk walk : walks) {
    OpBuilder at(walk.copy);
    SmallVector<Value> from(extents.size(), zero);
    from[walk.dim] = walk.copy.getSourceOffsets()[walk.dim];
    CopyOp::create(at, walk.copy.getLoc(), kept, from, walk.copy.getTarget(),
                   ValueRange(), walk.copy.getSourceExtents());
    walk.copy.erase();
    ++keptWalks;
  }
  ++keptRows;
}
