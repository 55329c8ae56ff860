//===- TileScheduleOps.cpp - ring operations ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// RingCreateOp
//===----------------------------------------------------------------------===//

LogicalResult RingCreateOp::verify() {
  if (!getLayouts())
    return success();
  ArrayRef<Type> buffers = getRing().getType().getBuffers();
  if (getLayouts()->size() != buffers.size())
    return emitOpError() << "[ring-1] expected " << buffers.size()
                         << " layouts, got " << getLayouts()->size();
  for (auto [attr, buffer] : llvm::zip(*getLayouts(), buffers)) {
    auto layout = dyn_cast<SharedLayoutAttr>(attr);
    auto type = cast<MemRefType>(buffer);
    Type element = type.getElementType();
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    if (!layout || layout.getShape() != type.getShape() ||
        layout.getElementBits() != bits)
      return emitOpError() << "[ring-1] expected a shared layout for " << buffer
                           << ", got " << attr;
    if (!layout.getLayout().isInjective())
      return emitOpError()
             << "[ring-1] expected a layout that puts each element "
                "in a place of its own, got "
             << attr;
  }
  return success();
}

void RingCreateOp::getEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getRing()));
}

//===----------------------------------------------------------------------===//
// Views and signals
//===----------------------------------------------------------------------===//

/// `%ring[%use] attr-dict : !tile.ring<...>`; view types follow from the
/// ring's.
static ParseResult parseRingView(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand ring, use;
  RingType type;
  if (parser.parseOperand(ring) || parser.parseLSquare() ||
      parser.parseOperand(use) || parser.parseRSquare() ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperand(ring, type, result.operands) ||
      parser.resolveOperand(use, parser.getBuilder().getIndexType(),
                            result.operands))
    return failure();
  result.addTypes(type.getBuffers());
  return success();
}

template <typename OpT>
static void printRingView(OpT op, OpAsmPrinter &printer) {
  printer << ' ' << op.getRing() << '[' << op.getUse() << ']';
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op.getRing().getType();
}

template <typename OpT> static LogicalResult verifyRingView(OpT op) {
  ArrayRef<Type> buffers = op.getRing().getType().getBuffers();
  if (TypeRange(op.getViews()) != TypeRange(buffers))
    return op.emitOpError() << "[ring-3] expected one view per buffer of "
                            << op.getRing().getType();
  return success();
}

/// Ring operations order each other and everything that touches the views.
static void ringEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

ParseResult RingAcquireOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseRingView(parser, result);
}
void RingAcquireOp::print(OpAsmPrinter &printer) {
  printRingView(*this, printer);
}
LogicalResult RingAcquireOp::verify() { return verifyRingView(*this); }
void RingAcquireOp::getEffects(EffectList &effects) { ringEffects(effects); }

ParseResult RingWaitOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseRingView(parser, result);
}
void RingWaitOp::print(OpAsmPrinter &printer) { printRingView(*this, printer); }
LogicalResult RingWaitOp::verify() {
  if (getInFlight() && static_cast<int64_t>(*getInFlight()) < 0)
    return emitOpError()
           << "[ring-5] expected `in_flight` that is not negative, got "
           << static_cast<int64_t>(*getInFlight());
  return verifyRingView(*this);
}
void RingWaitOp::getEffects(EffectList &effects) { ringEffects(effects); }

void RingCommitOp::getEffects(EffectList &effects) { ringEffects(effects); }
void RingReleaseOp::getEffects(EffectList &effects) { ringEffects(effects); }
void RingDrainOp::getEffects(EffectList &effects) { ringEffects(effects); }
