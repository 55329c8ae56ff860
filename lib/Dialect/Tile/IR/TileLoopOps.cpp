//===- TileLoopOps.cpp - parallel, pipelined, yield -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax, constraints and effects of the loops. What their bodies may do at
// block level is Uniformity.cpp's.
//
//===----------------------------------------------------------------------===//
#include "TileRegions.h"
#include "TileTunables.h"
#include "Uniformity.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// ParallelOp
//===----------------------------------------------------------------------===//

void ParallelOp::build(
    OpBuilder &builder, OperationState &state, ArrayRef<int64_t> extents,
    function_ref<void(OpBuilder &, Location, ValueRange)> bodyBuilder) {
  state.addAttribute(getExtentsAttrName(state.name),
                     builder.getDenseI64ArrayAttr(extents));
  Region *region = state.addRegion();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(extents.size(), builder.getIndexType());
  SmallVector<Location> locs(extents.size(), state.location);
  Block *body = builder.createBlock(region, {}, types, locs);
  if (bodyBuilder)
    bodyBuilder(builder, state.location, body->getArguments());
  ensureTerminator(*region, builder, state.location);
}

ParseResult ParallelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> ivs;
  SmallVector<int64_t> extents;
  SmallVector<OpAsmParser::UnresolvedOperand> open;
  auto parseExtent = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOpen = parser.parseOptionalOperand(operand);
    if (!isOpen.has_value())
      return parser.parseInteger(extents.emplace_back());
    open.push_back(operand);
    extents.push_back(ShapedType::kDynamic);
    return *isOpen;
  };
  if (parser.parseArgumentList(ivs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseExtent) ||
      parser.resolveOperands(open, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  for (OpAsmParser::Argument &iv : ivs)
    iv.type = parser.getBuilder().getIndexType();
  result.addAttribute(getExtentsAttrName(result.name),
                      parser.getBuilder().getDenseI64ArrayAttr(extents));
  if (succeeded(parser.parseOptionalKeyword("layout"))) {
    FragmentLayoutAttr layout;
    if (parser.parseLParen() || parser.parseAttribute(layout) ||
        parser.parseRParen())
      return failure();
    result.addAttribute(getLayoutAttrName(result.name), layout);
  }
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, ivs))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ParallelOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getBodyRegion().getArguments(), printer,
                        [&](BlockArgument iv) { printer.printOperand(iv); });
  printer << ") in (";
  OperandRange open = getDynamicExtents();
  llvm::interleaveComma(getExtents(), printer, [&](int64_t extent) {
    if (!ShapedType::isDynamic(extent) || open.empty()) {
      printer << extent;
      return;
    }
    printer << open.front();
    open = open.drop_front();
  });
  printer << ")";
  if (getLayoutAttr())
    printer << " layout(" << getLayoutAttr() << ")";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getExtentsAttrName(), getLayoutAttrName()});
  printer << ' ';
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

static void nameIndices(Region &region, OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral kNames[] = {"i", "j", "k", "l"};
  if (region.empty())
    return;
  for (BlockArgument iv : region.getArguments())
    if (iv.getArgNumber() < 4)
      setName(iv, kNames[iv.getArgNumber()]);
}

void ParallelOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  nameIndices(region, setName);
}

