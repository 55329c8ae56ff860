//===- TileAttrs.cpp - layout attributes: text form and verification ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structured text of `#tile.fragment_layout` and `#tile.shared_layout`;
// what a layout means is in lib/Layout.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "tile/Target/DeviceInfo.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

/// `, pair` and `, swapped`, in any order, or nothing.
static ParseResult parsePlanFlags(AsmParser &parser, bool &pair,
                                  bool &swapped) {
  pair = swapped = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("swapped")))
      swapped = true;
    else if (succeeded(parser.parseOptionalKeyword("pair")))
      pair = true;
    else
      return parser.emitError(parser.getCurrentLocation(),
                              "expected `pair` or `swapped`");
  }
  return success();
}
static void printPlanFlags(AsmPrinter &printer, bool pair, bool swapped) {
  if (pair)
    printer << ", pair";
  if (swapped)
    printer << ", swapped";
}

#include "tile/Dialect/Tile/IR/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tile/Dialect/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tile/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

static Modes unflatten(ArrayRef<int64_t> triples) {
  Modes modes;
  for (size_t i = 0; i + 2 < triples.size(); i += 3)
    modes.push_back(
        {triples[i], static_cast<int>(triples[i + 1]), triples[i + 2]});
  return modes;
}

static SmallVector<int64_t> flatten(const Modes &modes) {
  SmallVector<int64_t> triples;
  for (const Mode &mode : modes)
    triples.append({mode.extent, mode.dim, mode.stride});
  return triples;
}

/// `[(2, 1:1), (8, *)]`
static ParseResult parseModes(AsmParser &parser,
                              SmallVectorImpl<int64_t> &triples) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        int64_t extent = 0, dim = Mode::kReplicated, stride = 0;
        if (parser.parseLParen() || parser.parseInteger(extent) ||
            parser.parseComma())
          return failure();
        if (failed(parser.parseOptionalStar()))
          if (parser.parseInteger(dim) || parser.parseColon() ||
              parser.parseInteger(stride))
            return failure();
        triples.append({extent, dim, stride});
        return parser.parseRParen();
      });
}

static void printModes(AsmPrinter &printer, ArrayRef<int64_t> triples) {
  printer << '[';
  for (size_t i = 0; i < triples.size(); i += 3) {
    if (i)
      printer << ", ";
    printer << '(' << triples[i] << ", ";
    if (triples[i + 1] == Mode::kReplicated)
      printer << '*';
    else
      printer << triples[i + 1] << ':' << triples[i + 2];
    printer << ')';
  }
  printer << ']';
}

static ParseResult parseIntegers(AsmParser &parser, AsmParser::Delimiter kind,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      kind, [&] { return parser.parseInteger(values.emplace_back()); });
}

//===----------------------------------------------------------------------===//
// FragmentLayoutAttr
//===----------------------------------------------------------------------===//

FragmentLayoutAttr FragmentLayoutAttr::get(MLIRContext *context,
                                           const FragmentLayout &layout) {
  return get(context, layout.shape(), flatten(layout.modes(Axis::Register)),
             flatten(layout.modes(Axis::Lane)),
             flatten(layout.modes(Axis::Warp)),
             flatten(layout.modes(Axis::Block)));
}

FragmentLayout FragmentLayoutAttr::getLayout() const {
  return FragmentLayout(getShape(), unflatten(getReg()), unflatten(getLane()),
                        unflatten(getWarp()), unflatten(getBlock()));
}

Attribute FragmentLayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, reg, lane, warp, block;
  if (parser.parseLess() || parser.parseKeyword("shape") ||
      parseIntegers(parser, AsmParser::Delimiter::Square, shape) ||
      parser.parseKeyword("reg") || parseModes(parser, reg) ||
      parser.parseKeyword("lane") || parseModes(parser, lane) ||
      parser.parseKeyword("warp") || parseModes(parser, warp))
    return {};
  if (succeeded(parser.parseOptionalKeyword("block")) &&
      parseModes(parser, block))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<FragmentLayoutAttr>(parser.getContext(), shape, reg,
                                               lane, warp, block);
}

void FragmentLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<shape [";
  llvm::interleaveComma(getShape(), printer);
  printer << "] reg ";
  printModes(printer, getReg());
  printer << " lane ";
  printModes(printer, getLane());
  printer << " warp ";
  printModes(printer, getWarp());
  if (!getBlock().empty()) {
    printer << " block ";
    printModes(printer, getBlock());
  }
  printer << '>';
}

LogicalResult
FragmentLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           ArrayRef<int64_t> shape, ArrayRef<int64_t> reg,
                           ArrayRef<int64_t> lane, ArrayRef<int64_t> warp,
                           ArrayRef<int64_t> block) {
  for (ArrayRef<int64_t> axis : {reg, lane, warp, block}) {
    if (axis.size() % 3)
      return emitError() << "expected modes as triples (extent, dim, stride)";
    for (size_t i = 0; i < axis.size(); i += 3)
      if (axis[i] < 1 || axis[i + 1] < -1 ||
          axis[i + 1] >= static_cast<int64_t>(shape.size()) || axis[i + 2] < 0)
        return emitError() << "expected a mode with a positive extent, a "
                              "dimension below "
                           << shape.size()
                           << " and a stride that is not negative, got ("
                           << axis[i] << ", " << axis[i + 1] << ":"
                           << axis[i + 2] << ")";
  }
  FragmentLayout layout(shape, unflatten(reg), unflatten(lane), unflatten(warp),
                        unflatten(block));
  auto valid = layout.verify();
  if (!valid)
    return emitError() << valid.reason();
  if (layout.size(Axis::Lane) != kWarpSize)
    return emitError() << "expected lane modes of extent " << kWarpSize
                       << " together, got " << layout.size(Axis::Lane);
  return success();
}

//===----------------------------------------------------------------------===//
// SharedLayoutAttr
//===----------------------------------------------------------------------===//

SharedLayoutAttr SharedLayoutAttr::get(MLIRContext *context,
                                       const SharedLayout &layout) {
  SmallVector<int64_t> swizzle;
  if (layout.swizzle().bits)
    swizzle = {layout.swizzle().bits, layout.swizzle().base,
               layout.swizzle().shift};
  return get(context, layout.shape(), layout.elementBits(),
             flatten(layout.modes()), swizzle);
}

SharedLayout SharedLayoutAttr::getLayout() const {
  Swizzle swizzle;
  if (getSwizzle().size() == 3)
    swizzle = {static_cast<unsigned>(getSwizzle()[0]),
               static_cast<unsigned>(getSwizzle()[1]),
               static_cast<unsigned>(getSwizzle()[2])};
  return SharedLayout(getShape(), getElementBits(), unflatten(getModes()),
                      swizzle);
}

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, modes, swizzle;
  int64_t bits = 0;
  if (parser.parseLess() || parser.parseKeyword("shape") ||
      parseIntegers(parser, AsmParser::Delimiter::Square, shape) ||
      parser.parseKeyword("bits") || parser.parseInteger(bits) ||
      parser.parseKeyword("modes") || parseModes(parser, modes))
    return {};
  if (succeeded(parser.parseOptionalKeyword("swizzle")) &&
      parseIntegers(parser, AsmParser::Delimiter::Paren, swizzle))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SharedLayoutAttr>(parser.getContext(), shape, bits,
                                             modes, swizzle);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<shape [";
  llvm::interleaveComma(getShape(), printer);
  printer << "] bits " << getElementBits() << " modes ";
  printModes(printer, getModes());
  if (!getSwizzle().empty()) {
    printer << " swizzle(";
    llvm::interleaveComma(getSwizzle(), printer);
    printer << ')';
  }
  printer << '>';
}

