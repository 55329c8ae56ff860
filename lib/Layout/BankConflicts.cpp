//===- BankConflicts.cpp - shared-memory access costs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector widths and bank conflicts of accesses between a fragment and a shared
// buffer. Shared memory has 32 banks of 4 bytes; a wavefront serves at most one
// word of each bank. Accesses of 8 (16) bytes per lane are served for half
// (quarter) warps at a time. And the order in which lanes take their registers
// to have fewer conflicts.
//
//===----------------------------------------------------------------------===//
#include "SharedDigits.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr int64_t kBanks = 32, kWordBytes = 4;

/// Wavefronts for lanes that are served together: the most distinct words that
/// one bank has to deliver.
static int64_t wavefronts(ArrayRef<int64_t> addresses, unsigned bytesPerLane) {
  SmallVector<int64_t, 64> words;
  for (int64_t address : addresses) {
    if (address < 0)
      continue;
    for (int64_t word = address / kWordBytes;
         word <= (address + bytesPerLane - 1) / kWordBytes; ++word)
      words.push_back(word);
  }
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());
  int64_t perBank[kBanks] = {};
  for (int64_t word : words)
    ++perBank[word % kBanks];
  return *std::max_element(perBank, perBank + kBanks);
}

namespace {

/// Byte offsets by table: linear offsets are sums over dimensions.
class AddressTable {
public:
  explicit AddressTable(const SharedLayout &shared) : shared(shared) {
    SmallVector<int64_t> coords(shared.rank(), 0);
    for (unsigned dim = 0; dim < shared.rank(); ++dim) {
      std::vector<int64_t> offsets;
      offsets.reserve(shared.shape()[dim]);
      for (int64_t value = 0; value < shared.shape()[dim]; ++value) {
        coords[dim] = value;
        offsets.push_back(shared.linearOffset(coords));
      }
      coords[dim] = 0;
      perDim.push_back(std::move(offsets));
    }
  }
  int64_t operator()(ArrayRef<int64_t> coords) const {
    int64_t offset = 0;
    for (auto [coord, offsets] : llvm::zip(coords, perDim))
      offset += offsets[coord];
    return shared.swizzle().apply(offset * shared.elementBits() / 8);
  }

private:
  const SharedLayout &shared;
  std::vector<std::vector<int64_t>> perDim;
};

} // namespace

static std::vector<SmallVector<int64_t>>
axisTable(const FragmentLayout &layout, Axis axis, int64_t step = 1) {
  std::vector<SmallVector<int64_t>> table;
  for (int64_t index = 0, size = layout.size(axis); index < size; index += step)
    table.push_back(layout.axisCoordinates(axis, index));
  return table;
}

int64_t mlir::tile::bankConflictDegree(ArrayRef<int64_t> addresses,
                                       unsigned bytesPerLane) {
  size_t lanesTogether = bytesPerLane <= 4 ? 32 : bytesPerLane <= 8 ? 16 : 8;
  int64_t taken = 0, fewest = 0;
  while (!addresses.empty()) {
    size_t lanes = std::min(lanesTogether, addresses.size());
    int64_t needed = wavefronts(addresses.take_front(lanes), bytesPerLane);
    taken += needed;
    fewest += needed > 0;
    addresses = addresses.drop_front(lanes);
  }
  return fewest == 0 ? 1 : ceilDiv(taken, fewest);
}

namespace {
/// Accesses of one warp to a shared buffer, a run of registers at a time.
class WarpAccesses {
public:
  WarpAccesses(const FragmentLayout &fragment, const SharedLayout &shared,
               int64_t vector)
      : fragment(fragment), addressOf(shared),
        // Wider vectors are several accesses of 16 bytes.
        step(std::min<int64_t>(
            vector, std::max<int64_t>(1, 128 / shared.elementBits()))),
        bytes(std::min<int64_t>(
            16, std::max<int64_t>(1, vector * shared.elementBits() / 8))),
        regs(axisTable(fragment, Axis::Register, step)),
        lanes(axisTable(fragment, Axis::Lane)) {}

  /// The degrees of all accesses, in the order of registers; `base` is where
  /// the warp's part begins.
  SmallVector<int64_t> degrees(ArrayRef<int64_t> base,
                               std::optional<LaneExchange> exchange) const {
    SmallVector<int64_t> found;
    for (size_t run = 0; run < regs.size(); ++run) {
      SmallVector<int64_t, 32> addresses;
      for (auto [lane, own] : llvm::enumerate(lanes)) {
        bool turns = exchange && (lane & exchange->lane);
        const auto &reg = regs[turns ? run ^ (exchange->reg / step) : run];
        SmallVector<int64_t, 4> coords(fragment.rank());
        for (unsigned d = 0; d < fragment.rank(); ++d)
          coords[d] = base[d] + own[d] + reg[d];
        addresses.push_back(fragment.inBounds(coords) ? addressOf(coords) : -1);
      }
      found.push_back(bankConflictDegree(addresses, bytes));
    }
    return found;
  }

private:
  const FragmentLayout &fragment;
  AddressTable addressOf;
  int64_t step;
  unsigned bytes;
  std::vector<SmallVector<int64_t>> regs, lanes;
};
} // namespace

