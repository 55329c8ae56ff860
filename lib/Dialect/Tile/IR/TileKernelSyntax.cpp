//===- TileKernelSyntax.cpp - the header of a kernel as text --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's header (arguments, tunables, symbolic grid) has a syntax of its
// own: grid extents are written with argument names and kept as one affine map
// over dimensions and scalars. What it may say is verified in
// TileKernelOps.cpp, what tunables mean is in TileTunables.cpp.
//
//===----------------------------------------------------------------------===//
#include "TileTunables.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Recursive-descent parser of grid extents, and of what stands in place of
/// other numbers of the header:
///   sum := product (('+'|'-') product)*
///   product := atom (('*'|'ceildiv'|'floordiv'|'mod') atom)*
///   atom := integer | 'dim' '(' %arg ',' integer ')' | %arg | %tunable
///         | '(' sum ')'
/// In a grid, terminals become symbols of the affine map in order of
/// appearance; elsewhere only tunables may stand, and are symbols by number.
class GridParser {
public:
  GridParser(OpAsmParser &parser, ArrayRef<OpAsmParser::Argument> arguments,
             ArrayRef<OpAsmParser::Argument> tunables, bool isGrid)
      : parser(parser), arguments(arguments), tunables(tunables),
        isGrid(isGrid) {}

  ParseResult parseSum(AffineExpr &expr) {
    if (parseProduct(expr))
      return failure();
    while (true) {
      bool minus = false;
      if (failed(parser.parseOptionalPlus())) {
        if (failed(parser.parseOptionalMinus()))
          return success();
        minus = true;
      }
      AffineExpr rhs;
      if (parseProduct(rhs))
        return failure();
      expr = minus ? expr - rhs : expr + rhs;
    }
  }

  SmallVector<int64_t> operands; // flattened pairs (argument, dim or -1)

private:
  ParseResult parseProduct(AffineExpr &expr) {
    if (parseAtom(expr))
      return failure();
    while (true) {
      AffineExpr rhs;
      SMLoc loc = parser.getCurrentLocation();
      if (succeeded(parser.parseOptionalStar())) {
        if (parseAtom(rhs))
          return failure();
        expr = expr * rhs;
        continue;
      }
      StringRef keyword;
      if (failed(parser.parseOptionalKeyword(&keyword,
                                             {"ceildiv", "floordiv", "mod"})))
        return success();
      if (parseAtom(rhs))
        return failure();
      auto divisor = dyn_cast<AffineConstantExpr>(rhs);
      if (!isFixed(rhs) || (divisor && divisor.getValue() <= 0))
        return parser.emitError(loc)
               << "[kernel-8] expected a positive constant after '" << keyword
               << "'";
      expr = keyword == "ceildiv"    ? expr.ceilDiv(rhs)
             : keyword == "floordiv" ? expr.floorDiv(rhs)
                                     : expr % rhs;
    }
  }

  ParseResult parseAtom(AffineExpr &expr) {
    MLIRContext *context = parser.getContext();
    int64_t constant;
    OptionalParseResult integer = parser.parseOptionalInteger(constant);
    if (integer.has_value()) {
      expr = getAffineConstantExpr(constant, context);
      return *integer;
    }
    if (succeeded(parser.parseOptionalLParen())) {
      if (++depth > kMaxDepth)
        return parser.emitError(parser.getCurrentLocation())
               << "expected at most " << kMaxDepth
               << " nested parentheses in a grid extent";
      if (parseSum(expr) || parser.parseRParen())
        return failure();
      --depth;
      return success();
    }
    int64_t dim = -1;
    bool isDim = succeeded(parser.parseOptionalKeyword("dim"));
    OpAsmParser::UnresolvedOperand operand;
    SMLoc loc = parser.getCurrentLocation();
    if (isDim && parser.parseLParen())
      return failure();
    if (parser.parseOperand(operand, /*allowResultNumber=*/false))
      return failure();
    if (isDim && (parser.parseComma() || parser.parseInteger(dim) ||
                  parser.parseRParen()))
      return failure();
    if (isDim && dim < 0)
      return parser.emitError(loc)
             << "expected a dimension that is not negative, got " << dim;
    for (auto [i, tunable] : llvm::enumerate(tunables))
      if (!isDim && tunable.ssaName.name == operand.name) {
        expr = isGrid ? symbol(i, KernelOp::kTunableOperand)
                      : getAffineSymbolExpr(i, context);
        return success();
      }
    for (auto [i, argument] : llvm::enumerate(arguments))
      if (isGrid && argument.ssaName.name == operand.name) {
        expr = symbol(i, dim);
        return success();
      }
    return parser.emitError(loc)
           << (isGrid ? "expected an argument of the kernel in a grid extent, "
                        "got '"
                      : "expected numbers and tunables of the kernel, got '")
           << operand.name << "'";
  }

