//===- Npy.h - arrays in NumPy's file format --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes `.npy` files, versions 1 to 3 of the format (NumPy's
// documentation, numpy.lib.format). Types that NumPy has are themselves. Those
// that it lacks are the bits of an unsigned integer of the same width: bf16 as
// u2, fp8 as u1; types of four bits are one element a byte, as u1 below 16.
// What ml_dtypes saves (V2 for bf16, V1 for fp8) is read as well.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_NPY_H
#define TILE_TOOLS_TILE_RUN_NPY_H

#include "Buffer.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::tile::run {

/// A file whose header has been read and whose size fits it.
struct NpyFile {
  std::string path;
  std::string descr; ///< NumPy's name of the element type, as `<f2`
  bool isFortran = false;
  SmallVector<int64_t> shape;
  uint64_t dataOffset = 0;
};

llvm::Expected<NpyFile> openNpy(StringRef path);

/// An error where the file's elements are not of this type.
llvm::Error checkNpyElement(const NpyFile &file, StringRef argument,
                            Type element);

/// Puts the file's elements where the strides say.
llvm::Error readNpy(const NpyFile &file, StringRef argument, Type element,
                    ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                    Buffer &to);

/// Writes the elements in row-major order, as version 1.
llvm::Error writeNpy(StringRef path, Type element, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> strides, const Buffer &from);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_NPY_H
