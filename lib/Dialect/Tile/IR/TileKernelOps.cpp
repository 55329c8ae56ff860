//===- TileKernelOps.cpp - what kernels are verified for ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of `tile.kernel` and what other code asks it. Its syntax is in
// TileKernelSyntax.cpp, what tunables mean in TileTunables.cpp.
//
//===----------------------------------------------------------------------===//
#include "KernelContents.h"
#include "KnownAttributes.h"
#include "TileTunables.h"
#include "Uniformity.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;

static LogicalResult verifyArgument(KernelOp kernel, unsigned i) {
  Type type = cast<TypeAttr>(kernel.getArgTypes()[i]).getValue();
  auto memref = dyn_cast<MemRefType>(type);
  auto name = cast<StringAttr>(kernel.getArgNames()[i]).getValue();
  if (memref) {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (getMemorySpace(memref) != MemorySpace::Global ||
        failed(memref.getStridesAndOffset(strides, offset)) || offset != 0 ||
        !isStorageType(memref.getElementType()))
      return kernel.emitOpError()
             << "[kernel-3] expected argument '" << name
             << "' to be a strided memref of numbers in global memory, without "
                "offset, got "
             << type;
  } else if (!type.isIntOrIndexOrFloat() || !isStorageType(type)) {
    return kernel.emitOpError() << "[kernel-3] expected argument '" << name
                                << "' to be a memref or a scalar, got " << type;
  }
  for (NamedAttribute attr : cast<DictionaryAttr>(kernel.getArgAttrs()[i])) {
    if (attr.getName() == kAlignmentAttrName) {
      auto value = dyn_cast<IntegerAttr>(attr.getValue());
      // Unsigned and of 64 bits, or whatever the attribute's type has.
      APInt bytes = value ? value.getValue() : APInt(64, 0);
      if (!memref || !bytes.isPowerOf2() || bytes.ugt(kMaxAlignment))
        return kernel.emitOpError()
               << "[kernel-6] expected `" << kAlignmentAttrName
               << "` to be a power of two of at most " << kMaxAlignment
               << " bytes on a memref, got " << attr.getValue()
               << " on argument '" << name << "'";
    } else if (attr.getName() == kMayAliasAttrName) {
      if (!memref || !isa<UnitAttr>(attr.getValue()))
        return kernel.emitOpError()
               << "[kernel-6] expected `" << kMayAliasAttrName
               << "` to be a unit attribute on a memref, got "
               << attr.getValue() << " on argument '" << name << "'";
    } else if (attr.getName() == kShapeHintAttrName) {
      if (!isShapeHint(attr.getValue(), type))
        return kernel.emitOpError()
               << "[kernel-6] expected `" << kShapeHintAttrName
               << "` to be an `array<i64>` of positive sizes that " << type
               << " can have, or the value of an integer scalar, or a list of "
                  "them, got "
               << attr.getValue() << " on argument '" << name << "'";
    } else {
      return kernel.emitOpError()
             << "[kernel-6] unknown attribute '" << attr.getName().getValue()
             << "' on argument '" << name << "'"
             << didYouMean(attr.getName(),
                           {kAlignmentAttrName, kMayAliasAttrName,
                            kShapeHintAttrName});
    }
  }
  return success();
}

/// kernel-8: what a launcher can compute, and the custom syntax can say.
static LogicalResult verifyGridArithmetic(KernelOp kernel) {
  bool valid = true;
  kernel.getGrid().walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() == AffineExprKind::Add ||
        binary.getKind() == AffineExprKind::Mul)
      return;
    auto rhs = dyn_cast<AffineConstantExpr>(binary.getRHS());
    valid &= isFixedByTunables(binary.getRHS(), kernel.getGridOperands()) &&
             (!rhs || rhs.getValue() > 0);
  });
  if (!valid)
    return kernel.emitOpError()
           << "[kernel-8] expected grid extents that divide by positive "
              "constants and tunables, got "
           << kernel.getGridAttr();
  return success();
}

