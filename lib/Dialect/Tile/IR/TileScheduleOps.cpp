//===- TileScheduleOps.cpp - ring operations ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// RingCreateOp
//===----------------------------------------------------------------------===//

SmallVector<int64_t> RingCreateOp::getHeldShape(unsigned i) {
  auto type = cast<MemRefType>(getRing().getType().getBuffers()[i]);
  SmallVector<int64_t> shape(type.getShape());
  if (int64_t dim = getPairDim(i); dim >= 0)
    shape[dim] /= 2;
  return shape;
}

static LogicalResult verifyPair(RingCreateOp ring) {
  if (!ring.getPair())
    return success();
  RingType type = ring.getRing().getType();
  bool isOperands = type.getProducer() == RingProducer::Tma &&
                    type.getConsumers() == ArrayRef(RingConsumer::Tcgen05);
  if (ring.getPeers().value_or(1) != 2 ||
      (!isOperands && !type.inTensorMemory()))
    return ring.emitOpError() << "[ring-10] expected `pair` with `peers = 2` "
                                 "and a ring tma -> tcgen05 or mma -> threads, "
                                 "got "
                              << type;
  ArrayRef<Type> buffers = type.getBuffers();
  if (ring.getPair()->size() != buffers.size())
    return ring.emitOpError()
           << "[ring-10] expected " << buffers.size()
           << " entries of `pair`, got " << ring.getPair()->size();
  for (auto [dim, buffer] : llvm::zip(*ring.getPair(), buffers)) {
    auto memref = cast<MemRefType>(buffer);
    if (dim == -1 || (isOperands && dim >= 0 && dim < memref.getRank() &&
                      memref.getDimSize(dim) % 2 == 0))
      continue;
    return ring.emitOpError()
           << "[ring-10] expected -1"
           << (isOperands ? " or a dimension of even extent" : "") << " for "
           << buffer << ", got " << dim;
  }
  return success();
}