  /// The symbol of a terminal, one for all its appearances.
  AffineExpr symbol(int64_t index, int64_t dim) {
    for (size_t s = 0; s < operands.size(); s += 2)
      if (operands[s] == index && operands[s + 1] == dim)
        return getAffineSymbolExpr(s / 2, parser.getContext());
    operands.append({index, dim});
    return getAffineSymbolExpr(operands.size() / 2 - 1, parser.getContext());
  }

  /// A number once tunables are chosen.
  bool isFixed(AffineExpr expr) {
    return !isGrid || isFixedByTunables(expr, operands);
  }

  static constexpr unsigned kMaxDepth = 64; // the parser recurses
  OpAsmParser &parser;
  ArrayRef<OpAsmParser::Argument> arguments, tunables;
  bool isGrid;
  unsigned depth = 0;
};
} // namespace

/// `(` NUMBERS-AND-TUNABLES `)`: what an attribute is tuned to.
static ParseResult parseTuned(OpAsmParser &parser,
                              ArrayRef<OpAsmParser::Argument> tunables,
                              SmallVectorImpl<AffineExpr> &results) {
  GridParser expressions(parser, {}, tunables, /*isGrid=*/false);
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
    return expressions.parseSum(results.emplace_back());
  });
}

/// `tunable` `(` %name `in` `[` values `]`, ... `)`
static ParseResult
parseTunables(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::Argument> &tunables,
              SmallVectorImpl<Attribute> &attributes) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
    OpAsmParser::Argument &tunable = tunables.emplace_back();
    SmallVector<int64_t> values;
    if (parser.parseArgument(tunable) || parser.parseKeyword("in") ||
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(values.emplace_back());
        }))
      return failure();
    tunable.type = parser.getBuilder().getIndexType();
    attributes.push_back(TunableAttr::get(
        parser.getContext(), tunable.ssaName.name.drop_front(), values));
    return success();
  });
}

