//===- ShareResults.cpp - each block finishes a part of a split tile ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after layouts are inferred, before stores are staged. Blocks that share
// a tile's loop (`split`) combine what they have, and the last of them finishes
// the tile, while the others are done. Here each gets a part of the sums, for
// half of the traffic between two blocks, and stores that part. Threads hold
// the same elements of each part, so that a part is a fragment whose layout has
// fewer registers; docs/Rationale/SplitReduction.md says what that is worth.
//
// What follows the loop has to be what the last block does, and the same in all
// blocks (tile/Analysis/SplitRest.h). It is taken as it is where each operation
// works on the elements of a tile one by one: moves to and from global memory,
// fills, loops over elements; and where no block touches what another one
// writes. Anything else leaves the tile to the last block.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "Staging.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/SplitRest.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SHARERESULTSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct ShareResultsPass : tile::impl::ShareResultsPassBase<ShareResultsPass> {
  using ShareResultsPassBase::ShareResultsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Layouts})))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      share(kernel);
  }

private:
  void share(KernelOp kernel);
};

/// What one kernel's blocks do behind the loop that they share, and how it is
/// divided along a dimension of the tile.
class SharedRest {
public:
  /// `others`: what has to hold for `rest` besides that the block is the last.
  SharedRest(SmallVector<ClusterReduceOp> reduces, scf::IfOp rest,
             SmallVector<Value> others)
      : reduces(std::move(reduces)), rest(rest), others(std::move(others)),
        blocks(static_cast<int64_t>(this->reduces.front().getBlocks())) {}

  /// Whether all of it can be divided along `dim` of the tile; `why` says what
  /// cannot.
  bool divides(unsigned dim, std::string &why);
  /// Divides it. `divides` was true.
  void divide(unsigned dim);

private:
  bool findDims(Block &block, std::string &why, bool &changed);
  bool checkUses(std::string &why);
  bool checkPlaces(std::string &why);
  bool checkLayouts(std::string &why);
  bool join(Value fragment, unsigned dim, std::string &why, bool &changed);
  bool findDimsOf(ParallelOp loop, std::string &why, bool &changed);
  bool findDimsOf(TileMoveOpInterface move, std::string &why, bool &changed);

  FragmentLayoutAttr partLayout(FragmentLayoutAttr whole, unsigned dim);
  Value partOf(OpBuilder &builder, Value fragment);
  void clone(OpBuilder &builder, Block &block);
  void cloneLoop(OpBuilder &builder, ParallelOp loop);
  void cloneMove(OpBuilder &builder, TileMoveOpInterface move);

  SmallVector<ClusterReduceOp> reduces;
  scf::IfOp rest;
  SmallVector<Value> others;
  int64_t blocks;
  /// The dimension along which a fragment, or a loop, is divided.
  llvm::MapVector<Value, unsigned> dims;
  llvm::DenseMap<Operation *, unsigned> loopDims;

  Value part; ///< which one is finished
  IRMapping mapping;
};
} // namespace

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

//===----------------------------------------------------------------------===//
// What can be divided
//===----------------------------------------------------------------------===//

/// `fragment` is divided along `dim`.
bool SharedRest::join(Value fragment, unsigned dim, std::string &why,
                      bool &changed) {
  auto [it, isNew] = dims.insert({fragment, dim});
  changed |= isNew;
  if (it->second == dim)
    return true;
  why = "a fragment is divided along two dimensions";
  return false;
}

/// The place of `iv` among the indices of an access; none where it is not one.
static std::optional<unsigned> placeOf(ValueRange indices, Value iv) {
  for (auto [dim, index] : llvm::enumerate(indices))
    if (index == iv)
      return dim;
  return std::nullopt;
}