/// kernel-9: names reach the manifest, where they have to tell arguments apart.
static LogicalResult verifyArgumentNames(KernelOp kernel) {
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute name : kernel.getArgNames())
    if (cast<StringAttr>(name).empty() || !seen.insert(name).second)
      return kernel.emitOpError() << "[kernel-9] expected distinct argument "
                                     "names that are not empty, "
                                     "got "
                                  << name;
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyNesting(*this)))
    return failure();
  if (failed(verifyTunables(*this)))
    return failure();
  unsigned rank = getGrid().getNumResults();
  if (rank < 1 || rank > 3)
    return emitOpError()
           << "[kernel-1] expected a grid of 1 to 3 dimensions, got " << rank;
  int64_t threads = getThreads();
  if (threads < 32 || threads > 1024 || threads % 32)
    return emitOpError()
           << "[kernel-2] expected a multiple of 32 threads in [32, 1024], got "
           << threads;
  unsigned count = getNumKernelArguments();
  if (getArgNames().size() != count || getArgAttrs().size() != count)
    return emitOpError() << "expected a name and attributes for each of "
                         << count << " arguments, got " << getArgNames().size()
                         << " names and " << getArgAttrs().size()
                         << " attribute dictionaries";
  if (failed(verifyArgumentNames(*this)))
    return failure();
  for (unsigned i = 0; i < count; ++i)
    if (failed(verifyArgument(*this, i)))
      return failure();
  ArrayRef<int64_t> operands = getGridOperands();
  if (getGrid().getNumDims() != 0 ||
      operands.size() != 2 * getGrid().getNumSymbols())
    return emitOpError() << "[kernel-4] expected a grid map over "
                         << operands.size() / 2 << " symbols, got "
                         << getGridAttr();
  for (size_t i = 0; i < operands.size(); i += 2) {
    int64_t argument = operands[i], dim = operands[i + 1];
    if (dim == kTunableOperand && argument >= 0 &&
        argument < static_cast<int64_t>(getNumTunables()))
      continue;
    Type type = argument >= 0 && argument < count
                    ? cast<TypeAttr>(getArgTypes()[argument]).getValue()
                    : Type();
    auto memref = dyn_cast_or_null<MemRefType>(type);
    bool valid = memref ? dim >= 0 && dim < memref.getRank()
                        : type && dim == -1 && type.isIntOrIndex();
    if (!valid)
      return emitOpError() << "[kernel-4] expected grid operands to name a "
                              "dimension of a memref or an integer scalar "
                              "argument, got argument "
                           << argument << ", dimension " << dim;
  }
  if (failed(verifyGridArithmetic(*this)))
    return failure();
  for (AffineExpr extent : getGrid().getResults())
    if (auto constant = dyn_cast<AffineConstantExpr>(extent))
      if (constant.getValue() < 0)
        return emitOpError()
               << "[kernel-7] expected a grid extent that is not negative, got "
               << constant.getValue();
  if (getPanel() && (static_cast<int64_t>(*getPanel()) < 1 || rank < 2))
    return emitOpError()
           << "[kernel-8] expected a positive `panel` on a grid of "
              "two dimensions or more, got "
           << static_cast<int64_t>(*getPanel()) << " on " << rank;
  if (auto persistent = getPersistent())
    if (int64_t blocks = static_cast<int64_t>(*persistent);
        blocks < 1 || blocks > 32)
      return emitOpError() << "[kernel-11] expected `persistent` of 1 to 32 "
                              "blocks a multiprocessor, got "
                           << blocks;
  if (auto cluster = getCluster()) {
    int64_t product = 1;
    for (int64_t extent : *cluster)
      product = extent < 1 || extent > 16
                    ? 17
                    : std::min<int64_t>(product * extent, 17);
    if (cluster->size() != rank || product > 16)
      return emitOpError() << "[kernel-5] expected " << rank
                           << " positive cluster extents of product at most 16";
  }
  if (auto split = getSplit()) {
    int64_t blocks = static_cast<int64_t>(*split), size = getClusterSize();
    if (blocks < 2 || blocks > 16 || blocks * size > 16)
      return emitOpError() << "[kernel-12] expected `split` of 2 to "
                           << std::max<int64_t>(2, 16 / size) << ", got "
                           << blocks;
  }
  if (auto parts = getStreamK()) {
    if (int64_t count = static_cast<int64_t>(*parts); count < 2 || count > 1024)
      return emitOpError()
             << "[kernel-18] expected `stream_k` of 2 to 1024 parts, got "
             << count;
    if (!getPersistent() || getSplit())
      return emitOpError() << "[kernel-18] expected `stream_k` with "
                              "`persistent` and without `split`";
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Block &body = getBodyRegion().front();
  unsigned expected =
      getNumKernelArguments() + getGridRank() + getNumTunables();
  if (body.getNumArguments() != expected)
    return emitOpError() << "expected " << expected
                         << " block arguments (arguments"
                         << (getNumTunables()
                                 ? ", block indices and tunables), got "
                                 : " and block indices), got ")
                         << body.getNumArguments();
  for (BlockArgument argument : body.getArguments()) {
    unsigned i = argument.getArgNumber();
    Type type = i < getNumKernelArguments()
                    ? cast<TypeAttr>(getArgTypes()[i]).getValue()
                    : IndexType::get(getContext());
    if (argument.getType() != type)
      return emitOpError() << "expected block argument " << i << " of type "
                           << type << ", got " << argument.getType();
  }
  // Folding such an extent of an argument crashes upstream, where the index is
  // only compared with the rank.
  WalkResult dims = getBodyRegion().walk([](memref::DimOp dim) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (!index || !type || (*index >= 0 && *index < type.getRank()))
      return WalkResult::advance();
    dim.emitOpError() << "expected a dimension of at least 0 and less than "
                      << type.getRank() << ", got " << *index;
    return WalkResult::interrupt();
  });
  if (dims.wasInterrupted())
    return failure();
  if (failed(verifyBlockUniform(*this)))
    return failure();
  return verifyKernelContents(*this);
}

