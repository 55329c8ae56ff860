//===- Source.h - what a caller of the C interface hands over ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of tile IR as a module in a context of its own, and what options and
// results have in common.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CAPI_SOURCE_H
#define TILE_LIB_CAPI_SOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace mlir::tile::capi {

inline const char *orEmpty(const char *text) { return text ? text : ""; }

/// The parts of a list separated by commas.
std::vector<std::string> split(const char *text);

/// Parses MLIR text or bytecode and calls `body` with it. Diagnostics, those of
/// `body` too, go to `log` with their source lines; remarks on request.
LogicalResult withModule(StringRef source, const char *sourceName, bool remarks,
                         llvm::raw_ostream &log,
                         llvm::function_ref<LogicalResult(ModuleOp)> body);

/// Options of a caller whose header may be older or newer than the library:
/// `structSize` bytes of `defaults` into `options`.
template <typename T>
void initOptions(T *options, T defaults, size_t structSize) {
  if (structSize > sizeof(T))
    std::memset(options, 0, structSize);
  defaults.structSize = structSize;
  std::memcpy(options, &defaults, std::min(structSize, sizeof(T)));
}
/// What such a caller has set, and `defaults` for the rest.
template <typename T> T readOptions(const T *given, T defaults) {
  if (given)
    std::memcpy(&defaults, given, std::min(given->structSize, sizeof(T)));
  return defaults;
}

/// A copy that tileDiagnosticsDestroy frees.
char *copyText(StringRef text);

} // namespace mlir::tile::capi
#endif // TILE_LIB_CAPI_SOURCE_H