LogicalResult RingCreateOp::verify() {
  RingType ringType = getRing().getType();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (ringType.usesMbarriers() && kernel && (*this)->getParentOp() != kernel)
    return emitOpError() << "[ring-6] expected a ring with mbarriers in the "
                            "kernel's top block: they are initialized once";
  if (auto peers = getPeers()) {
    int64_t blocks = static_cast<int64_t>(*peers);
    if ((ringType.getProducer() != RingProducer::Tma &&
         !ringType.inTensorMemory()) ||
        !kernel || blocks != kernel.getClusterSize())
      return emitOpError()
             << "[ring-7] expected `peers` to be the kernel's cluster of "
             << (kernel ? kernel.getClusterSize() : 1)
             << " blocks, and a ring filled by tma or mma, got " << blocks
             << " and " << ringType;
  }
  if (failed(verifyPair(*this)))
    return failure();
  if (!getLayouts())
    return success();
  ArrayRef<Type> buffers = getRing().getType().getBuffers();
  if (getLayouts()->size() != buffers.size())
    return emitOpError() << "[ring-1] expected " << buffers.size()
                         << " layouts, got " << getLayouts()->size();
  for (auto [i, attr] : llvm::enumerate(*getLayouts())) {
    auto layout = dyn_cast<SharedLayoutAttr>(attr);
    Type element = cast<MemRefType>(buffers[i]).getElementType();
    int64_t bits = getStorageBits(element);
    if (!layout || layout.getShape() != ArrayRef<int64_t>(getHeldShape(i)) ||
        layout.getElementBits() != bits)
      return emitOpError() << "[ring-1] expected a shared layout for "
                           << (getPairDim(i) < 0 ? "" : "a half of ")
                           << buffers[i] << ", got " << attr;
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

SmallVector<MemRefType> RingCreateOp::getTileTypes() {
  return llvm::map_to_vector(getRing().getType().getBuffers(), [](Type buffer) {
    return cast<MemRefType>(buffer);
  });
}
int64_t RingCreateOp::getNumSlots() { return getRing().getType().getStages(); }
SmallVector<SharedLayoutAttr> RingCreateOp::getSharedLayouts() {
  SmallVector<SharedLayoutAttr> layouts;
  if (getLayouts())
    llvm::append_range(layouts, getLayouts()->getAsRange<SharedLayoutAttr>());
  return layouts;
}
bool RingCreateOp::hasMbarriers() {
  return getRing().getType().usesMbarriers();
}
bool RingCreateOp::isFilledByPeers() { return getPeers().value_or(1) > 1; }

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
  if (getAgain()) {
    if (getInFlight())
      return emitOpError() << "[ring-9] expected `again` without `in_flight`";
    if (llvm::none_of(getRing().getUsers(), [](Operation *user) {
          auto wait = dyn_cast<RingWaitOp>(user);
          return wait && !wait.getAgain();
        }))
      return emitOpError() << "[ring-9] expected another wait on the ring, "
                              "without `again`";
  }
  return verifyRingView(*this);
}
void RingWaitOp::getEffects(EffectList &effects) { ringEffects(effects); }

/// One thread speaks for its agent to mbarriers, where it also copies for it;
/// cp.async and stores are each thread's own.
static bool isFilledByOneThread(RingType type) {
  return type.usesMbarriers() && !type.isFilledByRole();
}
bool RingAcquireOp::runsOnOneThread() {
  return isFilledByOneThread(getRing().getType());
}
bool RingCommitOp::runsOnOneThread() {
  return isFilledByOneThread(getRing().getType());
}

bool RingReleaseOp::freesSlotOf(Value view) {
  auto wait = view.getDefiningOp<RingWaitOp>();
  return wait && wait.getRing() == getRing();
}
/// Whatever the view shows: the memory of a ring that ends may hold others.
bool RingDrainOp::freesSlotOf(Value) { return true; }

void RingCommitOp::getEffects(EffectList &effects) { ringEffects(effects); }
void RingReleaseOp::getEffects(EffectList &effects) { ringEffects(effects); }
void RingDrainOp::getEffects(EffectList &effects) { ringEffects(effects); }

/// Mbarriers make each thread wait for itself; without them the agent meets.
std::optional<int64_t> RingWaitOp::getMeetingGroups() {
  bool meets = !getAgain() && !getRing().getType().usesMbarriers();
  return meets ? std::optional<int64_t>(1) : std::nullopt;
}
/// Between roles, a drain is nothing where mbarriers signal the ring.
std::optional<int64_t> RingDrainOp::getMeetingGroups() {
  bool meets = !getRing().getType().usesMbarriers() || !runsInRole(*this);
  return meets ? std::optional<int64_t>(1) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

LogicalResult AwaitOp::verify() {
  if (getTokens().empty())
    return emitOpError() << "[await-1] expected at least one token";
  if (getRead())
    for (Value token : getTokens())
      if (auto gemm = token.getDefiningOp<GemmOp>()) {
        InFlightDiagnostic diag =
            emitOpError() << "[await-2] expected tokens of copies: only their "
                             "sources are free before they have ended";
        diag.attachNote(gemm.getLoc()) << "this token is a gemm's";
        return diag;
      }
  if (std::optional<uint64_t> groups = getGroups())
    if (int64_t(*groups) < 2 || !getRead())
      return emitOpError() << "[await-3] expected `groups` of at least 2, and "
                              "`read`, got "
                           << int64_t(*groups);
  return success();
}

void AwaitOp::getEffects(EffectList &effects) { ringEffects(effects); }

//===----------------------------------------------------------------------===//
// WarpSpecializeOp
//===----------------------------------------------------------------------===//

/// `role "name" warps(4) registers(40) { ... }`, one or more.
ParseResult WarpSpecializeOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> names;
  SmallVector<int64_t> warps, registers;
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  while (succeeded(parser.parseOptionalKeyword("role"))) {
    std::string name;
    if (parser.parseString(&name) || parser.parseKeyword("warps") ||
        parser.parseLParen() || parser.parseInteger(warps.emplace_back()) ||
        parser.parseRParen())
      return failure();
    registers.push_back(0);
    if (succeeded(parser.parseOptionalKeyword("registers")))
      if (parser.parseLParen() || parser.parseInteger(registers.back()) ||
          parser.parseRParen())
        return failure();
    names.push_back(builder.getStringAttr(name));
    Region *role = result.addRegion();
    if (parser.parseRegion(*role))
      return failure();
    ensureTerminator(*role, builder, result.location);
  }
  result.addAttribute(getNamesAttrName(result.name),
                      builder.getArrayAttr(names));
  result.addAttribute(getWarpsAttrName(result.name),
                      builder.getDenseI64ArrayAttr(warps));
  result.addAttribute(getRegistersAttrName(result.name),
                      builder.getDenseI64ArrayAttr(registers));
  return success();
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getNamesAttrName(), getWarpsAttrName(), getRegistersAttrName()});
  for (auto [i, role] : llvm::enumerate(getRoles())) {
    printer.printNewline();
    printer << "role ";
    printer.printString(cast<StringAttr>(getNames()[i]).getValue());
    printer << " warps(" << getWarps()[i] << ")";
    if (getRegisters()[i])
      printer << " registers(" << getRegisters()[i] << ")";
    printer << ' ';
    printer.printRegion(role, /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/false);
  }
}

