//===- MmaLayouts.cpp - fragments of the tensor-core instructions ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of modes for mma.sync and wgmma. All mma.sync fragments follow one
// scheme (PTX ISA, "Matrix Fragments for mma"): lanes form 8 groups of 4; a
// 32-bit register packs 32/bits elements consecutive along k (A, B) or two
// registers hold neighbours along n (C); further registers repeat along the
// other extents. Choosing an instruction is the compiler's business, not ours.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/MmaLayouts.h"
#include "tile/Layout/CheckedMath.h"

using namespace mlir::tile;
using llvm::ArrayRef;

static std::string shapeText(MmaShape shape) {
  return "m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) + "k" +
         std::to_string(shape.k);
}

static Modes withoutUnits(std::initializer_list<Mode> modes) {
  Modes result;
  for (const Mode &mode : modes)
    if (mode.extent > 1)
      result.push_back(mode);
  return result;
}

/// Elements along k that one register holds: packed in 32 bits, or one f64.
static int64_t packedElements(unsigned bits) {
  return bits >= 32 ? 1 : 32 / bits;
}

/// Whether mma.sync has this shape for A and B elements of `bits`.
static bool isMmaSyncInput(MmaShape shape, unsigned bits) {
  if (bits == 64)
    return shape == MmaShape{8, 8, 4} ||
           (shape.m == 16 && shape.n == 8 &&
            (shape.k == 4 || shape.k == 8 || shape.k == 16));
  if (bits != 4 && bits != 8 && bits != 16 && bits != 32)
    return false;
  int64_t step = 4 * packedElements(bits);
  return shape.m == 16 && shape.n == 8 &&
         (shape.k == step || shape.k == 2 * step);
}

static bool isMmaSyncAccumulator(MmaShape shape, unsigned bits) {
  switch (bits) {
  case 64:
    return isMmaSyncInput(shape, 64);
  case 32: // f32 or s32, of tf32, 16-bit, 8-bit or 4-bit inputs.
    return isMmaSyncInput(shape, 32) || isMmaSyncInput(shape, 16) ||
           isMmaSyncInput(shape, 8) || isMmaSyncInput(shape, 4);
  case 16: // f16, of 16-bit or 8-bit inputs.
    return isMmaSyncInput(shape, 16) || isMmaSyncInput(shape, 8);
  default:
    return false;
  }
}

/// A of m16 (or m8) by k, without warps.
static FragmentLayout inputA(int64_t m, int64_t k, unsigned bits) {
  int64_t packed = packedElements(bits), step = 4 * packed;
  return FragmentLayout(
      {m, k},
      withoutUnits({{packed, 1, 1}, {m / 8, 0, 8}, {k / step, 1, step}}),
      {{4, 1, packed}, {8, 0, 1}}, {});
}

static FragmentLayout inputB(int64_t k, int64_t n, unsigned bits) {
  int64_t packed = packedElements(bits), step = 4 * packed;
  return FragmentLayout({k, n},
                        withoutUnits({{packed, 0, 1}, {k / step, 0, step}}),
                        {{4, 0, packed}, {8, 1, 1}}, {});
}

static FragmentLayout accumulator(int64_t m, int64_t n) {
  return FragmentLayout({m, n},
                        withoutUnits({{2, 1, 1}, {m / 8, 0, 8}, {n / 8, 1, 8}}),
                        {{4, 1, 2}, {8, 0, 1}}, {});
}

OrRefusal<FragmentLayout>
mlir::tile::mmaSyncFragment(MmaShape shape, MmaOperand operand, unsigned bits) {
  bool exists = operand == MmaOperand::C ? isMmaSyncAccumulator(shape, bits)
                                         : isMmaSyncInput(shape, bits);
  if (!exists)
    return Refusal{"mma.sync has no shape " + shapeText(shape) + " with " +
                   std::to_string(bits) + "-bit " +
                   (operand == MmaOperand::C ? "accumulators" : "inputs")};
  switch (operand) {
  case MmaOperand::A:
    return inputA(shape.m, shape.k, bits);
  case MmaOperand::B:
    return inputB(shape.k, shape.n, bits);
  case MmaOperand::C:
    break;
  }
  return accumulator(shape.m, shape.n);
}

