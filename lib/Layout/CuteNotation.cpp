//===- CuteNotation.cpp - layouts in CuTe's spelling ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive-descent reader of `shape:stride` and the printers. Shape and
// stride are trees of one form; leaves pair up to modes.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/CuteNotation.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/Compose.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::raw_ostream;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

/// Integers in parentheses; a leaf has no children. `dim` is what follows '@'.
struct Tree {
  int64_t value = 0;
  int dim = 0;
  bool isLeaf = true;
  size_t column = 0;
  std::vector<Tree> children;
};

class Reader {
public:
  explicit Reader(StringRef text) : text(text) {}

  bool consume(StringRef token) {
    skipSpace();
    if (!text.substr(position).starts_with(token))
      return false;
    position += token.size();
    return true;
  }
  bool expect(StringRef token) {
    if (consume(token))
      return true;
    fail("'" + token.str() + "'");
    return false;
  }
  bool expectEnd() {
    skipSpace();
    if (position == text.size())
      return true;
    fail("the end");
    return false;
  }
  bool integer(int64_t &value) {
    skipSpace();
    // CuTe marks static integers by an underscore.
    size_t start = position;
    if (position < text.size() && text[position] == '_')
      ++position;
    StringRef digits = text.substr(position).take_while(
        [](char c) { return c >= '0' && c <= '9'; });
    if (digits.empty() || digits.getAsInteger(10, value)) {
      position = start;
      fail("a 64-bit integer");
      return false;
    }
    position += digits.size();
    return true;
  }
  /// Depth is bounded so that hostile text cannot exhaust the stack.
  bool tree(Tree &result, unsigned depth = 0) {
    constexpr unsigned kMaxDepth = 16;
    skipSpace();
    result.column = position + 1;
    if (!consume("(")) {
      if (!integer(result.value))
        return false;
      if (!consume("@"))
        return true;
      int64_t dim;
      if (!integer(dim))
        return false;
      if (dim > 63) {
        fail("a dimension below 64");
        return false;
      }
      result.dim = int(dim);
      return true;
    }
    result.isLeaf = false;
    if (depth == kMaxDepth) {
      fail("at most 16 nested groups");
      return false;
    }
    if (consume(")"))
      return true;
    do {
      result.children.emplace_back();
      if (!tree(result.children.back(), depth + 1))
        return false;
    } while (consume(","));
    return expect(")");
  }
  /// shape ':' stride
  bool layout(Tree &shape, Tree &stride) {
    return tree(shape) && expect(":") && tree(stride);
  }
  void fail(const std::string &expected) {
    if (!error.empty())
      return;
    skipSpace();
    error = "expected " + expected + " at column " +
            std::to_string(position + 1) + ", got " +
            (position < text.size() ? "'" + text.substr(position, 1).str() + "'"
                                    : std::string("the end"));
  }

  std::string error;

private:
  void skipSpace() {
    while (position < text.size() && text[position] == ' ')
      ++position;
  }
  StringRef text;
  size_t position = 0;
};

} // namespace

/// Pairs the leaves of shape and stride.
static bool collect(const Tree &shape, const Tree &stride, Modes &modes,
                    std::string &error) {
  if (shape.isLeaf != stride.isLeaf ||
      shape.children.size() != stride.children.size()) {
    error =
        "expected strides grouped as the shape, got another form at column " +
        std::to_string(stride.column);
    return false;
  }
  for (auto [s, d] : llvm::zip(shape.children, stride.children))
    if (!collect(s, d, modes, error))
      return false;
  if (!shape.isLeaf)
    return true;
  if (shape.value < 1) {
    error = "expected a positive extent at column " +
            std::to_string(shape.column) + ", got " +
            std::to_string(shape.value);
    return false;
  }
  bool replicates = stride.value == 0;
  modes.push_back({shape.value, replicates ? Mode::kReplicated : stride.dim,
                   replicates ? 0 : stride.value});
  return true;
}

static void printList(ArrayRef<std::string> items, raw_ostream &os) {
  if (items.size() == 1) {
    os << items.front();
    return;
  }
  os << "(";
  llvm::interleave(items, os, ",");
  os << ")";
}

/// Extents and strides of a list of modes as two groups.
static std::pair<std::string, std::string> groupsOf(ArrayRef<Mode> modes,
                                                    bool withDims) {
  SmallVector<std::string> extents, strides;
  for (const Mode &mode : modes) {
    extents.push_back(std::to_string(mode.extent));
    std::string stride = std::to_string(mode.isReplication() ? 0 : mode.stride);
    if (withDims && !mode.isReplication())
      stride += "@" + std::to_string(mode.dim);
    strides.push_back(stride);
  }
  if (modes.empty()) {
    extents.push_back("1");
    strides.push_back("0");
  }
  std::pair<std::string, std::string> result;
  llvm::raw_string_ostream extentStream(result.first),
      strideStream(result.second);
  printList(extents, extentStream);
  printList(strides, strideStream);
  return result;
}

void mlir::tile::printCute(const Modes &modes, raw_ostream &os) {
  auto [extents, strides] = groupsOf(modes, /*withDims=*/true);
  os << extents << ":" << strides;
}

void mlir::tile::printCute(const FragmentLayout &layout, raw_ostream &os) {
  Modes threads = layout.modes(Axis::Lane);
  for (Axis axis : {Axis::Warp, Axis::Block})
    llvm::append_range(threads, layout.modes(axis));
  auto [threadExtents, threadStrides] = groupsOf(threads, true);
  auto [regExtents, regStrides] = groupsOf(layout.modes(Axis::Register), true);
  os << "(" << threadExtents << "," << regExtents << "):(" << threadStrides
     << "," << regStrides << ")";
}

