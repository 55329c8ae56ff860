//===- RoundedTiles.h - tiles that tensor copies round ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_ROUNDEDTILES_H
#define TILE_LIB_CONVERSION_TILETONVVM_ROUNDEDTILES_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tile::nvvm {

/// Shared tiles of f32, and views of the slots of rings, that tensor copies
/// alone write and gemms in tf32 alone read. A tensor map of type tf32 rounds
/// what it copies (CUDA Driver API, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32): without
/// it, threads round what they read, two instructions an element, and
/// instructions that read shared memory themselves cut the low bits.
llvm::DenseSet<Value> findRoundedTiles(KernelOp kernel);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_ROUNDEDTILES_H