/// A loop over elements and the fragments that it accesses are divided
/// together.
bool SharedRest::findDimsOf(ParallelOp loop, std::string &why, bool &changed) {
  struct Access {
    Value fragment;
    SmallVector<Value> indices;
    bool isWrite;
  };
  SmallVector<Access> accesses;
  loop.getBodyRegion().walk([&](Operation *op) {
    auto [buffer, indices] = elementOf(op);
    if (buffer && isFragment(buffer))
      accesses.push_back(
          {buffer, llvm::to_vector(indices), isa<memref::StoreOp>(op)});
  });
  if (!loop.getLayout()) {
    why = "a loop over elements has no layout";
    return false;
  }
  Block &body = loop.getBodyRegion().front();
  for (const Access &access : accesses) {
    auto known = dims.find(access.fragment);
    if (known == dims.end())
      continue;
    auto iv = dyn_cast<BlockArgument>(access.indices[known->second]);
    if (!iv || iv.getOwner() != &body) {
      why = "a loop does not go over the elements of a tile in their places";
      return false;
    }
    auto [it, isNew] = loopDims.try_emplace(loop, iv.getArgNumber());
    changed |= isNew;
    if (it->second != iv.getArgNumber()) {
      why = "a loop is divided along two dimensions";
      return false;
    }
  }
  auto divided = loopDims.find(loop);
  if (divided == loopDims.end())
    return true;
  Value iv = body.getArgument(divided->second);
  for (const Access &access : accesses) {
    bool uses = llvm::any_of(access.indices, [&](Value index) {
      return index == iv || !isa<BlockArgument>(index);
    });
    if (std::optional<unsigned> at = placeOf(access.indices, iv)) {
      if (!join(access.fragment, *at, why, changed))
        return false;
    } else if (uses) {
      why = "a loop does not go over the elements of a tile in their places";
      return false;
    } else if (access.isWrite) {
      // One of the iterations, and so one of the blocks, would write it.
      why = "a loop writes what is the same for all parts of the tile";
      return false;
    }
  }
  return true;
}

/// Two fragments of which one moves into the other are divided together.
bool SharedRest::findDimsOf(TileMoveOpInterface move, std::string &why,
                            bool &changed) {
  Value source = move.getSource(), target = move.getTarget();
  if (!isFragment(source) || !isFragment(target))
    return true;
  if (auto known = dims.find(source); known != dims.end())
    return join(target, known->second, why, changed);
  if (auto known = dims.find(target); known != dims.end())
    return join(source, known->second, why, changed);
  return true;
}

bool SharedRest::findDims(Block &block, std::string &why, bool &changed) {
  for (Operation &op : block) {
    why = whyNotByElements(&op);
    if (!why.empty())
      return false;
    bool isFine = true;
    if (auto loop = dyn_cast<ParallelOp>(op))
      isFine = findDimsOf(loop, why, changed);
    else if (auto move = dyn_cast<TileMoveOpInterface>(op))
      isFine = findDimsOf(move, why, changed);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      isFine =
          findDims(*branch.thenBlock(), why, changed) &&
          (!branch.elseBlock() || findDims(*branch.elseBlock(), why, changed));
    if (!isFine)
      return false;
  }
  return true;
}

/// Nobody else uses what is divided, and what is not divided is not written to
/// global memory by all blocks.
bool SharedRest::checkUses(std::string &why) {
  auto isReduced = [&](Value fragment) {
    return llvm::any_of(reduces, [&](ClusterReduceOp reduce) {
      return reduce.getTarget() == fragment;
    });
  };
  Block *block = rest->getBlock();
  for (auto [fragment, dim] : dims)
    for (Operation *user : fragment.getUsers()) {
      if (rest->isProperAncestor(user))
        continue;
      Operation *there = block->findAncestorOpInBlock(*user);
      if (!isReduced(fragment) || !there || !there->isBeforeInBlock(rest)) {
        why = "what follows uses a fragment of the tile elsewhere, too";
        return false;
      }
    }
  bool isFine = true;
  rest->walk([&](Operation *op) {
    if (auto loop = dyn_cast<ParallelOp>(op)) {
      isFine &= loopDims.contains(loop);
    } else if (auto move = dyn_cast<TileMoveOpInterface>(op)) {
      if (isGlobal(move.getTarget()))
        isFine &= dims.contains(move.getSource());
    }
  });
  if (!isFine)
    why = "part of it is the same for all of the tile";
  return isFine;
}