void mlir::tile::printCute(const SharedLayout &layout, raw_ostream &os) {
  if (Swizzle swizzle = layout.swizzle(); swizzle.bits != 0) {
    // In elements: the base counts bits of the element index.
    int64_t base = int64_t(swizzle.base) + 3 - log2Floor(layout.elementBits());
    os << "Sw<" << swizzle.bits << "," << base << "," << swizzle.shift
       << "> o ";
  }
  SmallVector<std::string> extents, strides;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    Modes own;
    for (const Mode &mode : layout.modes())
      if (mode.dim == int(dim))
        own.push_back(mode);
    auto [e, s] = groupsOf(own, false);
    extents.push_back(e);
    strides.push_back(s);
  }
  if (extents.empty()) {
    extents.push_back("1");
    strides.push_back("0");
  }
  printList(extents, os);
  os << ":";
  printList(strides, os);
}

OrRefusal<Modes> mlir::tile::parseCuteModes(StringRef text) {
  Reader reader(text);
  Tree shape, stride;
  if (!reader.layout(shape, stride) || !reader.expectEnd())
    return Refusal{reader.error};
  Modes modes;
  std::string error;
  if (!collect(shape, stride, modes, error))
    return Refusal{error};
  if (OrRefusal<bool> ok = verifyModes(modes); !ok)
    return Refusal{ok.reason()};
  return modes;
}

OrRefusal<FragmentLayout>
mlir::tile::parseCuteFragment(StringRef text, ArrayRef<int64_t> shape) {
  Reader reader(text);
  Tree extents, strides;
  if (!reader.layout(extents, strides) || !reader.expectEnd())
    return Refusal{reader.error};
  if (extents.children.size() != 2 || strides.children.size() != 2)
    return Refusal{"expected two groups, threads and registers, got " +
                   std::to_string(extents.children.size())};
  Modes threads, reg;
  std::string error;
  if (!collect(extents.children[0], strides.children[0], threads, error) ||
      !collect(extents.children[1], strides.children[1], reg, error))
    return Refusal{error};
  if (OrRefusal<bool> ok = verifyModes(threads); !ok)
    return Refusal{ok.reason()};

  OrRefusal<ThreadModes> split = splitAtWarp(threads);
  if (!split)
    return Refusal{split.reason()};
  FragmentLayout layout(shape, reg, split->lane, split->warp);
  if (OrRefusal<bool> ok = layout.verify(); !ok)
    return Refusal{ok.reason()};
  return layout;
}

OrRefusal<SharedLayout> mlir::tile::parseCuteShared(StringRef text,
                                                    unsigned elementBits) {
  Reader reader(text);
  Swizzle swizzle;
  if (!isPowerOfTwo(elementBits) || elementBits > 128)
    return Refusal{"expected an element width that is a power of two up to "
                   "128 bits, got " +
                   std::to_string(elementBits)};
  if (reader.consume("Sw<")) {
    int64_t bits, base, shift;
    if (!reader.integer(bits) || !reader.expect(",") || !reader.integer(base) ||
        !reader.expect(",") || !reader.integer(shift) || !reader.expect(">") ||
        !reader.expect("o"))
      return Refusal{reader.error};
    int64_t byteBase = base + log2Floor(elementBits) - 3;
    if (bits > 30 || shift > 30 || byteBase < 0 || byteBase > 30)
      return Refusal{"expected a swizzle of whole bytes below 2^30, got Sw<" +
                     std::to_string(bits) + "," + std::to_string(base) + "," +
                     std::to_string(shift) + ">"};
    if (bits > 0)
      swizzle = {unsigned(bits), unsigned(byteBase), unsigned(shift)};
  }
  Tree extents, strides;
  if (!reader.layout(extents, strides) || !reader.expectEnd())
    return Refusal{reader.error};
  if (extents.isLeaf) { // A vector.
    Tree outerExtents, outerStrides;
    outerExtents.isLeaf = outerStrides.isLeaf = false;
    outerExtents.children.push_back(extents);
    outerStrides.children.push_back(strides);
    extents = std::move(outerExtents);
    strides = std::move(outerStrides);
  }
  if (extents.children.size() != strides.children.size() || strides.isLeaf)
    return Refusal{"expected strides grouped as the shape, got another form at "
                   "column " +
                   std::to_string(strides.column)};
  SmallVector<int64_t> shape;
  Modes modes;
  for (auto [dim, pair] :
       llvm::enumerate(llvm::zip(extents.children, strides.children))) {
    Modes own;
    std::string error;
    if (!collect(std::get<0>(pair), std::get<1>(pair), own, error))
      return Refusal{error};
    if (OrRefusal<bool> ok = verifyModes(own); !ok)
      return Refusal{ok.reason()};
    for (Mode &mode : own) {
      if (mode.dim > 0)
        return Refusal{"expected integer strides, got " +
                       std::to_string(mode.stride) + "@" +
                       std::to_string(mode.dim)};
      modes.push_back({mode.extent, int(dim), mode.stride});
    }
    shape.push_back(sizeOfModes(own));
  }
  SharedLayout layout(shape, elementBits, modes, swizzle);
  if (OrRefusal<bool> ok = layout.verify(); !ok)
    return Refusal{ok.reason()};
  return layout;
}
