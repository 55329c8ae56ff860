//===- DrawArena.cpp - shared memory as a picture -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rectangle for each buffer: bytes times the part of the program in which
// its contents matter. Only operations where a life begins or ends have a row,
// so that the picture grows with the buffers, not with the program.
//
//===----------------------------------------------------------------------===//
#include "tile/Conversion/DrawArena.h"
#include "SharedArena.h"
#include "SharedLives.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Pixels, and the most buffers that are drawn: less than a megabyte.
static constexpr int64_t kWidth = 800, kRow = 18, kMargin = 12, kLabels = 320;
static constexpr size_t kMostBuffers = 1500;

namespace {
struct Rectangle {
  std::string name;
  int64_t offset = 0, bytes = 0;
  int64_t first = 0, last = 0; // rows, inclusive
  unsigned hue = 0;
  bool isBuffer = true;
};

class ArenaPicture {
public:
  ArenaPicture(KernelOp kernel, const SharedLives &lives,
               const SharedArena &arena)
      : kernel(kernel), lives(lives), arena(arena) {}

  void draw(llvm::raw_ostream &os);

private:
  void collectRows();
  void collectBuffers();
  void collectRest();
  void add(StringRef name, int64_t offset, int64_t bytes);
  int64_t rowOf(int64_t position) const {
    return llvm::lower_bound(rows, position) - rows.begin();
  }
  int64_t x(int64_t offset) const {
    return kLabels + offset * kWidth / std::max<int64_t>(arena.bytes, 1);
  }
  int64_t y(int64_t row) const { return 3 * kRow + row * kRow; }
  void drawRows(llvm::raw_ostream &os) const;
  void drawRectangle(llvm::raw_ostream &os, const Rectangle &rectangle) const;

  KernelOp kernel;
  const SharedLives &lives;
  const SharedArena &arena;
  SmallVector<int64_t> rows; // positions, in order
  SmallVector<Rectangle> rectangles;
};
} // namespace

/// "12: tile.copy", by the line of the source.
static std::string nameOf(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    name = std::to_string(loc.getLine()) + ": " + name;
  return name;
}

static std::string escaped(StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printHTMLEscaped(text, os);
  return result;
}

void ArenaPicture::collectRows() {
  for (const SharedBufferLife &buffer :
       lives.buffers().take_front(kMostBuffers)) {
    rows.push_back(buffer.first);
    rows.push_back(buffer.last);
  }
  llvm::sort(rows);
  rows.erase(llvm::unique(rows), rows.end());
}

void ArenaPicture::collectBuffers() {
  for (auto [i, buffer] :
       llvm::enumerate(lives.buffers().take_front(kMostBuffers))) {
    Rectangle rectangle;
    rectangle.name = nameOf(buffer.owner);
    rectangle.offset = arena.offsets.lookup(buffer.owner);
    rectangle.bytes = buffer.bytes;
    rectangle.first = rowOf(buffer.first);
    rectangle.last = rowOf(buffer.last);
    rectangle.hue = i * 67 % 360;
    rectangles.push_back(std::move(rectangle));
  }
}

/// What is needed as long as the kernel runs.
void ArenaPicture::add(StringRef name, int64_t offset, int64_t bytes) {
  Rectangle rectangle;
  rectangle.name = name.str();
  rectangle.offset = offset;
  rectangle.bytes = bytes;
  rectangle.last = std::max<int64_t>(rows.size(), 1) - 1;
  rectangle.isBuffer = false;
  rectangles.push_back(std::move(rectangle));
}

void ArenaPicture::collectRest() {
  for (auto [ring, offset] : arena.mbarriers)
    add("mbarriers of " + nameOf(ring), offset,
        2 * kMbarrierBytes *
            cast<RingType>(ring->getResult(0).getType()).getStages());
  if (arena.clusterBarriers)
    add("mbarriers of the cluster", *arena.clusterBarriers, 2 * kMbarrierBytes);
  if (arena.tensorBarriers)
    add("mbarriers of tcgen05", *arena.tensorBarriers,
        arena.scratchBegin() - *arena.tensorBarriers);
  if (arena.bytes > arena.scratchBegin())
    add("scratch", arena.scratchBegin(), arena.bytes - arena.scratchBegin());
}

void ArenaPicture::drawRows(llvm::raw_ostream &os) const {
  for (auto [row, position] : llvm::enumerate(rows)) {
    Operation *op = lives.at(position);
    os << "<text x=\"" << kMargin << "\" y=\"" << y(row) + kRow - 5 << "\">"
       << (op ? escaped(nameOf(op)) : std::string("end of the kernel"))
       << "</text>\n";
  }
}

void ArenaPicture::drawRectangle(llvm::raw_ostream &os,
                                 const Rectangle &rectangle) const {
  int64_t left = x(rectangle.offset);
  int64_t width =
      std::max<int64_t>(x(rectangle.offset + rectangle.bytes) - left, 1);
  int64_t top = y(rectangle.first);
  os << "<rect x=\"" << left << "\" y=\"" << top << "\" width=\"" << width
     << "\" height=\"" << y(rectangle.last + 1) - top << "\" fill=\"";
  if (rectangle.isBuffer)
    os << "hsl(" << rectangle.hue << ",60%,80%)";
  else
    os << "#ddd";
  os << "\" stroke=\"#444\"><title>" << escaped(rectangle.name) << ", bytes "
     << rectangle.offset << " to " << rectangle.offset + rectangle.bytes - 1
     << "</title></rect>\n";
  constexpr int64_t kLetter = 7;
  if (int64_t(rectangle.name.size()) * kLetter + 8 <= width)
    os << "<text x=\"" << left + 4 << "\" y=\"" << top + kRow - 5
       << "\" pointer-events=\"none\">" << escaped(rectangle.name)
       << "</text>\n";
}

void ArenaPicture::draw(llvm::raw_ostream &os) {
  collectRows();
  collectBuffers();
  collectRest();
  int64_t height = y(std::max<int64_t>(rows.size(), 1)) + kMargin;
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
     << kLabels + kWidth + kMargin << "\" height=\"" << height
     << "\" font-family=\"monospace\" font-size=\"12\">\n"
     << "<text x=\"" << kMargin << "\" y=\"" << kRow
     << "\" font-weight=\"bold\">shared memory of a block of "
     << escaped(kernel.getSymName()) << ": " << arena.bytes << " bytes";
  if (lives.buffers().size() > kMostBuffers)
    os << "; drawn: the first " << kMostBuffers << " of "
       << lives.buffers().size() << " tiles and rings";
  os << "</text>\n<text x=\"" << kMargin << "\" y=\"" << 2 * kRow
     << "\">bytes to the right, program order down</text>\n";
  drawRows(os);
  for (const Rectangle &rectangle : rectangles)
    drawRectangle(os, rectangle);
  os << "</svg>\n";
}

LogicalResult tile::drawArena(KernelOp kernel, llvm::raw_ostream &os) {
  const TargetInfo *target = requireTarget(kernel->getParentOfType<ModuleOp>());
  if (!target)
    return failure();
  FailureOr<SharedArena> arena = readSharedArena(kernel, *target);
  if (failed(arena))
    return failure();
  FailureOr<SharedLives> lives = SharedLives::create(kernel);
  if (failed(lives))
    return failure();
  ArenaPicture(kernel, *lives, *arena).draw(os);
  return success();
}
