//===- Poison.cpp - contents of what nobody has written -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tile or a slot of a ring holds before it is written is undefined. On
// request it is overwritten by something that shows in results: numbers of one
// run could be right by chance, those of two runs with different poison differ.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

/// Bits of an element as compiled code stores it, in whole bytes.
static int64_t elementBits(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

int64_t tile::bufferBytes(MemRefType type) {
  return type.getNumElements() * llvm::divideCeil(elementBits(type), 8);
}

int64_t tile::poisonByte(MemRefType type, unsigned pattern) {
  // All ones is NaN in every float format that has one; 0x7f7f... is an integer
  // that tests do not use. The others are finite in every format, and differ in
  // their lowest bit, which is all that an i1 has.
  bool isFloat = isa<FloatType>(type.getElementType());
  int64_t byte = pattern == 1   ? 0x42
                 : pattern == 2 ? 0xc1
                 : isFloat      ? 0xff
                                : 0x7f;
  int64_t bits = elementBits(type);
  return bits < 8 ? byte & ((1 << bits) - 1) : byte;
}

void tile::poisonBuffer(OpBuilder &builder, Operation *user, Value buffer,
                        unsigned pattern) {
  auto type = cast<MemRefType>(buffer.getType());
  Location loc = user->getLoc();
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  RuntimeCalls(user).call(
      builder, "poison",
      {address, indexConstant(builder, loc, bufferBytes(type)),
       indexConstant(builder, loc, poisonByte(type, pattern))});
}