OrRefusal<FragmentLayout>
mlir::tile::wgmmaFragment(MmaShape shape, MmaOperand operand, unsigned bits) {
  if (shape.m != 64)
    return Refusal{"expected m64 of wgmma, got " + shapeText(shape)};
  if (shape.n < 8 || shape.n > 256 || shape.n % 8 != 0)
    return Refusal{"expected n of wgmma to be a multiple of 8 from 8 to 256, "
                   "got " +
                   std::to_string(shape.n)};
  FragmentLayout warpPart;
  switch (operand) {
  case MmaOperand::B:
    return Refusal{"operand B of wgmma is read from shared memory, it has no "
                   "fragment"};
  case MmaOperand::A:
    // Operands of 256 bits along k (PTX ISA, "Register Fragments for wgmma").
    if ((bits != 8 && bits != 16 && bits != 32) || shape.k * bits != 256)
      return Refusal{"wgmma has no shape " + shapeText(shape) + " with " +
                     std::to_string(bits) + "-bit inputs"};
    warpPart = inputA(16, shape.k, bits);
    break;
  case MmaOperand::C:
    if (bits != 16 && bits != 32)
      return Refusal{"expected 16-bit or 32-bit accumulators of wgmma, got " +
                     std::to_string(bits)};
    if (shape.k != 8 && shape.k != 16 && shape.k != 32 && shape.k != 64)
      return Refusal{"wgmma has no shape " + shapeText(shape)};
    warpPart = accumulator(16, shape.n);
    break;
  }
  return FragmentLayout({64, warpPart.shape()[1]},
                        warpPart.modes(Axis::Register),
                        warpPart.modes(Axis::Lane), {{4, 0, 16}});
}

//===----------------------------------------------------------------------===//
// Sparse operands
//===----------------------------------------------------------------------===//

OrRefusal<FragmentLayout>
mlir::tile::mmaSpFragment(MmaShape shape, MmaOperand operand, unsigned bits) {
  // A of mma.sp is that of the dense instruction with half of the k; B has the
  // registers of two such instructions, one after the other along k.
  MmaShape half{shape.m, shape.n, shape.k / 2};
  if (shape.k % 2 != 0)
    return Refusal{"expected an even k of mma.sp, got " + shapeText(shape)};
  if (operand != MmaOperand::B)
    return mmaSyncFragment(half, operand, bits);
  if (OrRefusal<FragmentLayout> part = mmaSyncFragment(half, operand, bits);
      !part)
    return part;
  return inputB(shape.k, shape.n, bits);
}

OrRefusal<SparseMetadata> SparseMetadata::get(unsigned bitsOfA,
                                              unsigned elementBits) {
  bool isByRow = bitsOfA == 8;
  if (!isByRow && bitsOfA != 16 && bitsOfA != 32)
    return Refusal{"no instruction has a sparse A of " +
                   std::to_string(bitsOfA) + "-bit elements"};
  if (elementBits != 8 && elementBits != 16 && !(isByRow && elementBits == 32))
    return Refusal{"threads take metadata of " + std::to_string(bitsOfA) +
                   "-bit elements in pieces of " +
                   (isByRow ? "8, 16 or 32" : "8 or 16") + " bits, got " +
                   std::to_string(elementBits)};
  return SparseMetadata(isByRow, elementBits);
}

int64_t SparseMetadata::elementsOfStep() const {
  return (isByRow ? 64 : 32) / elementBits;
}

FragmentLayout SparseMetadata::fragment(int64_t m, int64_t steps) const {
  Modes warps;
  if (m > 16)
    warps.push_back({m / 16, 0, 16});
  if (isByRow) {
    int64_t packed = 32 / elementBits;
    return FragmentLayout({m, 2 * packed}, withoutUnits({{packed, 1, 1}}),
                          {{2, 0, 8}, {2, 1, packed}, {8, 0, 1}}, warps);
  }
  // Four groups of a row: half a word.
  int64_t packed = 16 / elementBits;
  Modes registers = withoutUnits({{packed, 1, 1}, {2, 0, 8}});
  if (steps == 1)
    return FragmentLayout(
        {m, 2 * packed}, registers,
        {{2, 1, packed}, {2, Mode::kReplicated, 0}, {8, 0, 1}}, warps);
  return FragmentLayout({m, 4 * packed}, registers, {{4, 1, packed}, {8, 0, 1}},
                        warps);
}

std::array<int64_t, 2> SparseMetadata::wordOf(int64_t step) const {
  // Lane 0 has the word of each pair of steps.
  return {0, step / stepsOfWord() * stepsOfWord() * elementsOfStep()};
}