int64_t mlir::tile::bankConflictDegree(const FragmentLayout &fragment,
                                       const SharedLayout &shared, unsigned dim,
                                       int64_t vector) {
  assert(fragment.shape() == shared.shape() &&
         "expected a fragment and a buffer of one shape");
  assert(dim < fragment.rank() && vector > 0 && "expected a dimension");
  (void)dim; // The run of registers already goes along it.
  WarpAccesses accesses(fragment, shared, vector);
  int64_t worst = 1;
  for (auto base : axisTable(fragment, Axis::Block))
    for (const auto &warp : axisTable(fragment, Axis::Warp)) {
      SmallVector<int64_t> at(base);
      for (unsigned d = 0; d < fragment.rank(); ++d)
        at[d] += warp[d];
      for (int64_t degree : accesses.degrees(at, std::nullopt))
        worst = std::max(worst, degree);
    }
  return worst;
}

std::optional<LaneExchange>
mlir::tile::findLaneExchange(const FragmentLayout &fragment,
                             const SharedLayout &shared, int64_t vector) {
  assert(fragment.shape() == shared.shape() &&
         "expected a fragment and a buffer of one shape");
  if (fragment.overshoots() || shared.elementBits() < 8 ||
      vector * shared.elementBits() > 128 ||
      fragment.numRegisters() % vector != 0)
    return std::nullopt;
  // Warps differ by where their parts begin, which turns all banks alike.
  SmallVector<int64_t> base(fragment.rank(), 0);
  WarpAccesses accesses(fragment, shared, vector);
  auto cost = [&](std::optional<LaneExchange> exchange) {
    SmallVector<int64_t> degrees = accesses.degrees(base, exchange);
    return std::accumulate(degrees.begin(), degrees.end(), int64_t(0));
  };
  int64_t least = cost(std::nullopt);
  std::optional<LaneExchange> best;
  if (least == fragment.numRegisters() / vector)
    return best;
  for (int64_t lane = 1; lane < fragment.size(Axis::Lane); lane *= 2)
    for (int64_t reg = vector; reg < fragment.numRegisters(); reg *= 2) {
      // Bits of the number, so that both orders are the same registers.
      if (fragment.numRegisters() % (2 * reg) != 0)
        continue;
      LaneExchange exchange{lane, reg};
      if (int64_t now = cost(exchange); now < least) {
        least = now;
        best = exchange;
      }
    }
  return best;
}

int64_t mlir::tile::ldmatrixConflictDegree(const SharedLayout &shared,
                                           unsigned rowDim,
                                           unsigned columnDim) {
  constexpr int64_t kRows = 8, kRowBytes = 16;
  assert(rowDim < shared.rank() && columnDim < shared.rank() &&
         rowDim != columnDim && "expected two dimensions");
  int64_t step = std::max<int64_t>(1, kRowBytes * 8 / shared.elementBits());
  AddressTable addressOf(shared);
  SmallVector<int64_t> shape(shared.shape());
  int64_t worst = 1;
  // Walks all coordinates of the other dimensions too: a batch whose pitch is
  // no multiple of the swizzle's period meets other conflicts.
  SmallVector<int64_t> coords(shared.rank(), 0);
  if (llvm::is_contained(shape, 0))
    return worst;
  while (true) {
    SmallVector<int64_t, 8> addresses;
    SmallVector<int64_t> row = coords;
    for (; row[rowDim] < shape[rowDim] && int64_t(addresses.size()) < kRows;
         ++row[rowDim])
      addresses.push_back(addressOf(row));
    worst = std::max(worst, bankConflictDegree(addresses, kRowBytes));
    unsigned dim = 0;
    for (; dim < shared.rank(); ++dim) {
      coords[dim] += dim == rowDim ? kRows : dim == columnDim ? step : 1;
      if (coords[dim] < shape[dim])
        break;
      coords[dim] = 0;
    }
    if (dim == shared.rank())
      return worst;
  }
}

// An access of V elements needs V consecutive registers that step along `dim`,
// a start that is a multiple of V, V contiguous elements there, and an address
// that is a multiple of the access. Every element is held by some thread, so
// all starts occur and each condition is on strides alone.
int64_t mlir::tile::widestVector(const FragmentLayout &fragment,
                                 const SharedLayout &shared, unsigned dim,
                                 unsigned maxBits) {
  assert(fragment.shape() == shared.shape() &&
         "expected a fragment and a buffer of one shape");
  int64_t extent = fragment.shape()[dim];
  int64_t registers = fragment.vectorWidth(dim);
  FragmentLayout plain = fragment.canonicalized();
  int64_t limit = shared.alignedElements(dim, maxBits);

  auto works = [&](int64_t vector) {
    if (registers % vector != 0 || extent % vector != 0)
      return false;
    // The run itself is the first register digit; see vectorWidth.
    for (unsigned axis = 0; axis < kNumAxes; ++axis) {
      llvm::ArrayRef<Mode> modes = plain.modes(Axis(axis));
      if (vector > 1 && Axis(axis) == Axis::Register)
        modes = modes.drop_front();
      for (const Mode &mode : modes)
        if (mode.dim == int(dim) && mode.stride < extent &&
            mode.stride % vector != 0)
          return false;
    }
    return true;
  };
  int64_t best = 1;
  for (int64_t vector = 2; vector <= limit; vector *= 2)
    if (works(vector))
      best = vector;
  return best;
}