/// Roles begin and end with nothing in flight.
bool WarpSpecializeOp::freesSlotOf(Value) { return true; }

int64_t WarpSpecializeOp::getWarpsOfAgent(unsigned role) {
  // Asked while verifying: the attribute may not fit yet.
  return role < getWarps().size() ? getWarps()[role] : 0;
}
int64_t WarpSpecializeOp::getRegistersOfAgent(unsigned role) {
  return role < getRegisters().size() ? getRegisters()[role] : 0;
}

LogicalResult WarpSpecializeOp::verify() {
  size_t count = getRoles().size();
  if (count == 0 || getNames().size() != count || getWarps().size() != count ||
      getRegisters().size() != count)
    return emitOpError() << "[specialize-1] expected a name, a count of warps "
                            "and a register budget for each of "
                         << count << " roles";
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute name : getNames())
    if (cast<StringAttr>(name).getValue().empty() || !seen.insert(name).second)
      return emitOpError() << "[specialize-1] expected distinct names, got "
                           << name;
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || (*this)->getParentOfType<WarpSpecializeOp>())
    return emitOpError() << "[specialize-4] expected to stand in a kernel, and "
                            "in no other role";
  int64_t first = 0;
  for (auto [i, warps] : llvm::enumerate(getWarps())) {
    if (warps < 1 || warps > 32)
      return emitOpError() << "[specialize-2] expected 1 to 32 warps, got "
                           << warps << " for " << getNames()[i];
    int64_t registers = getRegisters()[i];
    if (registers && (registers < 24 || registers > 256 || registers % 8))
      return emitOpError() << "[specialize-3] expected a register budget that "
                              "is a multiple of 8 from 24 to 256, got "
                           << registers << " for " << getNames()[i];
    if (warps >= 4 && first % 4)
      return emitOpError() << "[specialize-3] expected " << getNames()[i]
                           << " to start at a multiple of four warps, got warp "
                           << first;
    // setmaxnreg acts on a whole warpgroup.
    if (first % 4 && registers != getRegisters()[i - 1])
      return emitOpError()
             << "[specialize-3] expected roles that share a warpgroup to "
                "have one register budget, got "
             << getRegisters()[i - 1] << " and " << registers;
    first += warps;
  }
  if (first % 4 && getRegisters().back())
    return emitOpError() << "[specialize-3] expected register budgets of whole "
                            "warpgroups, got one of the last "
                         << first % 4 << " of " << first << " warps";
  if (first != kernel.getNumWarps())
    return emitOpError() << "[specialize-2] expected warps that sum up to the "
                            "kernel's "
                         << kernel.getNumWarps() << ", got " << first;
  return success();
}

/// Groups that have equally many rows each.
static LogicalResult verifyGroupsOfRows(Operation *op, StringRef constraint,
                                        int64_t rows, int64_t groups) {
  if (groups < 1 || rows < 1 || rows % groups != 0)
    return op->emitOpError()
           << "[" << constraint << "] expected `groups` that divide the "
           << rows << " rows, got " << groups;
  return success();
}

LogicalResult AnyRowOp::verify() {
  return verifyGroupsOfRows(*this, "any-row-1", getRows(), getGroups());
}

LogicalResult RowIterationsOp::verify() {
  if (static_cast<int64_t>(getStep()) < 0)
    return emitOpError()
           << "[row-iterations-2] expected a step that is not negative, got "
           << static_cast<int64_t>(getStep());
  return verifyGroupsOfRows(*this, "row-iterations-1", getRows(), getGroups());
}