LogicalResult ParallelOp::verify() {
  int64_t open = llvm::count(getExtents(), ShapedType::kDynamic);
  if (open != static_cast<int64_t>(getDynamicExtents().size()))
    return emitOpError()
           << "[parallel-6] expected an operand for each open extent, " << open
           << ", got " << getDynamicExtents().size();
  if (open && !isInTunedKernel(*this))
    return emitOpError() << "[parallel-6] expected extents that are numbers in "
                            "a kernel without tunables";
  SmallVector<int64_t> extents = closeExtents(getExtents());
  if (extents.empty() ||
      (!llvm::is_contained(extents, 0) && !isTileShape(extents)) ||
      llvm::any_of(extents, [](int64_t extent) { return extent < 0; }))
    return emitOpError() << "[parallel-1] expected at least one extent, none "
                            "negative, and a product of at most "
                         << kMaxTileElements;
  if (auto layout = getLayout()) {
    if (layout->getShape() != getExtents())
      return emitOpError() << "[parallel-3] expected a layout of the loop's "
                              "shape, got "
                           << *layout;
    auto kernel = (*this)->getParentOfType<KernelOp>();
    int64_t threads = layout->getLayout().numThreads();
    if (kernel && threads != getAgentThreads(*this))
      return emitOpError() << "[parallel-3] expected a layout over "
                           << getAgentThreads(*this) << " threads, got "
                           << threads;
  }
  return verifyCoalescedWidth(*this, "parallel-5", getCoalescedWidth());
}

/// parallel-2: arithmetic, control flow around it, and accesses to single
/// elements of memrefs; nothing whose effects cannot be told.
static bool isScalarCode(Operation *op) {
  if (isa_and_nonnull<TileDialect>(op->getDialect())) {
    if (auto print = dyn_cast<PrintOp>(op))
      return !isa<MemRefType>(print.getValue().getType());
    return isa<YieldOp, AssertOp, AssumeOp, AtomicLoadOp, AtomicStoreOp>(op);
  }
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return true;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  interface.getEffects(instances);
  return llvm::all_of(instances, [](const MemoryEffects::EffectInstance &e) {
    return e.getValue() && isa<MemRefType>(e.getValue().getType()) &&
           isa<MemoryEffects::Read, MemoryEffects::Write>(e.getEffect());
  });
}

LogicalResult ParallelOp::verifyRegions() {
  Block &body = getBodyRegion().front();
  if (body.getNumArguments() != getExtents().size() ||
      llvm::any_of(body.getArgumentTypes(),
                   [](Type type) { return !type.isIndex(); }))
    return emitOpError() << "[parallel-1] expected one index per extent ("
                         << getExtents().size() << "), got "
                         << body.getNumArguments() << " block arguments";
  WalkResult walk = body.walk([&](Operation *op) {
    if (isScalarCode(op))
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError()
                              << "[parallel-2] expected scalar code inside "
                                 "`tile.parallel`";
    diag.attachNote(getLoc()) << "in this loop";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return verifyDisjointStores(*this);
}

LogicalResult ParallelOp::canonicalize(ParallelOp op,
                                       PatternRewriter &rewriter) {
  if (!llvm::is_contained(op.getExtents(), 0))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

void ParallelOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  // Regions touched through the loop indices are not analyzed here: whole
  // buffers are what dependence analysis needs.
  getBodyRegion().walk([&](Operation *op) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface || isa<PrintOp, AssertOp, AssumeOp>(op))
      return;
    // Unlike read-modify-writes they do not commute.
    if (auto load = dyn_cast<AtomicLoadOp>(op)) {
      accesses.push_back({load.getMemref(), {}, {}, /*isWrite=*/false});
      return;
    }
    if (auto store = dyn_cast<AtomicStoreOp>(op)) {
      accesses.push_back({store.getMemref(), {}, {}, /*isWrite=*/true});
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    interface.getEffects(instances);
    bool reads = false, writes = false;
    Value buffer;
    for (const MemoryEffects::EffectInstance &instance : instances) {
      if (!instance.getValue())
        continue;
      buffer = instance.getValue();
      reads |= isa<MemoryEffects::Read>(instance.getEffect());
      writes |= isa<MemoryEffects::Write>(instance.getEffect());
    }
    if (buffer && (reads || writes))
      accesses.push_back({buffer, {}, {}, writes, reads && writes});
  });
}

void ParallelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  SmallVector<TileAccess> accesses;
  getAccesses(accesses);
  for (const TileAccess &access : accesses) {
    if (access.isWrite)
      effects.emplace_back(MemoryEffects::Write::get());
    if (!access.isWrite || access.isAtomic)
      effects.emplace_back(MemoryEffects::Read::get());
  }
  getBodyRegion().walk([&](Operation *op) {
    // A loop that waits for a value is not dead.
    if (isa<PrintOp, AssertOp, AtomicLoadOp>(op))
      effects.emplace_back(MemoryEffects::Write::get());
  });
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

/// The end of a loop's body, which gives nothing.
void YieldOp::build(OpBuilder &, OperationState &) {}

//===----------------------------------------------------------------------===//
// PipelinedOp
//===----------------------------------------------------------------------===//

ParseResult PipelinedOp::parse(OpAsmParser &parser, OperationState &result) {
  Type index = parser.getBuilder().getIndexType();
  OpAsmParser::Argument iv;
  OpAsmParser::UnresolvedOperand lower, upper, step, open;
  int64_t stages = 1;
  OptionalParseResult isOpen;
  auto parseStages = [&]() -> ParseResult {
    isOpen = parser.parseOptionalOperand(open);
    return isOpen.has_value() ? *isOpen : parser.parseInteger(stages);
  };
  if (parser.parseArgument(iv) || parser.parseEqual() ||
      parser.parseOperand(lower) || parser.parseKeyword("to") ||
      parser.parseOperand(upper) || parser.parseKeyword("step") ||
      parser.parseOperand(step) || parser.parseKeyword("stages") ||
      parser.parseLParen() || parseStages() || parser.parseRParen() ||
      parser.resolveOperand(lower, index, result.operands) ||
      parser.resolveOperand(upper, index, result.operands) ||
      parser.resolveOperand(step, index, result.operands) ||
      (isOpen.has_value() &&
       parser.resolveOperand(open, index, result.operands)))
    return failure();
  iv.type = index;
  result.addAttribute(getStagesAttrName(result.name),
                      parser.getBuilder().getI64IntegerAttr(stages));
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, {iv}))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void PipelinedOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInductionVariable() << " = " << getLowerBound() << " to "
          << getUpperBound() << " step " << getStep() << " stages(";
  if (getOpenStages())
    printer << getOpenStages();
  else
    printer << getStages();
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getStagesAttrName()});
  printer << ' ';
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

