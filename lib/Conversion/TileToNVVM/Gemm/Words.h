//===- Words.h - registers of 32 bits of a fragment -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions in inline PTX take and give of fragments.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_WORDS_H
#define TILE_LIB_CONVERSION_TILETONVVM_WORDS_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// 32-bit values of consecutive registers of a fragment: one f32 or i32, or
/// several narrower elements packed.
class Words {
public:
  Words(KernelLowering &lowering, const FragmentBuffer &buffer,
        Type elementType)
      : lowering(lowering), buffer(buffer), elementType(elementType),
        storage(lowering.storageType(elementType)) {}

  int64_t perWord() const {
    return std::max<int64_t>(1, 32 / storage.getIntOrFloatBitWidth());
  }
  /// `f` or `r`.
  char constraint() const { return elementType.isF32() ? 'f' : 'r'; }
  Type type() const {
    auto &b = lowering.builder;
    return elementType.isF32() ? Type(b.getF32Type()) : b.getI32Type();
  }

  Value load(int64_t reg) {
    auto &b = lowering.builder;
    if (perWord() == 1)
      return lowering.loadRegister(buffer, elementType, reg);
    Value packed = LLVM::LoadOp::create(
        b, vector(), lowering.registerAddress(buffer, elementType, reg),
        storage.getIntOrFloatBitWidth() / 8);
    return LLVM::BitcastOp::create(b, b.getI32Type(), packed);
  }
  void store(int64_t reg, Value word) {
    auto &b = lowering.builder;
    if (perWord() == 1)
      return lowering.storeRegister(buffer, elementType, reg, word);
    LLVM::StoreOp::create(b, LLVM::BitcastOp::create(b, vector(), word),
                          lowering.registerAddress(buffer, elementType, reg),
                          storage.getIntOrFloatBitWidth() / 8);
  }

private:
  Type vector() { return VectorType::get({perWord()}, storage); }

  KernelLowering &lowering;
  FragmentBuffer buffer;
  Type elementType, storage;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_WORDS_H
