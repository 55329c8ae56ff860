//===- Arguments.h - the arguments of a run ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--args` says, as arguments with shapes, strides and a description of
// their data (Data.h makes it). The runs of every target start from these, and
// leave their results in copies of them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_ARGUMENTS_H
#define TILE_TOOLS_TILE_RUN_ARGUMENTS_H

#include "KernelFacts.h"
#include "Npy.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::tile::run {

enum class Fill {
  Zeros,
  Ones,
  Iota,
  Uniform,
  Normal,
  SmallInt,
  Nan,
  Range,
  Sorted,
  Permutation,
  Places,
  Halves,
  File
};

/// One kernel argument: a buffer of `shape` with `strides` in elements, or a
/// scalar. Memory holds the elements from the lowest address to the highest
/// that the strides reach.
struct Argument {
  std::string name;
  Type type;    ///< memref or scalar, as in the kernel
  Type element; ///< the scalar's own type, or the buffer's
  bool isBuffer = false;
  SmallVector<int64_t> shape, strides;
  Fill fill = Fill::Uniform;
  uint64_t seed = 0;
  int64_t low = 0, high = 0; ///< of Range and Sorted, `high` excluded
  NpyFile file;              ///< of File
  double scalar = 0;
  bool isRead = true, isWritten = false;

  int64_t numElements() const; ///< of the shape
  int64_t span() const;        ///< elements from first to last in memory
  /// `1024x512 f16, normal, seed 1`
  std::string describe() const;
};

/// What a caller sees of a kernel, whether tile IR or an artifact says so.
struct Parameter {
  std::string name;
  Type type;
  bool isRead = true, isWritten = true;
  /// `tile.shape_hint`: sizes of a buffer, or an integer's value; may be empty.
  SmallVector<int64_t> hint;
  bool isIndices = false;    ///< KernelFacts
  int64_t sparseColumns = 0; ///< KernelFacts
};
struct Signature {
  std::string kernel;
  std::vector<Parameter> parameters;
};
Signature signatureOf(KernelOp kernel, const KernelFacts &facts);

/// Reads `--args` against the kernel. Omitted parts come from static types and
/// `tile.shape_hint`: shapes, dense strides, `uniform` for arguments that are
/// read, `permutation` for those that name rows, `places` or `halves` for
/// metadata of a sparse A, `nan` for those that are only
/// written, the argument's number as seed; 1 for floating-point scalars.
llvm::Expected<std::vector<Argument>> parseArguments(const Signature &signature,
                                                     StringRef text);

/// The argument that an option names, which is a buffer.
llvm::Expected<unsigned> findBuffer(ArrayRef<Argument> arguments,
                                    StringRef kernel, StringRef name,
                                    StringRef option);

/// The sizes and scalars the facts of a kernel are evaluated with.
Extents extentsOf(ArrayRef<Argument> arguments);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_ARGUMENTS_H