/// Blocks finish their parts at the same time: what one of them writes to
/// global memory none of the others may read or write. It is one block's where
/// all accesses of a buffer name the same places, and are divided alike.
bool SharedRest::checkPlaces(std::string &why) {
  struct Place {
    Value buffer;
    SmallVector<Value> at;
    SmallVector<int64_t> extents;
    std::optional<unsigned> dim;
    bool isWrite;

    bool isAlike(const Place &other) const {
      return at == other.at && extents == other.extents && dim == other.dim;
    }
  };
  SmallVector<Place> places;
  auto add = [&](Value buffer, ValueRange at, ArrayRef<int64_t> extents,
                 std::optional<unsigned> dim, bool isWrite) {
    if (isGlobal(buffer))
      places.push_back({getBaseBuffer(buffer), llvm::to_vector(at),
                        llvm::to_vector(extents), dim, isWrite});
  };
  rest->walk([&](Operation *op) {
    if (auto [buffer, indices] = elementOf(op); buffer) {
      add(buffer, indices, {}, std::nullopt, isa<memref::StoreOp>(op));
    } else if (auto move = dyn_cast<TileMoveOpInterface>(op)) {
      Value source = move.getSource(), target = move.getTarget();
      std::optional<unsigned> dim;
      auto known = dims.find(isFragment(source) ? source : target);
      if (known != dims.end())
        dim = known->second;
      add(source, move.getSourceOffsets(), move.getSourceExtents(), dim,
          /*isWrite=*/false);
      add(target, move.getTargetOffsets(), move.getTargetExtents(), dim,
          /*isWrite=*/true);
    }
  });
  for (const Place &written : places)
    for (const Place &other : places)
      if (written.isWrite && written.buffer == other.buffer &&
          !written.isAlike(other)) {
        why = "it accesses global memory at other places than it writes";
        return false;
      }
  return true;
}

FragmentLayoutAttr SharedRest::partLayout(FragmentLayoutAttr whole,
                                          unsigned dim) {
  if (!whole || dim >= whole.getLayout().rank() ||
      whole.getLayout().shape()[dim] % blocks)
    return {};
  auto layout = restrictDim(whole.getLayout(), dim,
                            whole.getLayout().shape()[dim] / blocks);
  return layout ? FragmentLayoutAttr::get(rest.getContext(), *layout)
                : FragmentLayoutAttr();
}

bool SharedRest::checkLayouts(std::string &why) {
  bool isFine = llvm::all_of(dims, [&](const auto &each) {
    return partLayout(getFragmentLayout(each.first), each.second) != nullptr;
  });
  rest->walk([&](Operation *op) {
    if (auto loop = dyn_cast<ParallelOp>(op)) {
      isFine &= partLayout(*loop.getLayout(), loopDims.lookup(loop)) != nullptr;
    } else if (auto move = dyn_cast<TileMoveOpInterface>(op)) {
      Value fragment =
          isFragment(move.getSource()) ? move.getSource() : move.getTarget();
      auto known = dims.find(fragment);
      if (known != dims.end())
        isFine &= partLayout(move.getLayoutAttr(), known->second) != nullptr;
    } else if (auto fill = dyn_cast<FillOp>(op)) {
      auto known = dims.find(fill.getTarget());
      if (known != dims.end())
        isFine &= partLayout(fill.getLayoutAttr(), known->second) != nullptr;
    }
  });
  if (!isFine)
    why = "threads do not hold equal shares of " + std::to_string(blocks) +
          " parts";
  return isFine;
}

bool SharedRest::divides(unsigned dim, std::string &why) {
  dims.clear();
  loopDims.clear();
  for (ClusterReduceOp reduce : reduces)
    dims[reduce.getTarget()] = dim;
  for (bool changed = true; changed;) {
    changed = false;
    if (!findDims(*rest.thenBlock(), why, changed))
      return false;
  }
  return checkUses(why) && checkPlaces(why) && checkLayouts(why);
}

//===----------------------------------------------------------------------===//
// Dividing it
//===----------------------------------------------------------------------===//

/// The part of a divided fragment; any other value as it is mapped.
Value SharedRest::partOf(OpBuilder &builder, Value fragment) {
  auto known = dims.find(fragment);
  if (known == dims.end() || mapping.contains(fragment))
    return mapping.lookupOrDefault(fragment);
  unsigned dim = known->second;
  MemRefType type = typeOf(fragment);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= blocks;
  auto partType = MemRefType::get(shape, type.getElementType(),
                                  type.getLayout(), type.getMemorySpace());
  OpBuilder::InsertionGuard guard(builder);
  // Also where it is first used in a branch, all of the part's loop sees it.
  builder.setInsertionPointToStart(
      cast<scf::ForOp>(part.getParentBlock()->getParentOp()).getBody());
  Value own =
      AllocOp::create(builder, fragment.getLoc(), partType,
                      Attribute(partLayout(getFragmentLayout(fragment), dim)));
  mapping.map(fragment, own);
  return own;
}

