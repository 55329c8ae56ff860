//===- LoopCost.cpp - cost of a loop's layout -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An estimate in cycles of one multiprocessor, good for comparing layouts of
// one loop, not for predicting its time. What is not known costs the worst
// case.
//
//===----------------------------------------------------------------------===//
#include "LoopCost.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/Distribute.h"
#include "tile/Layout/WarpShuffle.h"
#include "tile/Target/ThreadBudget.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

namespace {
// docs/Rationale/LayoutInference.md explains each.
constexpr double kCyclesPerSector = 2;         // 32 bytes of global memory
constexpr double kCyclesPerGlobalAccess = 3;   // of a warp, however narrow
constexpr double kCyclesPerLine = 1;           // 128 bytes that it touches
constexpr double kCyclesPerWavefront = 1;      // 128 bytes of shared memory
constexpr double kCyclesPerInstruction = 0.25; // of a warp: 4 schedulers
constexpr double kCyclesPerShuffle = 1;
constexpr double kCyclesPerBarrier = 30;
constexpr double kCyclesPerExcessRegister = 8;
constexpr int64_t kSectorBits = 256, kLineBits = 1024, kWordBits = 32;
constexpr int64_t kBanks = 32;
constexpr int64_t kMaxVectorBits = 128;
// A row pitch nobody knows: far apart, aligned.
constexpr int64_t kUnknownPitch = 4096;
} // namespace

std::optional<MemoryWalk> tile::memoryWalk(const LoopDemand &loop,
                                           const LoopAccess &access) {
  MemorySpace space = getMemorySpace(access.buffer());
  if (space != MemorySpace::Global && space != MemorySpace::Shared)
    return std::nullopt;
  auto type = cast<MemRefType>(access.buffer().getType());
  MemoryWalk walk;
  walk.isGlobal = space == MemorySpace::Global;
  walk.elementBits = getStorageBits(type.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t alignment = kMaxVectorBits;
  // What a kernel's argument does not promise it does not have. Rows of unknown
  // pitch count as aligned like the buffer: copies check at run time.
  if (walk.isGlobal)
    alignment = std::gcd(alignment, 8 * knownAlignment(access.buffer()));
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    bool isInnermost = dim + 1 == strides.size();
    std::optional<int64_t> bits;
    if (!ShapedType::isDynamic(stride))
      bits = checkedMul(stride, walk.elementBits);
    if (bits && !isInnermost)
      alignment = std::gcd(alignment, *bits);
    // A pitch of more bits than can be counted is as far as one nobody knows.
    int64_t unknown = isInnermost ? kUnknownPitch + 1 : kUnknownPitch;
    strides[dim] = bits.value_or(unknown * int64_t(walk.elementBits));
  }
  walk.strides.assign(loop.shape.size(), 0);
  for (auto [dim, index] : llvm::enumerate(access.indices)) {
    if (std::optional<int64_t> shift = checkedMul(index.constant, strides[dim]))
      alignment = std::gcd(alignment, *shift);
    // Any row of a table starts where the pitch of its rows says.
    if (index.isIrregular)
      alignment = std::gcd(alignment, strides[dim]);
    for (auto [loopDim, coefficient] : llvm::enumerate(index.coefficients)) {
      std::optional<int64_t> &stride = walk.strides[loopDim];
      if (index.isIrregular && index.irregularIn.test(loopDim)) {
        stride = std::nullopt;
        continue;
      }
      std::optional<int64_t> step = checkedMul(coefficient, strides[dim]);
      stride = stride && step ? checkedAdd(*stride, *step) : std::nullopt;
    }
  }
  // The narrowest asynchronous copy takes a word; below, copies realign.
  bool isByteOrTwo = walk.elementBits == 8 || walk.elementBits == 16;
  if (loop.realigns && walk.isGlobal && isByteOrTwo &&
      std::abs(alignment) < kWordBits)
    alignment = kMaxVectorBits;
  walk.alignedElements =
      std::max<int64_t>(1, std::abs(alignment) / walk.elementBits);
  for (auto [loopDim, stride] : llvm::enumerate(walk.strides))
    if (stride && *stride == walk.elementBits && loop.shape[loopDim] != 1)
      walk.contiguousDim = loopDim;
  return walk;
}

