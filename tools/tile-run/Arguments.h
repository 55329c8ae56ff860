//===- Arguments.h - the arguments of a run ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--args` says, made into buffers filled with deterministic data. The
// runs of every target start from these, and leave their results in copies of
// them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_ARGUMENTS_H
#define TILE_TOOLS_TILE_RUN_ARGUMENTS_H

#include "KernelFacts.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::tile::run {

enum class Fill { Zeros, Ones, Iota, Uniform, Normal, SmallInt, Nan };

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
  double scalar = 0;
  bool isRead = true, isWritten = false;

  int64_t numElements() const; ///< of the shape
  int64_t span() const;        ///< elements from first to last in memory
  /// `1024x512 f16, normal, seed 1`
  std::string describe() const;
};

/// The memory of every buffer argument, in order; empty for scalars.
using Memory = std::vector<std::vector<char>>;

/// What a caller sees of a kernel, whether tile IR or an artifact says so.
struct Parameter {
  std::string name;
  Type type;
  bool isRead = true, isWritten = true;
};
struct Signature {
  std::string kernel;
  std::vector<Parameter> parameters;
};
Signature signatureOf(KernelOp kernel, const KernelFacts &facts);

/// Reads `--args` against the kernel. What it leaves out comes from static
/// types: shapes, contiguous strides, `uniform` for what is read, `nan` for
/// what is only written, the argument's number as seed.
llvm::Expected<std::vector<Argument>> parseArguments(const Signature &signature,
                                                     StringRef text);

/// The initial memory of every argument. Places between its elements, where
/// strides leave some, have all bits set: NaN in every float format.
llvm::Expected<Memory> fillArguments(ArrayRef<Argument> arguments);

/// The same numbers, each float as an f64. `magnitudes` drops signs.
Memory widenMemory(ArrayRef<Argument> arguments, const Memory &memory,
                   bool magnitudes = false);

/// Number of every element, in row-major order of the shape.
std::vector<double> readBuffer(const Argument &argument,
                               const std::vector<char> &memory, Type element);

/// Element numbers, in row-major order of the shape, of their places in memory.
std::vector<int64_t> placesOf(const Argument &argument);

/// The sizes and scalars the facts of a kernel are evaluated with.
Extents extentsOf(ArrayRef<Argument> arguments);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_ARGUMENTS_H