void PipelinedOp::getAsmBlockArgumentNames(Region &region,
                                           OpAsmSetValueNameFn setName) {
  if (!region.empty() && region.getNumArguments() > 0)
    setName(region.getArgument(0), "k");
}

LogicalResult PipelinedOp::verify() {
  Block &body = getBodyRegion().front();
  if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex())
    return emitOpError() << "expected one index as block argument, got "
                         << body.getNumArguments() << " block arguments";
  int64_t stages = getStages();
  if (getOpenStages() && (stages != 1 || !isInTunedKernel(*this)))
    return emitOpError() << "[pipelined-3] expected stages that are a number "
                            "in a kernel without tunables, and the attribute "
                            "at 1 in one with them, got "
                         << stages;
  if (stages < 1 || stages > 64)
    return emitOpError() << "[pipelined-1] expected 1 to 64 stages, got "
                         << stages;
  APInt step;
  if (matchPattern(getStep(), m_ConstantInt(&step)) &&
      !step.isStrictlyPositive())
    return emitOpError() << "[pipelined-2] expected a positive step, got "
                         << step.getSExtValue();
  return success();
}

LogicalResult PipelinedOp::canonicalize(PipelinedOp op,
                                        PatternRewriter &rewriter) {
  APInt lower, upper;
  if (!matchPattern(op.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(op.getUpperBound(), m_ConstantInt(&upper)) ||
      lower.slt(upper))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

SmallVector<Region *> PipelinedOp::getLoopRegions() {
  return {&getBodyRegion()};
}
std::optional<SmallVector<Value>> PipelinedOp::getLoopInductionVars() {
  return SmallVector<Value>{getInductionVariable()};
}
std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getLowerBound()};
}
std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getUpperBound()};
}
std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{getStep()};
}