OrRefusal<FragmentLayout>
mlir::tile::tileMmaFragment(const FragmentLayout &instruction,
                            MmaOperand operand, ArrayRef<int64_t> tile,
                            WarpGrid warps) {
  if (instruction.rank() != 2 || tile.size() != 2)
    return Refusal{"expected an instruction fragment and a tile of rank 2, got "
                   "rank " +
                   std::to_string(instruction.rank()) + " and " +
                   std::to_string(tile.size())};
  for (int64_t extent : tile)
    if (extent < 0)
      return Refusal{"expected non-negative tile extents, got " +
                     std::to_string(extent)};
  if (warps.m < 1 || warps.n < 1)
    return Refusal{"expected a positive warp grid, got " +
                   std::to_string(warps.m) + "x" + std::to_string(warps.n)};
  int64_t own = instruction.size(Axis::Warp);
  if (warps.m % own != 0)
    return Refusal{"expected the warps along m to be a multiple of the "
                   "instruction's " +
                   std::to_string(own) + ", got " + std::to_string(warps.m)};

  int64_t units[2] = {operand == MmaOperand::B ? 1 : warps.m / own,
                      operand == MmaOperand::A ? 1 : warps.n};
  int64_t repeats[2], block[2];
  for (unsigned dim = 0; dim < 2; ++dim) {
    int64_t step = instruction.shape()[dim];
    if (step < 1)
      return Refusal{"expected positive extents of the instruction, got " +
                     std::to_string(step)};
    std::optional<int64_t> perPass = checkedMul(units[dim], step);
    if (!perPass || !checkedAdd(tile[dim], *perPass))
      return Refusal{"the extent of dimension " + std::to_string(dim) +
                     " overflows 64 bits"};
    repeats[dim] = std::max<int64_t>(1, ceilDiv(tile[dim], *perPass));
    block[dim] = repeats[dim] * step;
  }

  Modes reg = instruction.modes(Axis::Register);
  for (int dim : {1, 0})
    if (repeats[dim] > 1)
      reg.push_back({repeats[dim], dim, instruction.shape()[dim]});
  Modes warp = instruction.modes(Axis::Warp);
  auto addWarps = [&](int64_t count, int dim, bool replicate) {
    if (count > 1)
      warp.push_back(replicate ? Mode{count, Mode::kReplicated, 0}
                               : Mode{count, dim, block[dim]});
  };
  addWarps(warps.m / own, 0, operand == MmaOperand::B);
  addWarps(warps.n, 1, operand == MmaOperand::A);
  return FragmentLayout(tile, reg, instruction.modes(Axis::Lane), warp,
                        instruction.modes(Axis::Block));
}

int64_t mlir::tile::tcgen05Span(int64_t columns, int64_t groupsN) {
  if (groupsN == 1)
    return columns;
  for (int64_t span = 64; span >= 8; span /= 2)
    if (columns > 0 && columns % (span * groupsN) == 0)
      return span;
  return 0;
}

OrRefusal<FragmentLayout>
mlir::tile::tcgen05Fragment(int64_t m, ArrayRef<int64_t> tile, WarpGrid warps) {
  WarpGrid groups{warps.m / 4, warps.n};
  if (m != 64 && m != 128)
    return Refusal{"expected m64 or m128 of tcgen05, got m" +
                   std::to_string(m)};
  if (tile.size() != 2 || warps.m < 4 || warps.m % 4 != 0 || warps.n < 1)
    return Refusal{"expected a tile of rank 2 and whole warpgroups along m"};
  if (tile[0] < 1 || tile[0] % (m * groups.m) != 0)
    return Refusal{"expected a multiple of " + std::to_string(m * groups.m) +
                   " rows, got " + std::to_string(tile[0])};
  int64_t span = tcgen05Span(tile[1], groups.n);
  if (span < 8 || span % 8 != 0)
    return Refusal{"expected a multiple of " + std::to_string(8 * groups.n) +
                   " columns, got " + std::to_string(tile[1])};
  int64_t rowsPerWarp = m / 4, rowsPerGroup = tile[0] / groups.m;
  FragmentLayout part =
      m == 128 ? FragmentLayout({32, span}, {{span, 1, 1}}, {{32, 0, 1}}, {})
               : accumulator(rowsPerWarp, span);
  Modes reg = part.modes(Axis::Register), warp = {{4, 0, rowsPerWarp}};
  if (int64_t repeats = tile[1] / (span * groups.n); repeats > 1)
    reg.push_back({repeats, 1, span * groups.n});
  if (int64_t repeats = rowsPerGroup / m; repeats > 1)
    reg.push_back({repeats, 0, m});
  if (groups.m > 1)
    warp.push_back({groups.m, 0, rowsPerGroup});
  if (groups.n > 1)
    warp.push_back({groups.n, 1, span});
  return FragmentLayout(tile, reg, part.modes(Axis::Lane), warp);
}
