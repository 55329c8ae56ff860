//===- Tcgen05Moves.cpp - tcgen05.ld and tcgen05.st -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane and column of tensor memory a register is (PTX ISA, "Data Movement
// Shape", figures "Matrix Fragment for shape ..."; "Access restrictions").
//
//===----------------------------------------------------------------------===//
#include "Matrix.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::tile::lowered;
using llvm::StringRef;

namespace {
constexpr unsigned kColumns = 512, kMostRegisters = 128;

enum class Shape { B32x32, B16x64, B16x128, B16x256 };
struct ShapeInfo {
  StringRef name;
  Shape shape;
  unsigned columns, registers; // of one repetition
};
const ShapeInfo kShapes[] = {{"32x32b", Shape::B32x32, 1, 1},
                             {"16x64b", Shape::B16x64, 2, 1},
                             {"16x128b", Shape::B16x128, 4, 2},
                             {"16x256b", Shape::B16x256, 8, 4}};

/// Register r of a thread, within the lanes and columns that are moved.
TensorPlace placeOf(Shape shape, unsigned thread, unsigned r) {
  auto place = [](unsigned lane, unsigned column) {
    return TensorPlace{uint16_t(lane), uint16_t(column)};
  };
  switch (shape) {
  case Shape::B32x32:
    return place(thread, r);
  case Shape::B16x64: // two threads a lane, the others eight lanes below
    return place(thread / 4 + thread % 2 * 8, thread / 2 % 2 + r * 2);
  case Shape::B16x128: // four threads a lane, every second register below
    return place(thread / 4 + r % 2 * 8, thread % 4 + r / 2 * 4);
  case Shape::B16x256: // as before, in pairs of columns
    return place(thread / 4 + r / 2 % 2 * 8,
                 thread % 4 * 2 + r % 2 + r / 4 * 8);
  }
  return {};
}
} // namespace

std::string
mlir::tile::lowered::tcgen05Places(StringRef mnemonic, uint32_t address,
                                   unsigned warp,
                                   std::vector<TensorPlace> (&places)[32]) {
  StringRef rest = mnemonic;
  llvm::SmallVector<StringRef, 3> parts;
  const ShapeInfo *info = nullptr;
  unsigned count = 0;
  if (rest.consume_front("tcgen05.ld.sync.aligned.") ||
      rest.consume_front("tcgen05.st.sync.aligned."))
    rest.split(parts, '.');
  if (parts.size() == 3 && parts[2] == "b32" && parts[1].consume_front("x") &&
      !parts[1].getAsInteger(10, count))
    for (const ShapeInfo &shape : kShapes)
      if (shape.name == parts[0])
        info = &shape;
  if (!info || !llvm::isPowerOf2_32(count) ||
      count > kMostRegisters / info->registers)
    return "expected tcgen05.{ld,st}.sync.aligned.{32x32b,16x64b,16x128b,"
           "16x256b}.xN.b32 of at most " +
           std::to_string(kMostRegisters) + " registers, got " + mnemonic.str();
  unsigned lane = address >> 16, column = address & 0xffff;
  unsigned own = warp % 4 * 32;
  bool isHalf = info->shape != Shape::B32x32;
  if (lane != own && !(isHalf && lane == own + 16))
    return "expected lane " + std::to_string(own) +
           (isHalf ? " or " + std::to_string(own + 16) : std::string()) +
           " in the address of warp " + std::to_string(warp) + ", got " +
           std::to_string(lane);
  if (column + count * info->columns > kColumns)
    return "expected at most " + std::to_string(kColumns) +
           " columns of tensor memory, got columns " + std::to_string(column) +
           " to " + std::to_string(column + count * info->columns - 1);
  for (unsigned thread = 0; thread < 32; ++thread) {
    places[thread].resize(count * info->registers);
    for (unsigned r = 0; r < places[thread].size(); ++r) {
      TensorPlace place = placeOf(info->shape, thread, r);
      places[thread][r] = {uint16_t(lane + place.lane),
                           uint16_t(column + place.column)};
    }
  }
  return "";
}
