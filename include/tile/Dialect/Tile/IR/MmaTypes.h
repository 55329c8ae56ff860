//===- MmaTypes.h - tensor-core names of element types ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for whoever plans a gemm and whoever emits it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_MMATYPES_H
#define TILE_DIALECT_TILE_IR_MMATYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "tile/Target/TargetInfo.h"
#include <optional>

namespace mlir::tile {

/// How tensor cores take elements of A or B (f32 as tf32); nullopt for a type
/// they do not take.
std::optional<MmaType> getMmaOperandType(Type type, bool isUnsigned);
/// How they accumulate in C's element type; nullopt when they do not.
std::optional<MmaType> getMmaAccumulatorType(Type type);

class GemmOp;
struct MmaTypes {
  MmaType a, b, accumulator;
};
/// The types of A, B and C of a gemm; nullopt when tensor cores do not take one
/// of them.
std::optional<MmaTypes> getMmaTypes(GemmOp gemm);

/// What a sparse A keeps: `kept` values of each `columns` (`metadata` of
/// `tile.gemm`).
struct SparseGroup {
  int64_t kept, columns;
  static SparseGroup of(Type element);
  /// As the gemm's shapes say: its types may have been widened.
  static SparseGroup of(GemmOp gemm);
};

/// Which thread holds which bits of a sparse gemm's metadata, as the
/// instruction takes them from registers.
OrRefusal<FragmentLayout> metadataLayout(GemmOp gemm, MmaShape shape,
                                         WarpGrid warps);

/// Columns of tensor memory that a tile of 32-bit elements takes.
int64_t tensorMemoryColumns(MemRefType type);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_MMATYPES_H
