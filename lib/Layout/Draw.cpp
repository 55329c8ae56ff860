//===- Draw.cpp - layouts as pictures -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes SVG. Nothing here decides anything; tile-translate calls it.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/Draw.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::raw_ostream;
using llvm::SmallVector;

static constexpr int64_t kLine = 16, kMargin = 40;

namespace {

struct Cell {
  std::string text, title;
  int64_t hue = 0, lightness = 85;
};

} // namespace

static std::string coordText(ArrayRef<int64_t> coords) {
  std::string text = "(";
  for (auto [position, coord] : llvm::enumerate(coords))
    text += (position ? ", " : "") + std::to_string(coord);
  return text + ")";
}

namespace {

/// A tile as slices of rows and columns, cut to what is drawn.
class Grid {
public:
  explicit Grid(ArrayRef<int64_t> shape) : shape(shape) {
    rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
    columns = shape.empty() ? 1 : shape.back();
    for (int64_t extent : shape.drop_back(std::min<size_t>(shape.size(), 2)))
      slices *= extent;
    if (rows == 0 || columns == 0)
      slices = 0;
  }
  int64_t drawnRows() const { return std::min(rows, kDrawLimit); }
  int64_t drawnColumns() const { return std::min(columns, kDrawLimit); }
  int64_t drawnSlices() const { return std::min(slices, kDrawSliceLimit); }

  SmallVector<int64_t> coords(int64_t slice, int64_t row,
                              int64_t column) const {
    SmallVector<int64_t> result(shape.size(), 0);
    if (!shape.empty())
      result.back() = column;
    if (shape.size() < 2)
      return result;
    result[shape.size() - 2] = row;
    for (unsigned dim = shape.size() - 2; dim-- > 0;) {
      result[dim] = slice % shape[dim];
      slice /= shape[dim];
    }
    return result;
  }
  /// Empty when everything is drawn.
  std::string leftOut() const {
    std::string text;
    auto note = [&](int64_t drawn, int64_t all, const char *what) {
      if (drawn < all)
        text += (text.empty() ? "drawn: the first " : ", ") +
                std::to_string(drawn) + " of " + std::to_string(all) + " " +
                what;
    };
    note(drawnSlices(), slices, "slices");
    note(drawnRows(), rows, "rows");
    note(drawnColumns(), columns, "columns");
    return text;
  }

private:
  SmallVector<int64_t> shape;
  int64_t rows = 1, columns = 1, slices = 1;
};

} // namespace

template <typename Fn>
static void drawGrid(const Grid &grid, const std::string &heading,
                     int64_t cellWidth, raw_ostream &os, Fn cellOf) {
  constexpr int64_t cellHeight = 20;
  std::string leftOut = grid.leftOut();
  int64_t sliceHeight = grid.drawnRows() * cellHeight + 2 * kLine;
  int64_t width = std::max<int64_t>(
      2 * kMargin + grid.drawnColumns() * cellWidth,
      2 * kMargin + 7 * int64_t(std::max(heading.size(), leftOut.size())));
  int64_t height = 4 * kLine + grid.drawnSlices() * sliceHeight;
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width
     << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << " "
     << height << "\" font-family=\"monospace\" font-size=\"10\">\n";
  auto text = [&](int64_t x, int64_t y, const std::string &content,
                  const char *anchor) {
    os << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor
       << "\">" << content << "</text>\n";
  };
  text(kMargin, kLine, heading, "start");
  if (!leftOut.empty())
    text(kMargin, 2 * kLine, leftOut, "start");
  int64_t top = 3 * kLine;
  for (int64_t slice = 0; slice < grid.drawnSlices(); ++slice) {
    SmallVector<int64_t> origin = grid.coords(slice, 0, 0);
    if (origin.size() > 2)
      text(kMargin, top,
           "slice " + coordText(ArrayRef<int64_t>(origin).drop_back(2)),
           "start");
    top += kLine;
    for (int64_t column = 0; column < grid.drawnColumns(); ++column)
      text(kMargin + column * cellWidth + cellWidth / 2, top - 3,
           std::to_string(column), "middle");
    for (int64_t row = 0; row < grid.drawnRows(); ++row) {
      int64_t y = top + row * cellHeight;
      text(kMargin - 4, y + 14, std::to_string(row), "end");
      for (int64_t column = 0; column < grid.drawnColumns(); ++column) {
        Cell cell = cellOf(grid.coords(slice, row, column));
        int64_t x = kMargin + column * cellWidth;
        os << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << cellWidth
           << "\" height=\"" << cellHeight << "\" fill=\"hsl(" << cell.hue
           << ",60%," << cell.lightness << "%)\" stroke=\"#888\"><title>"
           << cell.title << "</title></rect>\n";
        text(x + cellWidth / 2, y + 14, cell.text, "middle");
      }
    }
    top += grid.drawnRows() * cellHeight + kLine;
  }
  os << "</svg>\n";
}

template <typename Layout> static std::string headingOf(const Layout &layout) {
  std::string heading;
  llvm::raw_string_ostream os(heading);
  layout.print(os);
  return heading;
}

void mlir::tile::drawSvg(const FragmentLayout &layout, raw_ostream &os) {
  int64_t warps = std::max<int64_t>(1, layout.size(Axis::Warp));
  int64_t lanes = std::max<int64_t>(1, layout.size(Axis::Lane));
  drawGrid(Grid(layout.shape()), headingOf(layout), 64, os,
           [&](ArrayRef<int64_t> coords) {
             Cell cell;
             SmallVector<HardwareIndex> owners = layout.owners(coords);
             if (owners.empty()) {
               cell.title = coordText(coords) + " is held by nobody";
               cell.text = "-";
               cell.lightness = 100;
               return cell;
             }
             const HardwareIndex &first = owners.front();
             cell.hue = first.warp * 360 / warps;
             cell.lightness = 90 - first.lane * 35 / lanes;
             cell.text = "T" + std::to_string(first.warp * lanes + first.lane) +
                         " R" + std::to_string(first.reg);
             if (owners.size() > 1)
               cell.text += " +" + std::to_string(owners.size() - 1);
             cell.title = coordText(coords) + ": register " +
                          std::to_string(first.reg) + ", lane " +
                          std::to_string(first.lane) + ", warp " +
                          std::to_string(first.warp);
             if (layout.size(Axis::Block) > 1)
               cell.title += ", block " + std::to_string(first.block);
             return cell;
           });
}

void mlir::tile::drawSvg(const SharedLayout &layout, raw_ostream &os) {
  constexpr int64_t kBanks = 32, kWordBytes = 4;
  drawGrid(Grid(layout.shape()), headingOf(layout), 32, os,
           [&](ArrayRef<int64_t> coords) {
             int64_t byte = layout.byteOffset(coords);
             int64_t bank = byte / kWordBytes % kBanks;
             Cell cell;
             cell.hue = bank * 360 / kBanks;
             cell.lightness = 80;
             cell.text = std::to_string(bank);
             cell.title = coordText(coords) + ": byte " + std::to_string(byte) +
                          ", bank " + std::to_string(bank);
             return cell;
           });
}