int64_t KernelOp::getClusterSize() {
  int64_t product = 1;
  if (auto cluster = getCluster())
    for (int64_t extent : *cluster)
      product *= extent;
  return product;
}

LogicalResult BlockCoordinatesOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && getNumResults() != kernel.getGridRank())
    return emitOpError() << "[coordinates-1] expected " << kernel.getGridRank()
                         << " results, one per dimension of the grid, got "
                         << getNumResults();
  return success();
}

int64_t KernelOp::getWarpsOfAgent(unsigned) { return getNumWarps(); }

Region *tile::getAgent(Operation *op) {
  Region *region = op->getParentRegion();
  while (region && !isa<TileAgentsOpInterface>(region->getParentOp()))
    region = region->getParentRegion();
  return region;
}

int64_t tile::getAgentWarps(Region *agent) {
  return cast<TileAgentsOpInterface>(agent->getParentOp())
      .getWarpsOfAgent(agent->getRegionNumber());
}

int64_t tile::getAgentThreads(Operation *op) {
  if (auto some = op->getParentOfType<OnWarpsOp>())
    return some.getCount() * 32;
  for (Region *agent = getAgent(op); agent;
       agent = getAgent(agent->getParentOp()))
    if (int64_t warps = getAgentWarps(agent))
      return warps * 32;
  return 0;
}

int64_t tile::getFragmentThreads(Value fragment) {
  SmallVector<Value> seen{fragment};
  for (size_t i = 0; i < seen.size(); ++i)
    for (Operation *user : seen[i].getUsers()) {
      if (!isa<ViewLikeOpInterface>(user))
        return getAgentThreads(user);
      llvm::append_range(seen, user->getResults());
    }
  return getAgentThreads(fragment.getDefiningOp());
}

SmallVector<Operation *> tile::getEnclosingOps(Operation *op) {
  SmallVector<Operation *> result;
  for (Operation *parent = op->getParentOp(); parent && !isa<KernelOp>(parent);
       parent = parent->getParentOp())
    result.push_back(parent);
  return result;
}

KernelOp tile::getKernelOfArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument
             ? dyn_cast_or_null<KernelOp>(argument.getOwner()->getParentOp())
             : KernelOp();
}

/// What the elements of a buffer are aligned to, and those of its views.
static int64_t elementAlignment(Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t bytes =
      element.isIndex()
          ? 8
          : std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
  for (Operation *user : buffer.getUsers())
    if (auto view = dyn_cast<ViewOp>(user))
      bytes = std::max(bytes, elementAlignment(view.getResult()));
  return bytes;
}

int64_t KernelOp::getArgumentAlignment(unsigned i) {
  auto attrs = cast<DictionaryAttr>(getArgAttrs()[i]);
  int64_t ofElements = elementAlignment(getKernelArgument(i));
  if (auto alignment = attrs.getAs<IntegerAttr>(kAlignmentAttrName))
    return std::max(ofElements, alignment.getInt());
  return ofElements;
}

bool KernelOp::mayAlias(unsigned i) {
  return cast<DictionaryAttr>(getArgAttrs()[i]).contains(kMayAliasAttrName);
}