LogicalResult
SharedLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<int64_t> shape, int64_t elementBits,
                         ArrayRef<int64_t> modes, ArrayRef<int64_t> swizzle) {
  if (elementBits < 1 || elementBits > 64)
    return emitError() << "expected element bits in [1, 64], got "
                       << elementBits;
  if (modes.size() % 3)
    return emitError() << "expected modes as triples (extent, dim, stride)";
  for (size_t i = 0; i < modes.size(); i += 3)
    if (modes[i] < 1 || modes[i + 1] < 0 ||
        modes[i + 1] >= static_cast<int64_t>(shape.size()) || modes[i + 2] < 0)
      return emitError() << "expected a mode with a positive extent, a "
                            "dimension below "
                         << shape.size()
                         << " and a stride that is not negative, got ("
                         << modes[i] << ", " << modes[i + 1] << ":"
                         << modes[i + 2] << ")";
  if (!swizzle.empty()) {
    if (swizzle.size() != 3)
      return emitError() << "expected a swizzle (bits, base, shift), got "
                         << swizzle.size() << " numbers";
    if (swizzle[0] < 1 || swizzle[0] > 8 || swizzle[1] < 0 || swizzle[1] > 16 ||
        swizzle[2] < swizzle[0] || swizzle[2] > 16)
      return emitError()
             << "expected a swizzle with bits in [1, 8], base in [0, 16] and "
                "shift in [bits, 16], got ("
             << swizzle[0] << ", " << swizzle[1] << ", " << swizzle[2] << ")";
  }
  Swizzle parsed;
  if (!swizzle.empty())
    parsed = {static_cast<unsigned>(swizzle[0]),
              static_cast<unsigned>(swizzle[1]),
              static_cast<unsigned>(swizzle[2])};
  SharedLayout layout(shape, elementBits, unflatten(modes), parsed);
  auto valid = layout.verify();
  if (!valid)
    return emitError() << valid.reason();
  return success();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef arch, StringRef deviceName) {
  std::string error;
  const TargetInfo *target = TargetInfo::get(arch, &error);
  if (!target)
    return emitError() << error;
  if (deviceName.empty())
    return success();
  const DeviceInfo *device = DeviceInfo::get(deviceName, &error);
  if (!device || !device->runs(*target, &error))
    return emitError() << error;
  return success();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

LogicalResult CopyPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   CopyInstruction instruction, int64_t bytes,
                                   DenseI64ArrayAttr exchange) {
  if (bytes < 1)
    return emitError() << "expected positive bytes, got " << bytes;
  if (!exchange)
    return success();
  if (!traitsOf(instruction).isPlain)
    return emitError() << "expected `exchange` of loads and stores by threads, "
                          "got '"
                       << stringifyCopyInstruction(instruction) << "'";
  if (exchange.size() != 2 ||
      !llvm::all_of(exchange.asArrayRef(), [](int64_t bit) {
        return bit > 0 && llvm::isPowerOf2_64(bit);
      }))
    return emitError() << "expected `exchange` of two powers of two, a bit of "
                          "the lane and one of the register, got "
                       << exchange;
  return success();
}

LogicalResult MmaPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  MmaInstruction instruction, int64_t m,
                                  int64_t n, int64_t k, int64_t warpsM,
                                  int64_t warpsN, bool pair, bool swapped) {
  if (pair && swapped)
    return emitError() << "expected `pair` or `swapped`, got both";
  if (pair && !traitsOf(instruction).worksInPairs)
    return emitError() << "expected `pair` of tcgen05 only, got "
                       << stringifyMmaInstruction(instruction);
  if (swapped && !traitsOf(instruction).swapsOperands)
    return emitError() << "expected `swapped` of wgmma only, got "
                       << stringifyMmaInstruction(instruction);
  for (int64_t extent : {m, n, k, warpsM, warpsN})
    if (extent < 1 || extent > (1 << 16))
      return emitError()
             << "expected a shape and counts of warps in [1, 65536], "
                "got "
             << extent;
  return success();
}