/// Elements per instruction of a memory access: the run of registers along the
/// contiguous dimension, up to 16 bytes.
static int64_t accessVector(const MemoryWalk &walk,
                            const FragmentLayout &layout) {
  if (!walk.contiguousDim)
    return 1;
  int64_t vector = layout.vectorWidth(*walk.contiguousDim);
  vector = std::gcd(vector, kMaxVectorBits / walk.elementBits);
  return std::gcd(vector, walk.alignedElements);
}

/// How often a thread or a warp accesses the same elements as another one does:
/// the caches have them the second time.
static int64_t repeats(const MemoryWalk &walk, const FragmentLayout &layout) {
  int64_t count = 1;
  for (Axis axis : {Axis::Register, Axis::Warp})
    for (const Mode &mode : layout.modes(axis))
      if (mode.isReplication() || walk.strides[mode.dim] == 0)
        count *= mode.extent;
  return count;
}

/// Different units of so many bits in which the accesses of the lanes lie, in
/// order.
static SmallVector<int64_t, 64> unitsTouched(ArrayRef<int64_t> addresses,
                                             int64_t bits, int64_t unitBits) {
  SmallVector<int64_t, 64> units;
  for (int64_t address : addresses) {
    int64_t last = address + bits - 1;
    for (int64_t unit = address / unitBits; unit <= last / unitBits; ++unit)
      if (units.empty() || units.back() != unit)
        units.push_back(unit);
  }
  if (!llvm::is_sorted(units))
    llvm::sort(units);
  units.erase(llvm::unique(units), units.end());
  return units;
}

/// Lines in which sectors, in order, lie.
static int64_t linesOf(ArrayRef<int64_t> sectors) {
  constexpr int64_t kSectorsOfLine = kLineBits / kSectorBits;
  int64_t lines = 0;
  for (auto [i, sector] : llvm::enumerate(sectors))
    lines +=
        i == 0 || sector / kSectorsOfLine != sectors[i - 1] / kSectorsOfLine;
  return lines;
}

/// Warp-wide transactions of one access per block: sectors of global memory or
/// wavefronts of shared memory.
static double traffic(const MemoryWalk &walk, const FragmentLayout &layout) {
  int64_t registers = layout.numRegisters();
  int64_t warps = layout.size(Axis::Warp);
  int64_t vector = accessVector(walk, layout);
  // One access of warp 0 stands for all: the layouts are affine.
  SmallVector<int64_t, 32> addresses;
  for (int64_t lane = 0; lane < kWarpSize; ++lane) {
    SmallVector<int64_t> coords = layout.axisCoordinates(Axis::Lane, lane);
    int64_t address = 0;
    bool known = true;
    for (auto [coord, stride] : llvm::zip_equal(coords, walk.strides)) {
      known &= stride.has_value();
      address += coord * stride.value_or(0);
    }
    // Irregular accesses are apart from all others.
    if (!known)
      address = lane * kUnknownPitch * kSectorBits;
    if (layout.inBounds(coords))
      addresses.push_back(address);
  }
  int64_t bits = vector * int64_t(walk.elementBits);
  double perAccess = 0;
  if (walk.isGlobal) {
    auto sectors = unitsTouched(addresses, bits, kSectorBits);
    perAccess = kCyclesPerGlobalAccess +
                kCyclesPerLine * double(linesOf(sectors)) +
                kCyclesPerSector * double(sectors.size()) /
                    double(repeats(walk, layout));
  } else {
    // The buffer's layout is chosen later so that rows do not collide; what
    // remains is the number of words.
    auto words = int64_t(unitsTouched(addresses, bits, kWordBits).size());
    perAccess = kCyclesPerWavefront * double(ceilDiv(words, kBanks));
  }
  int64_t accesses = registers / vector * warps;
  return perAccess * double(accesses);
}

LayoutCost tile::loopCost(ArrayRef<MemoryWalk> walks,
                          const FragmentLayout &layout) {
  LayoutCost cost;
  for (const MemoryWalk &walk : walks)
    (walk.isGlobal ? cost.globalTraffic : cost.sharedTraffic) +=
        traffic(walk, layout);
  // One instruction an element for the body, one a vector for each access.
  int64_t instructions = layout.numRegisters();
  for (const MemoryWalk &walk : walks)
    instructions += layout.numRegisters() / accessVector(walk, layout);
  cost.issue =
      kCyclesPerInstruction * double(instructions * layout.size(Axis::Warp));
  return cost;
}

