//===- LayoutOutput.cpp - layouts in words and as pictures ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lib/Layout draws and describes, for each layout of a module. Deciding
// layouts is left to tile-infer-layouts.
//
//===----------------------------------------------------------------------===//
#include "LayoutOutput.h"
#include "mlir/AsmParser/AsmParser.h"
#include "tile/Conversion/DrawArena.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Layout/CuteNotation.h"
#include "tile/Layout/Draw.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

template <typename Layout> static std::string describe(const Layout &layout) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "  ";
  layout.print(os);
  std::string words;
  llvm::raw_string_ostream wordsOs(words);
  layout.describe(wordsOs);
  for (StringRef line : llvm::split(StringRef(words).rtrim(), '\n'))
    os << "\n  " << line;
  os << "\n  CuTe: ";
  printCute(layout, os);
  os << "\n";
  return text;
}

template <typename Layout>
static std::string show(const Layout &layout, LayoutFormat format) {
  if (format == LayoutFormat::Text)
    return describe(layout);
  std::string text;
  llvm::raw_string_ostream os(text);
  drawSvg(layout, os);
  return text;
}

static std::string show(Attribute layout, LayoutFormat format) {
  if (auto fragment = dyn_cast<FragmentLayoutAttr>(layout))
    return show(fragment.getLayout(), format);
  return show(cast<SharedLayoutAttr>(layout).getLayout(), format);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
/// A layout and everything that has it.
struct Entry {
  Attribute layout;
  SmallVector<std::string> users;
  llvm::SmallSetVector<unsigned, 4> lines;
};
} // namespace

/// The line of an operation; 0 where it has none.
static unsigned lineOf(Operation *op) {
  auto location = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return location ? location.getLine() : 0;
}

/// "tile.alloc at line 14 : memref<128x32xf16, ...>"
static std::string nameOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName();
  if (unsigned line = lineOf(op))
    os << " at line " << line;
  if (op->getNumResults() == 1)
    os << " : " << op->getResult(0).getType();
  return text;
}

static SmallVector<Entry> collectLayouts(ModuleOp module,
                                         std::optional<unsigned> line) {
  SmallVector<Entry> entries;
  llvm::MapVector<Attribute, unsigned> indexOf;
  auto add = [&](Attribute layout, Operation *op) {
    auto [it, inserted] = indexOf.insert({layout, entries.size()});
    if (inserted)
      entries.push_back({layout, {}, {}});
    Entry &entry = entries[it->second];
    std::string name = nameOf(op);
    if (!llvm::is_contained(entry.users, name))
      entry.users.push_back(std::move(name));
    if (unsigned at = lineOf(op))
      entry.lines.insert(at);
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (line && lineOf(op) != *line)
      return;
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      Attribute value = attribute.getValue();
      if (isa<FragmentLayoutAttr, SharedLayoutAttr>(value))
        add(value, op);
      else if (auto list = dyn_cast<ArrayAttr>(value))
        for (Attribute element : list)
          if (isa<FragmentLayoutAttr, SharedLayoutAttr>(element))
            add(element, op);
    }
  });
  return entries;
}

/// The number in `key="..."` of an SVG's first tag.
static int64_t svgNumber(StringRef svg, StringRef key) {
  StringRef rest = svg.split((key + "=\"").str()).second;
  int64_t value = 0;
  rest.consumeInteger(10, value);
  return value;
}

static std::string escapeXml(StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printHTMLEscaped(text, os);
  return result;
}

/// The picture of the first, under its names and the lines of the others.
static std::string drawFirst(ArrayRef<Entry> entries) {
  constexpr int64_t kLine = 16, kMargin = 8;
  SmallVector<std::string> names = entries.front().users;
  llvm::SmallSetVector<unsigned, 16> others;
  for (const Entry &entry : entries.drop_front())
    others.insert(entry.lines.begin(), entry.lines.end());
  if (!others.empty())
    names.push_back(
        llvm::formatv("other layouts, by --layout-line: {0:$[, ]}",
                      llvm::make_range(others.begin(), others.end()))
            .str());
  std::string body;
  llvm::raw_string_ostream os(body);
  int64_t y = kMargin, width = 0;
  for (const std::string &name : names) {
    y += kLine;
    os << "<text x=\"" << kMargin << "\" y=\"" << y
       << "\" font-weight=\"bold\">" << escapeXml(name) << "</text>\n";
    width = std::max<int64_t>(width, 8 * name.size());
  }
  y += kMargin;
  std::string svg = show(entries.front().layout, LayoutFormat::Svg);
  size_t at = svg.find("<svg ");
  width = std::max(width, svgNumber(svg, "width"));
  os << "<svg y=\"" << y << "\" " << StringRef(svg).drop_front(at + 5);
  y += svgNumber(svg, "height") + kMargin;
  return llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                       "width=\"{0}\" height=\"{1}\" font-family=\"monospace\" "
                       "font-size=\"12\">\n{2}</svg>\n",
                       width + 2 * kMargin, y, body)
      .str();
}