/// `(NAME = EXPRESSION, ...)` behind `tuned`.
static ParseResult
parseTunedAttributes(OpAsmParser &parser,
                     ArrayRef<OpAsmParser::Argument> tunables,
                     HeaderAttributes &header) {
  GridParser expressions(parser, {}, tunables, /*isGrid=*/false);
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        std::string attribute;
        AffineExpr value;
        if (parser.parseKeywordOrString(&attribute) || parser.parseEqual() ||
            expressions.parseSum(value))
          return failure();
        header.add(attribute, value);
        return success();
      });
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true))
    return failure();
  SmallVector<Attribute> types, names, attrs;
  for (OpAsmParser::Argument &argument : arguments) {
    types.push_back(TypeAttr::get(argument.type));
    names.push_back(builder.getStringAttr(argument.ssaName.name.drop_front()));
    attrs.push_back(argument.attrs ? argument.attrs
                                   : builder.getDictionaryAttr({}));
  }

  SmallVector<OpAsmParser::Argument> tunables;
  SmallVector<Attribute> tunableAttrs;
  if (succeeded(parser.parseOptionalKeyword("tunable")) &&
      parseTunables(parser, tunables, tunableAttrs))
    return failure();

  SmallVector<OpAsmParser::Argument> ids;
  SmallVector<AffineExpr> extents;
  GridParser grid(parser, arguments, tunables, /*isGrid=*/true);
  if (parser.parseKeyword("grid") ||
      parser.parseArgumentList(ids, OpAsmParser::Delimiter::Paren) ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
        return grid.parseSum(extents.emplace_back());
      }))
    return failure();
  if (ids.size() != extents.size())
    return parser.emitError(parser.getNameLoc())
           << "expected one extent per block index, got " << extents.size()
           << " extents for " << ids.size() << " indices";
  SmallVector<AffineExpr> numbers;
  HeaderAttributes header(parser.getContext(), tunableAttrs);
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword("threads") || parseTuned(parser, tunables, numbers))
    return failure();
  if (numbers.size() != 1)
    return parser.emitError(loc)
           << "expected one number of threads, got " << numbers.size();
  header.add(getThreadsAttrName(result.name), numbers);
  if (succeeded(parser.parseOptionalKeyword("cluster"))) {
    numbers.clear();
    if (parseTuned(parser, tunables, numbers))
      return failure();
    header.add(getClusterAttrName(result.name), numbers);
  }
  if (!tunables.empty() && succeeded(parser.parseOptionalKeyword("tuned")) &&
      parseTunedAttributes(parser, tunables, header))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  if (failed(header.finish(result.attributes,
                           [&] { return parser.emitError(loc); })))
    return failure();
  if (!tunables.empty())
    result.addAttribute(getTunablesAttrName(result.name),
                        builder.getArrayAttr(tunableAttrs));
  if (header.isTuned())
    result.addAttribute(getTunedAttrName(result.name),
                        header.tuned(parser.getContext()));

  result.addAttribute(getArgTypesAttrName(result.name),
                      builder.getArrayAttr(types));
  result.addAttribute(getArgNamesAttrName(result.name),
                      builder.getArrayAttr(names));
  result.addAttribute(getArgAttrsAttrName(result.name),
                      builder.getArrayAttr(attrs));
  result.addAttribute(
      getGridAttrName(result.name),
      AffineMapAttr::get(AffineMap::get(0, grid.operands.size() / 2, extents,
                                        parser.getContext())));
  result.addAttribute(getGridOperandsAttrName(result.name),
                      builder.getDenseI64ArrayAttr(grid.operands));

  for (OpAsmParser::Argument &id : ids) {
    id.type = builder.getIndexType();
    arguments.push_back(id);
  }
  arguments.append(tunables);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

/// Prints a grid extent in the syntax that GridParser reads, with the
/// parentheses it needs: sums bind weaker than products, both to the left.
enum class GridPrecedence { Sum, Product, Atom };

