//===- Placement.cpp - attributes that place memory -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row for each attribute: what it is of which operations.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/Placement.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct PlacementAttribute {
  StringRef name;
  StringRef expected;
  bool (*mayStandOn)(Operation *);
  bool (*hasType)(Attribute);
};
} // namespace

/// Offsets and sizes of shared memory are not negative.
static bool isCount(Attribute value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  return integer && integer.getType().isInteger(64) && integer.getInt() >= 0;
}

static bool isUnit(Attribute value) { return isa<UnitAttr>(value); }

template <typename OpT> static bool isOp(Operation *op) { return isa<OpT>(op); }

static bool isInSharedMemory(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op))
    return isShared(alloc.getResult());
  if (auto ring = dyn_cast<RingCreateOp>(op))
    return !ring.getRing().getType().inTensorMemory();
  // These may exchange values between threads there.
  return isa<ClusterReduceOp, ConvertLayoutOp, GemmOp, ReduceOp, ReduceWithOp,
             ScanOp, ScanWithOp, memref::AtomicRMWOp, LastArrivalOp>(op);
}

static bool hasMbarriers(Operation *op) {
  if (isa<MbarrierCreateOp>(op))
    return true;
  auto ring = dyn_cast<RingCreateOp>(op);
  return ring && ring.getRing().getType().usesMbarriers();
}

static constexpr StringLiteral kOfKernel =
    "a number of bytes that is not negative, on a kernel";

static const PlacementAttribute kAttributes[] = {
    {kOffsetAttrName,
     "a number of bytes that is not negative, on a tile or ring in shared "
     "memory or an operation that exchanges values between threads",
     isInSharedMemory, isCount},
    {kMbarriersAttrName,
     "a number of bytes that is not negative, on a ring with mbarriers or a "
     "`tile.mbarrier.create`",
     hasMbarriers, isCount},
    {kExchangedAttrName, "a number of registers on a `tile.cluster_reduce`",
     isOp<ClusterReduceOp>,
     [](Attribute value) {
       return isCount(value) && cast<IntegerAttr>(value).getInt() > 0;
     }},
    {kInRingAttrName, "a unit attribute on a `tile.cluster_reduce`",
     isOp<ClusterReduceOp>, isUnit},
    {kSharedBytesPlacedAttrName, kOfKernel, isOp<KernelOp>, isCount},
    {kClusterBarriersAttrName, kOfKernel, isOp<KernelOp>, isCount},
    {kTensorBarriersAttrName, kOfKernel, isOp<KernelOp>, isCount},
    {kHasBarriersAttrName, "a unit attribute on a kernel", isOp<KernelOp>,
     isUnit},
};

ArrayRef<StringRef> tile::getPlacementAttributeNames() {
  static constexpr StringRef names[] = {kOffsetAttrName,
                                        kMbarriersAttrName,
                                        kExchangedAttrName,
                                        kInRingAttrName,
                                        kSharedBytesPlacedAttrName,
                                        kClusterBarriersAttrName,
                                        kTensorBarriersAttrName,
                                        kHasBarriersAttrName};
  return names;
}

std::optional<LogicalResult>
tile::verifyPlacementAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  for (const PlacementAttribute &row : kAttributes) {
    if (name != row.name)
      continue;
    if (row.mayStandOn(op) && row.hasType(attribute.getValue()))
      return success();
    return op->emitOpError()
           << "expected '" << name << "' to be " << row.expected << ", got "
           << attribute.getValue();
  }
  return std::nullopt;
}

std::optional<int64_t> tile::getPlacement(Operation *op, StringRef name) {
  if (auto value = op->getAttrOfType<IntegerAttr>(name))
    return value.getInt();
  return std::nullopt;
}

void tile::setPlacement(Operation *op, StringRef name, int64_t value) {
  op->setAttr(name, Builder(op->getContext()).getI64IntegerAttr(value));
}