FailureOr<std::string> mlir::tile::showLayouts(ModuleOp module,
                                               LayoutFormat format,
                                               std::optional<unsigned> line) {
  SmallVector<Entry> entries = collectLayouts(module, line);
  if (entries.empty()) {
    InFlightDiagnostic error = module.emitError();
    error << "expected a layout to show";
    if (line)
      error << " at line " << *line;
    return error << ", got none";
  }
  if (format == LayoutFormat::Svg)
    return drawFirst(entries);
  std::string text;
  for (const Entry &entry : entries) {
    for (const std::string &user : entry.users)
      text += user + "\n";
    text += show(entry.layout, format) + "\n";
  }
  return text;
}

FailureOr<std::string> mlir::tile::showArena(ModuleOp module) {
  auto kernels = module.getOps<KernelOp>();
  if (kernels.empty())
    return module.emitError() << "expected a kernel to draw the shared memory "
                                 "of, got none";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(drawArena(*kernels.begin(), os)))
    return failure();
  return text;
}

//===----------------------------------------------------------------------===//
// A layout on its own
//===----------------------------------------------------------------------===//

bool mlir::tile::isBareLayout(StringRef source) {
  source = source.ltrim();
  return source.starts_with("#tile.fragment_layout") ||
         source.starts_with("#tile.shared_layout") || source.starts_with("(") ||
         source.starts_with("Sw<");
}

/// The smallest shape that modes reach into.
static SmallVector<int64_t> shapeOf(const Modes &modes) {
  SmallVector<int64_t> shape;
  for (const Mode &mode : modes) {
    if (mode.isReplication())
      continue;
    if (shape.size() <= size_t(mode.dim))
      shape.resize(mode.dim + 1, 1);
    // A shape that would not fit is refused by the layout's own check.
    int64_t reach;
    if (llvm::MulOverflow(mode.extent - 1, mode.stride, reach) ||
        llvm::AddOverflow(shape[mode.dim], reach, shape[mode.dim]))
      shape[mode.dim] = std::numeric_limits<int64_t>::max();
  }
  return shape;
}

/// `2@1` strides speak of a tile's coordinates: threads and registers, or one
/// list of modes, which has no owner to draw.
static FailureOr<std::string>
showCuteFragment(StringRef source, LayoutFormat format, std::string &error) {
  OrRefusal<Modes> modes = parseCuteModes(source);
  if (!modes) {
    error = modes.reason();
    return failure();
  }
  OrRefusal<FragmentLayout> layout = parseCuteFragment(source, shapeOf(*modes));
  if (layout) {
    if (OrRefusal<bool> valid = layout->verify(); !valid) {
      error = valid.reason();
      return failure();
    }
    return show(*layout, format);
  }
  if (format == LayoutFormat::Svg) {
    error = layout.reason();
    return failure();
  }
  std::string text = "  modes";
  llvm::raw_string_ostream os(text);
  for (const Mode &mode : *modes) {
    os << " (" << mode.extent << ", ";
    if (mode.isReplication())
      os << "*)";
    else
      os << mode.dim << ":" << mode.stride << ")";
  }
  os << "\n  CuTe: ";
  printCute(*modes, os);
  os << "\n  not a fragment: " << layout.reason() << "\n";
  return text;
}

FailureOr<std::string> mlir::tile::showBareLayout(StringRef source,
                                                  unsigned elementBits,
                                                  LayoutFormat format,
                                                  MLIRContext *context,
                                                  std::string &error) {
  source = source.trim();
  if (source.starts_with("#")) {
    context->getOrLoadDialect<TileDialect>();
    Attribute layout = parseAttribute(source, context);
    if (!layout)
      return failure();
    return show(layout, format);
  }
  if (source.contains('@'))
    return showCuteFragment(source, format, error);
  OrRefusal<SharedLayout> layout = parseCuteShared(source, elementBits);
  if (layout) {
    if (OrRefusal<bool> valid = layout->verify(); valid)
      return show(*layout, format);
    else
      error = valid.reason();
  } else {
    error = layout.reason();
  }
  return failure();
}
