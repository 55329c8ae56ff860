//===- MoveAttributes.cpp - what is asked of a move, what is decided ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of both attributes, alone and on an operation, and the constraints
// on what they say of one.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/MoveAttributes.h"
#include "KnownAttributes.h"
#include "MoveSyntax.h"
#include "TileRegions.h"

using namespace mlir;
using namespace mlir::tile;

MoveRequest MoveRequest::of(MoveRequestAttr attr) {
  if (!attr)
    return {};
  return {attr.getPrefer(), attr.getDisableTma(), attr.getCoalescedWidth(),
          attr.getEvictionPolicy()};
}

MoveRequestAttr MoveRequest::getAttr(MLIRContext *context) const {
  if (!prefer && !disableTma && !coalescedWidth && !evictionPolicy)
    return {};
  return MoveRequestAttr::get(context, prefer, disableTma, coalescedWidth,
                              evictionPolicy);
}

MoveDecision MoveDecision::of(MoveDecisionAttr attr) {
  if (!attr)
    return {};
  return {attr.getLayout(),         attr.getPlan(),   attr.getMulticast(),
          attr.getMulticastAlong(), attr.getInside(), attr.getInFront(),
          attr.getGroups()};
}

MoveDecisionAttr MoveDecision::getAttr(MLIRContext *context) const {
  if (!layout && !plan && !multicast && !multicastAlong && !inside &&
      !inFront && !groups)
    return {};
  return MoveDecisionAttr::get(context, layout, plan, multicast, multicastAlong,
                               inside, inFront, groups);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Those of a request, then those of a decision.
static constexpr StringRef kNames[] = {
    "coalesced_width", "disable_tma", "eviction_policy",
    "prefer",          "groups",      "in_front",
    "inside",          "layout",      "multicast",
    "multicast_along", "plan"};
static constexpr size_t kNumRequests = 4;

ArrayRef<StringRef> tile::getMoveAttributeNames(Operation *op) {
  return isa<TileMoveOpInterface>(op) ? ArrayRef<StringRef>(kNames)
                                      : ArrayRef<StringRef>();
}

static ArrayRef<StringRef> requestNames() {
  return ArrayRef(kNames).take_front(kNumRequests);
}
static ArrayRef<StringRef> decisionNames() {
  return ArrayRef(kNames).drop_front(kNumRequests);
}

using EmitError = function_ref<InFlightDiagnostic()>;

/// Takes a part out of what is written, where it is there.
template <typename AttrT>
static LogicalResult take(NamedAttrList &written, StringRef name,
                          StringRef expected, AttrT &part,
                          EmitError emitError) {
  Attribute value = written.erase(name);
  if (!value)
    return success();
  if (part)
    return emitError() << "expected `" << name << "` once, got it twice";
  part = dyn_cast<AttrT>(value);
  bool isNumber = true;
  if constexpr (std::is_same_v<AttrT, IntegerAttr>)
    isNumber = part && part.getType().isSignlessInteger(64);
  if (!part || !isNumber)
    return emitError() << "expected `" << name << "` to be " << expected
                       << ", got " << value;
  return success();
}

static LogicalResult takeFlag(NamedAttrList &written, StringRef name,
                              bool &flag, EmitError emitError) {
  UnitAttr unit;
  if (failed(take(written, name, "without a value", unit, emitError)))
    return failure();
  if (unit && flag)
    return emitError() << "expected `" << name << "` once, got it twice";
  flag |= bool(unit);
  return success();
}

static LogicalResult takeRequest(NamedAttrList &written, MoveRequest &request,
                                 EmitError emitError) {
  return success(
      succeeded(take(written, "prefer", "a #tile.copy_instruction",
                     request.prefer, emitError)) &&
      succeeded(
          takeFlag(written, "disable_tma", request.disableTma, emitError)) &&
      succeeded(take(written, "coalesced_width", "a number of type i64",
                     request.coalescedWidth, emitError)) &&
      succeeded(take(written, "eviction_policy", "a #tile.eviction_policy",
                     request.evictionPolicy, emitError)));
}

static LogicalResult takeDecision(NamedAttrList &written,
                                  MoveDecision &decision, EmitError emitError) {
  return success(
      succeeded(take(written, "layout", "a #tile.fragment_layout",
                     decision.layout, emitError)) &&
      succeeded(take(written, "plan", "a #tile.copy_plan", decision.plan,
                     emitError)) &&
      succeeded(take(written, "multicast", "a number of type i64",
                     decision.multicast, emitError)) &&
      succeeded(take(written, "multicast_along", "an array of i64",
                     decision.multicastAlong, emitError)) &&
      succeeded(takeFlag(written, "inside", decision.inside, emitError)) &&
      succeeded(takeFlag(written, "in_front", decision.inFront, emitError)) &&
      succeeded(take(written, "groups", "an array of i64", decision.groups,
                     emitError)));
}

static void append(NamedAttrList &list, MLIRContext *context, StringRef name,
                   Attribute value) {
  if (value)
    list.append(StringAttr::get(context, name), value);
}
static Attribute flagAttr(MLIRContext *context, bool flag) {
  return flag ? Attribute(UnitAttr::get(context)) : Attribute();
}

static void appendRequest(NamedAttrList &list, MLIRContext *context,
                          MoveRequestAttr attr) {
  MoveRequest request = MoveRequest::of(attr);
  append(list, context, "prefer", request.prefer);
  append(list, context, "disable_tma", flagAttr(context, request.disableTma));
  append(list, context, "coalesced_width", request.coalescedWidth);
  append(list, context, "eviction_policy", request.evictionPolicy);
}

static void appendDecision(NamedAttrList &list, MLIRContext *context,
                           MoveDecisionAttr attr) {
  MoveDecision decision = MoveDecision::of(attr);
  append(list, context, "layout", decision.layout);
  append(list, context, "plan", decision.plan);
  append(list, context, "multicast", decision.multicast);
  append(list, context, "multicast_along", decision.multicastAlong);
  append(list, context, "inside", flagAttr(context, decision.inside));
  append(list, context, "in_front", flagAttr(context, decision.inFront));
  append(list, context, "groups", decision.groups);
}

/// What is left of what is written is no part.
static LogicalResult verifyAllTaken(const NamedAttrList &left,
                                    ArrayRef<StringRef> parts, StringRef what,
                                    EmitError emitError) {
  if (left.empty())
    return success();
  StringRef name = left.begin()->getName();
  return emitError() << "unknown " << what << " '" << name << "'"
                     << didYouMean(name, parts);
}

/// `<{name = value, ...}>`
template <typename AttrT, typename Parts>
static Attribute
parseParts(AsmParser &parser, ArrayRef<StringRef> names, StringRef what,
           LogicalResult (*take)(NamedAttrList &, Parts &, EmitError)) {
  SMLoc loc = parser.getCurrentLocation();
  auto emitError = [&] { return parser.emitError(loc); };
  DictionaryAttr dictionary;
  if (parser.parseLess() || parser.parseAttribute(dictionary) ||
      parser.parseGreater())
    return {};
  NamedAttrList written(dictionary);
  Parts parts;
  if (failed(take(written, parts, emitError)) ||
      failed(verifyAllTaken(written, names, what, emitError)))
    return {};
  AttrT attr = parts.getAttr(parser.getContext());
  if (!attr)
    emitError() << "expected a " << what << ", got none";
  return attr;
}

Attribute MoveRequestAttr::parse(AsmParser &parser, Type) {
  return parseParts<MoveRequestAttr, MoveRequest>(parser, requestNames(),
                                                  "request", takeRequest);
}

Attribute MoveDecisionAttr::parse(AsmParser &parser, Type) {
  return parseParts<MoveDecisionAttr, MoveDecision>(parser, decisionNames(),
                                                    "decision", takeDecision);
}

void MoveRequestAttr::print(AsmPrinter &printer) const {
  NamedAttrList list;
  appendRequest(list, getContext(), *this);
  printer << '<' << Attribute(list.getDictionary(getContext())) << '>';
}

void MoveDecisionAttr::print(AsmPrinter &printer) const {
  NamedAttrList list;
  appendDecision(list, getContext(), *this);
  printer << '<' << Attribute(list.getDictionary(getContext())) << '>';
}

ParseResult tile::parseMoveAttributes(OpAsmParser &parser,
                                      MoveRequestAttr &request,
                                      MoveDecisionAttr &decision,
                                      NamedAttrList &attributes) {
  SMLoc loc = parser.getCurrentLocation();
  auto emitError = [&] { return parser.emitError(loc); };
  MoveRequest asked;
  MoveDecision decided;
  // A decision in the dictionary is one that the program takes itself.
  if (parser.parseOptionalAttrDict(attributes) ||
      failed(takeRequest(attributes, asked, emitError)) ||
      failed(takeDecision(attributes, decided, emitError)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("decided"))) {
    loc = parser.getCurrentLocation();
    NamedAttrList written;
    if (parser.parseOptionalAttrDict(written))
      return failure();
    if (written.empty())
      return emitError()
             << "expected what is decided behind `decided`, as {plan = ...}";
    if (failed(takeDecision(written, decided, emitError)) ||
        failed(verifyAllTaken(written, decisionNames(), "decision", emitError)))
      return failure();
  }
  request = asked.getAttr(parser.getContext());
  decision = decided.getAttr(parser.getContext());
  return success();
}

void tile::printMoveAttributes(OpAsmPrinter &printer, Operation *op,
                               MoveRequestAttr request,
                               MoveDecisionAttr decision, DictionaryAttr) {
  printCombineAttributes(printer, op, UnitAttr(), request, decision, {});
}

ParseResult tile::parseCombineAttributes(OpAsmParser &parser,
                                         UnitAttr &isUnsigned,
                                         MoveRequestAttr &request,
                                         MoveDecisionAttr &decision,
                                         NamedAttrList &attributes) {
  SMLoc loc = parser.getCurrentLocation();
  auto emitError = [&] { return parser.emitError(loc); };
  if (parseMoveAttributes(parser, request, decision, attributes))
    return failure();
  return take(attributes, "is_unsigned", "without a value", isUnsigned,
              emitError);
}

void tile::printCombineAttributes(OpAsmPrinter &printer, Operation *op,
                                  UnitAttr isUnsigned, MoveRequestAttr request,
                                  MoveDecisionAttr decision, DictionaryAttr) {
  MLIRContext *context = op->getContext();
  NamedAttrList asked(op->getDiscardableAttrDictionary());
  append(asked, context, "is_unsigned", isUnsigned);
  appendRequest(asked, context, request);
  printer.printOptionalAttrDict(asked.getDictionary(context).getValue());
  if (!decision)
    return;
  NamedAttrList decided;
  appendDecision(decided, context, decision);
  printer << " decided";
  printer.printOptionalAttrDict(decided.getDictionary(context).getValue());
}

//===----------------------------------------------------------------------===//
// Which thread makes which element
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kLoopLayout = "layout";

FragmentLayoutAttr TileOpInterface::getLoopLayout() {
  if (auto move = dyn_cast<TileMoveOpInterface>(getOperation()))
    return move.getLayoutAttr();
  return (*this)->getAttrOfType<FragmentLayoutAttr>(kLoopLayout);
}

void TileOpInterface::setLoopLayout(FragmentLayoutAttr layout) {
  if (auto move = dyn_cast<TileMoveOpInterface>(getOperation()))
    return move.setLayoutAttr(layout);
  (*this)->setAttr(kLoopLayout, layout);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Fails where the operation has no such part and it is stated.
static LogicalResult verifyHas(TileMoveOpInterface move, StringRef constraint,
                               StringRef name, bool isStated) {
  if (isStated && constraint.empty())
    return move->emitOpError() << "unknown attribute '" << name << "'";
  return success();
}

LogicalResult tile::verifyRequest(TileMoveOpInterface move,
                                  const MoveConstraints &constraints) {
  MoveRequest asked = move.getAsked();
  if (failed(verifyHas(move, constraints.coalescedWidth, "coalesced_width",
                       bool(asked.coalescedWidth))))
    return failure();
  return verifyCoalescedWidth(move, constraints.coalescedWidth,
                              valueOf(asked.coalescedWidth));
}

/// What blocks of a cluster share fills a slot of a ring.
static LogicalResult verifyMulticast(TileMoveOpInterface move,
                                     StringRef constraint) {
  std::optional<uint64_t> multicast = move.getMulticast();
  DenseI64ArrayAttr along = move.getMulticastAlongAttr();
  if (!multicast && along)
    return move->emitOpError()
           << "[" << constraint
           << "] expected `multicast` beside `multicast_along`";
  if (!multicast)
    return success();
  int64_t blocks = static_cast<int64_t>(*multicast);
  if (blocks < 2 || blocks > 16)
    return move->emitOpError() << "[" << constraint
                               << "] expected `multicast` to 2 to 16 blocks, "
                                  "got "
                               << blocks;
  if (!move.getTarget().getDefiningOp<RingAcquireOp>())
    return move->emitOpError()
           << "[" << constraint
           << "] expected a slot of a ring as target of `multicast`";
  auto kernel = move->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  int64_t expected = kernel.getClusterSize();
  if (along) {
    ArrayRef<int64_t> cluster =
        kernel.getCluster().value_or(ArrayRef<int64_t>());
    expected = 1;
    int64_t last = -1;
    for (int64_t d : along.asArrayRef()) {
      if (d <= last || d >= static_cast<int64_t>(cluster.size()) ||
          cluster[d] == 1)
        return move->emitOpError()
               << "[" << constraint
               << "] expected `multicast_along` to name dimensions of the "
                  "cluster with several blocks in increasing order, got "
               << along;
      expected *= cluster[d];
      last = d;
    }
  }
  if (blocks != expected)
    return move->emitOpError()
           << "[" << constraint << "] expected `multicast` to the " << expected
           << (along ? " blocks that `multicast_along` names, got "
                     : " blocks of the cluster, got ")
           << blocks;
  return success();
}

static LogicalResult verifyGroups(TileMoveOpInterface move,
                                  StringRef constraint) {
  std::optional<ArrayRef<int64_t>> groups = move.getGroups();
  if (!groups)
    return success();
  bool fromShared = isShared(move.getSource());
  if (fromShared == isShared(move.getTarget()))
    return move->emitOpError()
           << "[" << constraint
           << "] expected one side of a copy with `groups` in shared "
              "memory";
  SmallVector<int64_t> extents =
      fromShared ? move.getSourceExtents() : move.getTargetExtents();
  if (groups->size() != extents.size())
    return move->emitOpError()
           << "[" << constraint
           << "] expected `groups` with one entry per dimension of the "
              "shared buffer, "
           << extents.size() << ", got " << groups->size();
  unsigned divided = 0;
  for (auto [count, extent] : llvm::zip(*groups, extents)) {
    if (count < 1 || extent % count != 0)
      return move->emitOpError() << "[" << constraint
                                 << "] expected `groups` that divide an "
                                    "extent of "
                                 << extent << ", got " << count;
    divided += count != 1;
  }
  if (divided != 1)
    return move->emitOpError() << "[" << constraint
                               << "] expected `groups` along exactly one "
                                  "dimension, got "
                               << divided;
  return success();
}

LogicalResult tile::verifyDecision(TileMoveOpInterface move,
                                   const MoveConstraints &constraints) {
  MoveDecision decided = move.getDecided();
  if (failed(verifyHas(move, constraints.multicast, "multicast",
                       bool(decided.multicast))) ||
      failed(verifyHas(move, constraints.multicast, "multicast_along",
                       bool(decided.multicastAlong))) ||
      failed(verifyHas(move, constraints.inside, "inside", decided.inside)) ||
      failed(
          verifyHas(move, constraints.inFront, "in_front", decided.inFront)) ||
      failed(verifyHas(move, constraints.groups, "groups",
                       bool(decided.groups))) ||
      failed(verifyMulticast(move, constraints.multicast)))
    return failure();
  if (decided.inside && !isGlobal(move.getSource()) &&
      !isGlobal(move.getTarget()))
    return move->emitOpError()
           << "[" << constraints.inside
           << "] expected a global buffer on a side of a copy with `inside`";
  if (decided.inFront && !isGlobal(move.getTarget()))
    return move->emitOpError() << "[" << constraints.inFront
                               << "] expected a global buffer as the target "
                                  "of a move with `in_front`";
  if (failed(verifyGroups(move, constraints.groups)))
    return failure();
  return verifyLoopLayout(move, constraints.layout, move.getLayout(),
                          move.getTileShape());
}