/// Element `extent` · part further along.
static Value alongPart(OpBuilder &builder, Location loc, Value index,
                       Value part, int64_t extent) {
  Value distance = builder.createOrFold<arith::MulIOp>(
      loc, part, arith::ConstantIndexOp::create(builder, loc, extent));
  return builder.createOrFold<arith::AddIOp>(loc, index, distance);
}

void SharedRest::cloneLoop(OpBuilder &builder, ParallelOp loop) {
  unsigned dim = loopDims.lookup(loop);
  Location loc = loop.getLoc();
  SmallVector<int64_t> extents(loop.getExtents());
  extents[dim] /= blocks;
  loop.getBodyRegion().walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      partOf(builder, operand);
  });
  auto own = ParallelOp::create(builder, loc, extents);
  own.setLayoutAttr(partLayout(*loop.getLayout(), dim));
  own.setCoalescedWidthAttr(loop.getCoalescedWidthAttr());
  Block &from = loop.getBodyRegion().front(), &to = own.getBodyRegion().front();
  OpBuilder inner(to.getTerminator());
  IRMapping local(mapping);
  for (auto [before, after] : llvm::zip(from.getArguments(), to.getArguments()))
    local.map(before, after);
  Value within = to.getArgument(dim);
  // In global memory, and in arithmetic, elements have the tile's numbers;
  // fragments are parts.
  local.map(from.getArgument(dim),
            alongPart(inner, loc, within, part, extents[dim]));
  for (Operation &op : from.without_terminator())
    inner.clone(op, local);
  own.getBodyRegion().walk([&](Operation *op) {
    auto fix = [&](Value buffer, MutableOperandRange indices) {
      for (auto [fragment, place] : dims)
        if (mapping.lookupOrNull(fragment) == buffer)
          indices[place].set(within);
    };
    if (auto load = dyn_cast<memref::LoadOp>(op))
      fix(load.getMemRef(), load.getIndicesMutable());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      fix(store.getMemRef(), store.getIndicesMutable());
  });
}

void SharedRest::cloneMove(OpBuilder &builder, TileMoveOpInterface move) {
  bool fromFragment = isFragment(move.getSource());
  Value fragment = fromFragment ? move.getSource() : move.getTarget();
  for (Value operand : move->getOperands())
    partOf(builder, operand);
  auto own = cast<TileMoveOpInterface>(builder.clone(*move, mapping));
  auto known = dims.find(fragment);
  if (known == dims.end())
    return;
  unsigned dim = known->second;
  Location loc = move.getLoc();
  ArrayRef<int64_t> shape = typeOf(mapping.lookup(fragment)).getShape();
  // The region in global memory: its rows and columns are the fragment's.
  auto region = [&](Value buffer, OperandRange offsets,
                    SmallVector<int64_t> extents, SmallVector<Value> &at) {
    if (isFragment(buffer))
      return SmallVector<int64_t>();
    unsigned across = columnDim(extents);
    unsigned there = dim + 1 == shape.size() ? across : rowDim(extents);
    at = llvm::to_vector(offsets);
    if (at.empty())
      at.assign(extents.size(),
                arith::ConstantIndexOp::create(builder, loc, 0));
    extents[there] = shape[dim];
    at[there] = alongPart(builder, loc, at[there], part, shape[dim]);
    return extents;
  };
  builder.setInsertionPoint(own);
  SmallVector<Value> from, to;
  SmallVector<int64_t> sourceExtents = region(
      own.getSource(), own.getSourceOffsets(), move.getSourceExtents(), from);
  SmallVector<int64_t> targetExtents = region(
      own.getTarget(), own.getTargetOffsets(), move.getTargetExtents(), to);
  own.setRegions(own.getSource(), from, sourceExtents, own.getTarget(), to,
                 targetExtents);
  own.setLayoutAttr(partLayout(move.getLayoutAttr(), dim));
  builder.setInsertionPointAfter(own);
}

