//===- Draw.cpp - layouts as pictures -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes SVG. Nothing here decides anything; tile-translate calls it.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/Draw.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

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

/// One period of a tile as slices of rows and columns, cut to what is drawn.
class Grid {
public:
  Grid(ArrayRef<int64_t> shape, ArrayRef<int64_t> period)
      : shape(shape), period(period.begin(), period.end()) {
    rows = period.size() < 2 ? 1 : period[period.size() - 2];
    columns = period.empty() ? 1 : period.back();
    for (int64_t extent : period.drop_back(std::min<size_t>(period.size(), 2)))
      slices *= extent;
    if (rows == 0 || columns == 0)
      slices = 0;
  }
  int64_t drawnColumns() const { return std::min(columns, kDrawColumns); }
  int64_t drawnRows() const {
    return std::min(rows, kDrawCells / std::max<int64_t>(drawnColumns(), 1));
  }
  int64_t drawnSlices() const {
    int64_t cells = std::max<int64_t>(drawnRows() * drawnColumns(), 1);
    return std::min(slices, kDrawCells / cells);
  }

  SmallVector<int64_t> coords(int64_t slice, int64_t row,
                              int64_t column) const {
    SmallVector<int64_t> result(period.size(), 0);
    if (!period.empty())
      result.back() = column;
    if (period.size() < 2)
      return result;
    result[period.size() - 2] = row;
    for (unsigned dim = period.size() - 2; dim-- > 0;) {
      result[dim] = slice % period[dim];
      slice /= period[dim];
    }
    return result;
  }
  /// Empty when everything is drawn.
  std::string leftOut() const {
    std::string text;
    if (ArrayRef<int64_t>(period) != shape)
      text = "drawn: one period, " + extentsText(period) + " of " +
             extentsText(shape) + " elements";
    auto note = [&](int64_t drawn, int64_t all, const char *what) {
      if (drawn < all)
        text += (text.empty() ? "drawn: the first " : ", of it the first ") +
                std::to_string(drawn) + " of " + std::to_string(all) + " " +
                what;
    };
    note(drawnSlices(), slices, "slices");
    note(drawnRows(), rows, "rows");
    note(drawnColumns(), columns, "columns");
    return text;
  }

private:
  static std::string extentsText(ArrayRef<int64_t> extents) {
    std::string text;
    for (int64_t extent : extents)
      text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text;
  }

  ArrayRef<int64_t> shape;
  SmallVector<int64_t> period;
  int64_t rows = 1, columns = 1, slices = 1;
};

/// What colours and texts stand for.
struct Legend {
  std::string text;
  std::string unit; ///< of which there is a hue each
  int64_t hues = 1;
  static constexpr int64_t kShown = 32;

  int64_t shown() const { return std::min(hues, kShown); }
};

} // namespace

static std::string colour(int64_t hue, int64_t lightness) {
  return "hsl(" + std::to_string(hue) + ",60%," + std::to_string(lightness) +
         "%)";
}

static void drawText(raw_ostream &os, int64_t x, int64_t y,
                     const std::string &content, const char *anchor) {
  os << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor
     << "\">" << content << "</text>\n";
}

/// A line of words, and one of the hues.
static void drawLegend(raw_ostream &os, const Legend &legend, int64_t y) {
  constexpr int64_t kStep = 28;
  drawText(os, kMargin, y, legend.text, "start");
  drawText(os, kMargin, y + kLine, legend.unit, "start");
  for (int64_t i = 0; i < legend.shown(); ++i) {
    int64_t x = 2 * kMargin + i * kStep;
    os << "<circle cx=\"" << x << "\" cy=\"" << y + kLine - 4
       << "\" r=\"5\" fill=\"" << colour(i * 360 / legend.hues, 70)
       << "\"></circle>\n";
    drawText(os, x + 7, y + kLine, std::to_string(i), "start");
  }
}

