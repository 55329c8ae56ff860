//===- CubinCheck.h - Bounds of a cubin's headers ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_RUNTIME_CUBINCHECK_H
#define TILE_LIB_RUNTIME_CUBINCHECK_H

#include "tile/Runtime/Support.h"

#include <string>

namespace mlir::tile::runtime {

/// Checks that a blob is an ELF file for CUDA devices and that its tables,
/// sections and segments lie within it: the driver reads them by these numbers.
/// What the sections hold is the driver's business. "expected a cubin ..."
/// otherwise.
Status checkCubin(const std::string &bytes);

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_CUBINCHECK_H