void SharedRest::clone(OpBuilder &builder, Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<ParallelOp>(op)) {
      cloneLoop(builder, loop);
    } else if (auto move = dyn_cast<TileMoveOpInterface>(op)) {
      cloneMove(builder, move);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      auto own = scf::IfOp::create(
          builder, op.getLoc(), mapping.lookupOrDefault(branch.getCondition()),
          /*withElseRegion=*/branch.elseBlock() != nullptr);
      OpBuilder inside = own.getThenBodyBuilder();
      clone(inside, *branch.thenBlock());
      if (branch.elseBlock()) {
        OpBuilder otherwise = own.getElseBodyBuilder();
        clone(otherwise, *branch.elseBlock());
      }
    } else if (auto alloc = dyn_cast<AllocOp>(op);
               alloc && dims.contains(alloc.getResult())) {
      partOf(builder, alloc.getResult());
    } else {
      for (Value operand : op.getOperands())
        partOf(builder, operand);
      Operation *own = builder.clone(op, mapping);
      if (auto fill = dyn_cast<FillOp>(own))
        if (auto known = dims.find(cast<FillOp>(op).getTarget());
            known != dims.end())
          fill.setLayoutAttr(partLayout(fill.getLayoutAttr(), known->second));
    }
  }
}

void SharedRest::divide(unsigned dim) {
  OpBuilder builder(rest);
  Location loc = rest.getLoc();
  ClusterReduceOp first = reduces.front();
  auto parts = ClusterPartsOp::create(builder, loc, builder.getIndexType(),
                                      builder.getIndexType(), first.getBlocks(),
                                      first.getStride());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop =
      scf::ForOp::create(builder, loc, parts.getFirst(), parts.getEnd(), one);
  part = loop.getInductionVar();
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  for (ClusterReduceOp reduce : reduces) {
    Value own = partOf(builder, reduce.getTarget());
    ClusterPartOp::create(builder, reduce.getLoc(), reduce.getTarget(), part,
                          own);
    reduce.setParts(dim);
  }
  for (Value condition : others) {
    auto branch = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/false);
    builder.setInsertionPoint(branch.thenYield());
  }
  clone(builder, *rest.thenBlock());
  rest.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void ShareResultsPass::share(KernelOp kernel) {
  SmallVector<ClusterReduceOp> reduces;
  kernel.getBodyRegion().walk(
      [&](ClusterReduceOp reduce) { reduces.push_back(reduce); });
  if (reduces.empty())
    return;
  ClusterReduceOp last = reduces.back();
  auto leaves = [&](const std::string &why) {
    missedAt(remarks, last, "the last block finishes the tile", why,
             "moves of whole fragments and loops over their elements can be "
             "divided");
  };
  // What `--tile-split-reduction` writes: reductions, then what the last block
  // does.
  scf::IfOp rest;
  for (Operation *op = last->getNextNode(); op && !rest;
       op = op->getNextNode()) {
    rest = dyn_cast<scf::IfOp>(op);
    if (!rest && !isMemoryEffectFree(op) && !isa<TileStorageOpInterface>(op))
      break;
  }
  bool isPlain = rest && !rest.elseBlock() && rest->getNumResults() == 0;
  for (ClusterReduceOp reduce : reduces)
    isPlain &= reduce->getBlock() == last->getBlock() && !reduce.getParts() &&
               reduce.getBlocks() == last.getBlocks() &&
               reduce.getStride() == last.getStride() &&
               typeOf(reduce.getTarget()).getRank() == 2;
  if (!isPlain)
    return leaves("its results are not written in one place behind the loop");
  SmallVector<Value> others;
  std::string reason = whyNotOfLastBlock(rest, reduces, others);
  if (!reason.empty())
    return leaves(reason);
  SharedRest shared(reduces, rest, others);
  // Columns, or rows where operands are swapped.
  for (unsigned dim : {1, 0}) {
    std::string why;
    if (!shared.divides(dim, why)) {
      if (reason.empty())
        reason = why;
      continue;
    }
    SmallVector<int64_t> shape(typeOf(last.getTarget()).getShape());
    shape[dim] /= static_cast<int64_t>(last.getBlocks());
    remarkAt(remarks, last)
        << "each of " << last.getBlocks() << " blocks finishes " << shape[0]
        << " x " << shape[1] << " elements of the tile";
    shared.divide(dim);
    ++sharedTiles;
    return;
  }
  leaves(reason);
}