/// `operands`: what symbols are, as in `grid_operands`.
static void printGridExpr(OpAsmPrinter &printer, KernelOp kernel,
                          ArrayRef<int64_t> operands, AffineExpr expr,
                          GridPrecedence context) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    printer << constant.getValue();
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    int64_t argument = operands[2 * symbol.getPosition()];
    int64_t dim = operands[2 * symbol.getPosition() + 1];
    if (dim >= 0)
      printer << "dim(";
    printer.printOperand(dim == KernelOp::kTunableOperand
                             ? kernel.getTunableArgument(argument)
                             : kernel.getKernelArgument(argument));
    if (dim >= 0)
      printer << ", " << dim << ")";
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  AffineExpr rhs = binary.getRHS();
  bool isSum = binary.getKind() == AffineExprKind::Add;
  auto own = isSum ? GridPrecedence::Sum : GridPrecedence::Product;
  StringRef symbol;
  switch (binary.getKind()) {
  case AffineExprKind::Add: {
    // Affine maps know no subtraction: a - b is a + b * -1.
    symbol = " + ";
    auto constant = dyn_cast<AffineConstantExpr>(rhs);
    auto product = dyn_cast<AffineBinaryOpExpr>(rhs);
    auto factor = product && product.getKind() == AffineExprKind::Mul
                      ? dyn_cast<AffineConstantExpr>(product.getRHS())
                      : AffineConstantExpr();
    if (constant && constant.getValue() < 0 &&
        constant.getValue() != std::numeric_limits<int64_t>::min()) {
      symbol = " - ";
      rhs = -rhs;
    } else if (factor && factor.getValue() == -1) {
      symbol = " - ";
      rhs = product.getLHS();
    }
    break;
  }
  case AffineExprKind::Mul:
    symbol = " * ";
    break;
  case AffineExprKind::CeilDiv:
    symbol = " ceildiv ";
    break;
  case AffineExprKind::FloorDiv:
    symbol = " floordiv ";
    break;
  default:
    symbol = " mod ";
  }
  if (own < context)
    printer << '(';
  printGridExpr(printer, kernel, operands, binary.getLHS(), own);
  printer << symbol;
  printGridExpr(printer, kernel, operands, rhs,
                isSum ? GridPrecedence::Product : GridPrecedence::Atom);
  if (own < context)
    printer << ')';
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  for (unsigned i = 0; i < getNumKernelArguments(); ++i) {
    if (i)
      printer << ", ";
    printer.printRegionArgument(
        getKernelArgument(i),
        cast<DictionaryAttr>(getArgAttrs()[i]).getValue());
  }
  printer << ")";
  if (getNumTunables()) {
    printer << " tunable(";
    for (unsigned i = 0; i < getNumTunables(); ++i) {
      printer << (i ? ", " : "") << getTunableArgument(i) << " in [";
      llvm::interleaveComma(getTunable(i).getValues(), printer);
      printer << "]";
    }
    printer << ")";
  }
  printer << " grid(";
  for (unsigned i = 0; i < getGridRank(); ++i) {
    if (i)
      printer << ", ";
    printer.printOperand(getBlockId(i));
  }
  printer << ") = (";
  for (auto [i, expr] : llvm::enumerate(getGrid().getResults())) {
    if (i)
      printer << ", ";
    printGridExpr(printer, *this, getGridOperands(), expr, GridPrecedence::Sum);
  }
  printer << ") ";
  // What stands in the header where numbers would.
  SmallVector<int64_t> symbols;
  for (unsigned i = 0; i < getNumTunables(); ++i)
    symbols.append({i, kTunableOperand});
  SmallVector<StringRef> elided{
      getSymNameAttrName(),  getArgTypesAttrName(), getArgNamesAttrName(),
      getArgAttrsAttrName(), getGridAttrName(),     getGridOperandsAttrName(),
      getThreadsAttrName(),  getClusterAttrName(),  getTunablesAttrName(),
      getTunedAttrName()};
  ArrayRef<Attribute> tunedList;
  if (getTunedAttr())
    tunedList = getTunedAttr().getValue();
  auto find = [&](StringRef attribute) -> TunedAttr {
    for (Attribute attr : tunedList)
      if (cast<TunedAttr>(attr).getAttribute() == attribute)
        return cast<TunedAttr>(attr);
    return {};
  };
  auto print = [&](TunedAttr tuned) {
    llvm::interleaveComma(
        tuned.getValue().getValue().getResults(), printer, [&](AffineExpr e) {
          printGridExpr(printer, *this, symbols, e, GridPrecedence::Sum);
        });
  };
  printer << "threads(";
  if (TunedAttr tuned = find(getThreadsAttrName()))
    print(tuned);
  else
    printer << getThreads();
  printer << ")";
  if (TunedAttr tuned = find(getClusterAttrName())) {
    printer << " cluster(";
    print(tuned);
    printer << ")";
  } else if (getCluster()) {
    printer << " cluster(";
    llvm::interleaveComma(*getCluster(), printer);
    printer << ")";
  }
  bool any = false;
  for (Attribute attr : tunedList) {
    auto tuned = cast<TunedAttr>(attr);
    if (tuned.getAttribute() == getThreadsAttrName() ||
        tuned.getAttribute() == getClusterAttrName())
      continue;
    printer << (any ? ", " : " tuned(");
    printer.printKeywordOrString(tuned.getAttribute());
    printer << " = ";
    print(tuned);
    elided.push_back(tuned.getAttribute());
    any = true;
  }
  if (any)
    printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  // Runs on IR that may not have been verified yet.
  ArrayAttr names = getArgNamesAttr();
  if (!names)
    return;
  static constexpr StringLiteral kIdNames[] = {"bx", "by", "bz"};
  unsigned count = names.size();
  for (BlockArgument argument : region.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (i < count) {
      if (auto name = dyn_cast<StringAttr>(names[i]))
        setName(argument, name.getValue());
    } else if (getGridAttr() && getTunablesAttr() &&
               i >= count + getGridRank()) {
      unsigned tunable = i - count - getGridRank();
      if (tunable < getNumTunables())
        if (auto attr = dyn_cast<TunableAttr>((*getTunables())[tunable]))
          setName(argument, attr.getName());
    } else if (i - count < 3) {
      setName(argument, kIdNames[i - count]);
    }
  }
}
