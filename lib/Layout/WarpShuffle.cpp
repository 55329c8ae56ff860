//===- WarpShuffle.cpp - fragments moved between a warp's lanes ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bits of the numbers of registers and lanes become which, and the rounds
// of shuffles that follow from it.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/WarpShuffle.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr unsigned kLaneBits = 5;
static_assert(kWarpSize == 1 << kLaneBits);
/// Elements of a word together have so many bits.
static constexpr int kWordBits = 32;

namespace {
/// A digit of an index: what a step of it adds to the index, and to a
/// coordinate.
struct Digit {
  int64_t extent;
  int64_t weight;
  int dim; ///< Mode::kReplicated: the element stays the same
  int64_t stride;
};
using Digits = SmallVector<Digit>;

/// The digits of an axis: bits, and one more of each extent that is no power of
/// two.
Digits digitsOf(const FragmentLayout &layout, Axis axis) {
  Digits digits;
  int64_t weight = 1;
  for (const Mode &mode : layout.modes(axis)) {
    int64_t rest = mode.extent, stride = mode.stride;
    for (; rest % 2 == 0; rest /= 2, weight *= 2, stride *= 2)
      digits.push_back({2, weight, mode.dim, stride});
    if (rest > 1)
      digits.push_back({rest, weight, mode.dim, stride});
    weight *= rest;
  }
  return digits;
}

bool isReplicated(const Digit &digit) { return digit.dim == Mode::kReplicated; }

/// Whether all elements are outside of the shape but for those of its first
/// value.
bool isBeyond(const Digit &digit, const FragmentLayout &layout) {
  return !isReplicated(digit) && digit.stride >= layout.shape()[digit.dim];
}

/// Takes the digit that moves along the same dimension as far.
const Digit *take(const Digit &digit, const Digits &digits,
                  SmallVector<bool> &isTaken) {
  for (auto [i, other] : llvm::enumerate(digits))
    if (!isTaken[i] && other.dim == digit.dim && other.stride == digit.stride &&
        other.extent == digit.extent) {
      isTaken[i] = true;
      return &other;
    }
  return nullptr;
}

/// Whether warps and blocks hold the same part of the coordinates.
bool sameWarps(const FragmentLayout &from, const FragmentLayout &to) {
  for (Axis axis : {Axis::Warp, Axis::Block}) {
    if (from.size(axis) != to.size(axis))
      return false;
    for (int64_t i = 0, e = from.size(axis); i < e; ++i)
      if (from.axisCoordinates(axis, i) != to.axisCoordinates(axis, i))
        return false;
  }
  return true;
}

/// A digit of the target's register number.
struct Count {
  int64_t extent;
  int64_t source = 0, target = 0; ///< what a step adds to registers
  unsigned lanes = 0;             ///< bit of the giving lane's number
  bool isInWord = false;
};

/// A bit of the receiving lane's number that says which register it wants.
struct Wanted {
  unsigned lane;            ///< the bit
  int64_t source;           ///< what it adds to the register
  unsigned giver = 0;       ///< bit of the giving lane's number that is paired
  Count *partner = nullptr; ///< with it, and the digit that was its own
};

/// Registers by digits that step so far.
class Numbers {
public:
  void add(int64_t extent, int64_t weight) {
    SmallVector<int64_t> more;
    for (int64_t digit = 0; digit < extent; ++digit)
      for (int64_t number : numbers)
        more.push_back(number + digit * weight);
    numbers = std::move(more);
  }
  ArrayRef<int64_t> all() const { return numbers; }

private:
  SmallVector<int64_t> numbers = {0};
};

class Planner {
public:
  Planner(const FragmentLayout &from, const FragmentLayout &to)
      : from(from), to(to), registers(digitsOf(from, Axis::Register)),
        lanes(digitsOf(from, Axis::Lane)),
        isTakenRegister(registers.size(), false),
        isTakenLane(lanes.size(), false) {}

  std::optional<WarpShuffle> run(int elementBits);

private:
  bool matchRegisters();
  bool matchLanes();
  unsigned takeSpare(unsigned bits);
  bool pair();
  void formWords(int elementBits);
  void addSwaps();
  void addRounds();

  unsigned bitOf(const Digit *lane) const {
    return 1u << (lane - lanes.data());
  }

  const FragmentLayout &from, &to;
  Digits registers, lanes; // of the source
  SmallVector<bool> isTakenRegister, isTakenLane;
  SmallVector<Count> counts;
  SmallVector<Wanted> wanted;
  SmallVector<unsigned> freeLanes; // bits that say nothing about elements
  WarpShuffle result;
};
} // namespace

bool Planner::matchRegisters() {
  for (const Digit &digit : digitsOf(to, Axis::Register)) {
    if (isBeyond(digit, to))
      continue;
    Count count{digit.extent};
    count.target = digit.weight;
    if (!isReplicated(digit)) {
      if (const Digit *own = take(digit, registers, isTakenRegister))
        count.source = own->weight;
      else if (const Digit *lane = take(digit, lanes, isTakenLane))
        count.lanes = bitOf(lane);
      else
        return false;
    }
    counts.push_back(count);
  }
  return true;
}