int64_t tile::registersPerThread(const FragmentLayout &layout,
                                 unsigned elementBits) {
  return ceilDiv(layout.numRegisters() * elementBits, 32);
}

double tile::registerCost(int64_t registers, int64_t numThreads,
                          const TargetInfo &target, int64_t blocks) {
  int64_t affordable = ThreadBudget(target).share(numThreads, blocks);
  int64_t excess =
      std::max<int64_t>(0, registers + kRegistersBesideFragments - affordable);
  int64_t excessOfWarps = excess * (numThreads / kWarpSize);
  return kCyclesPerExcessRegister * double(excessOfWarps);
}

/// Of `warps`, whose words may be wider than what a shuffle moves.
static double shuffleCost(const WarpShuffle &plan, int64_t warps,
                          unsigned elementBits) {
  auto words = double(ceilDiv(int64_t(elementBits), kWordBits) * warps);
  return words * (kCyclesPerShuffle * double(plan.numShuffles()) +
                  kCyclesPerInstruction * double(plan.numSelects()));
}

double tile::conversionCost(const FragmentLayout &from,
                            const FragmentLayout &to, unsigned elementBits) {
  auto kind = classifyConversion(from, to);
  if (!kind)
    return std::numeric_limits<double>::infinity();
  int64_t warps = to.size(Axis::Warp);
  auto registers = double(registersPerThread(to, elementBits) * warps);
  switch (kind->kind) {
  case ConversionKind::Identity:
    return 0;
  case ConversionKind::RegisterRename:
    return kCyclesPerInstruction * registers;
  case ConversionKind::WarpShuffle:
    if (auto plan = WarpShuffle::plan(from, to, int(elementBits)))
      return shuffleCost(*plan, warps, elementBits);
    break;
  case ConversionKind::SharedMemory:
    break;
  }
  return sharedTripCost(from, to, elementBits);
}

double tile::sharedTripCost(const FragmentLayout &from,
                            const FragmentLayout &to, unsigned elementBits) {
  // A store and a load of every element, at a conflict degree of 2.
  auto moved =
      double((from.numRegisters() + to.numRegisters()) * to.size(Axis::Warp));
  return 2 * kCyclesPerBarrier +
         2 * kCyclesPerWavefront * moved * elementBits / kWordBits;
}

double tile::reductionCost(const FragmentLayout &source, unsigned dim) {
  int64_t lanes = 1, warps = 1, results = 1;
  for (const Mode &mode : source.modes(Axis::Lane))
    if (mode.dim == int(dim))
      lanes *= mode.extent;
  for (const Mode &mode : source.modes(Axis::Warp))
    if (mode.dim == int(dim))
      warps *= mode.extent;
  for (const Mode &mode : source.modes(Axis::Register))
    if (mode.dim != int(dim))
      results *= mode.extent;
  int64_t allWarps = source.size(Axis::Warp);
  double cost =
      kCyclesPerInstruction * double(source.numRegisters() * allWarps);
  auto combined = double(results * allWarps);
  cost += kCyclesPerShuffle * llvm::Log2_64_Ceil(lanes) * combined;
  if (warps > 1)
    cost += 2 * kCyclesPerBarrier +
            kCyclesPerWavefront * combined * double(1 + warps);
  return cost;
}

/// How many elements of a buffer the loop touches: of a table with one value a
/// row, fewer than of a matrix.
static double touchedElements(const LoopDemand &loop, const MemoryWalk &walk) {
  double elements = 1;
  for (auto [extent, stride] : llvm::zip_equal(loop.shape, walk.strides))
    if (!stride || *stride != 0)
      elements *= double(extent);
  return elements;
}

unsigned tile::preferredDim(const LoopDemand &loop,
                            ArrayRef<MemoryWalk> walks) {
  SmallVector<double> votes(loop.shape.size(), 0);
  for (const MemoryWalk &walk : walks)
    if (walk.contiguousDim)
      votes[*walk.contiguousDim] += (walk.isGlobal ? 4 : 1) * walk.elementBits *
                                    touchedElements(loop, walk);
  unsigned best = loop.shape.size() - 1;
  while (best > 0 && loop.shape[best] == 1 && votes[best] == 0)
    --best;
  for (unsigned dim = 0; dim < votes.size(); ++dim)
    if (votes[dim] > votes[best])
      best = dim;
  return best;
}