template <typename Fn>
static void drawGrid(const Grid &grid, const std::string &heading,
                     const Legend &legend, int64_t cellWidth, raw_ostream &os,
                     Fn cellOf) {
  constexpr int64_t cellHeight = 20;
  std::string leftOut = grid.leftOut();
  int64_t sliceHeight = grid.drawnRows() * cellHeight + 2 * kLine;
  size_t longest = std::max({heading.size(), leftOut.size(), legend.text.size(),
                             size_t(legend.shown() * 4)});
  int64_t width =
      2 * kMargin +
      std::max<int64_t>(grid.drawnColumns() * cellWidth, 7 * longest);
  int64_t height = 6 * kLine + grid.drawnSlices() * sliceHeight;
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width
     << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << " "
     << height << "\" font-family=\"monospace\" font-size=\"10\">\n";
  drawText(os, kMargin, kLine, heading, "start");
  if (!leftOut.empty())
    drawText(os, kMargin, 2 * kLine, leftOut, "start");
  drawLegend(os, legend, 3 * kLine);
  int64_t top = 5 * kLine;
  for (int64_t slice = 0; slice < grid.drawnSlices(); ++slice) {
    SmallVector<int64_t> origin = grid.coords(slice, 0, 0);
    if (origin.size() > 2)
      drawText(os, kMargin, top,
               "slice " + coordText(ArrayRef<int64_t>(origin).drop_back(2)),
               "start");
    top += kLine;
    for (int64_t column = 0; column < grid.drawnColumns(); ++column)
      drawText(os, kMargin + column * cellWidth + cellWidth / 2, top - 3,
               std::to_string(column), "middle");
    for (int64_t row = 0; row < grid.drawnRows(); ++row) {
      int64_t y = top + row * cellHeight;
      drawText(os, kMargin - 4, y + 14, std::to_string(row), "end");
      for (int64_t column = 0; column < grid.drawnColumns(); ++column) {
        Cell cell = cellOf(grid.coords(slice, row, column));
        int64_t x = kMargin + column * cellWidth;
        os << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << cellWidth
           << "\" height=\"" << cellHeight << "\" fill=\""
           << colour(cell.hue, cell.lightness) << "\" stroke=\"#888\"><title>"
           << cell.title << "</title></rect>\n";
        drawText(os, x + cellWidth / 2, y + 14, cell.text, "middle");
      }
    }
    top += grid.drawnRows() * cellHeight + kLine;
  }
  os << "</svg>\n";
}

//===----------------------------------------------------------------------===//
// Periods
//===----------------------------------------------------------------------===//

/// The part after which all of `axes` begin again along each dimension: a digit
/// of a coordinate is (coordinate / stride) mod extent.
static SmallVector<int64_t> periodOf(const FragmentLayout &layout,
                                     ArrayRef<Axis> axes) {
  SmallVector<int64_t> period(layout.shape().size(), 1);
  for (Axis axis : axes)
    for (const Mode &mode : layout.modes(axis))
      if (!mode.isReplication())
        period[mode.dim] =
            std::lcm(period[mode.dim], mode.extent * mode.stride);
  for (auto [own, extent] : llvm::zip_equal(period, layout.shape()))
    own = std::min(own, extent);
  return period;
}

SmallVector<int64_t> mlir::tile::drawnPeriod(const FragmentLayout &layout) {
  SmallVector<int64_t> threads =
      periodOf(layout, {Axis::Lane, Axis::Warp, Axis::Block});
  int64_t cells = 1;
  for (int64_t extent : threads)
    cells *= extent;
  return cells <= kDrawCells ? threads : periodOf(layout, {Axis::Lane});
}

SmallVector<int64_t> mlir::tile::drawnPeriod(const SharedLayout &layout) {
  // Bits after which banks, and what the swizzle does to them, begin again.
  constexpr int64_t kRow = 128 * 8;
  const Swizzle &swizzle = layout.swizzle();
  int64_t turn = kRow;
  if (swizzle.bits)
    turn = std::max<int64_t>(
        turn, int64_t(8) << (swizzle.base + swizzle.shift + swizzle.bits));
  size_t rank = layout.shape().size();
  SmallVector<int64_t> period(rank, 1), reached(rank, 1);
  for (const Mode &mode : layout.modes()) {
    if (mode.isReplication())
      continue;
    int64_t step = mode.stride * layout.elementBits() % turn;
    if (step)
      period[mode.dim] = reached[mode.dim] *
                         std::min(mode.extent, turn / std::gcd(turn, step));
    reached[mode.dim] *= mode.extent;
  }
  for (auto [own, extent] : llvm::zip_equal(period, layout.shape()))
    own = std::min(own, extent);
  return period;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

template <typename Layout> static std::string headingOf(const Layout &layout) {
  std::string heading;
  llvm::raw_string_ostream os(heading);
  layout.print(os);
  return heading;
}

void mlir::tile::drawSvg(const FragmentLayout &layout, raw_ostream &os) {
  int64_t warps = std::max<int64_t>(1, layout.size(Axis::Warp));
  int64_t lanes = std::max<int64_t>(1, layout.size(Axis::Lane));
  Legend legend{"a square is an element: T thread, R its register, +n: held by "
                "n more; light to dark: lane 0 to 31",
                "warp", warps};
  drawGrid(Grid(layout.shape(), drawnPeriod(layout)), headingOf(layout), legend,
           64, os, [&](ArrayRef<int64_t> coords) {
             Cell cell;
             SmallVector<HardwareIndex> owners = layout.owners(coords);
             if (owners.empty()) {
               cell.title = coordText(coords) + " is held by no thread";
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
  Legend legend{
      "a square is an element, its number the bank of 4 bytes that it "
      "lies in; a column of one number is a conflict",
      "bank", kBanks};
  drawGrid(Grid(layout.shape(), drawnPeriod(layout)), headingOf(layout), legend,
           32, os, [&](ArrayRef<int64_t> coords) {
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