bool Planner::matchLanes() {
  for (auto [i, digit] : llvm::enumerate(digitsOf(to, Axis::Lane))) {
    unsigned bit = 1u << i;
    if (isReplicated(digit) || isBeyond(digit, to))
      freeLanes.push_back(bit);
    else if (const Digit *lane = take(digit, lanes, isTakenLane))
      result.laneBits[i] = bitOf(lane);
    else if (const Digit *own = take(digit, registers, isTakenRegister))
      wanted.push_back({bit, own->weight});
    else
      return false;
  }
  return true;
}

/// One of `bits` by which lanes of the source differ that hold the same
/// elements, and that nothing else stands for; 0 where there is none.
unsigned Planner::takeSpare(unsigned bits) {
  for (unsigned i = 0; i < kLaneBits; ++i)
    if ((bits >> i & 1) && !isTakenLane[i] && isReplicated(lanes[i])) {
      isTakenLane[i] = true;
      return 1u << i;
    }
  return 0;
}

/// Has each lane give one register a round: what a lane wants by a bit of its
/// number, a bit of the giving lane's decides.
bool Planner::pair() {
  auto open = llvm::make_filter_range(
      counts, [](const Count &count) { return count.lanes != 0; });
  auto next = open.begin();
  for (Wanted &want : wanted) {
    want.giver = takeSpare(want.lane);
    if (!want.giver && next != open.end()) {
      want.partner = &*next++;
      want.partner->source = want.source;
      want.giver = want.partner->lanes;
    }
    if (!want.giver)
      want.giver = takeSpare(~0u);
    if (!want.giver)
      return false;
    result.laneBits[llvm::countr_zero(want.lane)] = want.giver;
  }
  for (unsigned bit : freeLanes)
    result.laneBits[llvm::countr_zero(bit)] = takeSpare(bit);
  return true;
}

/// Elements whose registers differ in both layouts alike fill a word.
void Planner::formWords(int elementBits) {
  Numbers source, target;
  for (Count &count : counts) {
    auto bits = int64_t(source.all().size()) * 2 * elementBits;
    if (bits > kWordBits || count.extent != 2 || !count.source || count.lanes)
      continue;
    count.isInWord = true;
    source.add(2, count.source);
    target.add(2, count.target);
  }
  result.sourceElements.assign(source.all().begin(), source.all().end());
  result.targetElements.assign(target.all().begin(), target.all().end());
}

void Planner::addSwaps() {
  Numbers given, received;
  for (const Count &count : counts)
    if (!count.isInWord) {
      received.add(count.extent, count.target);
      if (!count.lanes && count.source)
        given.add(count.extent, count.source);
    }
  for (const Wanted &want : wanted)
    given.add(2, want.source);
  result.sourceWords.assign(given.all().begin(), given.all().end());
  // Words that differ in a digit: without it, and with it.
  auto swap = [](unsigned lane, ArrayRef<int64_t> words, int64_t weight) {
    WarpShuffle::Swap swap{lane, {}};
    llvm::SmallDenseSet<int64_t> seen;
    for (int64_t word : words)
      if (!seen.contains(word)) {
        swap.words.push_back({word, word + weight});
        seen.insert(word + weight);
      }
    return swap;
  };
  for (const Wanted &want : wanted) {
    result.before.push_back(swap(want.giver, given.all(), want.source));
    if (want.partner)
      result.after.push_back(
          swap(want.lane, received.all(), want.partner->target));
  }
}

void Planner::addRounds() {
  result.rounds = {{}};
  for (const Count &count : counts) {
    if (count.isInWord)
      continue;
    SmallVector<WarpShuffle::Round> more;
    for (int64_t digit = 0; digit < count.extent; ++digit)
      for (const WarpShuffle::Round &round : result.rounds)
        more.push_back({round.source + digit * count.source,
                        round.target + digit * count.target,
                        digit ? round.lanes ^ count.lanes : round.lanes});
    result.rounds = std::move(more);
  }
}

std::optional<WarpShuffle> Planner::run(int elementBits) {
  if (from.shape() != to.shape() || lanes.size() != kLaneBits ||
      from.size(Axis::Lane) != to.size(Axis::Lane) || !sameWarps(from, to) ||
      !matchRegisters() || !matchLanes() || !pair())
    return std::nullopt;
  formWords(elementBits);
  addSwaps();
  addRounds();
  return std::move(result);
}

std::optional<WarpShuffle> WarpShuffle::plan(const FragmentLayout &from,
                                             const FragmentLayout &to,
                                             int elementBits) {
  return Planner(from, to).run(elementBits);
}

unsigned WarpShuffle::laneOf(unsigned lane) const {
  unsigned giver = 0;
  for (unsigned i = 0; i < kLaneBits; ++i)
    if (lane >> i & 1)
      giver ^= laneBits[i];
  return giver;
}

bool WarpShuffle::keepsLanes() const {
  for (unsigned i = 0; i < kLaneBits; ++i)
    if (laneBits[i] != 1u << i)
      return false;
  return true;
}

int64_t WarpShuffle::numShuffles() const {
  return llvm::count_if(rounds,
                        [&](const Round &round) { return isShuffle(round); });
}

int64_t WarpShuffle::numSelects() const {
  int64_t count = 0;
  for (const auto &swaps : {before, after})
    for (const Swap &swap : swaps)
      count += 2 * int64_t(swap.words.size());
  return count;
}