int64_t tile::preferredVector(const LoopDemand &loop,
                              ArrayRef<MemoryWalk> walks, unsigned dim) {
  // The narrowest element decides: 16 bytes of it. Global memory goes first,
  // its transactions are the dearest.
  int64_t vector = 0;
  for (bool global : {true, false}) {
    for (const MemoryWalk &walk : walks)
      if (walk.isGlobal == global && walk.contiguousDim == dim)
        vector = std::max(vector, std::min(kMaxVectorBits / walk.elementBits,
                                           walk.alignedElements));
    if (vector)
      break;
  }
  vector = std::max<int64_t>(vector, 1);
  if (loop.coalescedWidth)
    vector =
        std::clamp<int64_t>(int64_t(llvm::bit_floor(uint64_t(
                                std::max<int64_t>(*loop.coalescedWidth, 1)))),
                            1, 16);
  int64_t extent = std::max<int64_t>(loop.shape[dim], 1);
  while (vector > 1 && extent % vector != 0)
    vector /= 2;
  return vector;
}

/// `first`, then the other dimensions innermost first.
static SmallVector<unsigned> orderFrom(unsigned first, unsigned rank) {
  SmallVector<unsigned> order = {first};
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != first)
      order.push_back(dim);
  return order;
}

FragmentLayout tile::coalescedLayout(const LoopDemand &loop,
                                     ArrayRef<MemoryWalk> walks,
                                     int64_t numThreads) {
  unsigned dim = preferredDim(loop, walks);
  return FragmentLayout::blocked(loop.shape, numThreads,
                                 preferredVector(loop, walks, dim),
                                 orderFrom(dim, loop.shape.size()));
}

std::optional<FragmentLayout> tile::memoryLoopLayout(TileOpInterface op,
                                                     const TargetInfo &target,
                                                     int64_t threads) {
  LayoutConstraints constraints(target, threads);
  op.getLayoutConstraints(constraints);
  if (!constraints.loopDemand)
    return std::nullopt;
  SmallVector<MemoryWalk> walks;
  for (const LoopAccess &access : constraints.loopDemand->accesses) {
    if (isFragment(access.buffer()))
      return std::nullopt;
    if (auto walk = memoryWalk(*constraints.loopDemand, access))
      walks.push_back(*walk);
  }
  return coalescedLayout(*constraints.loopDemand, walks, threads)
      .canonicalized();
}

std::vector<FragmentLayout> tile::loopCandidates(const LoopDemand &loop,
                                                 ArrayRef<MemoryWalk> walks,
                                                 int64_t numThreads) {
  std::vector<FragmentLayout> candidates;
  unsigned rank = loop.shape.size();
  SmallVector<unsigned> fastest = {preferredDim(loop, walks)};
  for (const MemoryWalk &walk : walks)
    if (walk.contiguousDim && !llvm::is_contained(fastest, *walk.contiguousDim))
      fastest.push_back(*walk.contiguousDim);
  for (unsigned dim : fastest)
    for (int64_t vector = preferredVector(loop, walks, dim); vector >= 1;
         vector /= 2)
      candidates.push_back(FragmentLayout::blocked(
          loop.shape, numThreads, vector, orderFrom(dim, rank)));

  // Grids over the two largest dimensions, so that a row may stay in a warp.
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (loop.shape[dim] > 1)
      dims.push_back(dim);
  if (dims.size() < 2)
    return candidates;
  int64_t warps = numThreads / kWarpSize;
  for (unsigned fast : fastest) {
    if (!llvm::is_contained(dims, fast))
      continue;
    unsigned slow = dims.front() == fast ? dims[1] : dims.front();
    for (unsigned dim : dims)
      if (dim != fast && loop.shape[dim] > loop.shape[slow])
        slow = dim;
    for (int64_t vector = preferredVector(loop, walks, fast); vector >= 1;
         vector /= 2)
      for (int64_t lanes = kWarpSize; lanes >= 1; lanes /= 2)
        for (int64_t fastWarps = 1; fastWarps <= warps; ++fastWarps) {
          if (warps % fastWarps)
            continue;
          SmallVector<DimensionSplit> splits(rank);
          splits[fast] = {vector, lanes, fastWarps};
          splits[slow] = {1, kWarpSize / lanes, warps / fastWarps};
          candidates.push_back(distributed(loop.shape, numThreads, splits,
                                           orderFrom(fast, rank)));
        }
  }
  return candidates;
}
